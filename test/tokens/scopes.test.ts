// Scopes: valid numbers, exact digits, and the ceiling of grantable scopes.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildOpenApi } from '../../src/http/openapi.ts';
import { operations } from '../../src/operations.ts';
import { ALL_SCOPES, isScopeSum, permissions, scopeCeiling, scopes } from '../../src/permissions.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, type Client, expectRefusal, type Json } from '../support/harness.ts';
import { addOrganization, addPerson, addProject } from '../support/people.ts';

const PATS = '/api/v1/pats';
const ALL = '9223372036854775807';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

async function staff() {
  const admin = await addPerson(fixture);
  const organizationId = await addOrganization(admin);
  const projectId = await addProject(admin.client, organizationId, { name: 'App' });
  const organizations = { [organizationId]: 'member' as const };
  const inProject = (role: 'read' | 'read_download' | 'read_download_upload' | 'maintainer' | 'admin') =>
    addPerson(fixture, { organizations, projects: { [projectId]: role } });
  return { admin, organizationId, projectId, organizations, inProject, query: { organization_id: organizationId } };
}

/** Sends the digits as they stand, which JSON.stringify could not. */
const sendScopes = (client: Client, digits: string, query: Record<string, string>) =>
  client.send('POST', PATS, {
    query,
    headers: { 'content-type': 'application/json' },
    rawBody: `{"name":"digits","scopes":${digits}}`,
  });

/** The digits of a field of an answer, before a JavaScript number could round them. */
const digitsOf = (text: string, field: string) => new RegExp(`"${field}":(-?[^,}]+)`).exec(text)?.[1];

describe('all scopes', () => {
  it('are each used', () => {
    const needed = new Set<string>(Object.values(permissions).map(({ scope }) => scope));
    expect(needed).toEqual(new Set([...Object.keys(scopes), 'ALL']));
  });

  it('sum up to every number from 0 to 63, and to no others but ALL', () => {
    for (let sum = 0n; sum <= 63n; sum++) expect(isScopeSum(sum)).toBe(true);
    expect(isScopeSum(ALL_SCOPES)).toBe(true);
    for (const other of [-1n, 64n, 65n, 127n, 2n ** 32n, 2n ** 53n, ALL_SCOPES - 1n, ALL_SCOPES + 1n, -ALL_SCOPES]) {
      expect(isScopeSum(other)).toBe(false);
    }
  });
});

describe('scopes in the API', () => {
  it.each([
    ['0', '0'],
    ['1', '1'],
    ['11', '11'],
    ['63', '63'],
    ['11.0', '11'],
    ['"11"', '11'],
    ['"0"', '0'],
    [ALL, ALL],
    [`"${ALL}"`, ALL],
  ])('accept %s and return the digits %s', async (sent, expected) => {
    const { admin, query } = await staff();
    const created = await sendScopes(admin.client, sent, query);
    expect(created.status).toBe(201);
    expect(digitsOf(created.text, 'scopes')).toBe(expected);
    const rotated = await admin.client.post(`${PATS}/${created.body.identifier}/rotate`);
    expect(digitsOf(rotated.text, 'scopes')).toBe(expected);
    for (const path of [PATS, `${PATS}/all`]) {
      expect(digitsOf((await admin.client.get(path, query)).text, 'scopes')).toBe(expected);
    }
  });

  it.each([
    ['-1'],
    ['64'],
    ['127'],
    ['4294967296'],
    ['9007199254740992'],
    ['9223372036854775806'],
    ['9223372036854775808'],
    ['9223372036854776000'],
    ['9.223372036854775807e18'],
    ['18446744073709551615'],
    ['-9223372036854775807'],
    ['1e300'],
    ['"9223372036854775806"'],
    ['"9223372036854775808"'],
    ['"-1"'],
    ['"64"'],
    [`1${'0'.repeat(300)}`],
  ])('reject %s, which is not a sum of scopes', async (sent) => {
    const { admin, query } = await staff();
    const refused = await sendScopes(admin.client, sent, query);
    expect(expectRefusal(refused, 400, 'invalid_input')).toEqual({ field: 'scopes' });
    expect((await admin.client.get<{ items: Json[] }>(PATS, query)).body.items).toEqual([]);
  });

  it('reject the value of ALL that a JavaScript client sends as a number', async () => {
    const { admin, query } = await staff();
    const answer = await admin.client.post(PATS, { name: 'rounded', scopes: Number(ALL) }, query);
    expectRefusal(answer, 400, 'invalid_input');
  });

  it('are described as 64-bit integers', () => {
    const document = buildOpenApi(operations, 'http://localhost') as {
      components: { schemas: Record<string, { properties: Record<string, Json>; required: string[] }> };
    };
    const { schemas } = document.components;
    for (const name of ['PersonalAccessToken', 'PersonalAccessTokenWithSecret', 'OwnedPersonalAccessToken']) {
      expect(schemas[name]?.properties.scopes).toMatchObject({ type: 'integer', format: 'int64' });
    }
    expect(schemas.GrantableScopes?.properties.ceiling).toMatchObject({ type: 'integer', format: 'int64' });
    expect(schemas.PersonalAccessTokenInput).toMatchObject({ required: ['name', 'scopes'] });
    expect(schemas.PersonalAccessTokenInput?.properties.scopes?.anyOf).toMatchObject([
      { type: 'integer', format: 'int64' },
      { type: 'string' },
    ]);
  });
});

describe('a token', () => {
  it('without any scope can do nothing', async () => {
    const { admin, query, organizationId } = await staff();
    const { body } = await sendScopes(admin.client, '0', query);
    const client = api(fixture, String(body.token));
    expectRefusal(await client.get('/api/v1/organizations'), 403, 'permission_denied');
    expectRefusal(await client.get(`/api/v1/organizations/${organizationId}`), 403, 'permission_denied');
  });

  it('with all single scopes can do less than ALL', async () => {
    const { admin, query, organizationId } = await staff();
    const path = `/api/v1/organizations/${organizationId}`;
    const [six, all] = await Promise.all(['63', ALL].map((digits) => sendScopes(admin.client, digits, query)));
    const rename = (token: unknown) => api(fixture, String(token)).patch(path, { name: 'Renamed' });
    expectRefusal(await rename(six?.body.token), 403, 'permission_denied');
    expect((await rename(all?.body.token)).status).toBe(200);
  });
});

describe('the grantable scopes', () => {
  const none = {
    read: true,
    upload_build: false,
    revoke_build: false,
    manage_releases: false,
    manage_testers: false,
    edit_project: false,
    ALL: false,
  };
  const everything = Object.fromEntries(Object.keys(none).map((scope) => [scope, true]));

  it.each([
    ['member', undefined, 1n],
    ['member', 'read', 1n],
    ['member', 'read_download', 1n],
    ['member', 'read_download_upload', 3n],
    ['member', 'maintainer', ALL_SCOPES],
    ['member', 'admin', ALL_SCOPES],
    ['manager', 'admin', ALL_SCOPES],
    ['admin', 'admin', ALL_SCOPES],
  ] as const)('of a %s with the project role %s is %s', (organizationRole, projectRole, expected) => {
    expect(scopeCeiling(organizationRole, projectRole)).toBe(expected);
  });

  it('are returned as a sum and one by one', async () => {
    const { admin, organizations, inProject, query } = await staff();
    const member = await addPerson(fixture, { organizations });
    const manager = await addPerson(fixture, { organizations: { [query.organization_id]: 'manager' } });
    const table = [
      [member, '1', none],
      [await inProject('read'), '1', none],
      [await inProject('read_download_upload'), '3', { ...none, upload_build: true }],
      [await inProject('maintainer'), ALL, everything],
      [manager, ALL, everything],
      [admin, ALL, everything],
    ] as const;
    for (const [person, ceiling, map] of table) {
      const answer = await person.client.get(`${PATS}/grantable-scopes`, query);
      expect(answer.status).toBe(200);
      expect(digitsOf(answer.text, 'ceiling')).toBe(ceiling);
      expect(answer.body.scopes).toEqual(map);
    }
    const outsider = await addPerson(fixture);
    expectRefusal(await outsider.client.get(`${PATS}/grantable-scopes`, query), 404, 'not_found');
  });

  it('include the highest role in any project of this organization, and none of another', async () => {
    const { admin, organizationId, organizations, query } = await staff();
    const second = await addProject(admin.client, organizationId, { name: 'Second' });
    const third = await addProject(admin.client, organizationId, { name: 'Third' });
    const elsewhere = await staff();
    const person = await addPerson(fixture, {
      organizations: { ...organizations, [elsewhere.organizationId]: 'member' },
      projects: { [second]: 'read_download_upload', [third]: 'read', [elsewhere.projectId]: 'admin' },
    });
    const here = await person.client.get(`${PATS}/grantable-scopes`, query);
    expect(digitsOf(here.text, 'ceiling')).toBe('3');
    const there = await person.client.get(`${PATS}/grantable-scopes`, elsewhere.query);
    expect(digitsOf(there.text, 'ceiling')).toBe(ALL);
  });

  it('limit what is granted, naming the others', async () => {
    const { inProject, query } = await staff();
    const uploader = await inProject('read_download_upload');
    for (const sent of ['0', '1', '2', '3']) expect((await sendScopes(uploader.client, sent, query)).status).toBe(201);
    for (const [sent, beyond] of [
      ['5', ['revoke_build']],
      ['11', ['manage_releases']],
      ['63', ['revoke_build', 'manage_releases', 'manage_testers', 'edit_project']],
      [ALL, ['ALL']],
    ] as const) {
      const refused = await sendScopes(uploader.client, sent, query);
      expect(expectRefusal(refused, 403, 'insufficient_role')).toEqual({ scopes: beyond });
    }
    const maintainer = await inProject('maintainer');
    for (const sent of ['63', ALL]) expect((await sendScopes(maintainer.client, sent, query)).status).toBe(201);
  });
});
