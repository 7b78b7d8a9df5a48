// Registering a phone on the install page: through the profile and back to the page, where it waits for a build.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  auditEvents,
  developers,
  deviceEnrollments,
  devices,
  organizationMemberships,
  organizations,
  waitingDevices,
} from '../../src/data/tables/tables.ts';
import { HOUR, MINUTE } from '../../src/lib/clock.ts';
import type { Fixture } from '../../src/testing/fixture.ts';
import type { Published } from '../install/scenario.ts';
import { buildApk, buildIpa, sampleDevices } from '../support/fixtures.ts';
import { ABSENT, auditMark, auditRows } from '../support/harness.ts';
import { addOrganization, addPerson, type Person } from '../support/people.ts';
import { type DeviceScenario, type Link, startDeviceScenario } from './scenario.ts';
import { addTester, newUdid, openPhone, type PhoneBrowser, profileOf, type Shown } from './self-registration.ts';

let lab: DeviceScenario;
let fixture: Fixture;
let published: Published;
let channelId: string;
let tester: Person;

beforeAll(async () => {
  lab = await startDeviceScenario();
  fixture = lab.fixture;
  published = await lab.installScenario.publish(lab.installScenario.ios, profileOf());
});
afterAll(() => lab?.stop());
beforeEach(async () => {
  fixture.clock.advance(MINUTE);
  channelId = await addChannel({ public: false });
  tester = await addTester(lab, channelId, 'Robin');
});

async function addChannel(body: object): Promise<string> {
  const { installScenario: shelf } = lab;
  const id = await shelf.addChannel(shelf.ios, { ...body });
  await shelf.addRelease(shelf.ios, id, published.build.identifier);
  return id;
}

async function release(bytes: Buffer, to = channelId): Promise<string> {
  const { installScenario: shelf } = lab;
  return shelf.addRelease(shelf.ios, to, (await shelf.addBuild(shelf.ios, bytes)).identifier);
}

const pathOf = (id: string) => `/install/channels/${id}`;
const edit = async (id: string, body: object) =>
  expect((await (await lab.installScenario.staff()).patch(`/api/v1/channels/${id}`, { ...body })).status).toBe(200);
const waiting = (id = channelId) =>
  fixture.app.db.select().from(waitingDevices).where(eq(waitingDevices.channelId, id)).all();
const deviceOf = ({ udid }: PhoneBrowser) => fixture.app.db.select().from(devices).where(eq(devices.udid, udid)).get();
const REGISTER = 'Register this iPhone';

describe('a tester with a phone that is not registered', () => {
  it('registers it from the page of the channel, returns to it, and installs when a build includes it', async () => {
    const phone = openPhone(lab, tester);
    const before = await phone.open(pathOf(channelId));
    expect([before.status, before.buttons]).toEqual([200, ['Install', REGISTER]]);
    expect(before.headers.get('content-security-policy')).toContain("form-action 'self'");
    expect(before.headers.get('refresh')).toBeNull();

    const after = auditMark(fixture);
    const link = await phone.start(pathOf(channelId));
    const steps = await phone.open(new URL(link.url).pathname);
    expect(steps.html).toContain('Safari opens automatically and returns to the page of the app.');
    expect(await phone.enroll(link)).toBe(pathOf(channelId));
    const device = deviceOf(phone);
    expect(device).toMatchObject({ developerId: tester.id, name: 'Robin iPhone 13 Pro', product: 'iPhone14,2' });
    const place = { organizationId: fixture.organization_id, developerId: tester.id };
    expect(auditRows(fixture, { after })).toMatchObject([
      { ...place, event: 'created', type: 'device_enrollment', details: { channel_id: channelId } },
      { ...place, event: 'device_registered', type: 'device', identifier: device?.id },
      {
        ...place,
        event: 'created',
        type: 'waiting_device',
        identifier: device?.id,
        details: { name: 'Robin iPhone 13 Pro', channel_id: channelId },
      },
    ]);
    expect(waiting()).toMatchObject([{ deviceId: device?.id, organizationId: fixture.organization_id }]);

    const page = await phone.open(pathOf(channelId));
    expect(page.html).toContain('This iPhone is waiting for a new build');
    expect(page.html).toContain('Your team adds this iPhone to the next build.');
    expect([page.buttons, page.headers.get('refresh')]).toEqual([[REGISTER, 'Try here anyway'], '120']);

    await release(profileOf(phone.udid));
    const ready = await phone.open(pathOf(channelId));
    expect(ready.html).toContain('This iPhone is registered for this build.');
    expect([ready.buttons, ready.headers.get('refresh')]).toEqual([['Install'], null]);
  });

  it('is promised an email only if the server sends one', async () => {
    const phone = openPhone(lab, tester);
    await phone.register(pathOf(channelId));
    const promise = 'You get an email when that build is ready.';
    const read = async () => (await phone.open(pathOf(channelId))).html.includes(promise);
    expect(await read()).toBe(false);
    const { config } = fixture.app;
    fixture.app.config = { ...config, mail: { ...config.mail, transport: 'smtp' } };
    try {
      expect(await read()).toBe(true);
      const preference = `/api/v1/testers/me/channels/${channelId}/notification-preference`;
      expect((await tester.client.put(preference, { muted: true })).status).toBe(200);
      expect(await read()).toBe(false);
    } finally {
      fixture.app.config = config;
    }
  });

  it('returns to the short address, also if it has changed', async () => {
    await edit(channelId, { slug: `short-${channelId.slice(-8)}` });
    const phone = openPhone(lab, tester);
    const path = `/i/short-${channelId.slice(-8)}`;
    expect((await phone.open(path)).html).toContain(`action="${path}/register-device"`);
    const link = await phone.start(path);
    await edit(channelId, { slug: `other-${channelId.slice(-8)}` });
    expect(await phone.enroll(link)).toBe(`/i/other-${channelId.slice(-8)}`);
    const second = openPhone(lab, tester);
    const last = await second.start(`/i/other-${channelId.slice(-8)}`);
    await edit(channelId, { slug: null });
    expect(await second.enroll(last)).toBe(pathOf(channelId));
  });

  it('registers it before the first build, and installs that build', async () => {
    const { installScenario: shelf } = lab;
    const empty = await shelf.addChannel(shelf.ios, { public: false });
    const phone = openPhone(lab, await addTester(lab, empty));
    const page = await phone.open(pathOf(empty));
    expect([page.html.includes('Nothing to install yet'), page.buttons]).toEqual([true, [REGISTER]]);
    expect(await phone.register(pathOf(empty))).toBe(pathOf(empty));
    const waits = await phone.open(pathOf(empty));
    expect(waits.html).toContain('This iPhone is waiting for a new build');
    expect([waits.buttons, waits.headers.get('refresh')]).toEqual([[], '120']);
    const other = await shelf.addChannel(shelf.ios, { public: true });
    const asks = openPhone(lab, tester, phone.udid);
    asks.cookies.set('svc_device', phone.cookies.get('svc_device') ?? '');
    expect((await asks.open(pathOf(other))).buttons).toEqual(['Ask for a build']);
    const android = await shelf.addChannel(shelf.android, { public: true });
    expect((await asks.open(pathOf(android))).buttons).toEqual([]);
    await release(profileOf(phone.udid), empty);
    expect((await phone.open(pathOf(empty))).buttons).toEqual(['Install']);
  });

  it('installs immediately if the profile already contains the phone', async () => {
    const phone = openPhone(lab, tester, sampleDevices[0]);
    await phone.register(pathOf(channelId));
    expect(waiting()).toEqual([]);
    expect((await phone.open(pathOf(channelId))).buttons).toEqual(['Install']);
  });

  it('gets one link for all taps within a minute, at most 20 an hour', async () => {
    const phone = openPhone(lab, tester);
    const links = () =>
      fixture.app.db.select().from(deviceEnrollments).where(eq(deviceEnrollments.channelId, channelId)).all();
    const { url } = await phone.start(pathOf(channelId));
    expect((await phone.start(pathOf(channelId))).url).toBe(url);
    expect(links()).toMatchObject([{ developerId: tester.id, createdBy: tester.id }]);
    expect(JSON.stringify(links())).not.toContain(url.slice(-43));
    // Of another person, and of another channel.
    const [other, elsewhere] = [openPhone(lab, await addTester(lab, channelId)), await addChannel({})];
    expect((await other.start(pathOf(channelId))).url).not.toBe(url);
    const staff = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'member' } });
    expect((await openPhone(lab, staff).start(pathOf(elsewhere))).url).not.toBe(url);
    const { db } = fixture.app;
    const [row] = links();
    if (row === undefined) throw new Error('no link');
    for (let number = 1; number < 20; number += 1) {
      const id = fixture.app.ids.next();
      db.insert(deviceEnrollments)
        .values({ ...row, id, tokenHash: id })
        .run();
    }
    fixture.clock.advance(MINUTE);
    expect((await phone.submit(`${pathOf(channelId)}/register-device`)).status).toBe(400);
  });

  it('is not registered through a link that has expired, was used, or belongs to another person', async () => {
    const [phone, other] = [openPhone(lab, tester), openPhone(lab, await addTester(lab, channelId))];
    const [link, foreign] = [await phone.start(pathOf(channelId)), await other.start(pathOf(channelId))];
    const challenge = await lab.challenge(link);
    const before = fixture.app.db.select().from(auditEvents).all().length;
    expect((await lab.answer(foreign, challenge, { UDID: phone.udid })).status).toBe(404);
    expect([deviceOf(phone), waiting()]).toEqual([undefined, []]);
    expect(fixture.app.db.select().from(auditEvents).all()).toHaveLength(before);
    expect((await lab.answer(link, challenge, { UDID: phone.udid })).status).toBe(301);
    expect((await lab.answer(link, challenge, { UDID: other.udid })).status).toBe(404);
    expect([deviceOf(phone)?.developerId, deviceOf(other)]).toEqual([tester.id, undefined]);
    expect(waiting()).toHaveLength(1);
    fixture.clock.advance(HOUR);
    expect((await fetch(lab.reach(`${link.url}/profile`))).status).toBe(404);
  });

  it('returns to its page without the cookie of another phone if the result link is altered', async () => {
    const phone = openPhone(lab, tester);
    const link = await phone.start(pathOf(channelId));
    const result = await lab.enroll(link, { UDID: phone.udid });
    for (const proof of ['x', result.slice(result.lastIndexOf('/') + 1, -1)]) {
      const response = await fetch(lab.reach(`${link.url}/result/${proof}`), { redirect: 'manual' });
      expect([response.status, response.headers.get('location'), response.headers.get('set-cookie')]).toEqual([
        302,
        lab.installScenario.base + pathOf(channelId),
        null,
      ]);
    }
  });

  it('is registered but does not wait if its owner lost access in the meantime', async () => {
    const organization = fixture.organization_id;
    const member = await addPerson(fixture, {
      organizations: { [organization]: 'member' },
      projects: { [published.project.project_id]: 'read_download' },
    });
    const phone = openPhone(lab, member);
    const link = await phone.start(pathOf(channelId));
    const project = `/api/v1/projects/${published.project.project_id}/members/${member.id}`;
    expect((await (await lab.installScenario.staff()).delete(project)).status).toBe(204);
    await phone.enroll(link);
    expect([deviceOf(phone)?.developerId, waiting()]).toEqual([member.id, []]);
    const late = openPhone(lab, tester);
    const dead = await late.start(pathOf(channelId));
    fixture.app.db.update(developers).set({ lockedAt: 1 }).where(eq(developers.id, tester.id)).run();
    expect((await fetch(lab.reach(dead.url))).status).toBe(404);
  });
});

describe('a registered phone', () => {
  it('asks for a build on the page of another channel, and can be registered again', async () => {
    const phone = openPhone(lab, tester);
    await phone.register(pathOf(channelId));
    const open = await addChannel({});
    const page = await phone.open(pathOf(open));
    expect(page.html).toContain('This build doesn’t include this iPhone yet');
    expect(page.buttons).toEqual(['Ask for a build', REGISTER, 'Try here anyway']);
    const answer = await phone.submit(`${pathOf(open)}/register-device`);
    expect([answer.status, answer.headers.get('location')]).toEqual([302, lab.installScenario.base + pathOf(open)]);
    await phone.submit(`${pathOf(open)}/register-device`);
    expect(waiting(open)).toMatchObject([{ deviceId: deviceOf(phone)?.id }]);
    expect((await phone.open(pathOf(open))).html).toContain('This iPhone is waiting for a new build');
    // Another phone with the cookies of this one, as after a restore.
    const copy = openPhone(lab, tester);
    copy.cookies.set('svc_device', phone.cookies.get('svc_device') ?? '');
    const again = await copy.submit(`${pathOf(open)}/register-device?again=true`);
    const url = again.headers.get('location') ?? '';
    const link = { identifier: '', token: url.slice(url.lastIndexOf('/') + 1), url, created_at: '', expires_at: '' };
    expect(await copy.enroll(link)).toBe(pathOf(open));
    expect(waiting(open).map(({ deviceId }) => deviceId)).toEqual([deviceOf(phone)?.id, deviceOf(copy)?.id]);
  });

  it('of another organization is registered here too, and shows nothing of the other', async () => {
    const phone = openPhone(lab, tester);
    const foreign = await addPerson(fixture);
    const made = await foreign.client.post<Link>(
      '/api/v1/devices/enrollments',
      { name: 'Old faithful' },
      { organization_id: await addOrganization(foreign, 'Wharf') },
    );
    const result = await lab.enroll(made.body, { UDID: phone.udid });
    const shown = await fetch(lab.reach(result));
    phone.cookies.set('svc_device', /svc_device=([^;]*)/.exec(shown.headers.get('set-cookie') ?? '')?.[1] ?? '');
    const page = await phone.open(pathOf(channelId));
    expect(page.html).toContain('This iPhone isn’t registered');
    expect(page.buttons).toEqual([REGISTER, 'Try here anyway']);
    expect(page.html).not.toMatch(/Wharf|Old faithful/);
    await phone.register(pathOf(channelId));
    expect(waiting()).toHaveLength(1);
  });
});

describe('a public channel', () => {
  let open: string;
  beforeEach(async () => {
    open = await addChannel({ allow_device_registration: true });
  });

  it('lets anyone register a phone without an owner, but only with the setting', async () => {
    const phone = openPhone(lab);
    expect((await phone.open(pathOf(open))).buttons).toEqual(['Install', REGISTER]);
    const link = await phone.start(pathOf(open));
    await edit(open, { allow_device_registration: false });
    const closed = await phone.open(pathOf(open));
    expect(closed.buttons).toEqual(['Install', 'Sign in']);
    expect(closed.html).toContain(`${lab.installScenario.base}/sign-in?back=${encodeURIComponent(pathOf(open))}`);
    const refused = await phone.submit(`${pathOf(open)}/register-device`);
    expect(refused.headers.get('location')).toBe(lab.installScenario.base + pathOf(open));
    expect((await fetch(lab.reach(`${link.url}/profile`))).status).toBe(404);
    await edit(open, { allow_device_registration: true, public: false });
    expect((await fetch(lab.reach(`${link.url}/profile`))).status).toBe(404);
    await edit(open, { public: true });
    const after = auditMark(fixture);
    expect(await phone.enroll(link)).toBe(pathOf(open));
    expect(deviceOf(phone)).toMatchObject({ developerId: null, name: 'iPhone 13 Pro' });
    expect(auditRows(fixture, { after })).toMatchObject([
      { event: 'device_registered', actorKind: 'anonymous', developerId: null },
      { event: 'created', type: 'waiting_device', actorKind: 'anonymous', developerId: null },
    ]);
    const page = await phone.open(pathOf(open));
    expect(page.html).toContain('This iPhone is waiting for a new build');
    expect(page.html).toContain('Keep this link, and open it again later.');
  });

  it('has one link a minute for all strangers, which the limit of the organization does not count', async () => {
    const [one, other] = [openPhone(lab), openPhone(lab, await addPerson(fixture))];
    const { url } = await one.start(pathOf(open));
    expect((await other.start(pathOf(open))).url).toBe(url);
    const { config } = fixture.app;
    const limits = { ...config.limits, open_device_enrollments_per_organization: 0 };
    fixture.app.config = { ...config, limits };
    try {
      fixture.clock.advance(MINUTE);
      const next = await one.start(pathOf(open));
      expect(next.url).not.toBe(url);
      expect(await other.enroll(next)).toBe(pathOf(open));
    } finally {
      fixture.app.config = config;
    }
    const rows = fixture.app.db.select().from(deviceEnrollments).where(eq(deviceEnrollments.channelId, open)).all();
    expect(rows.map(({ developerId, createdBy }) => [developerId, createdBy])).toEqual([
      [null, null],
      [null, null],
    ]);
  });

  it('lets at most 100 phones without an owner wait, and testers regardless', async () => {
    const [first, last] = [openPhone(lab), openPhone(lab)];
    const link = await first.start(pathOf(open));
    addWaiting(open, 99);
    await first.enroll(link);
    expect((await last.open(pathOf(open))).buttons).toEqual(['Install', 'Sign in']);
    expect((await lab.answer(link, await lab.challenge(link), { UDID: last.udid })).status).toBe(404);
    expect(deviceOf(last)).toBeUndefined();
    expect(waiting(open)).toHaveLength(100);
    // One that waits can be registered again, and one that doesn't wait yet can't start to.
    await first.enroll(link);
    const known = openPhone(lab);
    await lab.enroll(await lab.link(), { UDID: known.udid });
    expect((await lab.answer(link, await lab.challenge(link), { UDID: known.udid })).status).toBe(404);
    expect(waiting(open)).toHaveLength(100);
    const own = openPhone(lab, tester);
    await own.register(pathOf(open));
    expect(deviceOf(own)?.developerId).toBe(tester.id);
    expect(waiting(open)).toHaveLength(101);
  });

  it('limits how often a network can ask', async () => {
    const small = await startDeviceScenario({
      config: { rate_limits: { enabled: true, sign_up: { requests: 2, per_seconds: 60 } } },
    });
    try {
      const { installScenario: shelf } = small;
      const app = await shelf.publish(shelf.ios, buildIpa());
      const staff = await shelf.staff();
      await staff.patch(`/api/v1/channels/${app.channelId}`, { allow_device_registration: true });
      const phone = openPhone(small);
      await phone.start(pathOf(app.channelId));
      await phone.start(pathOf(app.channelId));
      const refused = await phone.submit(`${pathOf(app.channelId)}/register-device`);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
    } finally {
      await small.stop();
    }
  });

  it('offers nothing for Android, for builds of all devices, or while the organization is locked', async () => {
    const { installScenario: shelf } = lab;
    const android = await shelf.publish(shelf.android, buildApk());
    await edit(android.channelId, { allow_device_registration: true });
    const phone = openPhone(lab);
    const response = await phone.submit(`${pathOf(android.channelId)}/register-device`);
    expect(response.headers.get('location')).toBe(shelf.base + pathOf(android.channelId));
    const everyone = buildIpa({ profile: { ProvisionsAllDevices: true, ProvisionedDevices: [] } });
    await release(everyone, open);
    expect((await phone.open(pathOf(open))).buttons).toEqual(['Install']);
    const lock = (lockReason: 'suspended' | null) =>
      fixture.app.db
        .update(organizations)
        .set({ lockReason })
        .where(eq(organizations.id, fixture.organization_id))
        .run();
    lock('suspended');
    try {
      const refused = await phone.submit(`${pathOf(open)}/register-device`);
      expect(refused.headers.get('location')).toBe(shelf.base + pathOf(open));
    } finally {
      lock(null);
    }
  });
});

describe('the form', () => {
  const comparable = ({ status, html, headers }: Shown, id: string) => ({
    status,
    html: html.replaceAll(id, 'ID'),
    headers: [...headers].filter(([name]) => !['date', 'x-request-id', 'content-length'].includes(name)),
  });
  async function send(id: string, person?: Person): Promise<Shown> {
    const response = await openPhone(lab, person).submit(`${pathOf(id)}/register-device`);
    return { status: response.status, title: '', html: await response.text(), buttons: [], headers: response.headers };
  }

  it('gets the page for people without access, the same for private, missing and deleted channels', async () => {
    const deleted = await addChannel({ public: false, allow_device_registration: true });
    const path = `/api/v1/channels/${deleted}?force=true`;
    expect((await (await lab.installScenario.staff()).delete(path)).status).toBe(204);
    for (const person of [undefined, await addPerson(fixture), await addPerson(fixture, { isVerified: false })]) {
      const expected = comparable(await send(channelId, person), channelId);
      expect(expected.status).toBe(404);
      expect(expected).toEqual(comparable(await openPhone(lab, person).open(pathOf(channelId)), channelId));
      for (const id of [ABSENT, deleted, 'nothing']) {
        expect(comparable(await send(id, person), id)).toEqual(expected);
      }
    }
    expect(
      fixture.app.db.select().from(deviceEnrollments).where(eq(deviceEnrollments.channelId, channelId)).all(),
    ).toEqual([]);
  });

  it('is refused from a foreign page', async () => {
    const phone = openPhone(lab, tester);
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }, {}]) {
      expect(
        (await phone.submit(`${pathOf(channelId)}/register-device`, headers as Record<string, string>)).status,
      ).toBe(403);
    }
  });

  it('links from the page of a capability to that of the channel', async () => {
    const { body } = await tester.client.post<{ install_url: string }>(
      `/api/v1/testers/me/releases/${await newestRelease()}/install-link`,
    );
    const page = await openPhone(lab).open(body.install_url.slice(lab.installScenario.base.length));
    expect(page.buttons).toEqual(['Install', REGISTER]);
    expect(page.html).toContain(`<a class="button second" href="${lab.installScenario.base}${pathOf(channelId)}">`);
    expect(page.html).not.toContain('<form');
  });

  it('requires two-factor authentication of members whose organization requires it', async () => {
    const member = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'member' } });
    const open = await addChannel({});
    const require = (mfaRequiredAt: number | null) =>
      fixture.app.db.update(organizations).set({ mfaRequiredAt, mfaGracePeriodDays: 0 }).run();
    require(1);
    try {
      fixture.clock.advance(1);
      const phone = openPhone(lab, member);
      expect((await phone.open(pathOf(open))).buttons).toEqual(['Install']);
      const answer = await phone.submit(`${pathOf(open)}/register-device`);
      expect(answer.headers.get('location')).toBe(lab.installScenario.base + pathOf(open));
    } finally {
      require(null);
    }
    fixture.app.db.delete(organizationMemberships).where(eq(organizationMemberships.developerId, member.id)).run();
  });
});

async function newestRelease(): Promise<string> {
  const query = { ...lab.installScenario.ios, channel_id: channelId };
  const { body } = await (await lab.installScenario.staff()).get<{ items: { identifier: string }[] }>(
    '/api/v1/releases',
    query,
  );
  return body.items[0]?.identifier ?? '';
}

/** Phones without an owner that wait on a channel. */
function addWaiting(channel: string, count: number): void {
  const { db, ids, clock } = fixture.app;
  const createdAt = clock.now().getTime();
  for (let number = 0; number < count; number += 1) {
    const deviceId = ids.next();
    const organizationId = fixture.organization_id;
    db.insert(devices)
      .values({ id: deviceId, organizationId, udid: newUdid(), name: 'Phone', registeredAt: createdAt })
      .run();
    db.insert(waitingDevices).values({ id: ids.next(), organizationId, channelId: channel, deviceId, createdAt }).run();
  }
}
