// Audit events as sentences: one for every event, in every language, with the names that are known.

import { describe, expect, it } from 'vitest';
import type { AuditRow } from '../../src/audit/schema.ts';
import { collectNames } from '../../src/dashboard/components/event-names.ts';
import { describeEvent, formatSentence, noNames } from '../../src/dashboard/components/event-sentence.ts';
import { formatChanges } from '../../src/dashboard/components/event-texts.ts';
import { de } from '../../src/dashboard/texts/de.ts';
import { en } from '../../src/dashboard/texts/en.ts';
import { events } from '../../src/events.ts';
import type { ProjectActivity } from '../../src/overviews/activity-schema.ts';
import type { ProjectOverview } from '../../src/overviews/project-schema.ts';

const keys = [...new Set(Object.values(events).map(({ audit: { type, event } }) => `${type}.${event}`))].sort();
const placeholdersOf = (sentence: string) => [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

/** Every detail that events record. */
const details = {
  email: 'robin@example.com',
  name: 'Robin',
  domain: 'example.com',
  role: 'admin',
  developer_id: 'dana-1',
  project_id: 'project-1',
  channel_id: 'channel-1',
  channel: 'beta',
  group_id: 'group-1',
  build_id: 'build-1',
  version_name: '2.3.0',
  build_number: 231,
  host: 'hooks.example.com',
};

const released: AuditRow = {
  timestamp: '2026-01-31T12:00:00.000Z',
  event: 'created',
  type: 'release',
  identifier: 'release-1',
  actor: { kind: 'developer', identifier: 'ada-1', name: 'Ada Lovelace' },
  ip_address: '192.0.2.7',
  details: { channel: 'beta', channel_id: 'channel-1', build_id: 'build-1', version_name: '2.3.0', build_number: 231 },
  event_type_label: 'Created',
  data_type_label: 'Release',
};

const uploaded: AuditRow = {
  ...released,
  type: 'build',
  identifier: 'build-1',
  actor: { kind: 'project_access_token', identifier: 'token-1', name: 'ci-main' },
  details: { version_name: '2.3.0', build_number: 231, size_bytes: 9 },
};

const names = collectNames([released, uploaded], {
  projects: [{ project: { identifier: 'project-1', name: 'Wander' } } as ProjectOverview],
  activity: [{ project_id: 'project-1', channels: [{ channel_id: 'channel-1', name: 'Beta' }] } as ProjectActivity],
  members: new Map([['dana-1', 'Dana Scully']]),
});

const say = (row: AuditRow, texts = en, known = names) => formatSentence(describeEvent(row, texts, known));

describe('the sentences of events', () => {
  it.each([
    ['English', en],
    ['German', de],
  ] as const)('exist for every event, and for no other, in %s', (_, { events: { sentences } }) => {
    expect(Object.keys(sentences).sort()).toEqual(keys);
  });

  it('have the same placeholders in both languages', () => {
    const english = Object.entries(en.events.sentences).map(([key, text]) => [key, placeholdersOf(text)]);
    expect(Object.entries(de.events.sentences).map(([key, text]) => [key, placeholdersOf(text)])).toEqual(english);
  });

  it.each(keys)('%s: fills every placeholder from its record', (key) => {
    const [type = '', event = ''] = key.split('.');
    for (const texts of [en, de]) {
      const sentence = say({ ...released, type, event, details }, texts, noNames);
      expect(sentence).not.toMatch(/[{}]|undefined|\[object/);
      expect(say({ ...released, type, event, details: {} }, texts, noNames)).not.toMatch(/[{}]|undefined|\[object/);
    }
  });

  it('name the person, the project, the build and the channel, with links', () => {
    expect(say(released)).toBe('Ada Lovelace released Wander 2.3.0 (231) to Beta');
    expect(say(released, de)).toBe('Ada Lovelace hat Wander 2.3.0 (231) auf Beta freigegeben');
    expect(describeEvent(released, en, names)).toEqual([
      { text: 'Ada Lovelace', isName: true },
      { text: ' released ', isName: false },
      {
        text: 'Wander 2.3.0 (231)',
        isName: true,
        link: { to: 'build', projectId: 'project-1', buildId: 'build-1' },
      },
      { text: ' to ', isName: false },
      { text: 'Beta', isName: true, link: { to: 'channel', projectId: 'project-1', channelId: 'channel-1' } },
    ]);
  });

  it('know the project of an upload from a release of it, and link to nothing that was deleted', () => {
    expect(say(uploaded)).toBe('ci-main uploaded Wander 2.3.0 (231)');
    const [, , build] = describeEvent({ ...uploaded, event: 'deleted' }, en, names);
    expect(build).toEqual({ text: 'Wander 2.3.0 (231)', isName: true });
  });

  it('show what the record holds if a name is unknown', () => {
    expect(say(released, en, noNames)).toBe('Ada Lovelace released 2.3.0 (231) to beta');
    const ofIos = { ...released, details: { ...released.details, display_build_number: '2.3.1' } };
    expect(say(ofIos, en, noNames)).toBe('Ada Lovelace released 2.3.0 (2.3.1) to beta');
    const id = '01a20408-cbbd-7000-b04b-5833a1396f97';
    const rolledBack = { ...released, event: 'rolled_back', details: { channel_id: id, build_id: id } };
    expect(say(rolledBack, en, noNames)).toBe('Ada Lovelace rolled back \u2026a1396f97 on \u2026a1396f97');
  });

  it.each([
    ['org_membership', 'deleted', { developer_id: 'dana-1' }, 'Ada Lovelace removed the member Dana Scully'],
    ['org_membership', 'deleted', { developer_id: 'dana-1', left: true }, 'Dana Scully left the organization'],
    [
      'org_membership',
      'deleted',
      { developer_id: 'dana-1', reason: 'account_deleted' },
      'The member Dana Scully was removed: the account was deleted',
    ],
    [
      'channel_tester_invite',
      'created',
      { channel_id: 'channel-1', email: null },
      'Ada Lovelace created a link that invites a tester to Beta',
    ],
    [
      'channel_tester_invite',
      'revoked',
      { channel_id: 'channel-1' },
      'Ada Lovelace revoked a link that invites a tester to Beta',
    ],
    [
      'channel_tester_invite',
      'created',
      { channel_id: 'channel-1', email: 'robin@example.com' },
      'Ada Lovelace invited robin@example.com to test Beta',
    ],
    [
      'org_sso_domain',
      'org_sso_domain_verification_changed',
      { domain: 'x.org', verified: true },
      'The domain x.org was verified',
    ],
    [
      'release',
      'edited',
      { ...released.details, state: 'disabled' },
      'Ada Lovelace disabled the release of Wander 2.3.0 (231) to Beta',
    ],
    [
      'project',
      'linked',
      { name: 'Tides', siblings: [{ identifier: 'project-9', name: 'Tides', platform: 'android' }] },
      'Ada Lovelace linked the project Tides with Tides (Android)',
    ],
  ])('for %s %s follow the details %o', (type, event, known, sentence) => {
    expect(say({ ...released, type, event, details: known })).toBe(sentence);
  });

  it('fall back to the words of the event', () => {
    const unknown = { ...released, event: 'painted' };
    expect(say({ ...unknown, type: 'airfield' })).toBe('Ada Lovelace: Painted (Airfield)');
    expect(say({ ...unknown, type: 'airfield', actor: { kind: 'system', identifier: null, name: null } })).toBe(
      'The server: Painted (Airfield)',
    );
    expect(say({ ...unknown, type: 'constructor', event: 'name' })).toBe('Ada Lovelace: Name (Constructor)');
  });
});

describe('the changes of an event', () => {
  it.each([
    [
      { changed: { name: { from: 'Wander', to: 'Wander 2' } } },
      'Name: Wander \u2192 Wander 2',
      'Name: Wander \u2192 Wander 2',
    ],
    [
      { changed: { bundle_identifier: { from: null, to: 'com.example' } } },
      'Bundle ID: \u2013 \u2192 com.example',
      'Bundle-ID: \u2013 \u2192 com.example',
    ],
    [
      { changed: { screenshots: { from: ['1'], to: ['1', '2'] } } },
      'Screenshots: 1 \u2192 2',
      'Screenshots: 1 \u2192 2',
    ],
    [{ changed: { screenshots: { from: ['1', '2'], to: ['2', '1'] } } }, 'Screenshots', 'Screenshots'],
    [{ changed: { icon: { from: null, to: 'image/png' } } }, 'Icon', 'Symbol'],
    [
      { changed: { role: { from: 'member', to: 'admin' } } },
      'Role: Member \u2192 Admin',
      `Rolle: ${de.roles.organization.member} \u2192 ${de.roles.organization.admin}`,
    ],
    [
      { changed: { email_sign_in_allowed: { from: true, to: false } } },
      'Sign-in by email: yes \u2192 no',
      'Anmeldung per E-Mail: ja \u2192 nein',
    ],
    [{ fields: ['release_notes', 'slug'] }, 'Release notes, short address', 'Versionshinweise, Kurzadresse'],
    [{ fields: ['new_field'] }, 'New field', 'New field'],
    [{ reason: 'wrong_password' }, 'Wrong password', 'Falsches Passwort'],
    [{ email: 'a@b.example' }, '', ''],
  ])('are described for the details %o', (recorded, english, german) => {
    expect(formatChanges(recorded, en)).toBe(english);
    expect(formatChanges(recorded, de)).toBe(german);
  });
});

it('without an account, a tester sends feedback, not the server', () => {
  const sent: AuditRow = {
    ...released,
    type: 'feedback',
    actor: { kind: 'system', identifier: null, name: null },
    details: {},
  };
  expect(say(sent)).toBe('A tester sent feedback');
  expect(say({ ...sent, event: 'deleted' })).toBe('The server deleted feedback');
  expect(say(sent, de)).toBe('Ein Tester hat Feedback gesendet');
});
