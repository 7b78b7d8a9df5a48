// The fixture of tester tests: an organization with a project, channels, builds to release, and people without access.
import { eq } from 'drizzle-orm';
import { builds, outboxMails } from '../../src/data/tables/tables.ts';
import { ALL_SCOPES } from '../../src/permissions.ts';
import { type Fixture, type FixtureOptions, startFixture } from '../../src/testing/fixture.ts';
import type { Client, Json } from '../support/harness.ts';
import { addPerson, type Person, type PersonOptions, personalTokenClient } from '../support/people.ts';

export interface TesterScenario {
  fixture: Fixture;
  /** The organization's administrator, by a token with every scope. */
  admin: Client;
  organizationPath: string;
  projectPath: string;
  inOrganization: { organization_id: string };
  inProject: { organization_id: string; project_id: string };
  /** A new private channel of the Android project. */
  makeChannel(body?: Json): Promise<Channel>;
  /** Releases a new build to a channel; answers the release's id. */
  release(channel: Channel, body?: Json): Promise<string>;
  /** An account that has nothing to do with the organization. */
  person(options?: PersonOptions): Promise<Person>;
  /** Gives a person access by one of the ways; answers the id of the grant. */
  grant(person: { email: string }, way: 'organization' | 'project'): Promise<string>;
  /** Gives a person access to a channel by an invitation that they accept. */
  admit(person: Person, channel: Channel): Promise<void>;
  /** Puts a person into a new group that reaches a project or a channel; answers the group's path. */
  group(person: { email: string }, target: Json, body?: Json): Promise<string>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface Channel {
  id: string;
  path: string;
  /** Its place as query parameters. */
  query: { organization_id: string; project_id: string; channel_id: string };
}

let builtSoFar = 0;

/** Starts a fixture with the helpers around it. */
export async function startTesterScenario(options: FixtureOptions = {}): Promise<TesterScenario> {
  const fixture = await startFixture(options);
  const { app } = fixture;
  // A token outlives the moves of the clock.
  const admin = personalTokenClient(fixture, {
    organizationId: fixture.organization_id,
    developerId: fixture.admin.developer_id,
    scopes: ALL_SCOPES,
  });
  const inOrganization = { organization_id: fixture.organization_id };
  const inProject = { ...inOrganization, project_id: fixture.android_project_id };
  const organizationPath = `/api/v1/organizations/${fixture.organization_id}`;
  const projectPath = `/api/v1/projects/${fixture.android_project_id}`;

  async function expectMade<Body extends Json>(path: string, body: Json, query: Json = {}): Promise<Body> {
    const answer = await admin.post<Body>(path, body, query as Record<string, string>);
    if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`);
    return answer.body;
  }

  return {
    fixture,
    admin,
    organizationPath,
    projectPath,
    inOrganization,
    inProject,
    async makeChannel(body = {}) {
      const wanted = { name: `channel ${app.ids.next()}`, ...body };
      const { identifier: id } = await expectMade<{ identifier: string }>('/api/v1/channels', wanted, inProject);
      return { id, path: `/api/v1/channels/${id}`, query: { ...inProject, channel_id: id } };
    },
    async release(channel, body = {}) {
      const id = app.ids.next();
      builtSoFar += 1;
      const objectKey = `builds/${id}/package.apk`;
      await app.storage.put(objectKey, Buffer.from('a package'));
      app.db
        .insert(builds)
        .values({
          id,
          organizationId: fixture.organization_id,
          projectId: fixture.android_project_id,
          platform: 'android',
          versionName: `1.${builtSoFar}`,
          buildNumber: builtSoFar,
          sha256: 'a'.repeat(64),
          sizeBytes: 9,
          uploadedAt: app.clock.now().getTime(),
          objectKey,
          inspectionStatus: 'unreadable',
          pendingUploadId: app.ids.next(),
        })
        .run();
      const made = await expectMade<{ identifier: string }>(
        '/api/v1/releases',
        { build_id: id, ...body },
        channel.query,
      );
      return made.identifier;
    },
    person: (personOptions = {}) => addPerson(fixture, personOptions),
    async grant({ email }, way) {
      const path = way === 'organization' ? organizationPath : projectPath;
      return (await expectMade<{ identifier: string }>(`${path}/testers`, { email })).identifier;
    },
    async admit(person, channel) {
      const { email } = person;
      const made = await expectMade<{ invite_token: string }>('/api/v1/channel-invites', { email }, channel.query);
      const answer = await person.client.post('/api/v1/testers/invites/accept', { invite_token: made.invite_token });
      if (answer.status !== 200) throw new Error(`accepting answered ${answer.status}: ${answer.text}`);
    },
    async group({ email }, target, body = {}) {
      const wanted = { name: `group ${app.ids.next()}`, ...body };
      const made = await expectMade<{ identifier: string }>(`${organizationPath}/tester-groups`, wanted);
      const path = `${organizationPath}/tester-groups/${made.identifier}`;
      await expectMade(`${path}/members`, { email });
      await expectMade(`${path}/grants`, target);
      return path;
    },
    [Symbol.asyncDispose]: () => fixture.stop(),
  };
}

/** The mails about releases to an address, oldest first. */
export function releaseMails({ fixture }: TesterScenario, address: string) {
  return fixture.app.db
    .select()
    .from(outboxMails)
    .where(eq(outboxMails.recipient, address))
    .orderBy(outboxMails.id)
    .all()
    .filter((row) => row.kind === 'release')
    .map((row) => ({ ...row, headers: JSON.parse(row.headers) as Record<string, string> }));
}

/** Waits until everything that was enqueued is done. */
export async function settle({ fixture }: TesterScenario): Promise<void> {
  await fixture.drain();
  await fixture.drain();
}
