// The two kinds of command failures.

/** The command was valid but can't be completed. Exit code 1. */
export class Refusal extends Error {}

/** The command was called incorrectly. Exit code 2. */
export class UsageError extends Error {}

/** Returns the message of any thrown value, without its stack. */
export function describeFailure(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
