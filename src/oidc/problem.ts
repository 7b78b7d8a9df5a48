// Why a provider can't be used, as text for the admin who configures it.

export class ProviderProblem extends Error {}

/** Returns the problem behind an error of a library, or undefined if it has another cause. */
export function problemBehind(error: unknown): ProviderProblem | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ProviderProblem) return cause;
  }
  return undefined;
}
