// The devices API: adding, reading, changing, removing and exporting devices, and deletion with their owner.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deleteAccount } from '../../src/accounts/deletion.ts';
import { collectPersonalData } from '../../src/accounts/exports/store.ts';
import { systemContext } from '../../src/core/transact.ts';
import { deviceEnrollments, devices, organizations, testerGrants } from '../../src/data/tables/tables.ts';
import { findDeveloper } from '../../src/developers/store.ts';
import { IMPORT_HEADER, toImportLine } from '../../src/devices/import-file.ts';
import { nameModel } from '../../src/devices/models.ts';
import { readUdid } from '../../src/devices/udid.ts';
import type { Fixture } from '../../src/testing/fixture.ts';
import {
  ABSENT,
  api,
  auditMark,
  auditRows,
  type Client,
  expectInvalid,
  expectRefusal,
  walkPages,
} from '../support/harness.ts';
import { addPerson, personalTokenClient } from '../support/people.ts';
import { countRowsInOneTurn, stopRunners } from '../support/turns.ts';
import { OLD_UDID, UDID } from './phone.ts';
import { type DeviceJson, type DeviceScenario, type Link, startDeviceScenario } from './scenario.ts';

let scenario: DeviceScenario;
let fixture: Fixture;
let admin: Client;

beforeAll(async () => {
  scenario = await startDeviceScenario();
  fixture = scenario.fixture;
  admin = api(fixture);
});
afterAll(() => scenario?.stop());
beforeEach(() => void fixture.app.db.delete(devices).run());

const here = () => ({ organization_id: fixture.organization_id });
const path = '/api/v1/devices';
const add = (body: object, client = admin) => client.post<DeviceJson>(path, body, here());
const udidNumber = (number: number) => `00008030-${number.toString(16).toUpperCase().padStart(16, '0')}`;

describe('POST /devices', () => {
  it.each([
    ['40 digits', OLD_UDID, OLD_UDID],
    ['40 digits in capitals', OLD_UDID.toUpperCase(), OLD_UDID],
    ['8 and 16', UDID, UDID],
    ['8 and 16 in small letters', UDID.toLowerCase(), UDID],
    ['blanks around it', ` ${UDID}\n`, UDID],
  ])('accepts an identifier of %s', async (_name, udid, kept) => {
    const after = auditMark(fixture);
    const answer = await add({ udid, name: 'Lab phone' });
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      identifier: expect.any(String),
      organization_id: fixture.organization_id,
      udid: kept,
      name: 'Lab phone',
      platform: 'ios',
      product: null,
      model: null,
      os_version: null,
      developer_id: null,
      registered_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      enrolled_at: null,
      apple_registrations: [],
    });
    expect((await admin.get(`${path}/${answer.body.identifier}`)).body).toEqual(answer.body);
    const rows = auditRows(fixture, { after });
    expect(rows).toMatchObject([
      {
        event: 'device_registered',
        type: 'device',
        identifier: answer.body.identifier,
        organizationId: fixture.organization_id,
        developerId: fixture.admin.developer_id,
        details: { name: 'Lab phone', product: null, how: 'by_hand', developer_id: null },
      },
    ]);
    expect(JSON.stringify(rows).toLowerCase()).not.toContain(kept.toLowerCase());
  });

  it.each([
    ['an empty text', ''],
    ['39 digits', OLD_UDID.slice(1)],
    ['41 digits', `${OLD_UDID}0`],
    ['24 digits without a hyphen', UDID.replace('-', '')],
    ['other letters', OLD_UDID.replace(/.$/, 'g')],
    ['another hyphen', UDID.replace('-', '–')],
    ['two identifiers', `${UDID} ${UDID}`],
    ['a UUID', '01900000-0000-7000-8000-000000000000'],
    ['a line more', `${OLD_UDID}\n=1+1`],
  ])('rejects %s', async (_name, udid) => {
    expectInvalid(await add({ udid, name: 'x' }), 'body.udid: string_pattern_mismatch');
  });

  it.each([
    [{ name: 'x' }, 'body.udid: missing'],
    [{ udid: 5, name: 'x' }, 'body.udid: string_type'],
    [{ udid: 'x'.repeat(201), name: 'x' }, 'body.udid: string_too_long'],
    [{ udid: UDID }, 'body.name: missing'],
    [{ udid: UDID, name: ' ' }, 'body.name: string_too_short'],
    [{ udid: UDID, name: 'x'.repeat(101) }, 'body.name: string_too_long'],
    [{ udid: UDID, name: 'a\tb' }, 'body.name: string_pattern_mismatch'],
    [{ udid: UDID, name: 'x', developer_id: 'me' }, 'body.developer_id: uuid_parsing'],
    [{ udid: UDID, name: 'x', developer_id: ABSENT }, 'body.developer_id: value_error'],
  ])('rejects %j', async (body, expected) => {
    expectInvalid(await add(body), expected);
    expect(fixture.app.db.select().from(devices).all()).toEqual([]);
  });

  it('rejects an existing device in any spelling, and accepts it in another organization', async () => {
    await add({ udid: UDID, name: 'one' });
    expectRefusal(await add({ udid: UDID.toLowerCase(), name: 'two' }), 409, 'already_exists');
    const other = await admin.post('/api/v1/organizations', { name: 'Elsewhere' });
    const answer = await admin.post(path, { udid: UDID, name: 'two' }, { organization_id: other.text });
    expect(answer.status).toBe(201);
  });

  it('stops at the limit of the organization', async () => {
    const small = await startDeviceScenario({ config: { limits: { devices_per_organization: 1 } } });
    try {
      const query = { organization_id: small.fixture.organization_id };
      const post = (udid: string) => api(small.fixture).post(path, { udid, name: 'x' }, query);
      expect((await post(UDID)).status).toBe(201);
      expect(expectRefusal(await post(OLD_UDID), 400, 'quota_exceeded')).toEqual({ limit: 1 });
    } finally {
      await small.stop();
    }
  });

  it('and the phone become one device when it enrolls', async () => {
    const { body } = await add({ udid: UDID.toLowerCase(), name: 'Entered' });
    await scenario.enroll(await scenario.link());
    const { body: seen } = await admin.get<DeviceJson>(`${path}/${body.identifier}`);
    expect(seen).toEqual({
      ...body,
      product: 'iPhone14,2',
      model: 'iPhone 13 Pro',
      os_version: '22F76',
      enrolled_at: expect.any(String),
    });
    expect((await admin.get<{ items: unknown[] }>(path, here())).body.items).toHaveLength(1);
  });
});

describe('GET /devices', () => {
  it('lists newest first, in pages', async () => {
    for (let number = 0; number < 5; number += 1) await add({ udid: udidNumber(number), name: `Device ${number}` });
    const pages = await walkPages<DeviceJson>(admin, path, { ...here(), limit: 2 });
    expect(pages.map((page) => page.map(({ name }) => name))).toEqual([
      ['Device 4', 'Device 3'],
      ['Device 2', 'Device 1'],
      ['Device 0'],
    ]);
  });

  it('shows members the identifiers of their own devices, and managers all identifiers', async () => {
    const member = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'member' } });
    const manager = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'manager' } });
    const own = await add({ udid: UDID, name: 'mine', developer_id: member.id });
    const other = await add({ udid: OLD_UDID, name: 'other' });
    const udidsFor = async (client: Client) =>
      (await client.get<{ items: DeviceJson[] }>(path, here())).body.items.map(({ udid }) => udid);
    expect(await udidsFor(member.client)).toEqual(['…4567', UDID]);
    expect(await udidsFor(manager.client)).toEqual([OLD_UDID, UDID]);
    const one = await member.client.get<DeviceJson>(`${path}/${other.body.identifier}`);
    expect(one.body.udid).toBe('…4567');
    expect((await member.client.get<DeviceJson>(`${path}/${own.body.identifier}`)).body.udid).toBe(UDID);
  });

  it('shows no devices of other organizations', async () => {
    const stranger = await addPerson(fixture);
    const { body } = await add({ udid: UDID, name: 'one' });
    expectRefusal(await stranger.client.get(path, here()), 404, 'not_found');
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const rawBody = method === 'PATCH' ? { body: { name: 'mine' } } : {};
      expectRefusal(await stranger.client.send(method, `${path}/${body.identifier}`, rawBody), 404, 'not_found');
    }
    expectRefusal(await admin.get(`${path}/${ABSENT}`), 404, 'not_found');
  });

  it('accepts personal access tokens by their scopes', async () => {
    const client = (scopes: bigint) =>
      personalTokenClient(fixture, {
        scopes,
        developerId: fixture.admin.developer_id,
        organizationId: fixture.organization_id,
      });
    expect((await client(1n).get(path, here())).status).toBe(200);
    expect((await client(1n).get(`${path}/export`, here())).status).toBe(200);
    expectRefusal(await add({ udid: UDID, name: 'x' }, client(63n)), 403, 'permission_denied');
    expectRefusal(await client(63n).post(`${path}/enrollments`, {}, here()), 403, 'permission_denied');
    expect((await add({ udid: UDID, name: 'x' }, client(9223372036854775807n))).status).toBe(201);
  });
});

describe('PATCH /devices/{device_id}', () => {
  it('changes name and owner, and records the previous ones', async () => {
    const member = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'member' } });
    const { body } = await add({ udid: UDID, name: 'old' });
    const address = `${path}/${body.identifier}`;
    const after = auditMark(fixture);
    const named = await admin.patch<DeviceJson>(address, { name: 'new' });
    expect([named.status, named.body]).toEqual([200, { ...body, name: 'new' }]);
    expect((await admin.patch<DeviceJson>(address, { developer_id: member.id })).body.developer_id).toBe(member.id);
    expect((await admin.patch<DeviceJson>(address, {})).body).toEqual({
      ...body,
      name: 'new',
      developer_id: member.id,
    });
    expect((await admin.patch<DeviceJson>(address, { developer_id: null })).body.developer_id).toBeNull();
    expect(auditRows(fixture, { after }).map(({ event, details }) => [event, details])).toEqual([
      ['edited', { name: { from: 'old', to: 'new' } }],
      ['edited', { developer_id: { from: null, to: member.id } }],
      ['edited', { developer_id: { from: member.id, to: null } }],
    ]);
  });

  it('rejects owners from other organizations and never changes the identifier', async () => {
    const stranger = await addPerson(fixture);
    const { body } = await add({ udid: UDID, name: 'x' });
    const address = `${path}/${body.identifier}`;
    expectInvalid(await admin.patch(address, { developer_id: stranger.id }), 'body.developer_id: value_error');
    expect((await admin.patch<DeviceJson>(address, { udid: OLD_UDID })).body.udid).toBe(UDID);
  });

  it('requires a manager', async () => {
    const member = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'member' } });
    const { body } = await add({ udid: UDID, name: 'x', developer_id: member.id });
    expectRefusal(await member.client.patch(`${path}/${body.identifier}`, { name: 'y' }), 403, 'insufficient_role');
    expectRefusal(await member.client.delete(`${path}/${body.identifier}`), 403, 'insufficient_role');
    expectRefusal(await add({ udid: OLD_UDID, name: 'x' }, member.client), 403, 'insufficient_role');
    expectRefusal(await member.client.get(`${path}/export`, here()), 403, 'insufficient_role');
  });
});

describe('DELETE /devices/{device_id}', () => {
  it('deletes a device', async () => {
    const { body } = await add({ udid: UDID, name: 'gone' });
    const after = auditMark(fixture);
    expect((await admin.delete(`${path}/${body.identifier}`)).status).toBe(204);
    expectRefusal(await admin.get(`${path}/${body.identifier}`), 404, 'not_found');
    expectRefusal(await admin.delete(`${path}/${body.identifier}`), 404, 'not_found');
    expect(auditRows(fixture, { after })).toMatchObject([
      { event: 'deleted', type: 'device', identifier: body.identifier, details: { name: 'gone' } },
    ]);
    expect((await add({ udid: UDID, name: 'again' })).status).toBe(201);
  });
});

describe('GET /devices/export', () => {
  it("returns the file that Apple's page imports", async () => {
    await add({ udid: OLD_UDID, name: 'Old phone' });
    await scenario.enroll(await scenario.link({ name: '=HYPERLINK("http://x")' }));
    const answer = await admin.get(`${path}/export`, here());
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="devices.txt"');
    expect(answer.text).toBe(
      `Device ID\tDevice Name\tDevice Platform\n${OLD_UDID}\tOld phone\tios\n${UDID}\tHYPERLINK('http://x')\tios\n`,
    );
  });

  it('lets other requests run between the devices of a large organization', async () => {
    const { app, organization_id: organizationId } = fixture;
    const MANY = 450;
    const row = { organizationId, name: 'Phone', registeredAt: 0 };
    const added = Array.from({ length: MANY }, (_, n) => ({ ...row, id: app.ids.next(), udid: udidNumber(n) }));
    app.db.insert(devices).values(added).run();
    await stopRunners(app);
    let text = '';
    const list = async () => {
      text = (await admin.get(`${path}/export`, here())).text;
    };
    expect(await countRowsInOneTurn(app.db.$client, list)).toBeLessThan(MANY / 2);
    expect(text.split('\n').slice(1, -1)).toEqual(added.map(({ udid }) => `${udid}\tPhone\tios`));
  });

  it('returns the header if there are no devices', async () => {
    expect((await admin.get(`${path}/export`, here())).text).toBe(`${IMPORT_HEADER}\n`);
  });

  it.each([
    ['Ünï 日本 phone', 'Ünï 日本 phone'],
    ['=1+1', '1+1'],
    ['  +-@=cmd', 'cmd'],
    ["'=1", '1'],
    ['＝1', '1'],
    ['＋－＠ ﹦cmd', 'cmd'],
    ['a\tb\nc\u2028d', 'a b c d'],
    ['a\u202eb\u200b', 'a b'],
    ['say "hi"', "say 'hi'"],
    ['x'.repeat(70), 'x'.repeat(50)],
    ['\u{1f680}'.repeat(60), '\u{1f680}'.repeat(50)],
    ['==', 'iPhone 13 Pro'],
  ])('cleans the name %j', (name, cleaned) => {
    expect(toImportLine({ udid: UDID, name, product: 'iPhone14,2' })).toBe(`${UDID}\t${cleaned}\tios\n`);
  });
});

describe('testers', () => {
  async function addTester() {
    const tester = await addPerson(fixture);
    const now = fixture.app.clock.now().getTime();
    fixture.app.db
      .insert(testerGrants)
      .values({
        id: fixture.app.ids.next(),
        organizationId: fixture.organization_id,
        targetId: fixture.organization_id,
        email: tester.email,
        developerId: tester.id,
        createdAt: now,
        attachedAt: now,
        notifiedAt: now,
      })
      .run();
    return tester;
  }

  it('enroll their own devices', async () => {
    const tester = await addTester();
    const mine = '/api/v1/testers/me/devices/enrollments';
    const answer = await tester.client.post<Link>(mine, { name: 'My phone' }, here());
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ name: 'My phone', developer_id: tester.id });
    await scenario.enroll(answer.body);
    expect(fixture.app.db.select().from(devices).all()).toMatchObject([{ name: 'My phone', developerId: tester.id }]);
    expectRefusal(await tester.client.post(`${path}/enrollments`, {}, here()), 404, 'not_found');
    expectRefusal(await tester.client.get(path, here()), 404, 'not_found');
  });

  it('can be set as owners by managers', async () => {
    const tester = await addTester();
    expect((await add({ udid: UDID, name: 'x', developer_id: tester.id })).body.developer_id).toBe(tester.id);
    expect(await scenario.link({ developer_id: tester.id })).toMatchObject({ developer_id: tester.id });
  });

  it('without access get no link, and learn nothing about organizations', async () => {
    const stranger = await addPerson(fixture);
    const mine = '/api/v1/testers/me/devices/enrollments';
    const refused = await stranger.client.post(mine, {}, here());
    expectRefusal(refused, 404, 'not_found');
    expectRefusal(await stranger.client.post(mine, {}, { organization_id: ABSENT }), 404, 'not_found');
  });
});

describe("a person's devices", () => {
  it('are in the archive of their personal data, without secrets', async () => {
    const member = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'member' } });
    await scenario.enroll(await scenario.link({ developer_id: member.id }));
    await add({ udid: OLD_UDID, name: "somebody else's" });
    const data = collectPersonalData(fixture.app, member.id);
    expect(data.devices).toMatchObject([{ udid: UDID, product: 'iPhone14,2', osBuild: '22F76' }]);
    expect(data.device_enrollments).toMatchObject([{ developerId: member.id }]);
    expect(JSON.stringify(data)).not.toContain('tokenHash');
  });

  it('are deleted with their account', async () => {
    const member = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'member' } });
    const link = await scenario.link({ developer_id: member.id });
    await scenario.enroll(link);
    const row = findDeveloper(fixture.app, member.id);
    if (row === undefined) throw new Error('The member is not there');
    systemContext(fixture.app).transact((tx) => deleteAccount(tx, row), { bookkeeping: true });
    expect(fixture.app.db.select().from(devices).all()).toEqual([]);
    const links = fixture.app.db
      .select()
      .from(deviceEnrollments)
      .where(eq(deviceEnrollments.id, link.identifier))
      .all();
    expect(links).toEqual([]);
  });
});

describe("an organization's devices", () => {
  it('are deleted with it', async () => {
    const other = (await admin.post('/api/v1/organizations', { name: 'Short-lived' })).text;
    const query = { organization_id: other };
    await admin.post(path, { udid: UDID, name: 'x' }, query);
    await admin.post(`${path}/enrollments`, {}, query);
    expect((await admin.delete(`/api/v1/organizations/${other}`)).status).toBe(204);
    expect(fixture.app.db.select().from(organizations).where(eq(organizations.id, other)).all()).toEqual([]);
    expect(fixture.app.db.select().from(devices).all()).toEqual([]);
  });
});

describe('names and identifiers', () => {
  it.each([
    ['iPhone14,2', 'iPhone 13 Pro'],
    ['iPhone18,4', 'iPhone Air'],
    ['iPad7,5', 'iPad (6th generation)'],
    ['iPod9,1', 'iPod touch (7th generation)'],
    ['iPhone99,1', 'iPhone99,1'],
    ['', ''],
  ])('show the product %j as %j', (product, model) => {
    expect(nameModel(product)).toBe(model);
  });

  it('have one normalized spelling', () => {
    expect([UDID, UDID.toLowerCase(), ` ${UDID} `].map(readUdid)).toEqual([UDID, UDID, UDID]);
    expect(readUdid(OLD_UDID.toUpperCase())).toBe(OLD_UDID);
  });
});
