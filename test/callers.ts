// Everybody who may call: one row of the access matrix each, put straight into the tables so that all of them exist at once.
import { ALL_SCOPES, type OrganizationRole, type ProjectRole, projectRoles, scopes } from '../src/permissions.ts';
import {
  developers,
  organizationMemberships,
  organizations,
  personalAccessTokens,
  projectAccessTokens,
  projectMemberships,
  projects,
  sessions,
} from '../src/platform/tables/tables.ts';
import type { Fixture } from '../src/testing.ts';

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
  lacksFactor: boolean;
}

const adminRole = { organizationRole: 'admin', projectRole: null } as const;
const IN_A_MONTH = 30 * 24 * 3_600_000;

interface PersonFacts {
  organizationId: string;
  organizationRole: OrganizationRole | null;
  projectId: string;
  projectRole: ProjectRole | null;
  isVerified?: boolean;
  hasTotp?: boolean;
  isLocked?: boolean;
  /** How the session has ended. */
  ended?: 'revoked' | 'expired';
}

/** Adds an account with its memberships; answers its id and a bearer token of a session. */
export async function addPerson(
  { app }: Fixture,
  name: string,
  facts: PersonFacts,
): Promise<{ id: string; token: string }> {
  const id = app.ids.next();
  const sessionId = app.ids.next();
  const now = app.clock.now().getTime();
  const email = `${name.replaceAll(/\W/g, '-').toLowerCase()}-${id}@example.test`;
  app.db
    .insert(developers)
    .values({
      id,
      email,
      displayName: name,
      createdAt: now,
      emailVerifiedAt: facts.isVerified === false ? null : now,
      totpEnabledAt: facts.hasTotp === true ? now : null,
      lockedAt: facts.isLocked === true ? now : null,
    })
    .run();
  app.db
    .insert(sessions)
    .values({
      id: sessionId,
      developerId: id,
      createdAt: now,
      lastUsedAt: now,
      expiresAt: facts.ended === 'expired' ? now : now + IN_A_MONTH,
      revokedAt: facts.ended === 'revoked' ? now : null,
    })
    .run();
  if (facts.organizationRole !== null) {
    app.db
      .insert(organizationMemberships)
      .values({ organizationId: facts.organizationId, developerId: id, role: facts.organizationRole, createdAt: now })
      .run();
  }
  if (facts.projectRole !== null) {
    app.db
      .insert(projectMemberships)
      .values({ projectId: facts.projectId, developerId: id, role: facts.projectRole, createdAt: now })
      .run();
  }
  return { id, token: await app.accessTokens.issue({ developerId: id, email, sessionId }) };
}

/** How a token has ended: moments in milliseconds since the epoch. */
type Ended = { expiresAt?: number; revokedAt?: number };

/** Adds a personal access token; answers its secret. */
export function addPersonalToken(
  { app }: Fixture,
  organizationId: string,
  developerId: string,
  bits: bigint,
  ended: Ended = {},
): string {
  const secret = app.secrets.token('svc_pat_');
  app.db
    .insert(personalAccessTokens)
    .values({
      id: app.ids.next(),
      organizationId,
      developerId,
      name: 'matrix',
      scopes: bits.toString(),
      tokenHash: app.secrets.hash(secret),
      createdAt: app.clock.now().getTime(),
      ...ended,
    })
    .run();
  return secret;
}

/** Adds a project access token; answers its secret. */
export function addProjectToken(
  { app }: Fixture,
  organizationId: string,
  projectId: string,
  role: ProjectRole,
  ended: Ended = {},
): string {
  const secret = app.secrets.token('svc_prj_');
  app.db
    .insert(projectAccessTokens)
    .values({
      id: app.ids.next(),
      organizationId,
      projectId,
      name: 'matrix',
      role,
      tokenHash: app.secrets.hash(secret),
      createdAt: app.clock.now().getTime(),
      ...ended,
    })
    .run();
  return secret;
}

/** An organization with one project that nobody of the fixture belongs to. */
export function addForeignTenant({ app }: Fixture): { organizationId: string; projectId: string } {
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
  const base = { organizationRole: null, projectRole: null, scopes: null, isVerified: true, lacksFactor: false };
  const here = { organizationId, projectId };

  async function addSession(name: string, facts: Omit<PersonFacts, 'organizationId' | 'projectId'>): Promise<string> {
    const person = await addPerson(fixture, name, { ...here, ...facts });
    callers.push({
      ...base,
      name,
      token: person.token,
      kind: 'session',
      organizationRole: facts.organizationRole,
      projectRole: facts.projectRole,
      isVerified: facts.isVerified !== false,
    });
    return person.id;
  }

  callers.push({ ...base, name: 'nobody', token: null, kind: 'nobody' });
  callers.push({ ...base, name: 'unknown token', token: 'svc_pat_unknown', kind: 'nobody' });
  callers.push({ ...base, name: 'malformed token', token: 'not.a.jwt', kind: 'nobody' });
  const strangerId = await addSession('stranger', { organizationRole: null, projectRole: null });
  fixture.app.db
    .insert(organizationMemberships)
    .values({ organizationId: foreign.organizationId, developerId: strangerId, role: 'admin', createdAt: 0 })
    .run();
  await addSession('unverified admin', { organizationRole: 'admin', projectRole: null, isVerified: false });
  await addSession('member without project', { organizationRole: 'member', projectRole: null });
  for (const role of projectRoles)
    await addSession(`project ${role}`, { organizationRole: 'member', projectRole: role });
  await addSession('manager', { organizationRole: 'manager', projectRole: null });
  const adminId = await addSession('admin', { organizationRole: 'admin', projectRole: null });
  const readerId = await addSession('reader with tokens', { organizationRole: 'member', projectRole: 'read' });

  const now = fixture.app.clock.now().getTime();
  const dead: [name: string, token: string][] = [
    ['revoked session', (await addPerson(fixture, 'revoked', { ...here, ...adminRole, ended: 'revoked' })).token],
    ['expired session', (await addPerson(fixture, 'expired', { ...here, ...adminRole, ended: 'expired' })).token],
    ['locked account', (await addPerson(fixture, 'locked', { ...here, ...adminRole, isLocked: true })).token],
    ['revoked PAT', addPersonalToken(fixture, organizationId, adminId, ALL_SCOPES, { revokedAt: now })],
    ['expired PAT', addPersonalToken(fixture, organizationId, adminId, ALL_SCOPES, { expiresAt: now })],
    ['revoked project token', addProjectToken(fixture, organizationId, projectId, 'admin', { revokedAt: now })],
    ['expired project token', addProjectToken(fixture, organizationId, projectId, 'admin', { expiresAt: now })],
  ];
  for (const [name, token] of dead) callers.push({ ...base, name, token, kind: 'nobody' });

  const personal = { ...base, kind: 'personal_access_token' as const };
  for (const [scope, bits] of [...Object.entries(scopes), ['ALL', ALL_SCOPES] as const]) {
    callers.push({
      ...personal,
      name: `admin's PAT ${scope}`,
      token: addPersonalToken(fixture, organizationId, adminId, bits),
      organizationRole: 'admin',
      scopes: bits,
    });
  }
  callers.push({
    ...personal,
    name: "reader's PAT ALL",
    token: addPersonalToken(fixture, organizationId, readerId, ALL_SCOPES),
    organizationRole: 'member',
    projectRole: 'read',
    scopes: ALL_SCOPES,
  });
  callers.push({
    ...personal,
    name: "stranger's PAT ALL",
    token: addPersonalToken(fixture, foreign.organizationId, strangerId, ALL_SCOPES),
    scopes: ALL_SCOPES,
  });
  for (const role of projectRoles) {
    callers.push({
      ...base,
      name: `project token ${role}`,
      token: addProjectToken(fixture, organizationId, projectId, role),
      kind: 'project_access_token',
      organizationRole: 'member',
      projectRole: role,
    });
  }
  callers.push({
    ...base,
    name: 'project token of another organization',
    token: addProjectToken(fixture, foreign.organizationId, foreign.projectId, 'admin'),
    kind: 'project_access_token',
  });
  return callers;
}
