// Members of organizations, as the API answers them.

import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { developers, organizations } from '../../src/data/tables/tables.ts';
import { ALL_SCOPES, scopes } from '../../src/permissions.ts';

import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import {
  ABSENT,
  api,
  auditMark,
  auditRows,
  expectInvalid,
  expectRefusal,
  type Json,
  type Page,
  walkPages,
} from '../support/harness.ts';
import {
  addOrganization,
  addPerson,
  addProject,
  addStaff,
  join,
  type Person,
  personalTokenClient,
} from '../support/people.ts';
import { plansOf, stepsOn } from '../support/plans.ts';

const ORGANIZATIONS = '/api/v1/organizations';
const members = (organizationId: string, developerId?: string) =>
  `${ORGANIZATIONS}/${organizationId}/members${developerId === undefined ? '' : `/${developerId}`}`;

let fixture: Fixture;

beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

describe('members of an organization', () => {
  it('are listed newest first, page by page, for every member', async () => {
    const { admin, manager, member, outsider, organizationId } = await addStaff(fixture);
    fixture.clock.advance(1_000);
    const veteran = await addPerson(fixture);
    fixture.clock.advance(1_000);
    const newcomer = await addPerson(fixture, { organizations: { [organizationId]: 'member' } });
    fixture.clock.advance(1_000);
    join(fixture, veteran.id, { organizations: { [organizationId]: 'manager' } });

    const path = members(organizationId);
    const whole = await member.client.get<Page>(path);
    expect(whole.body.next_cursor).toBeNull();
    expect(whole.body.items.slice(0, 2).map((item) => item.developer_id)).toEqual([veteran.id, newcomer.id]);
    expect(whole.body.items.map((item) => item.developer_id).sort()).toEqual(
      [admin.id, manager.id, member.id, newcomer.id, veteran.id].sort(),
    );
    expect(whole.body.items[0]).toEqual({
      developer_id: veteran.id,
      email: veteran.email,
      display_name: `Person ${veteran.id}`,
      role: 'manager',
      created_at: expect.any(String),
      deletion_pending: false,
    });

    const pages = await walkPages(member.client, path, { limit: 2 });
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(pages.flat()).toEqual(whole.body.items);
    for (const nonsense of ['nonsense', 'e30', Buffer.from('5/x').toString('base64url')]) {
      expect((await member.client.get<Page>(path, { cursor: nonsense })).body).toEqual(whole.body);
    }
    expectInvalid(await member.client.get(path, { limit: 0 }), 'query.limit: greater_than_equal');
    expectRefusal(await outsider.client.get(path), 404, 'not_found');
    expectRefusal(await api(fixture, null).get(path), 401, 'unauthorized');
  });

  it('are read in the order of the list, without the others', async () => {
    const { admin, organizationId } = await addStaff(fixture);
    const plans = await plansOf(fixture.app.db.$client, () => admin.client.get(members(organizationId)));
    expect(stepsOn('organization_memberships', plans)).toContainEqual(
      expect.stringMatching(
        /^SEARCH organization_memberships USING .*organization_memberships_newest \(organization_id=\? AND \(created_at,developer_id\)<\(\?,\?\)\)$/,
      ),
    );
  });

  it('get another role from an admin, recorded with both roles', async () => {
    const { admin, member, organizationId } = await addStaff(fixture);
    const after = auditMark(fixture);
    const answer = await admin.client.patch(members(organizationId, member.id), { role: 'manager' });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ developer_id: member.id, role: 'manager' });
    expect((await admin.client.patch(members(organizationId, member.id), { role: 'manager' })).status).toBe(200);
    expect(auditRows(fixture, { after })).toMatchObject([
      {
        event: 'edited',
        type: 'org_membership',
        identifier: member.id,
        details: { developer_id: member.id, changed: { role: { from: 'member', to: 'manager' } } },
      },
    ]);
    expect((await member.client.get(`${ORGANIZATIONS}/${organizationId}`)).body).toMatchObject({ role: 'manager' });
  });

  it('are protected from others without the required role', async () => {
    const { admin, manager, member, outsider, organizationId } = await addStaff(fixture);
    const other = await addPerson(fixture, { organizations: { [organizationId]: 'member' } });
    const toManager = { role: 'manager' };
    const cases: [Person, string, Json, number, string][] = [
      [member, other.id, toManager, 403, 'insufficient_role'],
      [member, ABSENT, toManager, 403, 'insufficient_role'],
      [manager, other.id, toManager, 403, 'insufficient_role'],
      [manager, other.id, { role: 'admin' }, 403, 'insufficient_role'],
      [manager, manager.id, { role: 'member' }, 403, 'insufficient_role'],
      [manager, admin.id, { role: 'member' }, 403, 'insufficient_role'],
      [manager, ABSENT, { role: 'member' }, 404, 'not_found'],
      [admin, outsider.id, toManager, 404, 'not_found'],
      [outsider, other.id, toManager, 404, 'not_found'],
    ];
    for (const [person, target, body, status, error] of cases) {
      expectRefusal(await person.client.patch(members(organizationId, target), body), status, error);
    }
    expect((await manager.client.patch(members(organizationId, other.id), { role: 'member' })).status).toBe(200);
    expectInvalid(await admin.client.patch(members(organizationId, other.id), { role: 'owner' }), 'body.role: enum');
    expectInvalid(await admin.client.patch(members(organizationId, other.id), {}), 'body.role: missing');
    expectInvalid(
      await admin.client.patch(members(organizationId, 'me'), { role: 'member' }),
      'path.developer_id: uuid_parsing',
    );
  });

  it('are removed by managers and admins, with their project memberships and token permissions', async () => {
    const { admin, manager, member, outsider, organizationId } = await addStaff(fixture);
    const projectId = await addProject(admin.client, organizationId, { name: 'App' });
    const elsewhereId = await addOrganization(outsider, 'Elsewhere');
    const foreignProjectId = await addProject(outsider.client, elsewhereId, { name: 'App' });
    join(fixture, member.id, {
      organizations: { [elsewhereId]: 'member' },
      projects: { [projectId]: 'maintainer', [foreignProjectId]: 'read' },
    });
    const token = personalTokenClient(fixture, { developerId: member.id, organizationId, scopes: scopes.read });
    expect((await token.get(`/api/v1/projects/${projectId}`)).status).toBe(200);

    expectRefusal(await manager.client.delete(members(organizationId, admin.id)), 403, 'insufficient_role');
    expectRefusal(await member.client.delete(members(organizationId, manager.id)), 403, 'insufficient_role');
    expectRefusal(await member.client.delete(members(organizationId, ABSENT)), 403, 'insufficient_role');
    expectRefusal(await manager.client.delete(members(organizationId, outsider.id)), 404, 'not_found');
    // The role counts before the lock and the two-factor policy, as for changing a role.
    const { db } = fixture.app;
    for (const obstacle of [{ lockReason: 'suspended' }, { lockReason: null, mfaRequiredAt: 0 }] as const) {
      db.update(organizations).set(obstacle).where(eq(organizations.id, organizationId)).run();
      fixture.clock.advance(1_000);
      const path = members(organizationId, manager.id);
      expectRefusal(await member.client.patch(path, { role: 'member' }), 403, 'insufficient_role');
      expectRefusal(await member.client.delete(path), 403, 'insufficient_role');
    }
    expectRefusal(await member.client.delete(members(organizationId, member.id)), 403, 'mfa_enrollment_required');
    db.update(organizations).set({ mfaRequiredAt: null }).where(eq(organizations.id, organizationId)).run();
    const after = auditMark(fixture);
    expect((await manager.client.delete(members(organizationId, member.id))).status).toBe(204);
    expect(auditRows(fixture, { after })).toMatchObject([
      {
        event: 'deleted',
        type: 'org_membership',
        identifier: member.id,
        actorId: manager.id,
        details: { developer_id: member.id, role: 'member', left: false, project_ids: [projectId] },
      },
    ]);
    expectRefusal(await member.client.get(`/api/v1/projects/${projectId}`), 404, 'not_found');
    expectRefusal(await token.get(`/api/v1/projects/${projectId}`), 404, 'not_found');
    expect((await member.client.get(`/api/v1/projects/${foreignProjectId}`)).status).toBe(200);
    expectRefusal(await manager.client.delete(members(organizationId, member.id)), 404, 'not_found');

    join(fixture, member.id, { organizations: { [organizationId]: 'member' } });
    expectRefusal(await member.client.get(`/api/v1/projects/${projectId}`), 404, 'not_found');
  });

  it('can leave in any role', async () => {
    const { admin, manager, member, organizationId } = await addStaff(fixture);
    const after = auditMark(fixture);
    expect((await member.client.delete(members(organizationId, member.id.toUpperCase()))).status).toBe(204);
    expect((await manager.client.delete(members(organizationId, manager.id))).status).toBe(204);
    expect(auditRows(fixture, { after }).map((row) => row.details.left)).toEqual([true, true]);
    expectRefusal(await member.client.delete(members(organizationId, member.id)), 404, 'not_found');
    expectRefusal(await admin.client.delete(members(organizationId, admin.id)), 400, 'operation_not_allowed');
  });

  it('always include an admin', async () => {
    const { admin, member, organizationId } = await addStaff(fixture);
    const own = members(organizationId, admin.id);
    expectRefusal(await admin.client.patch(own, { role: 'manager' }), 400, 'operation_not_allowed');
    expectRefusal(await admin.client.delete(own), 400, 'operation_not_allowed');
    expect((await admin.client.patch(own, { role: 'admin' })).status).toBe(200);
    await admin.client.patch(members(organizationId, member.id), { role: 'admin' });
    expect((await admin.client.patch(own, { role: 'member' })).body).toMatchObject({ role: 'member' });
    expectRefusal(await member.client.delete(members(organizationId, member.id)), 400, 'operation_not_allowed');
  });

  it('include an admin besides those whose account is scheduled for deletion, whom the list marks', async () => {
    const { admin, member, organizationId } = await addStaff(fixture);
    await admin.client.patch(members(organizationId, member.id), { role: 'admin' });
    const dueAt = fixture.clock.now().getTime();
    fixture.app.db
      .update(developers)
      .set({ lockedAt: dueAt, deletionDueAt: dueAt })
      .where(eq(developers.id, member.id))
      .run();
    const { body } = await admin.client.get<Page>(members(organizationId));
    expect(body.items.filter((item) => item.role === 'admin')).toMatchObject([
      { developer_id: member.id, deletion_pending: true },
      { developer_id: admin.id, deletion_pending: false },
    ]);
    expectRefusal(await admin.client.delete(members(organizationId, admin.id)), 400, 'operation_not_allowed');
  });

  it('include an admin even if all of them leave or lower their role simultaneously', async () => {
    const { organizationId, admin, manager } = await addStaff(fixture);
    const others = await Promise.all(
      Array.from({ length: 49 }, () => addPerson(fixture, { organizations: { [organizationId]: 'admin' } })),
    );
    const answers = await Promise.all(
      [admin, ...others].map(({ id, client }, index) =>
        index % 2 === 0
          ? client.delete(members(organizationId, id))
          : client.patch(members(organizationId, id), { role: 'member' }),
      ),
    );
    const refused = answers.filter((answer) => answer.status >= 400);
    expect(refused).toHaveLength(1);
    for (const answer of refused) expectRefusal(answer, 400, 'operation_not_allowed');
    const { body } = await manager.client.get<Page>(members(organizationId));
    expect(body.items.filter((item) => item.role === 'admin')).toHaveLength(1);
  });

  it('are managed with a personal token only with all scopes', async () => {
    const { admin, member, organizationId } = await addStaff(fixture);
    const token = { developerId: admin.id, organizationId };
    const bits = personalTokenClient(fixture, { ...token, scopes: 63n });
    const all = personalTokenClient(fixture, { ...token, scopes: ALL_SCOPES });
    const path = members(organizationId, member.id);
    expect((await bits.get(members(organizationId))).status).toBe(200);
    expectRefusal(await bits.patch(path, { role: 'manager' }), 403, 'permission_denied');
    expectRefusal(await bits.delete(path), 403, 'permission_denied');
    expect((await all.patch(path, { role: 'manager' })).status).toBe(200);
    const own = members(organizationId, admin.id);
    expectRefusal(await all.delete(own), 400, 'operation_not_allowed');
  });
});
