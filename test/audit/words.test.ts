// The specification's lists of events and types (part 6), each with what becomes of it here: a row that is missing on either
// side fails.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventLabelOf, eventLabels, typeLabelOf, typeLabels, wordOf } from '../../src/audit/labels.ts';
import { events } from '../../src/events.ts';

/** As the specification enumerates them; words after a comma share the words before the first one of their group. */
const EVENTS = `Created, Edited, Deleted, Revoked, Rolled back, Accepted, Reinvited, Redundant action; Login succeeded, Login failed, Logged out,
Session refreshed, Session revoked, All sessions revoked, Password changed, Email verified, Passkey registered, Passkey removed, Passkey login succeeded,
MFA enabled, MFA disabled, MFA login succeeded, MFA recovery codes regenerated, Refresh token reuse detected; Project access token created,
Project access token rotated, Project access token revoked, Project access token deleted; Org MFA policy changed, Org SSO config changed,
Org SSO domain verification changed, SSO login succeeded; Credited, Refunded, Credit forfeited, Prepaid enabled, Org card on file,
Org spend cap changed, Org subscription created, Org payment state changed, Org lifecycle changed, Org tier changed; Build retention expired,
Device registered, Store publish requested, Store publish completed, Store publish failed; Storage onboarding requested, Storage onboarding rejected,
Storage onboarding withdrawn; Data export requested, Data export completed, Data export failed, Data export downloaded; Account deletion requested,
Account deletion cancelled`;

const TYPES = `Developer, Organization, Project, Build, Channel, Release, Device, SDK app, Store connection, Webhook subscription, Storage backend,
Tester group, Tester group member, Tester group grant, Org tester grant, Project tester grant, Channel tester grant, Channel tester invite,
Org membership, Project membership, Org invite, Project invite, PAT, Project access token, Credit, Prepaid, Org spend cap, Org subscription,
Org card on file, Org payment state, Org lifecycle, Org tier, Org MFA policy, Org SSO, Org SSO domain, Data export, Store publish,
Storage onboarding request`;

/** What this version does not do: money, storage of customers, stores. */
const EVENTS_TO_COME = [
  'Credited',
  'Refunded',
  'Credit forfeited',
  'Prepaid enabled',
  'Org card on file',
  'Org spend cap changed',
  'Org subscription created',
  'Org payment state changed',
  'Org lifecycle changed',
  'Org tier changed',
  'Store publish requested',
  'Store publish completed',
  'Store publish failed',
  'Storage onboarding requested',
  'Storage onboarding rejected',
  'Storage onboarding withdrawn',
];
const TYPES_TO_COME = [
  'Store connection',
  'Storage backend',
  'Credit',
  'Prepaid',
  'Org spend cap',
  'Org subscription',
  'Org card on file',
  'Org payment state',
  'Org lifecycle',
  'Org tier',
  'Store publish',
  'Storage onboarding request',
];
/** Beyond the specification's list, which is open. */
const TYPES_BESIDES = ['Feature flag', 'Device enrollment'];

const split = (text: string) => text.split(/[,;]\s+/);
const definitions = Object.values(events).map(({ audit }) => audit);
const eventsInUse = new Set(definitions.map(({ event }) => eventLabelOf(event)));
const typesInUse = new Set(definitions.map(({ type }) => typeLabelOf(type)));

describe('the words of the trail', () => {
  it('are those of the specification, in its order', () => {
    expect([...eventLabels]).toEqual(split(EVENTS));
    expect([...typeLabels]).toEqual(split(TYPES));
  });

  it.each(split(EVENTS))('“%s” is recorded, or belongs to what is to come', (label) => {
    expect(eventsInUse.has(label)).toBe(!EVENTS_TO_COME.includes(label));
  });

  it.each(split(TYPES))('the type “%s” is recorded, or belongs to what is to come', (label) => {
    expect(typesInUse.has(label)).toBe(!TYPES_TO_COME.includes(label));
  });

  it('are no others, but for types beside the list', () => {
    expect([...eventsInUse].filter((label) => !split(EVENTS).includes(label))).toEqual([]);
    expect([...typesInUse].filter((label) => !split(TYPES).includes(label)).sort()).toEqual([...TYPES_BESIDES].sort());
  });

  it.each([
    ['Refresh token reuse detected', 'refresh_token_reuse_detected'],
    ['Login succeeded', 'login_succeeded'],
    ['Created', 'created'],
    ['MFA enabled', 'mfa_enabled'],
    ['Org SSO domain verification changed', 'org_sso_domain_verification_changed'],
  ])('say %s as %s on the wire (completions 10.28)', (label, word) => {
    expect(wordOf(label)).toBe(word);
    expect(eventLabelOf(word)).toBe(label);
  });

  it.each([
    ['Org membership', 'org_membership'],
    ['PAT', 'pat'],
    ['Channel tester invite', 'channel_tester_invite'],
    ['SDK app', 'sdk_app'],
  ])('say the type %s as %s on the wire', (label, word) => {
    expect(wordOf(label)).toBe(word);
    expect(typeLabelOf(word)).toBe(label);
  });

  it('are written out where the list does not know them', () => {
    expect([eventLabelOf('went_away'), typeLabelOf('device_enrollment'), typeLabelOf('')]).toEqual([
      'Went away',
      'Device enrollment',
      '',
    ]);
  });
});

describe('the table of docs/audit.md', () => {
  it('has a row for every event there is, with its webhook, and no other', () => {
    const text = readFileSync(join(import.meta.dirname, '../../docs/audit.md'), 'utf8');
    const rows = [...text.matchAll(/^\| ([A-Z][^|]*?) \| ([A-Z][^|]*?) \| ([^|]*?) ?\| ([^|]*?) ?\|$/gm)]
      .map(([, event, type, , webhook]) => `${event} · ${type} · ${webhook}`)
      .filter((row) => row !== 'Event · Type · Webhook');
    const expected = new Map<string, string>();
    for (const definition of Object.values(events)) {
      const { event, type } = definition.audit;
      const webhook = 'webhook' in definition ? `\`${definition.webhook}\`` : '';
      const pair = `${eventLabelOf(event)} · ${typeLabelOf(type)}`;
      expected.set(pair, expected.get(pair) || webhook);
    }
    expect(rows.sort()).toEqual([...expected].map(([pair, webhook]) => `${pair} · ${webhook}`).sort());
  });
});
