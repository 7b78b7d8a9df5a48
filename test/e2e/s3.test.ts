// Objects in a bucket, from the browser: an upload in the web app goes to the service directly, and an install page leads there.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setCors } from '../../src/storage/s3/documents.ts';
import { type Bucket, createBucket } from '../storage/s3/bucket.ts';
import { CEPH_KEYS, type Ceph, startCeph, whyNoCeph } from '../support/ceph.ts';
import type { Json } from '../support/harness.ts';
import { dropFile } from './dashboard/files.ts';
import { openScenario, openSignedIn, type Scenario } from './dashboard/scenario.ts';
import { buildSampleApk } from './sample-app.ts';

const missing = whyNoCeph();
if (missing !== undefined) process.stdout.write(`uploads to S3 in the browser skipped: ${missing}\n`);

describe.skipIf(missing !== undefined)('a server whose objects are in a bucket', () => {
  let ceph: Ceph;
  let bucket: Bucket;
  let scenario: Scenario;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'taxiway-s3-'));
    ceph = await startCeph();
    bucket = await createBucket(ceph);
    const s3 = {
      endpoint: ceph.url,
      bucket: bucket.name,
      prefix: 'some/folder',
      force_path_style: true,
      access_key_id: CEPH_KEYS.accessKeyId,
      secret_access_key: CEPH_KEYS.secretAccessKey,
    };
    scenario = await openScenario({ config: { storage: { backend: 's3', s3 } } });
  });
  afterAll(async () => {
    await scenario?.close();
    bucket?.close();
    await ceph?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('accepts uploads in the web app once the CORS rule is set, and installs lead to the bucket', async () => {
    const { fixture, browser, client, origin } = scenario;
    const path = join(folder, 'harbour.apk');
    writeFileSync(path, buildSampleApk({ build: '77' }));
    const context = await browser.newContext();
    const page = await context.newPage();
    const puts: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT') puts.push(new URL(request.url()).origin);
    });
    await openSignedIn(scenario, { page, context }, `/projects/${fixture.android_project_id}`);
    await page.getByRole('heading', { name: 'Channels' }).waitFor();
    const tray = page.getByRole('region', { name: 'Uploads' });

    await dropFile(page, path);
    await tray.getByRole('button', { name: 'Try again' }).waitFor();
    await setCors(bucket.client, origin);
    await tray.getByRole('button', { name: 'Try again' }).click();
    await tray.getByText('Uploaded').waitFor();
    expect(new Set(puts)).toEqual(new Set([ceph.url]));

    const query = { organization_id: fixture.organization_id, project_id: fixture.android_project_id };
    const build = (await client.get<{ items: Json[] }>('/api/v1/builds', query)).body.items[0];
    const channel = await client.post('/api/v1/channels', { name: 'bucket', public: true }, query);
    const channelId = String(channel.body.identifier);
    const body = { build_id: build?.identifier };
    const release = await client.post('/api/v1/releases', body, { ...query, channel_id: channelId });
    expect(release.status, release.text).toBe(201);

    const phone = await browser.newContext({ acceptDownloads: true });
    const visit = await phone.newPage();
    const asked: string[] = [];
    visit.on('request', (request) => asked.push(new URL(request.url()).origin));
    await visit.goto(`${origin}/install/channels/${channelId}`);
    expect(new Set(asked)).toEqual(new Set([origin]));
    const address = `${origin}/public/v1/channels/${channelId}/releases/${release.body.identifier}/download`;
    const [download] = await Promise.all([visit.waitForEvent('download'), visit.goto(address).catch(() => undefined)]);
    expect(download.suggestedFilename()).toMatch(/\.apk$/);
    const digest = createHash('sha256').update(readFileSync(await download.path()));
    expect(digest.digest('hex')).toBe(build?.sha256);
    await context.close();
    await phone.close();
  });
});
