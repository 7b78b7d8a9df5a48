// Texts of audit events.
import type { AuditRow } from '../../audit/schema.ts';
import type { Texts } from '../texts/en.ts';

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

/** Returns what changed in a line, such as `Name: Wander \u2192 Wander 2`; '' if the details don't hold it. */
export function formatChanges({ changed, fields, reason, action }: AuditRow['details'], texts: Texts): string {
  const nameOf = (word: string) => nameChange(word, texts);
  if (isRecord(changed)) {
    const changes = Object.entries(changed).map(([name, change]) =>
      isRecord(change) && 'from' in change && 'to' in change
        ? describeChange(name, change.from, change.to, texts)
        : nameOf(name),
    );
    return capitalize(changes.join(', '));
  }
  const listed = Array.isArray(changed) ? changed : Array.isArray(fields) ? fields : [];
  const words = [...listed, reason, action].filter((one) => typeof one === 'string');
  return capitalize(words.map(nameOf).join(', '));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nameChange(word: string, { events: { changes } }: Texts): string {
  return Object.hasOwn(changes, word) ? changes[word as keyof typeof changes] : word.replaceAll('_', ' ');
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Of lists, only their length is shown: the record has their ids. The types of images mean nothing to readers. */
function describeChange(word: string, from: unknown, to: unknown, texts: Texts): string {
  const name = nameChange(word, texts);
  const [before, after] = Array.isArray(from) && Array.isArray(to) ? [from.length, to.length] : [from, to];
  if (before === after || word === 'icon') return name;
  const shown = (value: unknown) => showValue(word, value, texts);
  return `${name}: ${shown(before)} \u2192 ${shown(after)}`;
}

function showValue(word: string, value: unknown, { events, roles }: Texts): string {
  if (value === null || value === '') return '\u2013';
  if (typeof value === 'boolean') return value ? events.yes : events.no;
  const names: Record<string, string> = { ...roles.organization, ...roles.project };
  if (word === 'role' && typeof value === 'string') return names[value] ?? value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
