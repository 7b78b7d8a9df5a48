// API calls of the benchmarks: upload, complete, and signed link.
import { uploadFile } from './load.ts';
import type { ServerFixture } from './server-fixture.ts';

export interface Pending {
  pending_upload_id: string;
  upload_url: string;
  required_headers: Record<string, string>;
  /** Query that identifies the project in the complete request. */
  query: string;
}

/** Sends a request as the administrator and returns the parsed body. Throws for error responses. */
export async function call<Body>(fixture: ServerFixture, method: string, path: string, body?: unknown): Promise<Body> {
  const response = await fetch(`${fixture.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${fixture.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return JSON.parse(text) as Body;
}

/** Reserves a build number of a project. */
export async function initiate(fixture: ServerFixture, projectId: string, buildNumber: number): Promise<Pending> {
  const query = `organization_id=${fixture.organizationId}&project_id=${projectId}`;
  const body = { version_name: '1.0', build_number: buildNumber };
  const pending = await call<Omit<Pending, 'query'>>(fixture, 'POST', `/api/v1/builds/initiate?${query}`, body);
  return { ...pending, query };
}

/** Starts an upload and sends the bytes, without completing it. */
export async function upload(
  fixture: ServerFixture,
  projectId: string,
  buildNumber: number,
  file: string,
): Promise<Pending> {
  const pending = await initiate(fixture, projectId, buildNumber);
  await uploadFile(file, pending.upload_url, pending.required_headers);
  return pending;
}

/** Completes an upload. The checksum is stored as sent. */
export function complete(
  fixture: ServerFixture,
  pending: Pending,
): Promise<{ identifier: string; inspection_status: string }> {
  return call(fixture, 'POST', `/api/v1/builds/${pending.pending_upload_id}/complete?${pending.query}`, {
    sha256: '0'.repeat(64),
  });
}

/** Returns a signed link to the package of a build. */
export async function downloadLink(fixture: ServerFixture, buildId: string): Promise<string> {
  const answer = await call<{ download_url: string }>(fixture, 'GET', `/api/v1/builds/${buildId}/download`);
  return answer.download_url;
}
