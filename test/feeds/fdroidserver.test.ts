// F-Droid's own tools judge a repository, on machines that have them: apt-get install --no-install-recommends fdroidserver.
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startFixture } from '../../src/testing/fixture.ts';
import { uploadBuild } from '../builds/scenario.ts';
import { readApiDemos, sha256 } from '../support/fixtures.ts';
import { api } from '../support/harness.ts';

// Of the system: another Python may come first in the path, and has no packages of Debian.
const PYTHON = '/usr/bin/python3';
const hasTools = spawnSync(PYTHON, ['-c', 'import fdroidserver.index'], { timeout: 30_000 }).status === 0;

const PROGRAM = `
import json, sys
from fdroidserver import common, index
common.config = {'jarsigner': 'jarsigner', 'keytool': 'keytool'}
url, fingerprint = sys.argv[1:]
result = {}
for version, download in (('v2', index.download_repo_index_v2), ('v1', index.download_repo_index_v1)):
    data, etag = download(url + '?fingerprint=' + fingerprint)
    result[version] = sorted(data['packages'])
    result[version + ' unchanged'] = download(url + '?fingerprint=' + fingerprint, etag=etag)[0] is None
    try:
        download(url + '?fingerprint=' + 'A' * 64)
        result[version + ' with another fingerprint'] = 'accepted'
    except Exception as error:
        result[version + ' with another fingerprint'] = type(error).__name__
data, etag = index.download_repo_index_v2(url + '?fingerprint=' + fingerprint)
[(name, package)] = data['packages'].items()
result['hashes'] = list(package['versions'])
print(json.dumps(result))
`;

it.runIf(hasTools)('a repository is valid for fdroidserver', { timeout: 60_000 }, async () => {
  await using fixture = await startFixture();
  const client = api(fixture);
  const project = { organization_id: fixture.organization_id, project_id: fixture.android_project_id };
  const bytes = readApiDemos();
  const { identifier } = await uploadBuild(client, project, bytes);
  const channel_id = fixture.channel_id;
  expect((await client.post('/api/v1/releases', { build_id: identifier }, { ...project, channel_id })).status).toBe(
    201,
  );
  const { body } = await client.get<{ fingerprint: string }>(`/api/v1/channels/${channel_id}/feeds`);
  const url = new URL(`/feeds/${channel_id}/fdroid/repo`, fixture.url).href;
  const { stdout } = await promisify(execFile)(PYTHON, ['-c', PROGRAM, url, body.fingerprint]);
  expect(JSON.parse(stdout.trim().split('\n').at(-1) ?? '')).toEqual({
    v2: ['io.appium.android.apis'],
    v1: ['io.appium.android.apis'],
    'v2 unchanged': true,
    'v1 unchanged': true,
    'v2 with another fingerprint': 'VerificationException',
    'v1 with another fingerprint': 'VerificationException',
    hashes: [sha256(bytes)],
  });
});
