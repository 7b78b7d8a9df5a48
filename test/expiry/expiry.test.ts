// Profiles and certificates of current releases that expire: the list, and the emails to maintainers.
import { eq, max } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildFacts, expiryNotices, outboxMails, sweepRuns } from '../../src/data/tables/tables.ts';
import { DAY, HOUR } from '../../src/lib/clock.ts';
import { expiryWarningMail } from '../../src/mail/templates/builds.ts';
import { type InstallScenario, type Published, startInstallScenario } from '../install/scenario.ts';
import { buildApk, buildIpa } from '../support/fixtures.ts';
import {
  type Client,
  expectInvalid,
  expectRefusal,
  type Json,
  type Query,
  signIn,
  walkPages,
} from '../support/harness.ts';
import { mailsTo } from '../support/mailbox.ts';
import { addPerson, type Person, projectTokenClient } from '../support/people.ts';

interface Item extends Json {
  kind: string;
  name: string | null;
  days_left: number;
  expires_at: string;
  release_id: string;
  last_warned_at: string | null;
}

const profile = (uuid: string, expiresAt: Date) => ({ UUID: uuid, Name: `Profile ${uuid}`, ExpirationDate: expiresAt });

async function listOf(client: Client, organizationId: string, query: Query = {}): Promise<Item[]> {
  const answer = await client.get<{ items: Item[] }>(`/api/v1/organizations/${organizationId}/expiring`, query);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.items;
}

describe('the list of expiring profiles and certificates', () => {
  let scenario: InstallScenario;
  let soon: Published;
  let later: Published;
  beforeAll(async () => {
    scenario = await startInstallScenario();
    const inDays = (days: number) => new Date(scenario.fixture.clock.now().getTime() + days * DAY + HOUR);
    soon = await scenario.publish(scenario.ios, buildIpa({ profile: profile('soon', inDays(10)) }), {
      version_name: '2.0',
    });
    later = await scenario.publish(scenario.ios, buildIpa({ profile: profile('later', inDays(50)) }));
    await scenario.publish(scenario.ios, buildIpa({ profile: profile('far', inDays(300)) }));
    await scenario.publish(scenario.android, buildApk());
    // Neither what nobody released nor what a channel served before is among them.
    await scenario.addBuild(scenario.ios, buildIpa({ profile: profile('unreleased', inDays(5)) }));
    const replaced = await scenario.publish(scenario.ios, buildIpa({ profile: profile('replaced', inDays(5)) }));
    const better = await scenario.addBuild(scenario.ios, buildIpa({ profile: profile('better', inDays(200)) }));
    await scenario.addRelease(scenario.ios, replaced.channelId, better.identifier);
  });
  afterAll(() => scenario?.fixture.stop());

  const list = async (query: Query = {}) => listOf(await scenario.staff(), scenario.fixture.organization_id, query);
  const names = async (query: Query = {}) => (await list(query)).map(({ name }) => name);

  it('contains everything that expires within some days, earliest first', async () => {
    expect(await names()).toEqual(['Profile soon', 'Profile later']);
    expect(await names({ days: 49 })).toEqual(['Profile soon']);
    expect(await names({ days: 51 })).toEqual(['Profile soon', 'Profile later']);
    expect(await names({ days: 9 })).toEqual([]);
    expect(await names({ days: 366 })).toEqual(['Profile soon', 'Profile later', 'Profile better', 'Profile far']);
  });

  it('shows the item, its channel and its expiry', async () => {
    const [item] = await list();
    expect(item).toEqual({
      kind: 'profile',
      name: 'Profile soon',
      platform: 'ios',
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
      is_expired: false,
      days_left: 10,
      project_id: scenario.ios.project_id,
      project_name: 'Fixture iOS',
      channel_id: soon.channelId,
      channel_name: expect.stringMatching(/^Channel \d+$/),
      release_id: soon.releaseId,
      build_id: soon.build.identifier,
      version_name: '2.0',
      build_number: soon.build.build_number,
      display_build_number: '45',
      last_warned_at: null,
    });
  });

  it('is paginated, and restarts at a malformed cursor', async () => {
    const path = `/api/v1/organizations/${scenario.fixture.organization_id}/expiring`;
    const pages = await walkPages<Item>(await scenario.staff(), path, { days: 366, limit: 3 });
    expect(pages.map((items) => items.map(({ name }) => name))).toEqual([
      ['Profile soon', 'Profile later', 'Profile better'],
      ['Profile far'],
    ]);
    const full = await walkPages<Item>(await scenario.staff(), path, { days: 366, limit: 2 });
    expect(full.map((items) => items.length)).toEqual([2, 2]);
    expect(await names({ cursor: 'nonsense' })).toEqual(['Profile soon', 'Profile later']);
  });

  it.each([
    [0, 'greater_than_equal'],
    [367, 'less_than_equal'],
    ['soon', 'int_type'],
  ])('rejects %s days', async (days, type) => {
    const answer = await (await scenario.staff()).get(
      `/api/v1/organizations/${scenario.fixture.organization_id}/expiring`,
      {
        days,
      },
    );
    expectInvalid(answer, `query.days: ${type}`);
  });

  it('shows members the projects they have access to, and strangers nothing', async () => {
    const { fixture, ios, android } = scenario;
    const organizations = { [fixture.organization_id]: 'member' } as const;
    const reader = await addPerson(fixture, { organizations, projects: { [ios.project_id]: 'read' } });
    const other = await addPerson(fixture, { organizations, projects: { [android.project_id]: 'admin' } });
    const manager = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'manager' } });
    const counts = [];
    for (const { client } of [reader, other, manager])
      counts.push((await listOf(client, fixture.organization_id)).length);
    expect(counts).toEqual([2, 0, 2]);
    const token = (projectId: string) =>
      projectTokenClient(fixture, { organizationId: fixture.organization_id, projectId, role: 'read' });
    expect(await listOf(token(ios.project_id), fixture.organization_id)).toHaveLength(2);
    expect(await listOf(token(android.project_id), fixture.organization_id)).toEqual([]);
    const stranger = await addPerson(fixture);
    const path = `/api/v1/organizations/${fixture.organization_id}/expiring`;
    expectRefusal(await stranger.client.get(path), 404, 'not_found');
    expectRefusal(await scenario.anyone.get(path), 401, 'unauthorized');
  });

  it('keeps expired items while their release is live, and follows a rollback', async () => {
    scenario.fixture.clock.advance(11 * DAY);
    const [ended] = await list();
    expect(ended).toMatchObject({ name: 'Profile soon', is_expired: true, days_left: 0 });
    const staff = await scenario.staff();
    await staff.post(`/api/v1/builds/${soon.build.identifier}/revoke`);
    expect(await names()).toEqual(['Profile later']);
    await staff.post(`/api/v1/releases/${later.releaseId}/disable`);
    expect(await names()).toEqual([]);
    await staff.post(`/api/v1/releases/${later.releaseId}/enable`);
    expect(await names()).toEqual(['Profile later']);
  });

  it('contains the certificates of both platforms', async () => {
    // The packages made for tests are signed until 2045.
    scenario.fixture.clock.set(new Date('2044-12-01T00:00:00Z'));
    const { client } = await signIn(scenario.fixture);
    const all = await listOf(client, scenario.fixture.organization_id);
    const items = all.filter(({ kind, is_expired }) => kind === 'certificate' && is_expired === false);
    // They expire at the same time, and each is on one page.
    expect(new Set(items.map(({ expires_at }) => expires_at)).size).toBe(1);
    const path = `/api/v1/organizations/${scenario.fixture.organization_id}/expiring`;
    expect((await walkPages<Item>(client, path, { limit: 2 })).flat()).toEqual(all);
    expect(items.map(({ platform, name, days_left }) => [platform, name, days_left])).toEqual(
      expect.arrayContaining([
        ['ios', null, 31],
        ['android', null, 31],
      ]),
    );
  });
});

describe('the warnings', () => {
  let scenario: InstallScenario;
  let maintainer: Person;
  let reader: Person;
  let bystander: Person;
  let start: number;
  beforeAll(async () => {
    scenario = await startInstallScenario();
    const { fixture, ios, android } = scenario;
    const organizations = { [fixture.organization_id]: 'member' } as const;
    maintainer = await addPerson(fixture, { organizations, projects: { [ios.project_id]: 'maintainer' } });
    reader = await addPerson(fixture, { organizations, projects: { [ios.project_id]: 'read_download_upload' } });
    bystander = await addPerson(fixture, { organizations, projects: { [android.project_id]: 'admin' } });
    start = fixture.clock.now().getTime();
    const bytes = buildIpa({ profile: profile('watched', new Date(start + 61 * DAY)) });
    await scenario.publish(scenario.ios, bytes, { version_name: '1.0-first' });
    await scenario.publish(scenario.ios, bytes, { version_name: '1.0-second' });
  });
  afterAll(() => scenario?.fixture.stop());

  const subjects = ({ email }: Pick<Person, 'email'>) =>
    mailsTo(scenario.fixture, email)
      .map(({ subject }) => subject)
      .filter((subject) => subject.startsWith('The '));
  /** Moves the clock to some days before the end and runs the sweep. */
  function sweepBefore(days: number): Promise<number> {
    scenario.fixture.clock.set(new Date(start + (61 - days) * DAY));
    return scenario.fixture.sweep('expiry-warnings');
  }

  it('start 60 days before, and are sent once to each maintainer, regardless of the number of channels', async () => {
    expect(await sweepBefore(60.5)).toBe(0);
    expect(await sweepBefore(60)).toBe(2);
    expect(subjects(maintainer)).toEqual(['The provisioning profile “Profile watched” expires in 60 days']);
    expect(subjects(scenario.fixture.admin)).toEqual(subjects(maintainer));
    expect([...subjects(reader), ...subjects(bystander)]).toEqual([]);
    const [mail] = mailsTo(scenario.fixture, maintainer.email);
    for (const part of ['1.0-first', '1.0-second', 'Fixture iOS', "can't install or open"]) {
      expect(mail?.text).toContain(part);
    }
  });

  it('are sent once for each threshold, regardless of the number of runs', async () => {
    expect(await sweepBefore(59)).toBe(0);
    expect(await sweepBefore(31)).toBe(0);
    expect(await sweepBefore(30)).toBe(2);
    expect(await scenario.fixture.sweep('expiry-warnings')).toBe(0);
    expect(await sweepBefore(15)).toBe(2);
    expect(await sweepBefore(7)).toBe(2);
    expect(await sweepBefore(6)).toBe(0);
    expect(await sweepBefore(1)).toBe(2);
    expect(await sweepBefore(0.5)).toBe(0);
    expect(subjects(maintainer).map((subject) => subject.slice(-16))).toEqual(
      ['60', '30', '15', '7'].map((days) => `” expires in ${days} days`.slice(-16)).concat('expires in 1 day'),
    );
  });

  it('are shown with the profile and in the cleanup job', async () => {
    const client = (await signIn(scenario.fixture)).client;
    const items = await listOf(client, scenario.fixture.organization_id);
    expect(items).toHaveLength(2);
    for (const { last_warned_at } of items) {
      const since = Date.parse(last_warned_at ?? '') - (start + 60 * DAY);
      expect([since >= 0, since < 60_000]).toEqual([true, true]);
    }
    const run = scenario.fixture.app.db.select().from(sweepRuns).where(eq(sweepRuns.name, 'expiry-warnings')).get();
    expect(run).toMatchObject({ removed: 0, error: null });
  });

  it('stop with the expiry, and their records are deleted a month later', async () => {
    const notices = () => scenario.fixture.app.db.select().from(expiryNotices).all().length;
    const before = subjects(maintainer).length;
    expect(await sweepBefore(-1)).toBe(0);
    expect(subjects(maintainer)).toHaveLength(before);
    expect(notices()).toBe(10);
    await sweepBefore(-31);
    expect(notices()).toBe(0);
  });

  it('skip missed thresholds, and are sent to new maintainers', async () => {
    const { fixture, ios } = scenario;
    const now = fixture.clock.now().getTime();
    await scenario.publish(scenario.ios, buildIpa({ profile: profile('late', new Date(now + 10 * DAY)) }));
    expect(await fixture.sweep('expiry-warnings')).toBe(2);
    const late = await addPerson(fixture, {
      organizations: { [fixture.organization_id]: 'member' },
      projects: { [ios.project_id]: 'admin' },
    });
    const locked = await addPerson(fixture, {
      isLocked: true,
      organizations: { [fixture.organization_id]: 'member' },
      projects: { [ios.project_id]: 'admin' },
    });
    expect(await fixture.sweep('expiry-warnings')).toBe(1);
    expect(subjects(late)).toEqual(['The provisioning profile “Profile late” expires in 10 days']);
    expect(subjects(locked)).toEqual([]);
  });

  it('are neither lost nor repeated after a crash', async () => {
    const { fixture } = scenario;
    const now = fixture.clock.now().getTime();
    for (const name of ['one', 'two', 'three']) {
      await scenario.publish(scenario.ios, buildIpa({ profile: profile(name, new Date(now + 20 * DAY)) }));
    }
    const { db } = fixture.app;
    // The third mail cannot be written, in the middle of the second profile.
    const warnings = () => db.select().from(outboxMails).where(eq(outboxMails.kind, 'expiry_warning')).all().length;
    const before = warnings();
    const broken = new Error('the disk is full');
    const claim = fixture.app.ids.next;
    let left = 4;
    Object.assign(fixture.app.ids, {
      next: () => {
        left -= 1;
        if (left === 0) throw broken;
        return claim.call(fixture.app.ids);
      },
    });
    await expect(fixture.sweep('expiry-warnings')).rejects.toThrow(broken);
    Object.assign(fixture.app.ids, { next: claim });
    const people = 3;
    expect(warnings() - before).toBeLessThan(3 * people);
    expect((warnings() - before) % people).toBe(0);
    await fixture.sweep('expiry-warnings');
    expect(warnings() - before).toBe(3 * people);
    expect(await fixture.sweep('expiry-warnings')).toBe(0);
  });

  it('name all projects that a person maintains, and no others', async () => {
    const { fixture, ios } = scenario;
    const { organization_id } = fixture;
    const created = await (await scenario.staff()).post<{ identifier: string }>(
      '/api/v1/projects',
      { name: 'Second', platform: 'ios' },
      { organization_id },
    );
    const second = { organization_id, project_id: created.body.identifier };
    const bytes = buildIpa({ profile: profile('shared', new Date(fixture.clock.now().getTime() + 20 * DAY)) });
    await scenario.publish(ios, bytes);
    await scenario.publish(second, bytes);
    const both = await addPerson(fixture, {
      organizations: { [organization_id]: 'member' },
      projects: { [ios.project_id]: 'maintainer', [second.project_id]: 'maintainer' },
    });
    await fixture.sweep('expiry-warnings');
    const named = ({ email }: Pick<Person, 'email'>) => {
      const { text = '' } = mailsTo(fixture, email).find(({ subject }) => subject.includes('Profile shared')) ?? {};
      return ['Fixture iOS', 'Second'].filter((name) => text.includes(`“${name}”`));
    };
    expect([named(both), named(maintainer)]).toEqual([['Fixture iOS', 'Second'], ['Fixture iOS']]);
  });

  it('are sent once for a certificate, regardless of the number of builds', async () => {
    const { fixture } = scenario;
    const [expiring] = fixture.app.db
      .select({ at: max(buildFacts.certificateExpiresAt) })
      .from(buildFacts)
      .all();
    fixture.clock.set(new Date((expiring?.at ?? 0) - 5 * DAY));
    await fixture.sweep('expiry-warnings');
    const ofCertificates = subjects(maintainer).filter((subject) => subject.includes('certificate'));
    expect(ofCertificates).toEqual(['The iOS signing certificate expires in 5 days']);
  });
});

describe('the text of a warning', () => {
  const warning = {
    kind: 'profile',
    name: 'Field',
    platform: 'ios',
    organizationName: 'Northwind',
    now: 0,
    expiresAt: 7 * DAY,
    places: [{ projectName: 'Harbour', channelName: 'beta', versionName: '1.4.2', buildNumber: '88' }],
  } as const;
  it.each([
    [{}, 'The provisioning profile “Field” expires in 7 days'],
    [{ name: null }, 'The provisioning profile expires in 7 days'],
    [{ expiresAt: 8 * DAY - 2 * HOUR }, 'The provisioning profile “Field” expires in 7 days'],
    [{ expiresAt: 7 * DAY - HOUR / 2 }, 'The provisioning profile “Field” expires in 7 days'],
    [{ expiresAt: DAY }, 'The provisioning profile “Field” expires in 1 day'],
    [{ expiresAt: HOUR }, 'The provisioning profile “Field” expires in less than a day'],
    [{ kind: 'certificate', name: null }, 'The iOS signing certificate expires in 7 days'],
    [{ kind: 'certificate', name: null, platform: 'android' }, 'The Android signing certificate expires in 7 days'],
    [
      { name: 'Visit https://evil.example' },
      'The provisioning profile “Visit https: //evil. example” expires in 7 days',
    ],
  ] as const)('has a subject for %o', (changes, subject) => {
    expect(expiryWarningMail('https://builds.example.com', { ...warning, ...changes })('en').subject).toBe(subject);
  });
  it('lists every channel, up to twenty', () => {
    const { text } = expiryWarningMail('https://builds.example.com', warning)('en');
    expect(
      text,
    ).toBe(`The provisioning profile “Field” of “Northwind” at https://builds.example.com expires in 7 days, on Jan 8, 1970 at 00:00 UTC. After that iOS can't install or open builds that contain it.

“Harbour” 1.4.2 (88) is live on the channel “beta”.

Show what expires:
https://builds.example.com/expiring

Renew it, create a build with it, and release that build on this channel.
`);
    const places = Array.from({ length: 23 }, () => warning.places[0]);
    const many = expiryWarningMail('https://builds.example.com', { ...warning, places })('en').text;
    expect(many.match(/is live on the channel/g)).toHaveLength(20);
    expect(many).toContain('And 3 more.');
  });
});
