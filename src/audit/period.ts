// The requested days of an audit trail (docs/specification/audit.md#reading).

import type { App } from '../core/context.ts';
import { DAY } from '../lib/clock.ts';
import { fieldError } from '../lib/validation.ts';
import type { AuditQuery } from './schema.ts';

/** Times in milliseconds: from `since` (inclusive) to `before` (exclusive). */
export interface Period {
  since: number;
  before: number;
}

/** A query period with the maximum number of events. */
export interface AskedPeriod extends Period {
  max: number;
}

/** The UTC days from the first to the last, inclusive. */
export function periodOfDays(first: string, last: string): Period {
  return { since: Date.parse(`${first}T00:00:00.000Z`), before: Date.parse(`${last}T00:00:00.000Z`) + DAY };
}

/**
 * Returns one day or a range of days; today by default. Throws `validation_error` for half a range or both forms
 * together.
 */
export function readPeriod({ config, clock }: Pick<App, 'config' | 'clock'>, query: AuditQuery): AskedPeriod {
  const { day, from, to } = query;
  const { audit_events_per_day: ofDay, audit_events_per_range: ofRange } = config.limits;
  if (day !== undefined && (from !== undefined || to !== undefined)) {
    throw fieldError('query', ['day'], 'value_error', "Input can't be combined with from and to");
  }
  if (from === undefined && to !== undefined) throw fieldError('query', ['from'], 'missing', 'Field required');
  if (to === undefined && from !== undefined) throw fieldError('query', ['to'], 'missing', 'Field required');
  if (from !== undefined && to !== undefined) {
    const period = periodOfDays(from, to);
    if (period.before > period.since) return { ...period, max: ofRange };
    throw fieldError('query', ['to'], 'greater_than_equal', `Input should be greater than or equal to ${from}`);
  }
  const one = day ?? clock.now().toISOString().slice(0, 10);
  return { ...periodOfDays(one, one), max: ofDay };
}
