// The two reads of the audit trail: permissions, days, limits and formats.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectPersonalData } from '../../src/accounts/exports/store.ts';
import { systemContext } from '../../src/core/transact.ts';
import type { EventFacts, EventName } from '../../src/events.ts';
import { ALL_SCOPES } from '../../src/permissions.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { type Answer, api, expectInvalid, expectRefusal, type Json, signIn } from '../support/harness.ts';
import { addPerson, addPersonalToken, addProjectToken } from '../support/people.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture({ config: { limits: { audit_events_per_day: 20, audit_events_per_range: 30 } } });
});
afterAll(() => fixture?.stop());

const organizationTrail = (id = fixture.organization_id) => `/api/v1/audit/organization/${id}`;
const personalTrail = (id = fixture.admin.developer_id) => `/api/v1/audit/developer/${id}`;
const today = () => fixture.clock.now().toISOString().slice(0, 10);

function record(name: EventName, facts: EventFacts): void {
  systemContext(fixture.app).transact((tx) => tx.record(name, facts));
}

/** Events of an organization that does not exist otherwise, numbered from 1. */
function recordMany(organizationId: string, count: number): void {
  systemContext(fixture.app).transact((tx) => {
    for (let number = 1; number <= count; number += 1) {
      tx.record('channel.edited', { identifier: String(number), organizationId });
    }
  });
}

const identifiers = (answer: Answer<Json[]>) => answer.body.map((row) => row.identifier);

describe('the audit trail of an organization', () => {
  it('shows each event with its labels, newest first', async () => {
    const answer = await api(fixture).get<Json[]>(organizationTrail());
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-audit-truncated')).toBeNull();
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.body[0]).toEqual({
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      event: 'project_access_token_created',
      type: 'project_access_token',
      identifier: expect.any(String),
      actor: { kind: 'developer', identifier: fixture.admin.developer_id, name: 'Fixture Administrator' },
      ip_address: '127.0.0.1',
      details: { project_id: fixture.android_project_id, name: 'fixture', role: 'maintainer' },
      event_type_label: 'Project access token created',
      data_type_label: 'Project access token',
    });
    expect(answer.body.map((row) => [row.event_type_label, row.data_type_label])).toEqual([
      ['Project access token created', 'Project access token'],
      ['Created', 'Channel'],
      ['Created', 'Project'],
      ['Created', 'Project'],
      ['Created', 'Org membership'],
      ['Created', 'Organization'],
    ]);
  });

  it('is for admins: signed in, or with a token with the scope read', async () => {
    const { organization_id: organizationId, android_project_id: projectId } = fixture;
    const administrator = await addPerson(fixture, { organizations: { [organizationId]: 'admin' } });
    const manager = await addPerson(fixture, { organizations: { [organizationId]: 'manager' } });
    const member = await addPerson(fixture, {
      organizations: { [organizationId]: 'member' },
      projects: { [projectId]: 'admin' },
    });
    const stranger = await addPerson(fixture);
    const token = (developerId: string, scopes: bigint) =>
      addPersonalToken(fixture, { developerId, organizationId, scopes });
    const projectToken = addProjectToken(fixture, { organizationId, projectId, role: 'admin' });
    const ask = async (bearer: string | null) => {
      const answer = await api(fixture, bearer).get<Json>(organizationTrail());
      return answer.status === 200 ? 200 : `${answer.status} ${answer.body.error}`;
    };
    expect(await ask(administrator.accessToken)).toBe(200);
    expect(await ask(token(administrator.id, 1n))).toBe(200);
    expect(await ask(token(administrator.id, 2n))).toBe('403 permission_denied');
    expect(await ask(manager.accessToken)).toBe('403 insufficient_role');
    expect(await ask(member.accessToken)).toBe('403 insufficient_role');
    expect(await ask(token(manager.id, 1n))).toBe('403 insufficient_role');
    expect(await ask(projectToken)).toBe('403 permission_denied');
    expect(await ask(stranger.accessToken)).toBe('404 not_found');
    expect(await ask(null)).toBe('401 unauthorized');
  });

  it('does not show other organizations', async () => {
    const elsewhere = fixture.app.ids.next();
    record('channel.edited', { identifier: 'elsewhere', organizationId: elsewhere });
    const answer = await api(fixture).get<Json[]>(organizationTrail(), { from: '2000-01-01', to: '2100-01-01' });
    expect(identifiers(answer)).not.toContain('elsewhere');
    expectRefusal(await api(fixture).get(organizationTrail(elsewhere)), 404, 'not_found');
  });

  it('shows events without a sign-in as events of the system', async () => {
    await api(fixture, null).post('/api/v1/login', { email: fixture.admin.email, password: 'wrong' });
    const { body } = await api(fixture).get<Json[]>(personalTrail());
    expect(body[0]).toMatchObject({
      event: 'login_failed',
      actor: { kind: 'system', identifier: null, name: null },
      ip_address: '127.0.0.1',
      details: { reason: 'wrong_password' },
      event_type_label: 'Login failed',
      data_type_label: 'Developer',
    });
  });
});

describe('days', () => {
  it('are complete UTC days, including the last one', async () => {
    await using own = await startFixture();
    const { organization_id: organizationId } = own;
    own.clock.set(new Date('2031-03-10T12:00:00.000Z'));
    const moments = [
      '2031-03-10T23:59:59.999Z',
      '2031-03-11T00:00:00.000Z',
      '2031-03-11T12:00:00.000Z',
      '2031-03-12T00:00:00.000Z',
    ];
    const date = own.app.db.$client.prepare(
      `UPDATE audit_events SET timestamp = ? WHERE rowid = (SELECT rowid FROM audit_events WHERE identifier = ?)`,
    );
    for (const moment of moments) {
      systemContext(own.app).transact((tx) => tx.record('channel.edited', { identifier: moment, organizationId }));
      date.run(Date.parse(moment), moment);
    }
    const { client } = await signIn(own);
    const ask = async (query: Record<string, string>) => {
      const answer = await client.get<Json[]>(`/api/v1/audit/organization/${organizationId}`, query);
      expect(answer.status, answer.text).toBe(200);
      return identifiers(answer);
    };
    const [first, second, third, fourth] = moments;
    expect(await ask({ day: '2031-03-10' })).toEqual([first]);
    expect(await ask({ day: '2031-03-11' })).toEqual([third, second]);
    expect(await ask({ from: '2031-03-11', to: '2031-03-11' })).toEqual([third, second]);
    expect(await ask({ from: '2031-03-10', to: '2031-03-11' })).toEqual([third, second, first]);
    expect(await ask({ from: '2031-03-11', to: '2031-03-12' })).toEqual([fourth, third, second]);
    expect(await ask({})).toEqual([first]);
    expect(await ask({ day: '2040-01-01' })).toEqual([]);
  });

  it.each([
    [{ from: '2026-01-01' }, 'query.to: missing'],
    [{ to: '2026-01-01' }, 'query.from: missing'],
    [{ day: '2026-1-1' }, 'query.day: date_parsing'],
    [{ day: '2026-02-30' }, 'query.day: date_parsing'],
    [{ day: '' }, 'query.day: date_parsing'],
    [{ day: '2026-01-01T00:00:00Z' }, 'query.day: date_parsing'],
    [{ from: 'x', to: '2026-01-01' }, 'query.from: date_parsing'],
    [{ from: '2026-01-02', to: '2026-01-01' }, 'query.to: greater_than_equal'],
    [{ day: '2026-01-01', from: '2026-01-01', to: '2026-01-01' }, 'query.day: value_error'],
  ])('%o are rejected', async (query, expected) => {
    expectInvalid(await api(fixture).get(organizationTrail(), query), expected);
    expectInvalid(await api(fixture).get(personalTrail(), query), expected);
  });
});

describe('limits', () => {
  it.each([
    ['a day', (): Record<string, string> => ({ day: today() }), 20],
    ['today', () => ({}), 20],
    ['a range', () => ({ from: today(), to: today() }), 30],
  ])('of %s return the newest events and a header', async (_name, query, max) => {
    const organizationId = await newOrganization();
    const { client } = await signIn(fixture);
    const ask = () => client.get<Json[]>(organizationTrail(organizationId), query());
    // Two events are there already: the organization and its first member.
    recordMany(organizationId, max - 2);
    const full = await ask();
    expect([full.body.length, full.headers.get('x-audit-truncated')]).toEqual([max, null]);
    recordMany(organizationId, 1);
    const truncated = await ask();
    expect([truncated.status, truncated.headers.get('x-audit-truncated')]).toEqual([200, 'true']);
    expect(truncated.headers.get('content-type')).toBe('application/json');
    expect(truncated.body).toHaveLength(max);
    expect(truncated.body[0]).toMatchObject({ identifier: '1', event: 'edited' });
    expect(truncated.body.at(-1)).toMatchObject({ event: 'created', type: 'org_membership' });
  });

  it('are 1000 and 5000 by default', async () => {
    await using own = await startFixture();
    const { organization_id: organizationId } = own;
    systemContext(own.app).transact((tx) => {
      for (let number = 1; number <= 6000; number += 1) {
        tx.record('channel.edited', { identifier: String(number), organizationId });
      }
    });
    const day = own.clock.now().toISOString().slice(0, 10);
    const path = `/api/v1/audit/organization/${organizationId}`;
    const ofDay = await api(own).get<Json[]>(path, { day });
    expect([ofDay.body.length, ofDay.headers.get('x-audit-truncated')]).toEqual([1000, 'true']);
    const ofRange = await api(own).get<Json[]>(path, { from: day, to: day });
    expect([ofRange.body.length, ofRange.headers.get('x-audit-truncated')]).toEqual([5000, 'true']);
    expect(identifiers(ofRange)).toEqual(Array.from({ length: 5000 }, (_, index) => String(6000 - index)));
  });
});

describe('the personal audit trail', () => {
  it('is only for its owner, signed in', async () => {
    const person = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'admin' } });
    expect((await person.client.get(personalTrail(person.id))).status).toBe(200);
    expectRefusal(await person.client.get(personalTrail()), 404, 'not_found');
    expectRefusal(await api(fixture).get(personalTrail(person.id)), 404, 'not_found');
    const token = addPersonalToken(fixture, {
      developerId: person.id,
      organizationId: fixture.organization_id,
      scopes: 9223372036854775807n,
    });
    expectRefusal(await api(fixture, token).get(personalTrail(person.id)), 403, 'permission_denied');
    expectRefusal(await api(fixture, fixture.project_access_token).get(personalTrail()), 403, 'permission_denied');
    expectRefusal(await api(fixture, null).get(personalTrail()), 401, 'unauthorized');
  });

  it("contains the owner's actions, and those of others on the account without their addresses", async () => {
    const { client } = await signIn(fixture);
    const mine = await client.get<Json[]>(personalTrail(), { from: '2000-01-01', to: '2100-01-01' });
    expect(mine.body.map((row) => row.type)).toContain('organization');
    const person = await addPerson(fixture);
    const other = { kind: 'developer' as const, id: fixture.admin.developer_id };
    record('developer.edited', { identifier: person.id, organizationId: null, developerId: person.id });
    fixture.app.db.$client
      .prepare("UPDATE audit_events SET actor_kind = ?, actor_id = ?, ip_address = '203.0.113.9' WHERE identifier = ?")
      .run(other.kind, other.id, person.id);
    const [row] = (await person.client.get<Json[]>(personalTrail(person.id))).body;
    expect(row).toMatchObject({ actor: { kind: 'developer', identifier: other.id }, ip_address: null });
  });

  it('shows no address of a token that belongs to another person or to a project', async () => {
    const { organization_id: organizationId, admin } = fixture;
    const person = await addPerson(fixture, { organizations: { [organizationId]: 'manager' } });
    const tokenOf = (developerId: string) =>
      api(fixture, addPersonalToken(fixture, { developerId, organizationId, scopes: ALL_SCOPES }));
    const theirs = tokenOf(admin.developer_id);
    const own = tokenOf(person.id);
    const input = { udid: '00008110-000A1D0E3C3A801E', name: 'iPhone', developer_id: person.id };
    const device = await theirs.post<Json>('/api/v1/devices', input, { organization_id: organizationId });
    await own.patch(`/api/v1/devices/${device.body.identifier}`, { name: 'Test phone' });
    const rows = (await person.client.get<Json[]>(personalTrail(person.id))).body;
    expect(rows.map(({ event, actor, ip_address }) => [event, (actor as Json).kind, ip_address])).toEqual([
      ['edited', 'personal_access_token', '127.0.0.1'],
      ['device_registered', 'personal_access_token', null],
    ]);
    const exported = collectPersonalData(fixture.app, person.id).audit_trail as { event: string; ipAddress: unknown }[];
    expect(exported.map(({ event, ipAddress }) => [event, ipAddress])).toEqual([
      ['device_registered', null],
      ['edited', '127.0.0.1'],
    ]);
    const project = { kind: 'project_access_token', id: fixture.app.ids.next() };
    fixture.app.db.$client
      .prepare('UPDATE audit_events SET actor_kind = ?, actor_id = ? WHERE developer_id = ?')
      .run(project.kind, project.id, person.id);
    const addresses = (await person.client.get<Json[]>(personalTrail(person.id))).body.map((row) => row.ip_address);
    expect(addresses).toEqual([null, null]);
    const organization = await api(fixture).get<Json[]>(organizationTrail());
    const ofDevice = organization.body.filter(({ identifier }) => identifier === device.body.identifier);
    expect(ofDevice.map((row) => row.ip_address)).toEqual(['127.0.0.1', '127.0.0.1']);
  });
});

describe('a failing database', () => {
  it('returns 503 with Retry-After if it takes too long', async () => {
    await using own = await startFixture({ config: { database: { audit_read_timeout_ms: 1 } } });
    const { organization_id: organizationId } = own;
    systemContext(own.app).transact((tx) => {
      for (let number = 1; number <= 5000; number += 1) {
        tx.record('channel.edited', { identifier: String(number), organizationId, details: { text: 'x'.repeat(200) } });
      }
    });
    const day = own.clock.now().toISOString().slice(0, 10);
    const path = `/api/v1/audit/organization/${organizationId}`;
    const answer = await api(own).get(path, { from: day, to: day });
    expectRefusal(answer, 503, 'storage_backend_unavailable');
    expect(answer.headers.get('retry-after')).toBe('5');
  });

  it('returns 500 if the query fails', async () => {
    await using own = await startFixture();
    const path = `/api/v1/audit/organization/${own.organization_id}`;
    own.app.db.$client.exec('ALTER TABLE audit_events RENAME TO elsewhere');
    expectRefusal(await api(own).get(path), 500, 'internal_error');
    expectRefusal(await api(own).get(`/api/v1/audit/developer/${own.admin.developer_id}`), 500, 'internal_error');
  });
});

async function newOrganization(): Promise<string> {
  const { client } = await signIn(fixture);
  const answer = await client.post('/api/v1/organizations', { name: 'Capped' });
  expect(answer.status, answer.text).toBe(201);
  return answer.text;
}
