// What people who aren't members of a locked organization read: nothing about its money.
import { ApiError, ExplainedError, isGone } from '../api/errors.ts';
import type { Texts } from '../texts/en.ts';

interface Words {
  title: string;
  text: string;
}

/** Returns the error with other texts if it is that of a locked organization or of its balance. */
export function explainLock<Thrown>(error: Thrown, words: Words): Thrown | ExplainedError {
  return error instanceof ApiError && error.status === 402 ? new ExplainedError(error, words) : error;
}

/** The same for an invitation. `gone` is for one that doesn't exist for these people. */
export function explainRefusedInvitation<Thrown>(
  error: Thrown,
  { locked }: Texts['invitation'],
  gone?: Words,
): Thrown | ExplainedError {
  return gone !== undefined && isGone(error) ? new ExplainedError(error, gone) : explainLock(error, locked);
}
