// Emails about releases: recipients, content, and unsubscribing without signing in.
import { eq, isNotNull } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemContext } from '../../src/core/transact.ts';
import {
  builds,
  developers,
  jobs,
  releaseAnnouncements,
  releaseNotifications,
  testerGrants,
} from '../../src/data/tables/tables.ts';
import { DAY, HOUR } from '../../src/lib/clock.ts';
import { BATCH, runAnnounceJob, tidyAnnouncements } from '../../src/testers/announcements/service.ts';
import { signLink } from '../../src/testers/mail-links.ts';
import { auditMark, auditRows } from '../support/harness.ts';
import { startMailServer } from '../support/mail-server.ts';
import type { Person } from '../support/people.ts';
import { type Channel, releaseMails, settle, startTesterFixture, type TesterFixture } from './scenario.ts';

let setup: TesterFixture;
let channel: Channel;

beforeAll(async () => {
  setup = await startTesterFixture();
});
afterAll(() => setup?.fixture.stop());
beforeEach(async () => {
  channel = await setup.makeChannel();
});

async function releaseAndSettle(to = channel, body = {}, on = setup): Promise<string> {
  const id = await on.release(to, body);
  await settle(on);
  return id;
}

const anyone = () => setup.admin.as(null);
const pathOf = (url: string) => new URL(url).pathname;
const muteLink = (person: Person) =>
  pathOf((releaseMails(setup, person.email).at(-1)?.headers['List-Unsubscribe'] ?? '').slice(1, -1));
const installLink = (person: Person) =>
  pathOf(/^Install:\n(\S+)$/m.exec(releaseMails(setup, person.email).at(-1)?.text ?? '')?.[1] ?? '');

describe('a release', () => {
  it('is told once to each person, however many ways lead to them', async () => {
    const [everywhere, narrow, stranger] = [await setup.person(), await setup.person(), await setup.person()];
    await setup.grant(everywhere, 'organization');
    await setup.grant(everywhere, 'project');
    await setup.admit(everywhere, channel);
    await setup.group(everywhere, { channel_id: channel.id });
    await setup.group(everywhere, { project_id: setup.fixture.android_project_id });
    await setup.group(narrow, { channel_id: channel.id });
    await releaseAndSettle();
    expect(releaseMails(setup, everywhere.email)).toHaveLength(1);
    expect(releaseMails(setup, narrow.email)).toHaveLength(1);
    expect(releaseMails(setup, stranger.email)).toHaveLength(0);
    await releaseAndSettle();
    expect(releaseMails(setup, everywhere.email)).toHaveLength(2);
  });

  it('is told with version, notes, a link to install and one to mute', async () => {
    const person = await setup.person();
    await setup.admit(person, channel);
    await releaseAndSettle(channel, { release_notes: 'Fixes <b>\nand more', mandatory: true });
    const [mail] = releaseMails(setup, person.email);
    expect(mail?.subject).toMatch(/^New test build: “Fixture Android” 1\.\d+ \(\d+\)$/);
    expect(mail?.text).toContain('> Fixes <b>\n> and more');
    expect(mail?.text).toContain('This update is required.');
    expect(mail?.html).toContain('Fixes &lt;b&gt;\nand more');
    const base = setup.fixture.config.server.base_url;
    expect(mail?.text).toContain(`Install:\n${base}/testers/releases/`);
    expect(mail?.headers).toEqual({
      'List-Unsubscribe': expect.stringMatching(new RegExp(`^<${base}/testers/mute/[\\w.-]+>$`)),
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    });
    expect(mail?.text).toContain(mail?.headers['List-Unsubscribe']?.slice(1, -1));
  });

  it('is told to nobody by a channel that does not notify, and by auto_distribute as by hand', async () => {
    const silent = await setup.makeChannel({ notify_on_release: false });
    const person = await setup.person();
    await setup.grant(person, 'project');
    await releaseAndSettle(silent);
    expect(releaseMails(setup, person.email)).toHaveLength(0);
    await setup.admin.patch(silent.path, { notify_on_release: true });
    await releaseAndSettle(silent);
    expect(releaseMails(setup, person.email)).toHaveLength(1);
  });

  it('is not told through a group whose switch is off, unless another way leads there', async () => {
    const [through, besides] = [await setup.person(), await setup.person()];
    await setup.group(through, { channel_id: channel.id }, { notify_on_release: false });
    const group = await setup.group(besides, { channel_id: channel.id }, { notify_on_release: false });
    await setup.admit(besides, channel);
    await releaseAndSettle();
    expect(releaseMails(setup, through.email)).toHaveLength(0);
    expect(releaseMails(setup, besides.email)).toHaveLength(1);
    await setup.admin.patch(group, { notify_on_release: true });
    await releaseAndSettle();
    expect(releaseMails(setup, besides.email)).toHaveLength(2);
  });

  it('is not told to addresses that are not proven, to locked accounts, and to who only waits', async () => {
    const [unproven, locked] = [await setup.person({ isVerified: false }), await setup.person({ isLocked: true })];
    for (const person of [unproven, locked, { email: 'nobody-yet@elsewhere.example' }]) {
      await setup.grant(person, 'project');
    }
    await releaseAndSettle();
    for (const { email } of [unproven, locked, { email: 'nobody-yet@elsewhere.example' }]) {
      expect(releaseMails(setup, email)).toHaveLength(0);
    }
  });

  it('is told no further once it is withdrawn', async () => {
    const person = await setup.person();
    await setup.admit(person, channel);
    const context = systemContext(setup.fixture.app);
    const ways = [
      (id: string) => setup.admin.post(`/api/v1/releases/${id}/disable`),
      (id: string) => setup.admin.delete(`/api/v1/releases/${id}`),
      (id: string) => {
        const { db } = setup.fixture.app;
        return db
          .update(builds)
          .set({ revokedAt: 1 })
          .where(eq(builds.id, buildOf(id)))
          .run();
      },
    ];
    for (const withdraw of ways) {
      const held = holdJobs(setup);
      const id = await setup.release(channel);
      await withdraw(id);
      held.restore();
      await runAnnounceJob(context, { release_id: id });
      await settle(setup);
      expect(releaseMails(setup, person.email)).toHaveLength(0);
      const open = setup.fixture.app.db
        .select()
        .from(releaseAnnouncements)
        .where(eq(releaseAnnouncements.releaseId, id))
        .all();
      expect(open.every(({ finishedAt }) => finishedAt !== null)).toBe(true);
    }
  });
});

function buildOf(releaseId: string): string {
  const row = setup.fixture.app.db.$client.prepare('SELECT build_id FROM releases WHERE id = ?').pluck().get(releaseId);
  return String(row);
}

/** Jobs stay where they are until they are let go. */
function holdJobs({ fixture }: TesterFixture) {
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
function addCrowd({ fixture: { app } }: TesterFixture, to: Channel, size: number): string[] {
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

function countMails({ fixture }: TesterFixture, emails: readonly string[]): number[] {
  const { db } = fixture.app;
  const rows = db.$client
    .prepare<[], { recipient: string; mails: number }>(
      "SELECT recipient, count(*) AS mails FROM outbox_mails WHERE kind = 'release' GROUP BY recipient",
    )
    .all();
  const counts = new Map(rows.map(({ recipient, mails }) => [recipient, mails]));
  return emails.map((email) => counts.get(email) ?? 0);
}

describe('many testers', () => {
  const MANY = 5 * BATCH + 7;

  // Nobody reaches these channels by what other tests granted.
  let town: TesterFixture;
  let square: Channel;
  beforeAll(async () => {
    town = await startTesterFixture();
  });
  afterAll(() => town?.fixture.stop());
  beforeEach(async () => {
    square = await town.makeChannel();
  });

  it('are told after the call, in batches', async () => {
    const emails = addCrowd(town, square, MANY);
    const held = holdJobs(town);
    const id = await town.release(square);
    expect(new Set(countMails(town, emails))).toEqual(new Set([0]));
    held.restore();
    await settle(town);
    expect(new Set(countMails(town, emails))).toEqual(new Set([1]));
    const { db } = town.fixture.app;
    expect(db.select().from(releaseAnnouncements).where(eq(releaseAnnouncements.releaseId, id)).get()).toMatchObject({
      mailed: MANY,
      finishedAt: expect.any(Number),
    });
  });

  it('are told once each when every batch is run twice, and when one breaks off', async () => {
    const emails = addCrowd(town, square, MANY);
    const { app } = town.fixture;
    const held = holdJobs(town);
    const id = await town.release(square);
    const context = systemContext(app);
    const payload = { release_id: id };
    await runAnnounceJob(context, payload);
    // The process dies after the batch, before its job is taken out of the queue: the job runs again beside the next one.
    await runAnnounceJob(context, payload);
    await runAnnounceJob(context, payload);
    // The process dies within a batch: nothing of it is kept.
    const before = countMails(town, emails);
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
    expect(countMails(town, emails)).toEqual(before);
    expect(before.filter((mails) => mails === 1)).toHaveLength(3 * BATCH);
    held.restore();
    await settle(town);
    expect(new Set(countMails(town, emails))).toEqual(new Set([1]));
    const rows = app.db.select().from(releaseNotifications).where(eq(releaseNotifications.releaseId, id)).all();
    expect(rows).toHaveLength(MANY);
  });

  it('are told by the sweep when the job was lost', async () => {
    const emails = addCrowd(town, square, 3);
    const { app } = town.fixture;
    const held = holdJobs(town);
    await town.release(square);
    app.db.delete(jobs).run();
    held.restore();
    await settle(town);
    await town.fixture.sweep('invitations');
    expect(new Set(countMails(town, emails))).toEqual(new Set([0]));
    town.fixture.clock.advance(HOUR);
    await town.fixture.sweep('invitations');
    await settle(town);
    expect(new Set(countMails(town, emails))).toEqual(new Set([1]));
  });

  it('are forgotten a month after they were told', async () => {
    addCrowd(town, square, 3);
    const id = await releaseAndSettle(square, {}, town);
    const { db } = town.fixture.app;
    const told = () =>
      db.select().from(releaseNotifications).where(eq(releaseNotifications.releaseId, id)).all().length;
    town.fixture.clock.advance(29 * DAY);
    await town.fixture.sweep('invitations');
    expect(told()).toBe(3);
    town.fixture.clock.advance(2 * DAY);
    await town.fixture.sweep('invitations');
    expect(told()).toBe(0);
    expect(db.select().from(releaseAnnouncements).where(isNotNull(releaseAnnouncements.finishedAt)).all()).toEqual([]);
  });

  it('are forgotten in bounded parts, however they lie among the releases', async () => {
    addCrowd(town, square, 5);
    for (const _release of [1, 2, 3]) await releaseAndSettle(square, {}, town);
    town.fixture.clock.advance(31 * DAY);
    const ctx = systemContext(town.fixture.app);
    const { db } = town.fixture.app;
    const left = () => db.select().from(releaseNotifications).all().length;
    const before = left();
    expect(before).toBeGreaterThanOrEqual(15);
    expect(tidyAnnouncements(ctx, 7)).toBe(7);
    // Up to two of the seven are the announcements themselves.
    expect(before - left()).toBeGreaterThanOrEqual(5);
    expect(before - left()).toBeLessThanOrEqual(7);
    tidyAnnouncements(ctx, 10_000);
    expect([left(), db.select().from(releaseAnnouncements).all().length]).toEqual([0, 0]);
    expect(tidyAnnouncements(ctx, 7)).toBe(0);
  });
});

describe('the link to mute', () => {
  let person: Person;
  beforeEach(async () => {
    person = await setup.person();
    await setup.admit(person, channel);
    await releaseAndSettle();
  });

  it('asks first, and looking at it changes nothing', async () => {
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

  it.each([
    ['a mail program', 'List-Unsubscribe=One-Click', 'application/x-www-form-urlencoded'],
    ['a mail program with a multipart body', '--x\r\n\r\n--x--\r\n', 'multipart/form-data; boundary=x'],
    ['the button', '', 'application/x-www-form-urlencoded'],
  ])('works without signing in when pressed by %s', async (_who, rawBody, type) => {
    const mark = auditMark(setup.fixture);
    for (const _time of [1, 2]) {
      const pressed = await anyone().send('POST', muteLink(person), { rawBody, headers: { 'content-type': type } });
      expect([pressed.status, pressed.text.includes('Unsubscribed')]).toEqual([200, true]);
    }
    expect(auditRows(setup.fixture, { after: mark })).toMatchObject([
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
    expect(releaseMails(setup, person.email)).toHaveLength(1);
    expect((await anyone().get(muteLink(person))).text).toContain('Unsubscribed');

    const preference = `/api/v1/testers/me/channels/${channel.id}/notification-preference`;
    expect((await person.client.get(preference)).body).toEqual({ muted: true });
    expect((await person.client.put(preference, { muted: false })).body).toEqual({ muted: false });
    await releaseAndSettle();
    expect(releaseMails(setup, person.email)).toHaveLength(2);
  });

  it('tells who lost access nothing of what they reach no more, and is kept for when they have it again', async () => {
    const link = muteLink(person);
    const { body } = await setup.admin.get<{ items: { grants: { identifier: string }[] }[] }>(
      `${channel.path}/testers`,
    );
    await setup.admin.delete(`${channel.path}/testers/${body.items[0]?.grants[0]?.identifier}`);
    await setup.admin.patch(channel.path, { name: 'secret since' });
    for (const method of ['GET', 'POST', 'GET']) {
      const page = await anyone().send(method, link);
      expect(page.status).toBe(200);
      expect(page.text).not.toContain('secret since');
      expect(page.text).not.toContain('Fixture Android');
    }
    await setup.admit(person, channel);
    await releaseAndSettle();
    expect(releaseMails(setup, person.email)).toHaveLength(1);
  });

  it('mutes one channel for one person', async () => {
    const other = await setup.makeChannel();
    const neighbour = await setup.person();
    await setup.admit(person, other);
    await setup.admit(neighbour, channel);
    await anyone().post(muteLink(person));
    await releaseAndSettle(channel);
    await releaseAndSettle(other);
    expect(releaseMails(setup, person.email)).toHaveLength(2);
    expect(releaseMails(setup, neighbour.email)).toHaveLength(1);
  });

  it('leads nowhere when it is altered, or sealed for something else', async () => {
    const { app } = setup.fixture;
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
    expect(releaseMails(setup, person.email)).toHaveLength(2);
  });
});

describe('the link to install', () => {
  let person: Person;
  let releaseId: string;
  beforeEach(async () => {
    person = await setup.person();
    await setup.admit(person, channel);
    releaseId = await releaseAndSettle();
  });

  it('leads to the install page with a fresh capability, as often as it is opened', async () => {
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
    const { body } = await setup.admin.get<{ items: { installed: unknown }[] }>(`${channel.path}/testers`);
    expect(body.items[0]?.installed).toMatchObject({ release_id: releaseId, state: 'downloaded' });
  });

  it.each([
    [
      'the access is taken away',
      () => setup.fixture.app.db.delete(testerGrants).where(eq(testerGrants.developerId, person.id)).run(),
    ],
    [
      'the account is locked',
      () => setup.fixture.app.db.update(developers).set({ lockedAt: 1 }).where(eq(developers.id, person.id)).run(),
    ],
    ['the release is withdrawn', () => setup.admin.post(`/api/v1/releases/${releaseId}/disable`)],
    ['the release is deleted', () => setup.admin.delete(`/api/v1/releases/${releaseId}`)],
    ['14 days are over', () => setup.fixture.clock.advance(14 * DAY)],
  ])('leads nowhere once %s', async (_case, change) => {
    const { headers } = await anyone().get(installLink(person));
    const capability = headers.get('location')?.split('/').at(-1);
    await change();
    const ended = await anyone().get(installLink(person));
    expect([ended.status, pathOf(ended.headers.get('location') ?? '')]).toEqual([302, '/install/ended']);
    expect((await anyone().get('/install/ended')).status).toBe(404);
    expect((await anyone().get(`/public/v1/install/${capability}/download`)).status).toBe(404);
  });
});

describe('a mail server', () => {
  it('gets the lines for muting, and single mails before many', async () => {
    const server = await startMailServer();
    server.delayMs = 50;
    const smtp = { host: 'localhost', port: server.port, security: 'none' } as const;
    await using town = await startTesterFixture({ config: { mail: { transport: 'smtp', smtp } } });
    const square = await town.makeChannel();
    addCrowd(town, square, 8);
    await town.release(square);
    const { email } = town.fixture.admin;
    await town.admin.as(null).post('/api/v1/login/password_reset', { email });
    for (let turn = 0; turn < 5; turn += 1) await settle(town);
    await server.stop();
    const kinds = server.received.map(({ source }) => (source.includes('List-Unsubscribe:') ? 'many' : 'single'));
    expect(kinds.filter((kind) => kind === 'many')).toHaveLength(8);
    expect(kinds.indexOf('single')).toBeLessThan(3);
    const told = server.received.find(({ source }) => source.includes('List-Unsubscribe:'))?.source ?? '';
    expect(told).toMatch(/^List-Unsubscribe:\s+<http\S+\/testers\/mute\/[\w.-]+>\r?$/m);
    expect(told).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r?$/m);
  });
});
