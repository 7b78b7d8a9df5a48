// Audit events as sentences: the text of an event, with its placeholders filled from the record and known names.
import type { AuditRow } from '../../audit/schema.ts';
import { platformFacts, platforms } from '../../platforms.ts';
import type { Texts } from '../texts/en.ts';
import { actorName } from './event-texts.ts';

/** Names that the page knows without reading each record's objects. Each returns undefined for unknown ids. */
export interface EventNames {
  person(id: string): string | undefined;
  project(id: string): string | undefined;
  channel(id: string): { name: string; projectId: string } | undefined;
  build(id: string): { version: string; projectId: string | undefined } | undefined;
  group(id: string): string | undefined;
}

export const noNames: EventNames = {
  person: () => undefined,
  project: () => undefined,
  channel: () => undefined,
  build: () => undefined,
  group: () => undefined,
};

/** Where a name leads to. */
type EventLink =
  | { to: 'project'; projectId: string }
  | { to: 'channel'; projectId: string; channelId: string }
  | { to: 'build'; projectId: string; buildId: string }
  | { to: 'webhook'; webhookId: string };

/** A part of a sentence: plain text, or a name that is emphasized and may be a link. */
export interface SentencePart {
  text: string;
  isName: boolean;
  link?: EventLink;
}

const PLACEHOLDER = /\{(\w+)\}/;
const SHORT_ID = 8;

/** Returns the parts of the sentence of an event. Unknown events are shown by their labels. */
export function describeEvent(row: AuditRow, texts: Texts, names: EventNames): SentencePart[] {
  const sentence = findSentence(row, texts.events);
  if (sentence === undefined) {
    const actor = fill('actor', row, texts, names);
    return [actor, { text: `: ${texts.events.labelOf(row.event)} (${texts.events.labelOf(row.type)})`, isName: false }];
  }
  return sentence
    .split(PLACEHOLDER)
    .map((text, index) => (index % 2 === 1 ? fill(text, row, texts, names) : { text, isName: false }))
    .filter(({ text }) => text !== '');
}

/** Returns the sentence as plain text. */
export function formatSentence(parts: readonly SentencePart[]): string {
  return parts.map(({ text }) => text).join('');
}

/** Some events have several sentences, which their details decide between. */
function findSentence({ type, event, details }: AuditRow, t: Texts['events']): string | undefined {
  const key = `${type}.${event}`;
  if (key === 'org_membership.deleted' && details.left === true) return t.left;
  if (key === 'org_membership.deleted' && details.reason === 'account_deleted') return t.memberDeleted;
  if (key === 'project_membership.deleted' && details.left === true) return t.leftProject;
  if (key === 'org_sso_domain.org_sso_domain_verification_changed') {
    if (details.verified === true) return t.domainVerified;
    if (details.verified === false) return t.domainUnverified;
  }
  if (type === 'channel_tester_invite' && (details.email ?? null) === null) {
    if (event === 'created') return t.inviteLinkCreated;
    if (event === 'accepted') return t.inviteLinkAccepted;
    if (event === 'revoked') return t.inviteLinkRevoked;
  }
  if (key === 'device.device_registered' && details.store_connection_id !== undefined) return t.registeredWithApple;
  if (key === 'release.edited' && details.state === 'disabled') return t.releaseDisabled;
  if (key === 'release.edited' && details.state === 'active') return t.releaseEnabled;
  return Object.hasOwn(t.sentences, key) ? t.sentences[key as keyof typeof t.sentences] : undefined;
}

function fill(placeholder: string, row: AuditRow, texts: Texts, names: EventNames): SentencePart {
  const filled = fillers[placeholder]?.(row, texts, names);
  if (filled === undefined) return { text: shortenId(row.identifier), isName: true };
  return typeof filled === 'string' ? { text: filled, isName: true } : { ...filled, isName: true };
}

type Filler = (row: AuditRow, texts: Texts, names: EventNames) => string | Omit<SentencePart, 'isName'> | undefined;

const fillers: Record<string, Filler> = {
  actor: (row, { events: t }) => {
    if (row.actor.kind !== 'system') return actorName(row);
    // Apps and people without an account send it, too.
    return row.type === 'feedback' && row.event === 'created' ? t.tester : t.system;
  },
  // Earlier versions recorded the key of a feature flag as its identifier.
  target: ({ details, identifier }) => readText(details.key) ?? identifier,
  name: ({ details }) => readText(details.name),
  domain: ({ details }) => readText(details.domain),
  container: ({ details }) => readText(details.container),
  email: ({ details, identifier }, _, names) => readText(details.email) ?? namePerson(details, identifier, names),
  person: ({ details, identifier }, _, names) => namePerson(details, identifier, names),
  role: ({ details: { role } }, { roles }) =>
    readText(role) && ({ ...roles.organization, ...roles.project }[String(role)] ?? String(role)),
  project: ({ type, details, identifier }, _, names) => {
    const id = type === 'project' ? identifier : readText(details.project_id);
    return id === undefined ? undefined : nameProject(id, names, readText(details.name));
  },
  siblings: ({ details: { siblings } }) => (Array.isArray(siblings) ? siblings.map(nameSibling).join(', ') : undefined),
  channel: ({ type, details, identifier }, _, names) => {
    const id = type === 'channel' ? identifier : readText(details.channel_id);
    if (id === undefined) return readText(details.channel);
    return nameChannel(id, names, readText(type === 'channel' ? details.name : details.channel));
  },
  place: ({ details }, _, names) => {
    const channelId = readText(details.channel_id);
    if (channelId !== undefined) return nameChannel(channelId, names);
    const projectId = readText(details.project_id);
    return projectId === undefined ? undefined : nameProject(projectId, names);
  },
  group: ({ details }, _, names) => {
    const id = readText(details.group_id);
    return id === undefined ? undefined : (names.group(id) ?? shortenId(id));
  },
  build: nameBuild,
  shared: (row, texts, names) =>
    row.details.build_id === undefined ? fillers.channel?.(row, texts, names) : nameBuild(row, texts, names),
  host: ({ event, details, identifier }) => {
    const text = readText(details.host);
    if (text === undefined || event === 'deleted') return text;
    return { text, link: { to: 'webhook', webhookId: identifier } };
  },
};

function namePerson(details: AuditRow['details'], identifier: string, names: EventNames): string {
  const id = readText(details.developer_id) ?? identifier;
  return names.person(id) ?? readText(details.email) ?? shortenId(id);
}

function nameProject(id: string, names: EventNames, recorded?: string): ReturnType<Filler> {
  const name = names.project(id);
  return name === undefined ? (recorded ?? shortenId(id)) : { text: name, link: { to: 'project', projectId: id } };
}

/** Returns a name such as "Tides (Android)": projects of one app often have the same name. */
function nameSibling({ name, platform }: { name?: unknown; platform?: unknown }): string {
  const facts = platforms.find((known) => known === platform);
  return facts === undefined ? String(name) : `${String(name)} (${platformFacts[facts].name})`;
}

function nameChannel(id: string, names: EventNames, recorded?: string): ReturnType<Filler> {
  const known = names.channel(id);
  if (known === undefined) return recorded ?? shortenId(id);
  return { text: known.name, link: { to: 'channel', projectId: known.projectId, channelId: id } };
}

/** Returns a name such as "Wander 2.3.0 (231)". */
function nameBuild({ type, event, details, identifier }: AuditRow, _: Texts, names: EventNames): ReturnType<Filler> {
  const id = type === 'build' ? identifier : readText(details.build_id);
  if (id === undefined) return undefined;
  const channelId = readText(details.channel_id);
  const known = names.build(id);
  const projectId = (channelId && names.channel(channelId)?.projectId) || known?.projectId;
  const version = readVersion(details) ?? known?.version ?? shortenId(id);
  const project = projectId === undefined ? undefined : names.project(projectId);
  const text = project === undefined ? version : `${project} ${version}`;
  const isGone = type === 'build' && (event === 'deleted' || event === 'build_retention_expired');
  if (projectId === undefined || project === undefined || isGone) return text;
  return { text, link: { to: 'build', projectId, buildId: id } };
}

/** Returns the version in the details of a build or release, such as "2.3.0 (231)". */
export function readVersion({ version_name: version, ...details }: AuditRow['details']): string | undefined {
  const number = details.display_build_number ?? details.build_number;
  if (typeof version !== 'string') return undefined;
  return typeof number === 'number' || typeof number === 'string' ? `${version} (${number})` : version;
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Returns the end of an id, because ids of the same time begin alike. */
function shortenId(id: string): string {
  return id.length > 2 * SHORT_ID ? `\u2026${id.slice(-SHORT_ID)}` : id;
}
