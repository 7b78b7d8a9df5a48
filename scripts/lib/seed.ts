// Seeds an empty development server through its API: an organization with two apps, builds, channels and people.
import { createHash } from 'node:crypto';
import { buildApk, buildIpa } from '../../test/support/fixtures.ts';
import { say } from './project.ts';

const ADMIN = { email: 'ada@example.com', password: 'taxiway development', display_name: 'Ada Lovelace' };
const TESTERS = ['grace@example.com', 'alan@example.com', 'katherine@example.com'];
const BUILDS = 12;

type Body = Record<string, unknown>;
type Answer = Record<string, string>;

async function send(
  base: string,
  token: string | undefined,
  method: string,
  path: string,
  body?: Body,
): Promise<Answer> {
  const response = await fetch(new URL(path, base), {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return text.startsWith('{') ? JSON.parse(text) : {};
}

/**
 * Seeds the server at `base` with sample data. Does nothing if it has accounts.
 * @param output the server's output, which contains its setup link
 */
export async function seed(base: string, output: string): Promise<void> {
  const setupPath = /\/setup\/\S+/.exec(output)?.[0];
  if (setupPath === undefined) {
    say('Seeding skipped: the server has accounts already. Use --fresh to start over.');
    return;
  }
  const { organization_id: organization = '' } = await send(base, undefined, 'POST', setupPath, {
    ...ADMIN,
    organization_name: 'Lighthouse Labs',
  });
  const { access_token: token } = await send(base, undefined, 'POST', '/api/v1/login', ADMIN);
  const ask = (method: string, path: string, body?: Body) => send(base, token, method, path, body);
  const inOrganization = `organization_id=${organization}`;

  for (const platform of ['android', 'ios'] as const) {
    const name = platform === 'android' ? 'Harbor for Android' : 'Harbor for iPhone';
    const project = await ask('POST', `/api/v1/projects?${inOrganization}`, { name, platform });
    const query = `${inOrganization}&project_id=${project.identifier}`;
    const channels: string[] = [];
    for (const channel of [
      { name: 'nightly', auto_distribute: true },
      { name: 'beta', public: true },
      { name: 'production' },
    ]) {
      channels.push((await ask('POST', `/api/v1/channels?${query}`, channel)).identifier ?? '');
    }
    for (let number = 1; number <= BUILDS; number += 1) {
      const version = `2.${Math.floor(number / 4)}.${number % 4}`;
      const bytes =
        platform === 'android'
          ? buildApk({ packageName: 'com.example.harbor', label: 'Harbor', versionName: version, versionCode: number })
          : buildIpa({ bundleIdentifier: 'com.example.harbor', name: 'Harbor', version, build: String(number) });
      const upload = await ask('POST', `/api/v1/builds/initiate?${query}`, {
        version_name: version,
        build_number: number,
        original_filename: platform === 'android' ? 'harbor.apk' : 'harbor.ipa',
        release_notes: `Build ${number}: faster start, fewer crashes.`,
      });
      const headers = { 'x-ms-blob-type': 'BlockBlob' };
      const put = await fetch(upload.upload_url ?? '', { method: 'PUT', headers, body: new Uint8Array(bytes) });
      if (!put.ok) throw new Error(`PUT answered ${put.status}`);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      const build = await ask('POST', `/api/v1/builds/${upload.pending_upload_id}/complete?${query}`, { sha256 });
      const build_id = build.identifier;
      if (number % 3 === 0) await ask('POST', `/api/v1/releases?${query}&channel_id=${channels[1]}`, { build_id });
      if (number % 6 === 0) await ask('POST', `/api/v1/releases?${query}&channel_id=${channels[2]}`, { build_id });
    }
    for (const email of TESTERS) await ask('POST', `/api/v1/projects/${project.identifier}/testers`, { email });
  }
  await ask('POST', `/api/v1/devices?${inOrganization}`, { udid: '00000000-000000000000001E', name: "Ada's iPhone" });
  say(`Seeded. Sign in as ${ADMIN.email} with the password "${ADMIN.password}".`);
}
