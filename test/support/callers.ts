// All kinds of callers of the access matrix, inserted directly into the tables.

import { organizations, projects } from '../../src/data/tables/tables.ts';
import { ALL_SCOPES, type OrganizationRole, type ProjectRole, projectRoles, scopes } from '../../src/permissions.ts';
import type { Fixture } from '../../src/testing/fixture.ts';
import { addPerson, addPersonalToken, addProjectToken, join } from './people.ts';

export interface Caller {
  name: string;
  /** Null sends no credential. */
  token: string | null;
  kind: 'nobody' | 'session' | 'personal_access_token' | 'project_access_token';
  /** Null is somebody else's organization. */
  organizationRole: OrganizationRole | null;
  projectRole: ProjectRole | null;
  scopes: bigint | null;
  isVerified: boolean;
}

/** An organization with one project that nobody of the fixture belongs to. */
function addForeignTenant({ app }: Fixture): { organizationId: string; projectId: string } {
  const organizationId = app.ids.next();
  const projectId = app.ids.next();
  const createdAt = app.clock.now().getTime();
  app.db.insert(organizations).values({ id: organizationId, name: 'Elsewhere', tier: 'team', createdAt }).run();
  app.db
    .insert(projects)
    .values({ id: projectId, organizationId, name: 'Other', platform: 'android', createdAt })
    .run();
  return { organizationId, projectId };
}

/** Every kind of caller of one project. */
export async function addCallers(fixture: Fixture, organizationId: string, projectId: string): Promise<Caller[]> {
  const callers: Caller[] = [];
  const foreign = addForeignTenant(fixture);
  const base = { organizationRole: null, projectRole: null, scopes: null, isVerified: true };

  async function addSession(
    name: string,
    organizationRole: OrganizationRole | null,
    projectRole: ProjectRole | null,
    isVerified = true,
  ): Promise<string> {
    const person = await addPerson(fixture, {
      name,
      isVerified,
      organizations: organizationRole === null ? {} : { [organizationId]: organizationRole },
      projects: projectRole === null ? {} : { [projectId]: projectRole },
    });
    callers.push({
      ...base,
      name,
      token: person.accessToken,
      kind: 'session',
      organizationRole,
      projectRole,
      isVerified,
    });
    return person.id;
  }

  callers.push({ ...base, name: 'nobody', token: null, kind: 'nobody' });
  callers.push({ ...base, name: 'unknown token', token: 'svc_pat_unknown', kind: 'nobody' });
  callers.push({ ...base, name: 'malformed token', token: 'not.a.jwt', kind: 'nobody' });
  const strangerId = await addSession('stranger', null, null);
  join(fixture, strangerId, { organizations: { [foreign.organizationId]: 'admin' } });
  await addSession('unverified admin', 'admin', null, false);
  await addSession('member without project', 'member', null);
  for (const role of projectRoles) await addSession(`project ${role}`, 'member', role);
  await addSession('manager', 'manager', null);
  const adminId = await addSession('admin', 'admin', null);
  const readerId = await addSession('reader with tokens', 'member', 'read');

  const now = fixture.app.clock.now().getTime();
  const asAdmin = { organizations: { [organizationId]: 'admin' as const } };
  const adminToken = { organizationId, developerId: adminId, scopes: ALL_SCOPES };
  const projectToken = { organizationId, projectId, role: 'admin' as const };
  const dead: [name: string, token: string][] = [
    ['revoked session', (await addPerson(fixture, { ...asAdmin, ended: 'revoked' })).accessToken],
    ['expired session', (await addPerson(fixture, { ...asAdmin, ended: 'expired' })).accessToken],
    ['locked account', (await addPerson(fixture, { ...asAdmin, isLocked: true })).accessToken],
    ['revoked PAT', addPersonalToken(fixture, { ...adminToken, revokedAt: now })],
    ['expired PAT', addPersonalToken(fixture, { ...adminToken, expiresAt: now })],
    ['revoked project token', addProjectToken(fixture, { ...projectToken, revokedAt: now })],
    ['expired project token', addProjectToken(fixture, { ...projectToken, expiresAt: now })],
  ];
  for (const [name, token] of dead) callers.push({ ...base, name, token, kind: 'nobody' });

  const personal = { ...base, kind: 'personal_access_token' as const };
  for (const [scope, bits] of [...Object.entries(scopes), ['ALL', ALL_SCOPES] as const]) {
    callers.push({
      ...personal,
      name: `admin's PAT ${scope}`,
      token: addPersonalToken(fixture, { ...adminToken, scopes: bits }),
      organizationRole: 'admin',
      scopes: bits,
    });
  }
  callers.push({
    ...personal,
    name: "reader's PAT ALL",
    token: addPersonalToken(fixture, { ...adminToken, developerId: readerId }),
    organizationRole: 'member',
    projectRole: 'read',
    scopes: ALL_SCOPES,
  });
  callers.push({
    ...personal,
    name: "stranger's PAT ALL",
    token: addPersonalToken(fixture, {
      organizationId: foreign.organizationId,
      developerId: strangerId,
      scopes: ALL_SCOPES,
    }),
    scopes: ALL_SCOPES,
  });
  for (const role of projectRoles) {
    callers.push({
      ...base,
      name: `project token ${role}`,
      token: addProjectToken(fixture, { ...projectToken, role }),
      kind: 'project_access_token',
      organizationRole: 'member',
      projectRole: role,
    });
  }
  callers.push({
    ...base,
    name: 'project token of another organization',
    token: addProjectToken(fixture, { ...foreign, role: 'admin' }),
    kind: 'project_access_token',
  });
  return callers;
}
