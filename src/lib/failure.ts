// The two ways in which a command fails.

/** The command was understood and cannot be done: exit code 1. */
export class Refusal extends Error {}

/** The command was called wrongly: exit code 2. */
export class UsageError extends Error {}

/** One line for any error: what people read, without the trace. */
export function describeFailure(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
