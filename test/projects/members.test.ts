// The API of project members.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoles, scopes } from '../../src/permissions.ts';

import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { ABSENT, api, auditMark, auditRows, expectInvalid, expectRefusal, type Page } from '../support/harness.ts';
import { addTeam, personalTokenClient, projectTokenClient } from '../support/people.ts';
import { plansOf, stepsOn } from '../support/plans.ts';

let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

async function staff() {
  const team = await addTeam(fixture);
  return { ...team, path: team.projectPath, query: { organization_id: team.organizationId } };
}

describe('members of a project', () => {
  it('are listed for project admins if they have their own membership', async () => {
    const { admin, manager, member, outsider, inRole, path, organizationId, projectId } = await staff();
    const { body } = await manager.client.get<Page>(`${path}/members`);
    expect(body.next_cursor).toBeNull();
    expect(body.items.map((item) => [item.developer_id, item.role]).sort()).toEqual(
      projectRoles.map((role) => [inRole[role].id, role]).sort(),
    );
    expect(Object.keys(body.items[0] ?? {}).sort()).toEqual([
      'created_at',
      'developer_id',
      'display_name',
      'email',
      'role',
    ]);
    const first = await inRole.admin.client.get<Page>(`${path}/members`, { limit: 2 });
    const rest = await inRole.admin.client.get<Page>(`${path}/members`, { cursor: first.body.next_cursor ?? '' });
    expect([...first.body.items, ...rest.body.items]).toEqual(body.items);
    for (const person of [member, outsider, inRole.maintainer]) {
      expectRefusal(await person.client.get(`${path}/members`), 404, 'not_found');
    }
    const reading = personalTokenClient(fixture, { developerId: admin.id, organizationId, scopes: scopes.read });
    expectRefusal(await reading.get(`${path}/members`), 403, 'permission_denied');
    const token = projectTokenClient(fixture, { organizationId, projectId, role: 'maintainer' });
    expectRefusal(await token.get(`${path}/members`), 403, 'permission_denied');
  });

  it('are read in the order of the list, without the others', async () => {
    const { admin, path, query } = await staff();
    const plans = await plansOf(fixture.app.db.$client, () => admin.client.get(`${path}/members`, query));
    expect(stepsOn('project_memberships', plans)).toContainEqual(
      expect.stringMatching(
        /^SEARCH project_memberships USING .*project_memberships_newest \(project_id=\? AND \(created_at,developer_id\)<\(\?,\?\)\)$/,
      ),
    );
  });

  it('get another role and are removed by project admins, with an audit event', async () => {
    const { admin, inRole, path, organizationId, projectId } = await staff();
    const { id, client } = inRole.read;
    const after = auditMark(fixture);
    const changed = await inRole.admin.client.patch(`${path}/members/${id}`, { role: 'maintainer' });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ developer_id: id, role: 'maintainer' });
    expect((await admin.client.patch(`${path}/members/${id}`, { role: 'maintainer' })).status).toBe(200);
    expect((await client.get(path)).body).toMatchObject({ role: 'maintainer' });
    expect((await admin.client.delete(`${path}/members/${id}`)).status).toBe(204);
    expectRefusal(await client.get(path), 404, 'not_found');
    expectRefusal(await admin.client.delete(`${path}/members/${id}`), 404, 'not_found');
    expect(auditRows(fixture, { after })).toMatchObject([
      {
        event: 'edited',
        type: 'project_membership',
        identifier: id,
        organizationId,
        actorId: inRole.admin.id,
        details: { project_id: projectId, developer_id: id, changed: { role: { from: 'read', to: 'maintainer' } } },
      },
      {
        event: 'deleted',
        type: 'project_membership',
        identifier: id,
        details: { project_id: projectId, developer_id: id, role: 'maintainer' },
      },
    ]);
  });

  it('cannot be changed by others, or if they are not members', async () => {
    const { admin, manager, member, inRole, path } = await staff();
    const target = `${path}/members/${inRole.read.id}`;
    for (const person of [member, inRole.read, inRole.maintainer]) {
      expectRefusal(await person.client.patch(target, { role: 'read' }), 404, 'not_found');
      expectRefusal(await person.client.delete(target), 404, 'not_found');
    }
    expectRefusal(await admin.client.patch(`${path}/members/${manager.id}`, { role: 'read' }), 404, 'not_found');
    expectRefusal(await admin.client.delete(`${path}/members/${ABSENT}`), 404, 'not_found');
    expectInvalid(await admin.client.patch(target, { role: 'member' }), 'body.role: enum');
    expectInvalid(await admin.client.patch(target, {}), 'body.role: missing');
    expectRefusal(await api(fixture, null).delete(target), 401, 'unauthorized');
  });
});
