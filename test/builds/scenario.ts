// A fixture with projects of both platforms, and uploads through the API.
import { expect } from 'vitest';
import { type Fixture, type FixtureOptions, startFixture } from '../../src/testing/fixture.ts';
import { sha256 } from '../support/fixtures.ts';
import { type Answer, api, type Client, deliver, type Json } from '../support/harness.ts';

export interface Project {
  organization_id: string;
  project_id: string;
}

export interface BuildScenario {
  fixture: Fixture;
  ios: Project;
  android: Project;
  /** An administrator's session. Its access token ends after ten minutes of the fixture's clock. */
  admin: Client;
  adminId: string;
  /** A maintainer's project access token of the Android project, which does not expire. */
  ci: Client;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function startBuildScenario(options: FixtureOptions = {}): Promise<BuildScenario> {
  const fixture = await startFixture(options);
  const { organization_id } = fixture;
  return {
    fixture,
    ios: { organization_id, project_id: fixture.ios_project_id },
    android: { organization_id, project_id: fixture.android_project_id },
    admin: api(fixture),
    adminId: fixture.admin.developer_id,
    ci: api(fixture, fixture.project_access_token),
    [Symbol.asyncDispose]: fixture.stop,
  };
}

export interface Pending {
  pending_upload_id: string;
  upload_url: string;
  expires_at: string;
  required_headers: Record<string, string>;
  max_size_bytes: number;
}

let lastNumber = 1000;

/** Initiates an upload and asserts that it was accepted. */
export async function initiate(client: Client, project: Project, body: Json = {}): Promise<Pending> {
  lastNumber += 1;
  const answer = await client.post<Pending>(
    '/api/v1/builds/initiate',
    { version_name: '1.2.3', build_number: lastNumber, ...body },
    { ...project },
  );
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

/** Sends bytes to the signed URL, as it asks for it. */
export async function sendBytes(pending: Pending, bytes: Buffer): Promise<number> {
  const { status } = await deliver(new URL(pending.upload_url), {
    method: 'PUT',
    headers: pending.required_headers,
    body: new Uint8Array(bytes),
  });
  return status;
}

export function complete(
  client: Client,
  project: Project,
  pendingUploadId: string,
  checksum: string = '0'.repeat(64),
): Promise<Answer<Json>> {
  return client.post(`/api/v1/builds/${pendingUploadId}/complete`, { sha256: checksum }, { ...project });
}

export interface Build extends Json {
  identifier: string;
  build_number: number;
}

/** The whole way: initiate, PUT, complete; answers the build as it is read later. */
export async function uploadBuild(client: Client, project: Project, bytes: Buffer, body: Json = {}): Promise<Build> {
  const {
    released_to: _automatic,
    over_budget_bytes: _over,
    ...build
  } = await uploadAnswer(client, project, bytes, body);
  return build as Build;
}

/** The same; answers all that complete does. */
export async function uploadAnswer(client: Client, project: Project, bytes: Buffer, body: Json = {}): Promise<Build> {
  const pending = await initiate(client, project, body);
  // The two storage backends report success differently.
  expect([200, 201]).toContain(await sendBytes(pending, bytes));
  const answer = await complete(client, project, pending.pending_upload_id, sha256(bytes));
  expect(answer.status, answer.text).toBe(201);
  return answer.body as Build;
}

/** Makes a channel in a project; answers its id. */
export async function makeChannel(client: Client, project: Project, body: Json = {}): Promise<string> {
  lastNumber += 1;
  const answer = await client.post('/api/v1/channels', { name: `channel ${lastNumber}`, ...body }, { ...project });
  expect(answer.status, answer.text).toBe(201);
  return String(answer.body.identifier);
}
