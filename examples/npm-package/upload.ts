// Uploads a package and releases it to a channel with fetch, for a script in a build pipeline.
import { createHash } from 'node:crypto';

export interface Target {
  /** The address of the server. */
  server: string;
  /** A project access token with the maintainer role. */
  token: string;
  organizationId: string;
  projectId: string;
  channelId: string;
}

/** Returns the id of the release. Throws if the server rejects a request. */
export async function uploadAndRelease(
  target: Target,
  bytes: Uint8Array<ArrayBuffer>,
  version: { name: string; build: number },
): Promise<string> {
  const project = { organization_id: target.organizationId, project_id: target.projectId };
  const post = async (path: string, query: Record<string, string>, body: object): Promise<Record<string, string>> => {
    const response = await fetch(`${target.server}/api/v1/${path}?${new URLSearchParams(query)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${target.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
    return (await response.json()) as Record<string, string>;
  };

  const names = { version_name: version.name, build_number: version.build };
  const pending = await post('builds/initiate', project, names);
  const sent = await fetch(pending.upload_url ?? '', {
    method: 'PUT',
    headers: { 'x-ms-blob-type': 'BlockBlob' },
    body: bytes,
  });
  if (!sent.ok) throw new Error(`The upload returned ${sent.status}`);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const build = await post(`builds/${pending.pending_upload_id}/complete`, project, { sha256 });
  const release = await post('releases', { ...project, channel_id: target.channelId }, { build_id: build.identifier });
  return release.identifier ?? '';
}
