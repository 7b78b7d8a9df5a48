// Phones that wait for a build: the list of the team, the emails when a build includes them, and when they no longer wait.
import { eq, inArray, ne } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { collectPersonalData } from '../../src/accounts/exports/personal-data.ts';
import { systemContext } from '../../src/core/transact.ts';
import {
  buildFacts,
  channels,
  developers,
  devices,
  finishedWaits,
  jobs,
  outboxMails,
  releases,
  testerGrants,
  waitingDevices,
} from '../../src/data/tables/tables.ts';
import {
  deleteOldFinishedWaits,
  deleteOldWaiting,
  FINISHED_KEPT_MS,
  WAITING_LIFETIME_MS,
} from '../../src/devices/waiting.ts';
import { DAY } from '../../src/lib/clock.ts';
import { BATCH, runWaitingDevicesJob } from '../../src/testers/waiting-devices/service.ts';
import type { Fixture } from '../../src/testing/fixture.ts';
import { type DeviceScenario, startDeviceScenario } from '../devices/scenario.ts';
import { addTester, newUdid, openPhone, type PhoneBrowser, profileOf } from '../devices/self-registration.ts';
import type { Published } from '../install/scenario.ts';
import { ABSENT, auditMark, auditRows, type Client, expectRefusal, type Page } from '../support/harness.ts';
import { mailKinds, mailsTo } from '../support/mailbox.ts';
import { addOrganization, addPerson, type Person } from '../support/people.ts';
import { countRowsInOneTurn, stopRunners } from '../support/turns.ts';

/** Eighty times what one step reads. */
const MANY = 2_000;

interface Waiting {
  device: { identifier: string; name: string; udid: string; model: string | null };
  owner_name: string | null;
  since: string;
}

let lab: DeviceScenario;
let fixture: Fixture;
let published: Published;
let channelId: string;

beforeAll(async () => {
  lab = await startDeviceScenario();
  fixture = lab.fixture;
  published = await lab.installScenario.publish(lab.installScenario.ios, profileOf());
});
afterAll(() => lab?.stop());
beforeEach(async () => {
  channelId = await addChannel();
});

async function addChannel(body: object = {}): Promise<string> {
  const { installScenario: shelf } = lab;
  const id = await shelf.addChannel(shelf.ios, { public: false, ...body });
  await shelf.addRelease(shelf.ios, id, published.build.identifier);
  await fixture.app.jobs.drain();
  return id;
}

async function release(bytes: Buffer, to = channelId): Promise<string> {
  const { installScenario: shelf } = lab;
  fixture.clock.advance(1);
  const id = await shelf.addRelease(shelf.ios, to, (await shelf.addBuild(shelf.ios, bytes)).identifier);
  await settle();
  return id;
}

async function settle(): Promise<void> {
  for (let round = 0; round < 5; round += 1) await fixture.app.jobs.drain();
}

const pagePath = (id = channelId) => `/install/channels/${id}`;
const listPath = (id = channelId) => `/api/v1/channels/${id}/waiting-devices`;
const list = (client: Client, query: Record<string, string> = {}) => client.get<Page<Waiting>>(listPath(), query);
const rows = (id = channelId) =>
  fixture.app.db.select().from(waitingDevices).where(eq(waitingDevices.channelId, id)).all();

async function waitAs(person: Person, id = channelId): Promise<PhoneBrowser> {
  const phone = openPhone(lab, person);
  expect(await phone.register(pagePath(id))).toBe(pagePath(id));
  return phone;
}

const deviceIdOf = ({ udid }: PhoneBrowser) =>
  fixture.app.db.select().from(devices).where(eq(devices.udid, udid)).get()?.id ?? '';

const addMember = (role: 'read' | 'maintainer') =>
  addPerson(fixture, {
    organizations: { [published.project.organization_id]: 'member' },
    projects: { [published.project.project_id]: role },
  });

describe('the list of waiting phones', () => {
  it('has name, model, owner and time, with the identifier for managers and owners only', async () => {
    const tester = await addTester(lab, channelId, 'Robin');
    const phone = await waitAs(tester);
    const staff = await lab.installScenario.staff();
    const { body } = await list(staff);
    expect(body).toEqual({
      items: [
        {
          device: expect.objectContaining({
            identifier: deviceIdOf(phone),
            name: 'Robin iPhone 13 Pro',
            model: 'iPhone 13 Pro',
            udid: phone.udid,
            developer_id: tester.id,
          }),
          owner_name: 'Robin',
          since: expect.any(String),
        },
      ],
      next_cursor: null,
    });
    const { client } = await addMember('read');
    const masked = (await list(client)).body.items[0]?.device.udid;
    expect(masked).not.toBe(phone.udid);
    expect(masked).toContain(phone.udid.slice(-4));
    expectRefusal(await list(tester.client), 404, 'not_found');
    const stranger = await addPerson(fixture);
    await addOrganization(stranger, 'Elsewhere');
    expectRefusal(await list(stranger.client), 404, 'not_found');
  });

  it('is read in pages, newest first', async () => {
    const tester = await addTester(lab, channelId);
    const phones = [await waitAs(tester), await waitAs(tester), await waitAs(tester)];
    const staff = await lab.installScenario.staff();
    const first = (await list(staff, { limit: '2' })).body;
    const second = (await list(staff, { limit: '2', cursor: first.next_cursor ?? '' })).body;
    const udids = [...first.items, ...second.items].map(({ device }) => device.udid);
    expect(udids).toEqual(phones.map(({ udid }) => udid).reverse());
    expect(second.next_cursor).toBeNull();
  });

  it('is shortened by people who manage testers, once; the phone stays registered and can ask again', async () => {
    const tester = await addTester(lab, channelId, 'Robin');
    const phone = await waitAs(tester);
    const path = `${listPath()}/${deviceIdOf(phone)}`;
    const staff = await lab.installScenario.staff();
    expectRefusal(await (await addMember('read')).client.delete(path), 404, 'not_found');
    expectRefusal(await staff.delete(`${listPath()}/${ABSENT}`), 404, 'not_found');
    const other = await addChannel();
    expectRefusal(await staff.delete(`${listPath(other)}/${deviceIdOf(phone)}`), 404, 'not_found');
    const after = auditMark(fixture);
    expect((await (await addMember('maintainer')).client.delete(path)).status).toBe(204);
    expect(auditRows(fixture, { after })).toMatchObject([
      {
        event: 'deleted',
        type: 'waiting_device',
        identifier: deviceIdOf(phone),
        organizationId: fixture.organization_id,
        details: { name: 'Robin iPhone 13 Pro', channel_id: channelId },
      },
    ]);
    expectRefusal(await staff.delete(path), 404, 'not_found');
    expect((await phone.open(pagePath())).buttons[0]).toBe('Ask for a build');
    await phone.submit(`${pagePath()}/register-device`);
    expect(rows()).toHaveLength(1);
  });

  it('is counted on Home for people who can release, and only there', async () => {
    const tester = await addTester(lab, channelId);
    await waitAs(tester);
    await waitAs(tester);
    const read = async (client: Client) => {
      const path = `/api/v1/organizations/${fixture.organization_id}/attention`;
      const { body } = await client.get<{ items: { kind: string; channel_id?: string; devices?: number }[] }>(path);
      return body.items.filter((item) => item.channel_id === channelId || item.kind === 'devices_waiting');
    };
    const before = (await read(await lab.installScenario.staff())).find(({ kind }) => kind === 'devices_waiting');
    expect(
      (await read((await addMember('maintainer')).client)).map(({ kind, devices: count }) => [kind, count]),
    ).toEqual([['channel_awaited', 2]]);
    expect(await read((await addMember('read')).client)).toEqual([]);
    fixture.app.db.delete(waitingDevices).where(eq(waitingDevices.channelId, channelId)).run();
    const later = (await read(await lab.installScenario.staff())).find(({ kind }) => kind === 'devices_waiting');
    expect((later?.devices ?? 0) - (before?.devices ?? 0)).toBe(2);
  });
});

describe('a release that includes waiting phones', () => {
  it('ends the wait of two of three, and emails each owner once instead of announcing the release', async () => {
    const people = [
      await addTester(lab, channelId, 'Ada'),
      await addTester(lab, channelId, 'Ben'),
      await addTester(lab, channelId, 'Cleo'),
    ];
    const [ada, ben, cleo] = people as [Person, Person, Person];
    const [first, second, third] = [await waitAs(ada), await waitAs(ben), await waitAs(cleo)];
    expect((await ben.client.patch(`/api/v1/developers/${ben.id}`, { locale: 'de' })).status).toBe(200);
    await release(profileOf(first.udid, second.udid));
    expect(rows().map(({ deviceId }) => deviceId)).toEqual([deviceIdOf(third)]);
    expect(people.map(({ email }) => mailKinds(fixture, email))).toEqual([
      ['device_ready'],
      ['device_ready'],
      ['release'],
    ]);
    const [mail] = mailsTo(fixture, ada.email);
    expect(mail?.subject).toMatch(/^Ready to install: “Fixture iOS” /);
    expect(mail?.text).toContain('includes “Ada iPhone 13 Pro”, which was waiting for a build on the channel');
    expect(mail?.text).toContain(`${lab.installScenario.base}${pagePath()}`);
    expect(mailsTo(fixture, ben.email)[0]?.subject).toMatch(/^Bereit zur Installation: „Fixture iOS“ /);
    const sent = fixture.app.db.select().from(outboxMails).where(eq(outboxMails.recipient, ada.email)).get();
    expect(sent?.headers).toContain('List-Unsubscribe=One-Click');
    expect((await first.open(pagePath())).buttons).toEqual(['Install']);
    expect((await third.open(pagePath())).html).toContain('This iPhone is waiting for a new build');
    await release(profileOf(third.udid));
    expect(mailKinds(fixture, cleo.email)).toEqual(['release', 'device_ready']);
    expect(rows()).toEqual([]);
  });

  it('names all phones of a person in one email', async () => {
    const tester = await addTester(lab, channelId, 'Ada');
    const phones = [await waitAs(tester), await waitAs(tester), await waitAs(tester)];
    await release(profileOf(...phones.map(({ udid }) => udid)));
    expect(mailKinds(fixture, tester.email)).toEqual(['device_ready']);
    expect(mailsTo(fixture, tester.email)[0]?.text).toContain('“Ada iPhone 13 Pro” and 2 more, which were waiting');
  });

  it('emails nobody who muted the channel, is locked, has lost access, or has no account', async () => {
    const open = await addChannel({ public: true, allow_device_registration: true });
    const [muted, locked, gone] = [
      await addTester(lab, open),
      await addTester(lab, open),
      await addTester(lab, channelId),
    ];
    const phones = [await waitAs(muted, open), await waitAs(locked, open), await waitAs(gone)];
    const nobody = openPhone(lab);
    await nobody.register(pagePath(open));
    await muted.client.put(`/api/v1/testers/me/channels/${open}/notification-preference`, { muted: true });
    fixture.app.db.update(developers).set({ lockedAt: 1 }).where(eq(developers.id, locked.id)).run();
    const staff = await lab.installScenario.staff();
    const testers = (
      await staff.get<Page<{ developer_id: string; grants: { identifier: string }[] }>>(
        `/api/v1/channels/${channelId}/testers`,
      )
    ).body.items;
    const grant = testers.find((person) => person.developer_id === gone.id)?.grants[0]?.identifier;
    expect((await staff.delete(`/api/v1/channels/${channelId}/testers/${grant}`)).status).toBe(204);
    const build = profileOf(nobody.udid, ...phones.map(({ udid }) => udid));
    await release(build, open);
    await release(build);
    expect([rows(open), rows()]).toEqual([[], []]);
    expect([muted, locked, gone].map(({ email }) => mailKinds(fixture, email))).toEqual([[], [], []]);
    expect((await nobody.open(pagePath(open))).buttons).toEqual(['Install']);
  });

  it('emails on a channel without notifications, and after a rollback or another change of the current release', async () => {
    const staff = await lab.installScenario.staff();
    const { installScenario: shelf } = lab;
    const quiet = await addChannel({ notify_on_release: false });
    const tester = await addTester(lab, quiet);
    const phone = openPhone(lab, tester);
    const with_ = await release(profileOf(phone.udid), quiet);
    await shelf.addRelease(shelf.ios, quiet, published.build.identifier);
    await phone.register(pagePath(quiet));
    expect(rows(quiet)).toHaveLength(1);
    const query = { ...shelf.ios, channel_id: quiet };
    expect((await staff.post('/api/v1/releases/rollback', undefined, query)).status).toBe(200);
    await settle();
    expect([rows(quiet), mailKinds(fixture, tester.email)]).toEqual([[], ['device_ready']]);
    const change = (verb: string) => staff.post(`/api/v1/releases/${with_}/${verb}`);
    expect((await change('disable')).status).toBe(200);
    await phone.submit(`${pagePath(quiet)}/register-device`);
    expect(rows(quiet)).toHaveLength(1);
    expect((await change('enable')).status).toBe(200);
    await settle();
    expect([rows(quiet), mailKinds(fixture, tester.email)]).toEqual([[], ['device_ready', 'device_ready']]);
  });

  it.each([
    ['revoked', (client: Client, id: string) => client.post(`/api/v1/builds/${id}/revoke`), 200],
    ['deleted', (client: Client, id: string) => client.delete(`/api/v1/builds/${id}`), 204],
  ] as const)(
    'emails when the build that is live is %s and the one before it includes the phone',
    async (_what, end, status) => {
      const { installScenario: shelf } = lab;
      const staff = await shelf.staff();
      const quiet = await addChannel({ notify_on_release: false });
      const tester = await addTester(lab, quiet);
      const phone = openPhone(lab, tester);
      await release(profileOf(phone.udid), quiet);
      fixture.clock.advance(1);
      const newest = await shelf.addBuild(shelf.ios, profileOf());
      await shelf.addRelease(shelf.ios, quiet, newest.identifier);
      await phone.register(pagePath(quiet));
      await settle();
      expect([rows(quiet).length, mailKinds(fixture, tester.email)]).toEqual([1, []]);
      const answer = await end(staff, newest.identifier);
      expect(answer.status, answer.text).toBe(status);
      await settle();
      expect([rows(quiet), mailKinds(fixture, tester.email)]).toEqual([[], ['device_ready']]);
      expect((await phone.open(pagePath(quiet))).buttons).toEqual(['Install']);
    },
  );

  it('emails nobody twice if the job runs again, and continues after a crash', async () => {
    const tester = await addTester(lab, channelId);
    const phone = await waitAs(tester);
    const { installScenario: shelf } = lab;
    const build = await shelf.addBuild(shelf.ios, profileOf(phone.udid));
    // The server stops after the release, before the job.
    const { wake } = fixture.app.jobs;
    fixture.app.jobs.wake = () => undefined;
    fixture.clock.advance(1);
    await shelf.addRelease(shelf.ios, channelId, build.identifier);
    expect(rows()).toHaveLength(1);
    const queued = fixture.app.db
      .select()
      .from(jobs)
      .all()
      .filter(({ kind }) => kind === 'check-waiting-devices');
    expect(queued.map(({ payload }) => payload)).toEqual([JSON.stringify({ channel_id: channelId, after: '' })]);
    const ctx = systemContext(fixture.app);
    await runWaitingDevicesJob(ctx, { channel_id: channelId, after: '' });
    await runWaitingDevicesJob(ctx, { channel_id: channelId, after: '' });
    fixture.app.jobs.wake = wake;
    await settle();
    expect([rows(), mailKinds(fixture, tester.email)]).toEqual([[], ['device_ready']]);
    // Of a channel that is gone.
    await runWaitingDevicesJob(ctx, { channel_id: ABSENT, after: '' });
  });
});

describe('a phone waits again', () => {
  /** Waits, and gets a build on a channel without emails about releases. */
  async function waitFor(person: Person, to: string): Promise<{ phone: PhoneBrowser; build: string; release: string }> {
    const { installScenario: shelf } = lab;
    const phone = await waitAs(person, to);
    fixture.clock.advance(1);
    const { identifier: build } = await shelf.addBuild(shelf.ios, profileOf(phone.udid));
    const id = await shelf.addRelease(shelf.ios, to, build);
    await settle();
    expect([rows(to), mailKinds(fixture, person.email)]).toEqual([[], ['device_ready']]);
    return { phone, build, release: id };
  }
  const waiting = (id: string) => rows(id).map(({ deviceId }) => deviceId);

  it.each<[string, (client: Client, made: { build: string; release: string; quiet: string }) => Promise<unknown>]>([
    ['revoked', (client, { build }) => client.post(`/api/v1/builds/${build}/revoke`)],
    ['deleted', (client, { build }) => client.delete(`/api/v1/builds/${build}`)],
    ['disabled on the channel', (client, { release: id }) => client.post(`/api/v1/releases/${id}/disable`)],
    [
      'rolled back',
      (client, { quiet }) =>
        client.post('/api/v1/releases/rollback', undefined, { ...lab.installScenario.ios, channel_id: quiet }),
    ],
  ])('when the build for which it was emailed is %s, and is emailed about the next one', async (_what, end) => {
    const quiet = await addChannel({ notify_on_release: false });
    const tester = await addTester(lab, quiet);
    const { phone, ...made } = await waitFor(tester, quiet);
    await end(await lab.installScenario.staff(), { ...made, quiet });
    await settle();
    expect(waiting(quiet)).toEqual([deviceIdOf(phone)]);
    expect((await phone.open(pagePath(quiet))).html).toContain('This iPhone is waiting for a new build');
    expect(mailKinds(fixture, tester.email)).toEqual(['device_ready']);
    await release(profileOf(phone.udid), quiet);
    expect([rows(quiet), mailKinds(fixture, tester.email)]).toEqual([[], ['device_ready', 'device_ready']]);
  });

  it('when no build is left on the channel', async () => {
    const { installScenario: shelf } = lab;
    const quiet = await shelf.addChannel(shelf.ios, { public: false, notify_on_release: false });
    const tester = await addTester(lab, quiet);
    const { phone, build } = await waitFor(tester, quiet);
    expect((await (await shelf.staff()).post(`/api/v1/builds/${build}/revoke`)).status).toBe(200);
    await settle();
    expect(waiting(quiet)).toEqual([deviceIdOf(phone)]);
  });

  it('without a second email about the same build, unless its owner asked again', async () => {
    const staff = await lab.installScenario.staff();
    const quiet = await addChannel({ notify_on_release: false });
    const tester = await addTester(lab, quiet);
    const { phone, release: id } = await waitFor(tester, quiet);
    const change = async (verb: string) => {
      expect((await staff.post(`/api/v1/releases/${id}/${verb}`)).status).toBe(200);
      await settle();
      return [waiting(quiet).length, mailKinds(fixture, tester.email).length];
    };
    expect(await change('disable')).toEqual([1, 1]);
    expect(await change('enable')).toEqual([0, 1]);
    expect(await change('disable')).toEqual([1, 1]);
    await phone.submit(`${pagePath(quiet)}/register-device`);
    expect(await change('enable')).toEqual([0, 2]);
  });

  it('unless a newer build leaves it out, its owner lost access, the team removed it, or a month passed', async () => {
    const staff = await lab.installScenario.staff();
    const quiet = await addChannel({ notify_on_release: false });
    const tester = await addTester(lab, quiet);
    const { phone, build } = await waitFor(tester, quiet);
    await release(profileOf(), quiet);
    expect(rows(quiet)).toEqual([]);
    expect((await staff.post(`/api/v1/builds/${build}/revoke`)).status).toBe(200);
    await settle();
    expect(waiting(quiet)).toEqual([deviceIdOf(phone)]);
    expect((await staff.delete(`${listPath(quiet)}/${deviceIdOf(phone)}`)).status).toBe(204);
    await release(profileOf(), quiet);
    expect(rows(quiet)).toEqual([]);

    const left = await addChannel({ notify_on_release: false });
    const former = await addTester(lab, left);
    const theirs = await waitFor(former, left);
    fixture.app.db.delete(testerGrants).where(eq(testerGrants.developerId, former.id)).run();
    expect((await staff.post(`/api/v1/builds/${theirs.build}/revoke`)).status).toBe(200);
    await settle();
    expect(rows(left)).toEqual([]);

    const ctx = systemContext(fixture.app);
    const finished = () => fixture.app.db.select().from(finishedWaits).all().length;
    const before = finished();
    expect(before).toBeGreaterThan(0);
    const at = fixture.clock.now().getTime() + FINISHED_KEPT_MS;
    expect(deleteOldFinishedWaits(ctx, at - DAY, 1_000)).toBe(0);
    expect(deleteOldFinishedWaits(ctx, at, 1)).toBe(1);
    expect(deleteOldFinishedWaits(ctx, at, 1_000)).toBe(before - 1);
  });

  it('on each of more than 100 channels of a build that is revoked', async () => {
    const { db, ids, clock } = fixture.app;
    const { installScenario: shelf } = lab;
    const tester = await addTester(lab, channelId);
    const phone = await waitAs(tester);
    const { identifier: buildId } = await shelf.addBuild(shelf.ios, profileOf(phone.udid));
    const [of] = db.select().from(channels).where(eq(channels.id, channelId)).all();
    if (of === undefined) throw new Error('the channel is missing');
    const createdAt = clock.now().getTime();
    const deviceId = deviceIdOf(phone);
    const some = Array.from({ length: 120 }, () => ids.next());
    for (const id of some) {
      const { organizationId, projectId } = of;
      const place = { organizationId, projectId, channelId: id, createdAt };
      db.insert(channels)
        .values({ ...of, id, name: id })
        .run();
      db.insert(releases)
        .values({ ...place, id: ids.next(), buildId, mandatory: false, state: 'active' })
        .run();
      db.insert(finishedWaits).values({ channelId: id, deviceId, buildId, finishedAt: createdAt }).run();
    }
    await (await shelf.staff()).patch(`/api/v1/channels/${channelId}`, { public: true });
    db.update(channels).set({ isPublic: true }).where(inArray(channels.id, some)).run();
    expect((await (await shelf.staff()).post(`/api/v1/builds/${buildId}/revoke`)).status).toBe(200);
    await settle();
    const resumed = db.select().from(waitingDevices).where(eq(waitingDevices.deviceId, deviceId)).all();
    expect(new Set(resumed.map((row) => row.channelId))).toEqual(new Set([channelId, ...some]));
    db.delete(releases).where(inArray(releases.channelId, some)).run();
    db.delete(channels).where(inArray(channels.id, some)).run();
  });
});

describe('a phone no longer waits', () => {
  it('when it, its owner or the channel is deleted', async () => {
    const staff = await lab.installScenario.staff();
    const doomed = await addChannel();
    const tester = await addTester(lab, doomed);
    const phones = [await waitAs(tester, doomed), await waitAs(tester, doomed)];
    const phone = phones[0] as PhoneBrowser;
    const link = await openPhone(lab, tester).start(pagePath(doomed));
    expect((await staff.delete(`/api/v1/devices/${deviceIdOf(phone)}`)).status).toBe(204);
    expect(rows(doomed).map(({ deviceId }) => deviceId)).toEqual([deviceIdOf(phones[1] as PhoneBrowser)]);
    const stays = await addTester(lab, channelId);
    await waitAs(stays);
    expect((await staff.delete(`/api/v1/channels/${doomed}?force=true`)).status).toBe(204);
    expect(rows(doomed)).toEqual([]);
    expect((await fetch(lab.reach(link.url))).status).toBe(404);
    fixture.app.db.delete(developers).where(eq(developers.id, stays.id)).run();
    expect(rows()).toEqual([]);
  });

  it('after 180 days, which the cleanup job deletes in steps', async () => {
    const tester = await addTester(lab, channelId);
    await waitAs(tester);
    await waitAs(tester);
    const ctx = systemContext(fixture.app);
    const at = fixture.clock.now().getTime() + WAITING_LIFETIME_MS;
    fixture.app.db.delete(waitingDevices).where(ne(waitingDevices.channelId, channelId)).run();
    expect(deleteOldWaiting(ctx, at - 1, 10)).toBe(0);
    expect(rows()).toHaveLength(2);
    expect(deleteOldWaiting(ctx, at, 1)).toBe(1);
    expect(rows()).toHaveLength(1);
    expect(deleteOldWaiting(ctx, at, 10)).toBe(1);
    expect(deleteOldWaiting(ctx, at, 10)).toBe(0);
  });

  it('and its owner finds in their data what waited', async () => {
    const tester = await addTester(lab, channelId);
    const phone = await waitAs(tester);
    expect(collectPersonalData(fixture.app, tester.id).waiting_devices).toEqual([
      { deviceId: deviceIdOf(phone), channelId, createdAt: expect.any(Number) },
    ]);
    await release(profileOf(phone.udid));
    expect(collectPersonalData(fixture.app, tester.id)).toMatchObject({
      waiting_devices: [],
      finished_waits: [
        { deviceId: deviceIdOf(phone), channelId, buildId: expect.any(String), finishedAt: expect.any(Number) },
      ],
    });
  });
});

describe('2,000 waiting phones', () => {
  it('are checked in steps that each read few rows', async () => {
    const { db, ids, clock } = fixture.app;
    const organizationId = fixture.organization_id;
    const createdAt = clock.now().getTime();
    const udids = Array.from({ length: MANY }, newUdid);
    const owners = Array.from({ length: MANY / 10 }, () => ids.next());
    const made = udids.map((udid, index) => ({
      device: {
        id: ids.next(),
        organizationId,
        udid,
        name: 'Phone',
        registeredAt: createdAt,
        developerId: owners[index] ?? null,
      },
      row: { id: ids.next(), organizationId, channelId, createdAt },
    }));
    db.transaction((tx) => {
      for (const id of owners) {
        const person = { email: `${id}@people.example`, displayName: 'Owner', createdAt, emailVerifiedAt: createdAt };
        tx.insert(developers)
          .values({ id, ...person })
          .run();
      }
      for (let at = 0; at < made.length; at += 500) {
        const some = made.slice(at, at + 500);
        tx.insert(devices)
          .values(some.map(({ device }) => device))
          .run();
        tx.insert(waitingDevices)
          .values(some.map(({ device, row }) => ({ ...row, deviceId: device.id })))
          .run();
      }
    });
    const { installScenario: shelf } = lab;
    const build = await shelf.addBuild(shelf.ios, profileOf());
    const included = udids.filter((_, index) => index % 2 === 0);
    db.update(buildFacts)
      .set({ provisionedDevices: `\n${included.join('\n')}\n` })
      .where(eq(buildFacts.buildId, build.identifier))
      .run();
    fixture.clock.advance(1);
    await (await lab.installScenario.staff()).patch(`/api/v1/channels/${channelId}`, { public: true });
    await stopRunners(fixture.app);
    await shelf.addRelease(shelf.ios, channelId, build.identifier);
    let steps = 0;
    let most = 0;
    const run = systemContext(fixture.app);
    const queued = () => db.select().from(jobs).where(eq(jobs.kind, 'check-waiting-devices')).orderBy(jobs.id).all();
    for (let job = queued().at(-1); job !== undefined; job = queued().at(-1), steps += 1) {
      db.delete(jobs).where(eq(jobs.id, job.id)).run();
      const step = () => runWaitingDevicesJob(run, JSON.parse(job.payload));
      most = Math.max(most, await countRowsInOneTurn(db.$client, step));
    }
    expect(steps).toBeGreaterThanOrEqual(MANY / BATCH);
    expect(rows()).toHaveLength(MANY / 2);
    const ready = db.select().from(outboxMails).where(eq(outboxMails.kind, 'device_ready')).all();
    expect(ready.filter(({ recipient }) => owners.includes(recipient.slice(0, 36)))).toHaveLength(MANY / 20);
    // The devices, and for some of them the others of their owner, who is emailed.
    expect(most).toBeLessThanOrEqual(3 * BATCH);
    const staff = await lab.installScenario.staff();
    let page: Page<Waiting> | undefined;
    const readPage = async () => {
      page = (await list(staff, { limit: '100' })).body;
    };
    expect(await countRowsInOneTurn(db.$client, readPage)).toBeLessThan(125);
    expect(page?.items).toHaveLength(100);
  });
});
