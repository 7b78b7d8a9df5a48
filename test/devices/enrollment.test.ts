// Enrollment over HTTP: the link, the profile, the device's response, and rejected requests.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditEvents, deviceChallenges, deviceEnrollments, devices } from '../../src/data/tables/tables.ts';
import { mintChallenge } from '../../src/enrollment/proofs.ts';
import { readPlist } from '../../src/inspection/plist.ts';
import { HOUR, MINUTE } from '../../src/lib/clock.ts';
import type { Fixture } from '../../src/testing/fixture.ts';
import {
  api,
  auditMark,
  auditRows,
  comparable,
  expectInvalid,
  expectRefusal,
  outboxRows,
  signIn,
} from '../support/harness.ts';
import { addPerson } from '../support/people.ts';
import {
  answerOf,
  attributesOf,
  makeHolder,
  makeLaboratory,
  OLD_UDID,
  readProfile,
  sendAnswer,
  signContent,
  UDID,
  writePlist,
} from './phone.ts';
import { type DeviceJson, type DeviceScenario, type Link, startDeviceScenario } from './scenario.ts';

let scenario: DeviceScenario;
let fixture: Fixture;

beforeAll(async () => {
  scenario = await startDeviceScenario();
  fixture = scenario.fixture;
});
afterAll(() => scenario?.stop());

const inOrganization = () => ({ organization_id: fixture.organization_id });
const rowsOf = () => fixture.app.db.select().from(devices).all();
const forget = () => fixture.app.db.delete(devices).run();

/** Everything that an enrollment writes, to see that nothing was. */
const traces = () => ({
  devices: rowsOf(),
  challenges: fixture.app.db.select().from(deviceChallenges).all(),
  enrollments: fixture.app.db.select().from(deviceEnrollments).all(),
  audit: fixture.app.db.select().from(auditEvents).all().length,
});

describe('POST /devices/enrollments', () => {
  it('creates a link for an hour and shows its token once', async () => {
    const after = auditMark(fixture);
    const answer = await api(fixture).post<Link>(
      '/api/v1/devices/enrollments',
      { name: ' Lab phone ' },
      inOrganization(),
    );
    expect(answer.status).toBe(201);
    const { token, identifier, expires_at } = answer.body;
    expect(answer.body).toEqual({
      identifier: expect.any(String),
      organization_id: fixture.organization_id,
      name: 'Lab phone',
      developer_id: null,
      token: expect.stringMatching(/^[\w-]{43}$/),
      url: `${fixture.config.server.base_url}/public/v1/enroll/${token}`,
      created_at: expect.any(String),
      expires_at: new Date(Date.parse(answer.body.created_at) + HOUR).toISOString(),
    });
    const row = fixture.app.db.select().from(deviceEnrollments).where(eq(deviceEnrollments.id, identifier)).get();
    expect(row?.tokenHash).toBe(fixture.app.secrets.hash(token));
    expect(JSON.stringify(row)).not.toContain(token);
    expect(expires_at).toBe(new Date(row?.expiresAt ?? 0).toISOString());
    expect(auditRows(fixture, { after })).toMatchObject([
      {
        event: 'created',
        type: 'device_enrollment',
        identifier,
        organizationId: fixture.organization_id,
        details: { name: 'Lab phone', developer_id: null },
      },
    ]);
  });

  it('requires no body', async () => {
    const answer = await api(fixture).send('POST', '/api/v1/devices/enrollments', { query: inOrganization() });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ name: null, developer_id: null });
  });

  it('accepts only members and testers as owners', async () => {
    const member = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'member' } });
    const stranger = await addPerson(fixture);
    const post = (developer_id: unknown) =>
      api(fixture).post('/api/v1/devices/enrollments', { developer_id }, inOrganization());
    expect((await post(member.id)).body).toMatchObject({ developer_id: member.id });
    expectInvalid(await post(stranger.id), 'body.developer_id: value_error');
    expectInvalid(await post(fixture.app.ids.next()), 'body.developer_id: value_error');
    expectInvalid(await post('somebody'), 'body.developer_id: uuid_parsing');
  });

  it('lets members enroll their own devices, and managers all', async () => {
    const member = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'member' } });
    const post = (developer_id: string | null) =>
      member.client.post('/api/v1/devices/enrollments', { developer_id }, inOrganization());
    expect((await post(member.id)).status).toBe(201);
    expect((await post(null)).status).toBe(201);
    expectRefusal(await post(fixture.admin.developer_id), 403, 'insufficient_role');
    const manager = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'manager' } });
    const answer = await manager.client.post(
      '/api/v1/devices/enrollments',
      { developer_id: member.id },
      inOrganization(),
    );
    expect(answer.status).toBe(201);
  });

  it('stops at the limit of open links, which expire', async () => {
    const small = await startDeviceScenario({ config: { limits: { open_device_enrollments_per_organization: 2 } } });
    try {
      await small.link();
      await small.link();
      const query = { organization_id: small.fixture.organization_id };
      const refused = await api(small.fixture).post('/api/v1/devices/enrollments', {}, query);
      expect(expectRefusal(refused, 400, 'quota_exceeded')).toEqual({ limit: 2 });
      small.fixture.clock.advance(HOUR);
      const { client } = await signIn(small.fixture);
      await small.link({}, client);
    } finally {
      await small.stop();
    }
  });
});

describe('the profile', () => {
  it('requests identifier, product and system, with its own challenge, signed', async () => {
    const link = await scenario.link();
    const response = await fetch(scenario.reach(`${link.url}/profile`));
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/x-apple-aspen-config');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="register-device.mobileconfig"');
    const bytes = Buffer.from(await response.arrayBuffer());
    const { profile, url, attributes, challenge } = await readProfile(bytes);
    expect(url).toBe(`${link.url}/callback`);
    expect(attributes).toEqual(['UDID', 'PRODUCT', 'VERSION']);
    expect(profile.get('PayloadType')).toBe('Profile Service');
    expect(profile.get('PayloadVersion')).toBe(1);
    expect(profile.get('PayloadOrganization')).toBe('Taxiway');
    expect(profile.get('PayloadIdentifier')).toBe(`localhost.enroll.${link.identifier}`);
    expect(profile.get('PayloadUUID')).toMatch(/^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/);
    const again = await scenario.challenge(link);
    expect(again).not.toBe(challenge);
    expect(again).toMatch(/^[\w.-]{80,120}$/);
  });

  it('is readable for openssl and plistutil', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'taxiway-profile-'));
    try {
      const link = await scenario.link();
      const response = await fetch(scenario.reach(`${link.url}/profile`));
      const file = join(folder, 'profile.mobileconfig');
      writeFileSync(file, Buffer.from(await response.arrayBuffer()));
      const plist = join(folder, 'profile.plist');
      execFileSync('openssl', ['cms', '-verify', '-inform', 'DER', '-in', file, '-noverify', '-out', plist], {
        stdio: 'pipe',
      });
      // Where there is no plistutil, openssl's word has to do.
      const converted = spawnSync('plistutil', ['-i', plist, '-f', 'bin'], { stdio: 'pipe' });
      const read = readPlist(converted.error === undefined ? converted.stdout : readFileSync(plist));
      expect(read.get('PayloadType')).toBe('Profile Service');
      const service = read.get('PayloadContent');
      expect(service instanceof Map && service.get('URL')).toBe(`${link.url}/callback`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('shows the configured organization, with any characters', async () => {
    const name = 'Ünït <b>&"\' \u{1f680}';
    const other = await startDeviceScenario({ config: { apple_profile: { organization_name: name } } });
    try {
      const link = await other.link();
      const response = await fetch(other.reach(`${link.url}/profile`));
      const { profile } = await readProfile(Buffer.from(await response.arrayBuffer()));
      expect(profile.get('PayloadOrganization')).toBe(name);
    } finally {
      await other.stop();
    }
  });

  it('is in the language of the phone', async () => {
    const link = await scenario.link();
    const response = await fetch(scenario.reach(`${link.url}/profile`), {
      headers: { 'accept-language': 'de-AT,de;q=0.9' },
    });
    const { profile } = await readProfile(Buffer.from(await response.arrayBuffer()));
    expect(profile.get('PayloadDisplayName')).toMatch(/^Dieses Gerät bei .+ registrieren$/);
  });

  it('writes nothing, regardless of the number of downloads', async () => {
    const link = await scenario.link();
    const before = traces();
    for (let round = 0; round < 5; round += 1) await scenario.challenge(link);
    expect(traces()).toEqual(before);
  });
});

describe('a phone that responds', () => {
  it('is registered, recorded, and redirected to its result', async () => {
    forget();
    const link = await scenario.link();
    const after = auditMark(fixture);
    const outbox = outboxRows(fixture).length;
    const response = await scenario.answer(link, await scenario.challenge(link));
    expect(response.status).toBe(301);
    expect(await response.text()).toBe('');
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(response.headers.get('location')).toMatch(
      new RegExp(`^${fixture.config.server.base_url}/public/v1/enroll/${link.token}/result/[\\w.-]+$`),
    );
    const list = await api(fixture).get<{ items: DeviceJson[] }>('/api/v1/devices', inOrganization());
    expect(list.body.items).toEqual([
      {
        identifier: expect.any(String),
        organization_id: fixture.organization_id,
        udid: UDID,
        name: 'iPhone 13 Pro',
        platform: 'ios',
        product: 'iPhone14,2',
        model: 'iPhone 13 Pro',
        os_version: '22F76',
        developer_id: null,
        registered_at: expect.any(String),
        enrolled_at: expect.any(String),
        apple_registrations: [],
      },
    ]);
    const [row] = auditRows(fixture, { after });
    expect(row).toMatchObject({
      event: 'device_registered',
      type: 'device',
      identifier: list.body.items[0]?.identifier,
      organizationId: fixture.organization_id,
      actorKind: 'anonymous',
      details: { name: 'iPhone 13 Pro', product: 'iPhone14,2', how: 'enrollment', developer_id: null },
    });
    expect(JSON.stringify(auditRows(fixture, { after }))).not.toContain(UDID.slice(9));
    expect(outboxRows(fixture)).toHaveLength(outbox);
  });

  it("gets name and owner from its link, and appears in the owner's audit trail", async () => {
    forget();
    const owner = await addPerson(fixture, { name: 'Ada', organizations: { [fixture.organization_id]: 'member' } });
    await scenario.enroll(await scenario.link({ developer_id: owner.id }));
    expect(rowsOf()).toMatchObject([{ name: 'Ada iPhone 13 Pro', developerId: owner.id }]);
    await scenario.enroll(await scenario.link({ name: 'Lab 7' }), { UDID: OLD_UDID, PRODUCT: 'iPhone99,9' });
    expect(rowsOf()).toMatchObject([{}, { udid: OLD_UDID, name: 'Lab 7', developerId: null }]);
    const trail = auditRows(fixture).filter(({ developerId }) => developerId === owner.id);
    expect(trail).toMatchObject([{ event: 'device_registered', details: { developer_id: owner.id } }]);
  });

  it('is one device, regardless of repetitions and spelling', async () => {
    forget();
    const owner = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'member' } });
    await scenario.enroll(await scenario.link({ name: 'First' }));
    const [first] = rowsOf();
    fixture.clock.advance(MINUTE);
    await scenario.enroll(await scenario.link({ developer_id: owner.id }), {
      UDID: UDID.toLowerCase(),
      VERSION: '23A341',
    });
    fixture.clock.advance(MINUTE);
    const after = auditMark(fixture);
    await scenario.enroll(await scenario.link(), { VERSION: '' });
    const rows = rowsOf();
    expect(rows).toEqual([{ ...first, osBuild: '23A341', developerId: owner.id, enrolledAt: rows[0]?.enrolledAt }]);
    expect(rows[0]?.enrolledAt).toBeGreaterThan(first?.enrolledAt ?? Number.POSITIVE_INFINITY);
    expect(auditRows(fixture, { after }).map(({ event, type }) => `${type} ${event}`)).toEqual([
      'device_enrollment created',
      'device device_registered',
    ]);
    fixture.clock.set(new Date());
  });

  it('can be one of several that use one link within its hour', async () => {
    forget();
    const link = await scenario.link();
    await scenario.enroll(link);
    await scenario.enroll(link, { UDID: OLD_UDID });
    expect(rowsOf().map(({ udid }) => udid)).toEqual([UDID, OLD_UDID]);
  });

  it('belongs to the organization of its link only', async () => {
    forget();
    const admin = await addPerson(fixture);
    const { text: other } = await admin.client.post('/api/v1/organizations', { name: 'Elsewhere' });
    const made = await admin.client.post<Link>('/api/v1/devices/enrollments', {}, { organization_id: other });
    await scenario.enroll(made.body);
    await scenario.enroll(await scenario.link());
    expect(rowsOf().map(({ organizationId }) => organizationId)).toEqual([other, fixture.organization_id]);
    const [elsewhere] = rowsOf();
    expectRefusal(await api(fixture).get(`/api/v1/devices/${elsewhere?.id}`), 404, 'not_found');
    forget();
  });

  it.each([
    ['XML in BER', { form: 'xml', encoding: 'ber' }],
    ['binary in DER', { form: 'binary', encoding: 'der' }],
    ['binary in BER with SHA-1', { form: 'binary', encoding: 'ber', digest: 'sha1' }],
  ] as const)('can have %s', async (_name, options) => {
    forget();
    const link = await scenario.link();
    const answer = answerOf(scenario.laboratory, attributesOf(await scenario.challenge(link)), options);
    expect((await sendAnswer(scenario.reach(`${link.url}/callback`), answer)).status).toBe(301);
    expect(rowsOf()).toHaveLength(1);
  });
});

describe('a response is rejected with the same error, without writing anything', () => {
  const refusal = { error: 'not_found', message: 'Not found', details: {} };

  async function expectNothing(send: () => Promise<Response>): Promise<void> {
    const before = traces();
    const response = await send();
    const kept = [...response.headers].filter(([name]) => !['date', 'x-request-id'].includes(name)).sort();
    expect([response.status, await response.json(), kept]).toEqual([
      404,
      refusal,
      [
        ['cache-control', 'no-store'],
        ['connection', expect.any(String)],
        ['content-length', expect.any(String)],
        ['content-type', 'application/json'],
        ...kept.filter(([name]) => name === 'keep-alive'),
        ['referrer-policy', 'no-referrer'],
        ['x-content-type-options', 'nosniff'],
      ],
    ]);
    expect(traces()).toEqual(before);
  }

  type Make = (context: { challenge: string; link: Link }) => Promise<Response> | Response;
  const to = (link: Link, bytes: Buffer, type?: string) =>
    sendAnswer(scenario.reach(`${link.url}/callback`), bytes, type);
  const plistOf = (challenge: string, changes = {}) => writePlist(attributesOf(challenge, changes));
  const stranger = makeLaboratory();
  let otherLinkId: string;
  beforeAll(async () => {
    otherLinkId = (await scenario.link()).identifier;
  });
  const cases: [string, Make][] = [
    ['an empty body', ({ link }) => to(link, Buffer.alloc(0))],
    ['a plain property list', ({ link, challenge }) => to(link, plistOf(challenge))],
    ['the signature of a stranger', ({ link, challenge }) => to(link, answerOf(stranger, attributesOf(challenge)))],
    [
      'a borrowed name',
      ({ link, challenge }) => {
        const rogue = makeHolder('a device', { claims: scenario.laboratory.authority.subject });
        return to(link, signContent(plistOf(challenge), rogue, [rogue.certificate]));
      },
    ],
    [
      'altered content',
      ({ link, challenge }) => {
        const { device, chain } = scenario.laboratory;
        return to(
          link,
          signContent(plistOf(challenge), device, chain, { carries: plistOf(challenge, { UDID: OLD_UDID }) }),
        );
      },
    ],
    [
      'a detached signature',
      ({ link, challenge }) => {
        const { device, chain } = scenario.laboratory;
        return to(link, signContent(plistOf(challenge), device, chain, { isDetached: true }));
      },
    ],
    [
      'a message cut short',
      ({ link, challenge }) => to(link, answerOf(scenario.laboratory, attributesOf(challenge)).subarray(0, 900)),
    ],
    ['no identifier', ({ link, challenge }) => scenario.answer(link, challenge, { UDID: '' })],
    ['an identifier of no form', ({ link, challenge }) => scenario.answer(link, challenge, { UDID: 'ABC' })],
    ['no challenge', ({ link }) => scenario.answer(link, '')],
    ['an invented challenge', ({ link }) => scenario.answer(link, 'invented')],
    [
      'an altered challenge',
      ({ link, challenge }) =>
        scenario.answer(
          link,
          challenge.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
        ),
    ],
    ['a longer challenge', ({ link, challenge }) => scenario.answer(link, `${challenge}.x`)],
    ["another link's challenge", ({ link }) => scenario.answer(link, mintChallenge(fixture.app, otherLinkId))],
    [
      'a challenge that another server signed',
      ({ link }) => {
        const keyring = { current: { id: 'other', key: Buffer.alloc(32, 1) }, previous: [] };
        const secrets = { ...fixture.app.secrets, keyring };
        return scenario.answer(link, mintChallenge({ ids: fixture.app.ids, secrets }, link.identifier));
      },
    ],
    [
      'an unknown link',
      ({ link, challenge }) => scenario.answer({ ...link, url: link.url.replace(/.$/, '!') }, challenge),
    ],
    [
      'the hash of the token instead of the token',
      ({ link, challenge }) =>
        scenario.answer(
          { ...link, url: link.url.replace(link.token, fixture.app.secrets.hash(link.token)) },
          challenge,
        ),
    ],
    [
      'an endless token',
      ({ link, challenge }) => scenario.answer({ ...link, url: `${link.url}${'x'.repeat(4000)}` }, challenge),
    ],
    ['more bytes than a device sends', ({ link }) => to(link, Buffer.alloc(32 * 1024 + 1, 0x30))],
    [
      'another media type',
      ({ link, challenge }) => to(link, answerOf(scenario.laboratory, attributesOf(challenge)), 'application/json'),
    ],
    ['no media type', ({ link, challenge }) => to(link, answerOf(scenario.laboratory, attributesOf(challenge)), '')],
  ];
  it.each(cases)('for %s', async (_name, make) => {
    const link = await scenario.link();
    const challenge = await scenario.challenge(link);
    await expectNothing(async () => make({ link, challenge }));
    // The link and its challenge are as good as before.
    forget();
    expect((await scenario.answer(link, challenge)).status).toBe(301);
    forget();
  });

  it('if its challenge was used before', async () => {
    forget();
    const link = await scenario.link();
    const challenge = await scenario.challenge(link);
    const answer = answerOf(scenario.laboratory, attributesOf(challenge));
    const send = () => sendAnswer(scenario.reach(`${link.url}/callback`), answer);
    expect((await send()).status).toBe(301);
    await expectNothing(send);
    // The challenge is used up for every other device too.
    await expectNothing(() => scenario.answer(link, challenge, { UDID: OLD_UDID }));
  });

  it('after exactly one hour', async () => {
    forget();
    const link = await scenario.link();
    const challenge = await scenario.challenge(link);
    const end = Date.parse(link.expires_at);
    try {
      fixture.clock.set(new Date(end));
      await expectNothing(() => scenario.answer(link, challenge));
      fixture.clock.set(new Date(end - 30_000));
      expect((await scenario.answer(link, challenge)).status).toBe(301);
    } finally {
      fixture.clock.set(new Date());
    }
  });

  it('except one of fifty simultaneous ones with one challenge', async () => {
    forget();
    const link = await scenario.link();
    const challenge = await scenario.challenge(link);
    const identifiers = Array.from({ length: 50 }, (_, index) => `00008030-${String(index).padStart(16, '0')}`);
    const after = auditMark(fixture);
    const answers = await Promise.all(identifiers.map((udid) => scenario.answer(link, challenge, { UDID: udid })));
    expect(answers.map(({ status }) => status).sort()).toEqual([301, ...Array.from({ length: 49 }, () => 404)]);
    expect(rowsOf()).toHaveLength(1);
    expect(auditRows(fixture, { after })).toHaveLength(1);
  });

  it('if the organization has reached its limit of devices', async () => {
    const small = await startDeviceScenario({ config: { limits: { devices_per_organization: 1 } } });
    try {
      const link = await small.link();
      await small.enroll(link);
      expect((await small.answer(link, await small.challenge(link), { UDID: OLD_UDID })).status).toBe(404);
      // Those that are there may come again.
      await small.enroll(link);
    } finally {
      await small.stop();
    }
  });

  it('if the file of the added authority is missing, which does not affect other devices', async () => {
    const other = await startDeviceScenario({
      config: { apple_profile: { trusted_device_ca_file: '/nowhere/authority.pem' } },
    });
    try {
      const link = await other.link();
      expect((await other.answer(link, await other.challenge(link))).status).toBe(404);
    } finally {
      await other.stop();
    }
  });
});

describe('an enrollment link', () => {
  it('looks like an unknown one when it has expired', async () => {
    const link = await scenario.link();
    const anyone = api(fixture, null);
    const paths = (token: string) => [
      `/public/v1/enroll/${token}`,
      `/public/v1/enroll/${token}/profile`,
      `/public/v1/enroll/${token}/result/x`,
    ];
    fixture.clock.advance(HOUR);
    const [over, never] = [link.token, 'x'.repeat(43)].map((token) => paths(token).map((path) => anyone.get(path)));
    const ended = (await Promise.all(over ?? [])).map(comparable);
    expect(ended).toEqual((await Promise.all(never ?? [])).map(comparable));
    expect(ended.map(({ status }) => status)).toEqual([404, 404, 404]);
    fixture.clock.set(new Date());
  });

  it('is not in the log, and neither are its devices', async () => {
    const lines: string[] = [];
    const { log } = fixture.app;
    const spy = {
      ...log,
      isLevelEnabled: () => true,
      info: (...parts: unknown[]) => lines.push(JSON.stringify(parts)),
    };
    Object.assign(fixture.app, { log: spy });
    try {
      const link = await scenario.link();
      await scenario.enroll(link);
      expect(lines.length).toBeGreaterThan(2);
      expect(lines.join('\n')).not.toContain(link.token);
      expect(lines.join('\n').toUpperCase()).not.toContain(UDID.slice(9));
    } finally {
      Object.assign(fixture.app, { log });
    }
  });

  it('is deleted with its challenges a day after its expiry', async () => {
    const link = await scenario.link();
    await scenario.enroll(link);
    const find = () =>
      fixture.app.db.select().from(deviceEnrollments).where(eq(deviceEnrollments.id, link.identifier)).get();
    const challenges = () =>
      fixture.app.db.select().from(deviceChallenges).where(eq(deviceChallenges.enrollmentId, link.identifier)).all();
    const end = Date.parse(link.expires_at);
    try {
      fixture.clock.set(new Date(end + 23 * HOUR));
      await fixture.sweep('sessions');
      expect(find()).toBeDefined();
      expect(challenges()).toHaveLength(1);
      fixture.clock.set(new Date(end + 24 * HOUR));
      await fixture.sweep('sessions');
      expect(find()).toBeUndefined();
      expect(challenges()).toEqual([]);
    } finally {
      fixture.clock.set(new Date());
    }
  });
});
