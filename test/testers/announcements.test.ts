// Emails about releases: recipients, content, and unsubscribing without signing in.
import { eq, isNotNull } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemContext } from '../../src/core/transact.ts';
import {
  builds,
  developers,
  jobs,
  organizations,
  releaseAnnouncements,
  releaseNotifications,
  testerGrants,
} from '../../src/data/tables/tables.ts';
import { DAY, HOUR } from '../../src/lib/clock.ts';
import { BATCH, runAnnounceJob, tidyAnnouncements } from '../../src/testers/announcements/service.ts';
import { signLink } from '../../src/testers/mail-links.ts';
import { auditMark, auditRows } from '../support/harness.ts';
import { startMailServer } from '../support/mail-server.ts';
import { join, type Person } from '../support/people.ts';
import { type Channel, releaseMails, settle, startTesterScenario, type TesterScenario } from './scenario.ts';

let scenario: TesterScenario;
let channel: Channel;

beforeAll(async () => {
  // The server looks for jobs every few seconds, also while a test holds them.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  scenario = await startTesterScenario();
});
afterAll(async () => {
  await scenario?.fixture.stop();
  vi.useRealTimers();
});
beforeEach(async () => {
  channel = await scenario.makeChannel();
});

async function releaseAndSettle(to = channel, body = {}, on = scenario): Promise<string> {
  const id = await on.release(to, body);
  await settle(on);
  return id;
}

const anyone = () => scenario.admin.as(null);
const pathOf = (url: string) => new URL(url).pathname;
const muteLink = (person: Person) =>
  pathOf((releaseMails(scenario, person.email).at(-1)?.headers['List-Unsubscribe'] ?? '').slice(1, -1));
const installLink = (person: Person) =>
  pathOf(/^Install:\n(\S+)$/m.exec(releaseMails(scenario, person.email).at(-1)?.text ?? '')?.[1] ?? '');

describe('the email about a release', () => {
  it('is sent once to each person, regardless of the number of grants', async () => {
    const [everywhere, narrow, stranger] = [await scenario.person(), await scenario.person(), await scenario.person()];
    await scenario.grant(everywhere, 'organization');
    await scenario.grant(everywhere, 'project');
    await scenario.admit(everywhere, channel);
    await scenario.group(everywhere, { channel_id: channel.id });
    await scenario.group(everywhere, { project_id: scenario.fixture.android_project_id });
    await scenario.group(narrow, { channel_id: channel.id });
    await releaseAndSettle();
    expect(releaseMails(scenario, everywhere.email)).toHaveLength(1);
    expect(releaseMails(scenario, narrow.email)).toHaveLength(1);
    expect(releaseMails(scenario, stranger.email)).toHaveLength(0);
    await releaseAndSettle();
    expect(releaseMails(scenario, everywhere.email)).toHaveLength(2);
  });

  it('contains version, notes, an install link and an unsubscribe link', async () => {
    const person = await scenario.person();
    await scenario.admit(person, channel);
    await releaseAndSettle(channel, { release_notes: 'Fixes <b>\nand more', mandatory: true });
    const [mail] = releaseMails(scenario, person.email);
    expect(mail?.subject).toMatch(/^New test build: “Fixture Android” 1\.\d+ \(\d+\)$/);
    expect(mail?.text).toContain('> Fixes <b>\n> and more');
    expect(mail?.text).toContain('This update is required.');
    expect(mail?.html).toContain('Fixes &lt;b&gt;<br>\nand more');
    const base = scenario.fixture.config.server.base_url;
    expect(mail?.text).toContain(`Install:\n${base}/testers/releases/`);
    expect(mail?.headers).toEqual({
      'List-Unsubscribe': expect.stringMatching(new RegExp(`^<${base}/testers/mute/[\\w.-]+>$`)),
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    });
    expect(mail?.text).toContain(mail?.headers['List-Unsubscribe']?.slice(1, -1));
  });

  it('is in the language of each person', async () => {
    const [german, other] = [await scenario.person(), await scenario.person()];
    for (const person of [german, other]) await scenario.admit(person, channel);
    expect((await german.client.patch(`/api/v1/developers/${german.id}`, { locale: 'de-CH' })).status).toBe(200);
    await releaseAndSettle();
    expect(releaseMails(scenario, german.email)[0]?.subject).toMatch(/^Neuer Test-Build: „Fixture Android“ 1\.\d+ \(/);
    expect(releaseMails(scenario, other.email)[0]?.subject).toMatch(/^New test build: “Fixture Android” 1\.\d+ \(/);
  });

  it('is not sent for a channel without notify_on_release, and is sent for automatic releases', async () => {
    const silent = await scenario.makeChannel({ notify_on_release: false });
    const person = await scenario.person();
    await scenario.grant(person, 'project');
    await releaseAndSettle(silent);
    expect(releaseMails(scenario, person.email)).toHaveLength(0);
    await scenario.admin.patch(silent.path, { notify_on_release: true });
    await releaseAndSettle(silent);
    expect(releaseMails(scenario, person.email)).toHaveLength(1);
  });

  it('is not sent through a muted group, unless there is other access', async () => {
    const [through, besides] = [await scenario.person(), await scenario.person()];
    await scenario.group(through, { channel_id: channel.id }, { notify_on_release: false });
    const group = await scenario.group(besides, { channel_id: channel.id }, { notify_on_release: false });
    await scenario.admit(besides, channel);
    await releaseAndSettle();
    expect(releaseMails(scenario, through.email)).toHaveLength(0);
    expect(releaseMails(scenario, besides.email)).toHaveLength(1);
    await scenario.admin.patch(group, { notify_on_release: true });
    await releaseAndSettle();
    expect(releaseMails(scenario, besides.email)).toHaveLength(2);
  });

  it('is not sent to unverified addresses, locked accounts, and pending grants', async () => {
    const [unproven, locked] = [
      await scenario.person({ isVerified: false }),
      await scenario.person({ isLocked: true }),
    ];
    for (const person of [unproven, locked, { email: 'nobody-yet@elsewhere.example' }]) {
      await scenario.grant(person, 'project');
    }
    await releaseAndSettle();
    for (const { email } of [unproven, locked, { email: 'nobody-yet@elsewhere.example' }]) {
      expect(releaseMails(scenario, email)).toHaveLength(0);
    }
  });

  it('is no longer sent after the release is withdrawn', async () => {
    const person = await scenario.person();
    await scenario.admit(person, channel);
    const context = systemContext(scenario.fixture.app);
    const ways = [
      (id: string) => scenario.admin.post(`/api/v1/releases/${id}/disable`),
      (id: string) => scenario.admin.delete(`/api/v1/releases/${id}`),
      (id: string) => {
        const { db } = scenario.fixture.app;
        return db
          .update(builds)
          .set({ revokedAt: 1 })
          .where(eq(builds.id, buildOf(id)))
          .run();
      },
    ];
    for (const withdraw of ways) {
      const held = holdJobs(scenario);
      const id = await scenario.release(channel);
      await withdraw(id);
      held.restore();
      await runAnnounceJob(context, { release_id: id });
      await settle(scenario);
      expect(releaseMails(scenario, person.email)).toHaveLength(0);
      const open = scenario.fixture.app.db
        .select()
        .from(releaseAnnouncements)
        .where(eq(releaseAnnouncements.releaseId, id))
        .all();
      expect(open.every(({ finishedAt }) => finishedAt !== null)).toBe(true);
    }
  });
});

function buildOf(releaseId: string): string {
  const row = scenario.fixture.app.db.$client
    .prepare('SELECT build_id FROM releases WHERE id = ?')
    .pluck()
    .get(releaseId);
  return String(row);
}

/** Jobs stay where they are until they are let go. */
function holdJobs({ fixture }: TesterScenario) {
  const { jobs: runner } = fixture.app;
  const { wake } = runner;
  runner.wake = () => {};
  return {
    restore: () => {
      runner.wake = wake;
    },
  };
}

/** Accounts with a grant each, as rows: how they come there is told elsewhere. */
function addCrowd({ fixture: { app } }: TesterScenario, to: Channel, size: number): string[] {
  const createdAt = app.clock.now().getTime();
  const emails: string[] = [];
  app.db.transaction((tx) => {
    for (let index = 0; index < size; index += 1) {
      const id = app.ids.next();
      const email = `${id}@crowd.example`;
      emails.push(email);
      tx.insert(developers)
        .values({ id, email, displayName: 'One of many', createdAt, emailVerifiedAt: createdAt })
        .run();
      tx.insert(testerGrants)
        .values({
          id: app.ids.next(),
          organizationId: to.query.organization_id,
          projectId: to.query.project_id,
          channelId: to.id,
          targetId: to.id,
          email,
          developerId: id,
          createdAt,
          attachedAt: createdAt,
          notifiedAt: createdAt,
        })
        .run();
    }
  });
  return emails;
}

function countMails({ fixture }: TesterScenario, emails: readonly string[]): number[] {
  const { db } = fixture.app;
  const rows = db.$client
    .prepare<[], { recipient: string; mails: number }>(
      "SELECT recipient, count(*) AS mails FROM outbox_mails WHERE kind = 'release' GROUP BY recipient",
    )
    .all();
  const counts = new Map(rows.map(({ recipient, mails }) => [recipient, mails]));
  return emails.map((email) => counts.get(email) ?? 0);
}

describe('emails to many testers', () => {
  const MANY = 5 * BATCH + 7;

  // Nobody reaches these channels by what other tests granted.
  let scenario: TesterScenario;
  let square: Channel;
  beforeAll(async () => {
    scenario = await startTesterScenario();
  });
  afterAll(() => scenario?.fixture.stop());
  beforeEach(async () => {
    square = await scenario.makeChannel();
  });

  it('are sent after the call, in batches', async () => {
    const emails = addCrowd(scenario, square, MANY);
    const held = holdJobs(scenario);
    const id = await scenario.release(square);
    expect(new Set(countMails(scenario, emails))).toEqual(new Set([0]));
    held.restore();
    await settle(scenario);
    expect(new Set(countMails(scenario, emails))).toEqual(new Set([1]));
    const { db } = scenario.fixture.app;
    expect(db.select().from(releaseAnnouncements).where(eq(releaseAnnouncements.releaseId, id)).get()).toMatchObject({
      mailed: MANY,
      finishedAt: expect.any(Number),
    });
  });

  it('are sent once each if batches run twice or are interrupted', async () => {
    const emails = addCrowd(scenario, square, MANY);
    const { app } = scenario.fixture;
    const held = holdJobs(scenario);
    const id = await scenario.release(square);
    const context = systemContext(app);
    const payload = { release_id: id };
    await runAnnounceJob(context, payload);
    // The process dies after the batch, before its job is taken out of the queue: the job runs again beside the next one.
    await runAnnounceJob(context, payload);
    await runAnnounceJob(context, payload);
    // The process dies within a batch: nothing of it is kept.
    const before = countMails(scenario, emails);
    const broken = {
      ...context,
      transact: (work: Parameters<typeof context.transact>[0]) =>
        context.transact(
          (tx) => {
            work(tx);
            throw new Error('died');
          },
          { bookkeeping: true },
        ),
    } as typeof context;
    await expect(runAnnounceJob(broken, payload)).rejects.toThrow('died');
    expect(countMails(scenario, emails)).toEqual(before);
    expect(before.filter((mails) => mails === 1)).toHaveLength(3 * BATCH);
    held.restore();
    await settle(scenario);
    expect(new Set(countMails(scenario, emails))).toEqual(new Set([1]));
    const rows = app.db.select().from(releaseNotifications).where(eq(releaseNotifications.releaseId, id)).all();
    expect(rows).toHaveLength(MANY);
  });

  it('are sent by the cleanup job if the job was lost', async () => {
    const emails = addCrowd(scenario, square, 3);
    const { app } = scenario.fixture;
    const held = holdJobs(scenario);
    await scenario.release(square);
    app.db.delete(jobs).run();
    held.restore();
    await settle(scenario);
    await scenario.fixture.sweep('invitations');
    expect(new Set(countMails(scenario, emails))).toEqual(new Set([0]));
    scenario.fixture.clock.advance(HOUR);
    await scenario.fixture.sweep('invitations');
    await settle(scenario);
    expect(new Set(countMails(scenario, emails))).toEqual(new Set([1]));
  });

  it('are forgotten after a month', async () => {
    addCrowd(scenario, square, 3);
    const id = await releaseAndSettle(square, {}, scenario);
    const { db } = scenario.fixture.app;
    const told = () =>
      db.select().from(releaseNotifications).where(eq(releaseNotifications.releaseId, id)).all().length;
    scenario.fixture.clock.advance(29 * DAY);
    await scenario.fixture.sweep('invitations');
    expect(told()).toBe(3);
    scenario.fixture.clock.advance(2 * DAY);
    await scenario.fixture.sweep('invitations');
    expect(told()).toBe(0);
    expect(db.select().from(releaseAnnouncements).where(isNotNull(releaseAnnouncements.finishedAt)).all()).toEqual([]);
  });

  it('are forgotten in limited steps', async () => {
    addCrowd(scenario, square, 5);
    for (const _release of [1, 2, 3]) await releaseAndSettle(square, {}, scenario);
    scenario.fixture.clock.advance(31 * DAY);
    const ctx = systemContext(scenario.fixture.app);
    const { db } = scenario.fixture.app;
    const left = () => db.select().from(releaseNotifications).all().length;
    const before = left();
    expect(before).toBeGreaterThanOrEqual(15);
    expect(await tidyAnnouncements(ctx, 7)).toBe(7);
    // Up to two of the seven are the announcements themselves.
    expect(before - left()).toBeGreaterThanOrEqual(5);
    expect(before - left()).toBeLessThanOrEqual(7);
    await tidyAnnouncements(ctx, 10_000);
    expect([left(), db.select().from(releaseAnnouncements).all().length]).toEqual([0, 0]);
    expect(await tidyAnnouncements(ctx, 7)).toBe(0);
  });
});

describe('the unsubscribe link', () => {
  let person: Person;
  beforeEach(async () => {
    person = await scenario.person();
    await scenario.admit(person, channel);
    await releaseAndSettle();
  });

  it('asks first, and opening it changes nothing', async () => {
    for (const _time of [1, 2]) {
      const page = await anyone().get(muteLink(person));
      expect(page.status).toBe(200);
      expect(page.text).toContain('<button class="button" type="submit">Unsubscribe</button>');
      expect(page.text).toContain(`action="${muteLink(person)}"`);
    }
    expect((await person.client.get(`/api/v1/testers/me/channels/${channel.id}/notification-preference`)).body).toEqual(
      {
        muted: false,
      },
    );
  });

  it('has pages in the language of the browser', async () => {
    const headers = { 'accept-language': 'de' };
    const asked = await anyone().send('GET', muteLink(person), { headers });
    expect(asked.headers.get('vary')).toContain('Accept-Language');
    expect(asked.text).toContain('<html lang="de">');
    expect(asked.text).toContain('<button class="button" type="submit">Abbestellen</button>');
    const pressed = await anyone().send('POST', muteLink(person), { headers });
    expect([pressed.status, pressed.text.includes('<h1>Abbestellt</h1>')]).toEqual([200, true]);
    const dead = await anyone().send('GET', `${muteLink(person)}x`, { headers });
    expect([dead.status, dead.text.includes('<h1>Dieser Link funktioniert nicht</h1>')]).toEqual([404, true]);
  });

  it.each([
    ['an email program', 'List-Unsubscribe=One-Click', 'application/x-www-form-urlencoded'],
    ['an email program with a multipart body', '--x\r\n\r\n--x--\r\n', 'multipart/form-data; boundary=x'],
    ['the button', '', 'application/x-www-form-urlencoded'],
  ])('works without signing in with %s', async (_who, rawBody, type) => {
    const mark = auditMark(scenario.fixture);
    for (const _time of [1, 2]) {
      const pressed = await anyone().send('POST', muteLink(person), { rawBody, headers: { 'content-type': type } });
      expect([pressed.status, pressed.text.includes('Unsubscribed')]).toEqual([200, true]);
    }
    expect(auditRows(scenario.fixture, { after: mark })).toMatchObject([
      {
        event: 'edited',
        type: 'developer',
        developerId: person.id,
        organizationId: null,
        actorKind: 'anonymous',
        details: { channel_id: channel.id, muted: true },
      },
    ]);
    await releaseAndSettle();
    expect(releaseMails(scenario, person.email)).toHaveLength(1);
    expect((await anyone().get(muteLink(person))).text).toContain('Unsubscribed');

    const preference = `/api/v1/testers/me/channels/${channel.id}/notification-preference`;
    expect((await person.client.get(preference)).body).toEqual({ muted: true });
    expect((await person.client.put(preference, { muted: false })).body).toEqual({ muted: false });
    await releaseAndSettle();
    expect(releaseMails(scenario, person.email)).toHaveLength(2);
  });

  it('reveals nothing to people who lost access, and is remembered if they get it again', async () => {
    const link = muteLink(person);
    const { body } = await scenario.admin.get<{ items: { grants: { identifier: string }[] }[] }>(
      `${channel.path}/testers`,
    );
    await scenario.admin.delete(`${channel.path}/testers/${body.items[0]?.grants[0]?.identifier}`);
    await scenario.admin.patch(channel.path, { name: 'secret since' });
    for (const method of ['GET', 'POST', 'GET']) {
      const page = await anyone().send(method, link);
      expect(page.status).toBe(200);
      expect(page.text).not.toContain('secret since');
      expect(page.text).not.toContain('Fixture Android');
    }
    await scenario.admit(person, channel);
    await releaseAndSettle();
    expect(releaseMails(scenario, person.email)).toHaveLength(1);
  });

  it('mutes one channel for one person', async () => {
    const other = await scenario.makeChannel();
    const neighbour = await scenario.person();
    await scenario.admit(person, other);
    await scenario.admit(neighbour, channel);
    await anyone().post(muteLink(person));
    await releaseAndSettle(channel);
    await releaseAndSettle(other);
    expect(releaseMails(scenario, person.email)).toHaveLength(2);
    expect(releaseMails(scenario, neighbour.email)).toHaveLength(1);
  });

  it('is invalid if it is altered, or was signed for another purpose', async () => {
    const { app } = scenario.fixture;
    const link = muteLink(person);
    const open = signLink(app, 'tester release', { developerId: person.id, subjectId: channel.id, expiresAt: 0 });
    const wrong = [
      `${link}x`,
      link.slice(0, -1),
      `/testers/mute/${open}`,
      '/testers/mute/x',
      `/testers/mute/${'a.'.repeat(300)}`,
    ];
    for (const path of wrong) {
      for (const method of ['GET', 'POST']) expect((await anyone().send(method, path)).status, path).toBe(404);
    }
    await releaseAndSettle();
    expect(releaseMails(scenario, person.email)).toHaveLength(2);
  });
});

describe('the install link in an email', () => {
  let person: Person;
  let releaseId: string;
  beforeEach(async () => {
    person = await scenario.person();
    await scenario.admit(person, channel);
    releaseId = await releaseAndSettle();
  });

  it('redirects to the install page with a new capability each time', async () => {
    const links = new Set<string>();
    for (const _time of [1, 2]) {
      const answer = await anyone().get(installLink(person));
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([302, 'no-store']);
      links.add(answer.headers.get('location') ?? '');
    }
    expect(links.size).toBe(2);
    const [url = ''] = links;
    expect((await anyone().get(pathOf(url))).status).toBe(200);
    const capability = url.split('/').at(-1);
    expect((await anyone().get(`/public/v1/install/${capability}/download`)).status).toBe(302);
    const { body } = await scenario.admin.get<{ items: { installed: unknown }[] }>(`${channel.path}/testers`);
    expect(body.items[0]?.installed).toMatchObject({ release_id: releaseId, state: 'downloaded' });
  });

  it.each([
    [
      'the access is taken away',
      () => scenario.fixture.app.db.delete(testerGrants).where(eq(testerGrants.developerId, person.id)).run(),
    ],
    [
      'the account is locked',
      () => scenario.fixture.app.db.update(developers).set({ lockedAt: 1 }).where(eq(developers.id, person.id)).run(),
    ],
    ['the release is withdrawn', () => scenario.admin.post(`/api/v1/releases/${releaseId}/disable`)],
    ['the release is deleted', () => scenario.admin.delete(`/api/v1/releases/${releaseId}`)],
    ['14 days', () => scenario.fixture.clock.advance(14 * DAY)],
  ])('is invalid after %s', async (_case, change) => {
    const { headers } = await anyone().get(installLink(person));
    const capability = headers.get('location')?.split('/').at(-1);
    await change();
    const ended = await anyone().get(installLink(person));
    expect([ended.status, pathOf(ended.headers.get('location') ?? '')]).toEqual([302, '/install/ended']);
    expect((await anyone().get('/install/ended')).status).toBe(404);
    expect((await anyone().get(`/public/v1/install/${capability}/download`)).status).toBe(404);
  });

  it('is invalid for a member without two-factor authentication while the organization requires it', async () => {
    const { app, organization_id: organizationId } = scenario.fixture;
    join(scenario.fixture, person.id, { organizations: { [organizationId]: 'member' } });
    const pageOf = async () => pathOf((await anyone().get(installLink(person))).headers.get('location') ?? '');
    app.db.update(organizations).set({ mfaRequiredAt: 1, mfaGracePeriodDays: 0 }).run();
    try {
      expect(await pageOf()).toBe('/install/ended');
      app.db.update(developers).set({ totpEnabledAt: 1 }).where(eq(developers.id, person.id)).run();
      expect(await pageOf()).not.toBe('/install/ended');
    } finally {
      app.db.update(organizations).set({ mfaRequiredAt: null }).run();
    }
  });
});

describe('the email program', () => {
  it('gets the unsubscribe headers, and single emails before bulk emails', async () => {
    const server = await startMailServer();
    const isMany = (source: string) => source.includes('List-Unsubscribe:');
    // Bulk emails take until the single one has arrived.
    const singleArrived = Promise.withResolvers<void>();
    server.hold = async (source) => {
      if (isMany(source)) await singleArrived.promise;
      else singleArrived.resolve();
    };
    const smtp = { host: 'localhost', port: server.port, security: 'none' } as const;
    await using scenario = await startTesterScenario({ config: { mail: { transport: 'smtp', smtp } } });
    const square = await scenario.makeChannel();
    addCrowd(scenario, square, 8);
    await scenario.release(square);
    const { email } = scenario.fixture.admin;
    await scenario.admin.as(null).post('/api/v1/login/password_reset', { email });
    for (let turn = 0; turn < 5; turn += 1) await settle(scenario);
    await server.stop();
    const kinds = server.received.map(({ source }) => (isMany(source) ? 'many' : 'single'));
    expect(kinds.filter((kind) => kind === 'many')).toHaveLength(8);
    expect(kinds.indexOf('single')).toBeLessThan(3);
    const told = server.received.find(({ source }) => source.includes('List-Unsubscribe:'))?.source ?? '';
    expect(told).toMatch(/^List-Unsubscribe:\s+<http\S+\/testers\/mute\/[\w.-]+>\r?$/m);
    expect(told).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r?$/m);
  });
});
