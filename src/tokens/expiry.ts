// When a token ends: a moment, or a day at whose end it does (docs/specification/tokens.md#expiry).
import { z } from 'zod';
import type { Tx } from '../core/context.ts';
import { fieldError } from '../lib/validation.ts';

const DAY_ALONE = /^\d{4}-\d\d-\d\d$/;
/** What the wire form of a moment can say. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const moment = z.iso.datetime({ offset: true });
const day = z.iso.date();

/** An expiry as it is sent: a date-time, or a date. */
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
      description: 'In the future; a date ends with its day in UTC. Without it the token does not expire',
    });

/** An expiry in milliseconds since the epoch; null for none. Throws validation_error for one that does not lie ahead. */
export function expiryMoment(tx: Pick<Tx, 'now'>, value: string | null | undefined): number | null {
  if (value === undefined || value === null) return null;
  const end = Date.parse(DAY_ALONE.test(value) ? `${value}T23:59:59.999Z` : value);
  if (end <= tx.now) throw fieldError('body', ['expires_at'], 'datetime_future', 'Input should be in the future');
  if (end > LATEST)
    throw fieldError('body', ['expires_at'], 'datetime_parsing', 'Input should lie before the year 10000');
  return end;
}
