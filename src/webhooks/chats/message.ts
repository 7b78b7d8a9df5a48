// An event as text for a chat, before a format escapes it.

import type { Context } from '../../core/context.ts';
import { timestamp } from '../../lib/clock.ts';
import { formatBytes } from '../../lib/formats.ts';
import { isPublicUrl } from '../../outbound/addresses.ts';
import { platformFacts } from '../../platforms.ts';
import { type WebhookEvent, webhookEventNames } from '../../webhook-events.ts';
import type { EventRow } from '../event-store.ts';
import type { EventFacts } from '../facts.ts';

/** Names, notes and facts contain what users wrote, so each format escapes them. */
export interface Message {
  /** Ours, without anything that users chose. */
  title: string;
  /** The name of the app; empty if it's unknown. One line. */
  app: string;
  facts: { name: string; value: string }[];
  /** At most 1,000 characters in lines; empty without notes. */
  notes: string;
  installUrl: string | null;
  pageUrl: string | null;
  /** Null unless the chat's servers can load it. */
  iconUrl: string | null;
  qrUrl: string | null;
  at: string;
}

const MAX_NAME = 120;
const MAX_VALUE = 200;
const MAX_NOTES = 1_000;
const inspections = { ok: 'Package read', unreadable: "Package can't be read" } as const;

/** Returns the message about an event. */
export function writeMessage(ctx: Context, event: EventRow, { names, urls, ...known }: EventFacts): Message {
  const type = event.type as WebhookEvent;
  const version = names.version_name === null ? null : `${names.version_name} (${names.build_number ?? '?'})`;
  const facts = [
    { name: 'Version', value: version },
    { name: 'Platform', value: known.platform === null ? null : platformFacts[known.platform].name },
    { name: 'Size', value: known.sizeBytes === null ? null : formatBytes(known.sizeBytes, 'en') },
    { name: 'Channel', value: names.channel },
    { name: 'Device', value: names.device },
    { name: 'Result', value: known.inspectionStatus === null ? null : inspections[known.inspectionStatus] },
    { name: 'By', value: known.person },
  ];
  const said = facts.map(({ name, value }) => ({ name, value: oneLine(value ?? '', MAX_VALUE) }));
  // Chats load pictures with their own servers, and some reject a message whose picture can't be loaded.
  const showsPictures = isPublicUrl(ctx.config.server.base_url);
  return {
    title: type === 'webhook.test' ? 'Test delivery: the webhook works' : webhookEventNames[type],
    app: oneLine(names.project ?? '', MAX_NAME),
    // Chats reject messages with an empty field, which a name of invisible characters would result in.
    facts: said.filter(({ value }) => value !== ''),
    notes: inLines(known.notes ?? ''),
    installUrl: urls.install,
    pageUrl: urls.page,
    iconUrl: showsPictures ? urls.icon : null,
    qrUrl: showsPictures ? urls.qr : null,
    at: timestamp(event.createdAt),
  };
}

/** The text of notifications, which show no cards. */
export function summarize({ title, app, facts }: Message): string {
  const told = facts.filter(({ name }) => name === 'Version' || name === 'Channel' || name === 'Device');
  return [title, app, ...told.map(({ value }) => value)].filter((part) => part !== '').join(' · ');
}

function oneLine(value: string, max: number): string {
  return shorten(value.replace(/[\p{C}\s]+/gu, ' ').trim(), max);
}

function inLines(value: string): string {
  const lines = value.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => line.replace(/[\p{C}\s]+/gu, ' ').trimEnd());
  const text = lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
  return shorten(text, MAX_NOTES);
}

function shorten(text: string, max: number): string {
  if (text.length <= max) return text.toWellFormed();
  // A character outside the basic plane has two units, of which one would remain.
  return `${text
    .slice(0, max - 1)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd()}…`.toWellFormed();
}
