// The expiry of a token: a moment, or the end of a day (docs/specification/tokens.md#expiry).
import type { Tx } from '../core/context.ts';
import { AppError } from '../lib/errors.ts';
import { dateTimeInput } from '../lib/shapes.ts';
import { fieldError } from '../lib/validation.ts';
import * as z from '../lib/zod.ts';

const DAY_ALONE = /^\d{4}-\d\d-\d\d$/;
/** The latest time that a timestamp of the API can represent. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const moment = dateTimeInput();
const day = z.iso.date();

/** An expiry in a request: a date-time or a date. */
export const expiry = () =>
  z
    .string()
    .max(64)
    .check(({ value, issues }) => {
      if (moment.safeParse(value).success || day.safeParse(value).success) return;
      issues.push({ code: 'invalid_format', format: 'datetime', input: value });
    })
    .meta({
      anyOf: [
        { type: 'string', format: 'date-time' },
        { type: 'string', format: 'date' },
      ],
      description:
        "Must be in the future. A date expires at the end of that day in UTC. If missing, the token doesn't expire",
    });

/**
 * Returns an expiry in milliseconds since the epoch, or null for none. Throws `validation_error` unless it is in the
 * future.
 */
export function expiryMoment(tx: Pick<Tx, 'now'>, value: string | null | undefined): number | null {
  if (value === undefined || value === null) return null;
  const end = Date.parse(DAY_ALONE.test(value) ? `${value}T23:59:59.999Z` : value);
  if (end <= tx.now) throw fieldError('body', ['expires_at'], 'datetime_future', 'Input should be in the future');
  if (end > LATEST)
    throw fieldError('body', ['expires_at'], 'datetime_parsing', 'Input should be before the year 10000');
  return end;
}

/** Throws `operation_not_allowed` for a token that is revoked or expired. */
export function refuseEndedToken(
  { now }: Pick<Tx, 'now'>,
  { revokedAt, expiresAt }: { revokedAt: number | null; expiresAt: number | null },
): void {
  if (revokedAt !== null) throw new AppError('operation_not_allowed', 'The token is revoked. Create a new one');
  if (expiresAt !== null && expiresAt <= now) {
    throw new AppError('operation_not_allowed', 'The token has expired. Create a new one');
  }
}

/** Returns the error for deleting a token that isn't revoked. */
export function unrevokedToken(): AppError {
  return new AppError('operation_not_allowed', 'Revoke the token before deleting it');
}
