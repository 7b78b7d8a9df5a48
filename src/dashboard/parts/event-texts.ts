// How an event of an audit trail reads.
import type { AuditRow } from '../../audit/schema.ts';

/** Details in one line, such as `channel: beta, version_name: 1.2.3`. */
export function writeDetails(details: AuditRow['details']): string {
  return Object.entries(details)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

/** Who did it, by name; '' for the system. */
export function actorOf({ actor }: AuditRow): string {
  return actor.kind === 'system' ? '' : (actor.name ?? actor.identifier ?? '');
}
