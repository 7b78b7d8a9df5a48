// What people read whose invitation can't be accepted.
import { ApiError, ExplainedError, isGone } from '../api/errors.ts';
import type { Texts } from '../texts/en.ts';

/**
 * Returns the error with the texts for people who aren't members yet: `gone` for an invitation that doesn't exist for them, and
 * nothing about the money of a locked organization.
 */
export function explainRefusedInvitation<Thrown>(
  error: Thrown,
  { locked }: Texts['invitation'],
  gone?: { title: string; text: string },
): Thrown | ExplainedError {
  if (gone !== undefined && isGone(error)) return new ExplainedError(error, gone);
  if (error instanceof ApiError && error.status === 402) return new ExplainedError(error, locked);
  return error;
}
