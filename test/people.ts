// Developers for tests, put straight into the tables: signed in, and members of what a test needs.
import type { OrganizationRole, ProjectRole } from '../src/permissions.ts';
import { createAccessTokens } from '../src/platform/access-token.ts';
import { DAY } from '../src/platform/clock.ts';
import {
  developers,
  organizationMemberships,
  personalAccessTokens,
  projectMemberships,
  sessions,
} from '../src/platform/tables/tables.ts';
import type { Fixture } from '../src/testing.ts';
import { api, type Client } from './harness.ts';

export interface Person {
  id: string;
  email: string;
  accessToken: string;
  client: Client;
}

export interface PersonOptions {
  isVerified?: boolean;
  organizations?: Record<string, OrganizationRole>;
  projects?: Record<string, ProjectRole>;
}

/** A developer with a session of their own. */
export async function addPerson(fixture: Fixture, options: PersonOptions = {}): Promise<Person> {
  const { app } = fixture;
  const now = app.clock.now().getTime();
  const id = app.ids.next();
  const email = `${id}@people.example`;
  const { isVerified = true } = options;
  app.db
    .insert(developers)
    .values({ id, email, emailVerifiedAt: isVerified ? now : null, displayName: `Person ${id}`, createdAt: now })
    .run();
  join(fixture, id, options);
  const accessToken = await signInPerson(fixture, { id, email });
  return { id, email, accessToken, client: api(fixture, accessToken) };
}

/** Makes a developer a member of organizations and projects. */
export function join(
  { app }: Fixture,
  developerId: string,
  { organizations = {}, projects = {} }: PersonOptions,
): void {
  for (const [organizationId, role] of Object.entries(organizations)) {
    const createdAt = app.clock.now().getTime();
    app.db.insert(organizationMemberships).values({ organizationId, developerId, role, createdAt }).run();
  }
  for (const [projectId, role] of Object.entries(projects)) {
    const createdAt = app.clock.now().getTime();
    app.db.insert(projectMemberships).values({ projectId, developerId, role, createdAt }).run();
  }
}

/** A new session; answers its access token. */
export function signInPerson({ app }: Fixture, { id, email }: { id: string; email: string }): Promise<string> {
  const now = app.clock.now().getTime();
  const sessionId = app.ids.next();
  app.db
    .insert(sessions)
    .values({ id: sessionId, developerId: id, createdAt: now, lastUsedAt: now, expiresAt: now + 30 * DAY })
    .run();
  const tokens = createAccessTokens({ ...app, issuer: app.config.server.base_url });
  return tokens.issue({ developerId: id, email, sessionId });
}

/** A personal access token of a developer in an organization; answers a client that uses it. */
export function personalTokenClient(
  fixture: Fixture,
  { developerId, organizationId, scopes }: { developerId: string; organizationId: string; scopes: bigint },
): Client {
  const { app } = fixture;
  const token = app.secrets.token('svc_pat_');
  app.db
    .insert(personalAccessTokens)
    .values({
      id: app.ids.next(),
      organizationId,
      developerId,
      name: 'script',
      scopes: String(scopes),
      tokenHash: app.secrets.hash(token),
      createdAt: app.clock.now().getTime(),
    })
    .run();
  return api(fixture, token);
}

/** An organization made through the API by a person, who is its admin. */
export async function addOrganization(person: Person, name = 'Wharf'): Promise<string> {
  const { status, text } = await person.client.post('/api/v1/organizations', { name });
  if (status !== 201) throw new Error(`No organization: ${status} ${text}`);
  return text;
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
