// What personal and project access tokens have in common: their secrets and their expiry.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, type Client, expectInvalid, expectRefusal, type Json } from '../support/harness.ts';
import { addTeam, signInPerson, type Team } from '../support/people.ts';

interface Created extends Json {
  identifier: string;
  token: string;
}

interface Kind {
  path: string;
  body: Json;
  /** What a token can read. */
  read(team: Team): string;
  query(team: Team): Record<string, string>;
}

const personal: Kind = {
  path: '/api/v1/pats',
  body: { name: 'script', scopes: 1 },
  read: (team) => team.organizationPath,
  query: (team) => ({ organization_id: team.organizationId }),
};

const ofProject: Kind = {
  path: '/api/v1/project-access-tokens',
  body: { name: 'ci', role: 'maintainer' },
  read: (team) => team.projectPath,
  query: (team) => ({ organization_id: team.organizationId, project_id: team.projectId }),
};

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

describe.each([
  ['a personal access token', personal],
  ['a project access token', ofProject],
])('%s', (_name, kind) => {
  async function create(client: Client, query: Record<string, string>, body: Json = {}): Promise<Created> {
    const answer = await client.post<Created>(kind.path, { ...kind.body, ...body }, query);
    expect(answer.status, answer.text).toBe(201);
    return answer.body;
  }

  async function staff() {
    const team = await addTeam(fixture);
    return { owner: team.inRole.maintainer, query: kind.query(team), readPath: kind.read(team) };
  }

  it('expires exactly at its expiry', async () => {
    const { owner, query, readPath } = await staff();
    const expiresAt = new Date(fixture.clock.now().getTime() + 7 * DAY);
    const created = await create(owner.client, query, { expires_at: expiresAt.toISOString().replace('Z', '+00:00') });
    expect(created.expires_at).toBe(expiresAt.toISOString());
    const client = api(fixture, created.token);
    fixture.clock.set(new Date(expiresAt.getTime() - 60_000));
    expect((await client.get(readPath)).status).toBe(200);
    fixture.clock.set(expiresAt);
    expectRefusal(await client.get(readPath), 401, 'unauthorized');

    const again = api(fixture, await signInPerson(fixture, owner));
    const path = `${kind.path}/${created.identifier}`;
    expectRefusal(await again.post(`${path}/rotate`), 400, 'operation_not_allowed');
    expectRefusal(await again.delete(path), 400, 'operation_not_allowed');
    expect((await again.post(`${path}/revoke`)).status).toBe(204);
    expect((await again.delete(path)).status).toBe(204);
  });

  it('expires at the end of the day in UTC if its expiry is a date, including today', async () => {
    const { owner, query, readPath } = await staff();
    const noon = `${new Date(fixture.clock.now().getTime() + DAY).toISOString().slice(0, 10)}T12:00:00Z`;
    fixture.clock.set(new Date(noon));
    const client = api(fixture, await signInPerson(fixture, owner));
    const today = fixture.clock.now().toISOString().slice(0, 10);
    const created = await create(client, query, { expires_at: today });
    expect(created.expires_at).toBe(`${today}T23:59:59.999Z`);
    const yesterday = new Date(fixture.clock.now().getTime() - DAY).toISOString().slice(0, 10);
    const refused = await client.post(kind.path, { ...kind.body, expires_at: yesterday }, query);
    expectInvalid(refused, 'body.expires_at: datetime_future');
    fixture.clock.set(new Date(`${today}T23:59:50Z`));
    expect((await api(fixture, created.token).get(readPath)).status).toBe(200);
    fixture.clock.advance(10_000);
    expectRefusal(await api(fixture, created.token).get(readPath), 401, 'unauthorized');
  });

  it('has one valid secret after fifty simultaneous rotations', async () => {
    const { owner, query, readPath } = await staff();
    const { identifier } = await create(owner.client, query);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => owner.client.post<Created>(`${kind.path}/${identifier}/rotate`)),
    );
    const alive = await Promise.all(answers.map(({ body }) => api(fixture, body.token).get(readPath)));
    expect(alive.filter((answer) => answer.status === 200)).toHaveLength(1);
    expect(alive.filter((answer) => answer.status === 401)).toHaveLength(49);
  });
});
