// Which events of the personal trail are about the account itself.
import type { AuditRow } from '../../../audit/schema.ts';

/** Types of events about the account itself (docs/audit.md#every-event); all others happened in an organization. */
const ACCOUNT_TYPES: readonly string[] = ['developer', 'pat', 'data_export'];

export type Scope = 'account' | 'all';

/** The rows of a scope. */
export const ofScope = (rows: readonly AuditRow[], scope: Scope): AuditRow[] =>
  rows.filter(({ type }) => scope === 'all' || ACCOUNT_TYPES.includes(type));
