// Developers for tests, inserted directly into the tables: signed in, with memberships and tokens.
import { and, eq } from 'drizzle-orm';
import {
  developers,
  organizationMemberships,
  personalAccessTokens,
  projectAccessTokens,
  projectMemberships,
  sessions,
} from '../../src/data/tables/tables.ts';
import { DAY } from '../../src/lib/clock.ts';
import { type OrganizationRole, type ProjectRole, projectRoles } from '../../src/permissions.ts';
import type { Fixture } from '../../src/testing/fixture.ts';
import { api, type Client } from './harness.ts';

export interface Person {
  id: string;
  email: string;
  accessToken: string;
  client: Client;
}

interface Memberships {
  organizations?: Record<string, OrganizationRole>;
  projects?: Record<string, ProjectRole>;
}

export interface PersonOptions extends Memberships {
  name?: string;
  isVerified?: boolean;
  hasTotp?: boolean;
  isLocked?: boolean;
  /** How the session has ended. */
  ended?: 'revoked' | 'expired';
}

/** A developer with a session of their own. */
export async function addPerson(fixture: Fixture, options: PersonOptions = {}): Promise<Person> {
  const { app } = fixture;
  const now = app.clock.now().getTime();
  const id = app.ids.next();
  const email = `${id}@people.example`;
  const { name = `Person ${id}`, isVerified = true, hasTotp = false, isLocked = false, ended } = options;
  app.db
    .insert(developers)
    .values({
      id,
      email,
      displayName: name,
      createdAt: now,
      emailVerifiedAt: isVerified ? now : null,
      totpEnabledAt: hasTotp ? now : null,
      lockedAt: isLocked ? now : null,
    })
    .run();
  join(fixture, id, options);
  const accessToken = await signInPerson(fixture, { id, email }, ended);
  return { id, email, accessToken, client: api(fixture, accessToken) };
}

/** Makes a developer a member of organizations and projects. */
export function join({ app }: Fixture, developerId: string, { organizations = {}, projects = {} }: Memberships): void {
  const createdAt = app.clock.now().getTime();
  for (const [organizationId, role] of Object.entries(organizations)) {
    app.db.insert(organizationMemberships).values({ organizationId, developerId, role, createdAt }).run();
  }
  for (const [projectId, role] of Object.entries(projects)) {
    app.db.insert(projectMemberships).values({ projectId, developerId, role, createdAt }).run();
  }
}

/** A new session, or one that has ended; answers its access token. */
export function signInPerson(
  { app }: Fixture,
  { id, email }: { id: string; email: string },
  ended?: PersonOptions['ended'],
): Promise<string> {
  const now = app.clock.now().getTime();
  const sessionId = app.ids.next();
  app.db
    .insert(sessions)
    .values({
      id: sessionId,
      developerId: id,
      createdAt: now,
      lastUsedAt: now,
      expiresAt: ended === 'expired' ? now : now + 30 * DAY,
      revokedAt: ended === 'revoked' ? now : null,
    })
    .run();
  return app.accessTokens.issue({ developerId: id, email, sessionId });
}

/** How a token has ended: moments in milliseconds since the epoch. */
interface Ended {
  expiresAt?: number;
  revokedAt?: number;
}

interface PersonalToken extends Ended {
  developerId: string;
  organizationId: string;
  scopes: bigint;
}

/** Adds a personal access token; answers its secret. */
export function addPersonalToken({ app }: Fixture, { scopes, ...facts }: PersonalToken): string {
  const secret = app.secrets.token('svc_pat_');
  app.db
    .insert(personalAccessTokens)
    .values({
      ...facts,
      id: app.ids.next(),
      name: 'script',
      scopes: scopes.toString(),
      tokenHash: app.secrets.hash(secret),
      createdAt: app.clock.now().getTime(),
    })
    .run();
  return secret;
}

/** A client with a new personal access token. */
export function personalTokenClient(fixture: Fixture, token: PersonalToken): Client {
  return api(fixture, addPersonalToken(fixture, token));
}

interface ProjectToken extends Ended {
  organizationId: string;
  projectId: string;
  role: ProjectRole;
  /** An admin of the organization when not given. */
  ownerId?: string;
}

function findAdmin({ app }: Fixture, organizationId: string): string {
  const { developerId, role } = organizationMemberships;
  const isAdmin = and(eq(organizationMemberships.organizationId, organizationId), eq(role, 'admin'));
  const admin = app.db.select({ developerId }).from(organizationMemberships).where(isAdmin).get();
  if (admin === undefined) throw new Error('The organization has no admin');
  return admin.developerId;
}

/** Adds a project access token; answers its secret. */
export function addProjectToken(fixture: Fixture, facts: ProjectToken): string {
  const { app } = fixture;
  const secret = app.secrets.token('svc_prj_');
  const ownerId = facts.ownerId ?? findAdmin(fixture, facts.organizationId);
  app.db
    .insert(projectAccessTokens)
    .values({
      ...facts,
      ownerId,
      createdBy: ownerId,
      id: app.ids.next(),
      name: 'ci',
      tokenHash: app.secrets.hash(secret),
      createdAt: app.clock.now().getTime(),
    })
    .run();
  return secret;
}

/** A client with a new project access token. */
export function projectTokenClient(fixture: Fixture, token: ProjectToken): Client {
  return api(fixture, addProjectToken(fixture, token));
}

/** An organization made through the API by a person, who is its admin. */
export async function addOrganization(person: Person, name = 'Wharf'): Promise<string> {
  const { status, text } = await person.client.post('/api/v1/organizations', { name });
  if (status !== 201) throw new Error(`No organization: ${status} ${text}`);
  return text;
}

/** An organization with one person in each role, and someone outside. */
export async function addStaff(fixture: Fixture) {
  const admin = await addPerson(fixture);
  const organizationId = await addOrganization(admin);
  const [manager, member, outsider] = await Promise.all([
    addPerson(fixture, { organizations: { [organizationId]: 'manager' } }),
    addPerson(fixture, { organizations: { [organizationId]: 'member' } }),
    addPerson(fixture),
  ]);
  return { organizationId, path: `/api/v1/organizations/${organizationId}`, admin, manager, member, outsider };
}

/** A project made through the API. */
export async function addProject(
  client: Client,
  organizationId: string,
  input: { name: string; platform?: 'ios' | 'android' },
): Promise<string> {
  const { status, body, text } = await client.post<{ identifier: string }>(
    '/api/v1/projects',
    { platform: 'ios', ...input },
    { organization_id: organizationId },
  );
  if (status !== 201) throw new Error(`No project: ${status} ${text}`);
  return body.identifier;
}

/** An organization with one project, and everybody who can stand to them in a way of their own. */
export interface Team {
  organizationId: string;
  projectId: string;
  organizationPath: string;
  projectPath: string;
  admin: Person;
  manager: Person;
  /** Of the organization, and of no project. */
  member: Person;
  outsider: Person;
  /** Members of the organization with a role in the project. */
  inRole: Record<ProjectRole, Person>;
}

/** Makes a team: the organization is Wharf, its project Crane for iOS. */
export async function addTeam(fixture: Fixture): Promise<Team> {
  const admin = await addPerson(fixture);
  const organizationId = await addOrganization(admin);
  const projectId = await addProject(admin.client, organizationId, { name: 'Crane' });
  const inOrganization = (role: OrganizationRole) => ({ organizations: { [organizationId]: role } });
  const inProject = (role: ProjectRole) =>
    addPerson(fixture, { ...inOrganization('member'), projects: { [projectId]: role } });
  const roles = await Promise.all(projectRoles.map(async (role) => [role, await inProject(role)]));
  return {
    organizationId,
    projectId,
    organizationPath: `/api/v1/organizations/${organizationId}`,
    projectPath: `/api/v1/projects/${projectId}`,
    admin,
    manager: await addPerson(fixture, inOrganization('manager')),
    member: await addPerson(fixture, inOrganization('member')),
    outsider: await addPerson(fixture),
    inRole: Object.fromEntries(roles),
  };
}
