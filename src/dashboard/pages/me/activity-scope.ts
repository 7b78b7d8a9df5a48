// Filters the user's activity.
import type { AuditRow } from '../../../audit/schema.ts';

/** Types of events about the account itself (docs/audit.md#every-event). All others happened in an organization. */
const ACCOUNT_TYPES: readonly string[] = ['developer', 'pat', 'data_export'];

export type Scope = 'account' | 'all';

/** Returns the events of a scope. */
export const filterByScope = (rows: readonly AuditRow[], scope: Scope): AuditRow[] =>
  rows.filter(({ type }) => scope === 'all' || ACCOUNT_TYPES.includes(type));
