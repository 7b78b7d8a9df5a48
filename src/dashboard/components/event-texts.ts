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

/** Returns what changed in a line, such as `name: Wander → Wander 2`; '' if the details don't hold it. */
export function formatChanges({ changed, fields, reason, action }: AuditRow['details']): string {
  if (isRecord(changed)) {
    return Object.entries(changed)
      .map(([name, change]) =>
        isRecord(change) && 'from' in change && 'to' in change
          ? describeChange(spaced(name), change.from, change.to)
          : spaced(name),
      )
      .join(', ');
  }
  const listed = Array.isArray(changed) ? changed : Array.isArray(fields) ? fields : [];
  return [...listed, reason, action]
    .filter((one) => typeof one === 'string')
    .map(spaced)
    .join(', ');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const spaced = (name: string) => name.replaceAll('_', ' ');

/** Of lists, only their length is shown: the record has their ids. */
function describeChange(name: string, from: unknown, to: unknown): string {
  const [before, after] = Array.isArray(from) && Array.isArray(to) ? [from.length, to.length] : [from, to];
  return before === after ? name : `${name}: ${shown(before)} \u2192 ${shown(after)}`;
}

function shown(value: unknown): string {
  if (value === null || value === '') return '\u2013';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
