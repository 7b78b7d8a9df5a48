// Texts of audit events.
import type { AuditRow } from '../../audit/schema.ts';

/** Returns the details in one line, such as `channel: beta, version_name: 1.2.3`. */
export function formatDetails(details: AuditRow['details']): string {
  return Object.entries(details)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

/** Returns the name of the actor; '' for the system. */
export function actorName({ actor }: AuditRow): string {
  return actor.kind === 'system' ? '' : (actor.name ?? actor.identifier ?? '');
}
