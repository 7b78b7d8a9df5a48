// Objects in a bucket, from the browser: an upload in the web app goes to the service directly, and an install page leads there.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { setCors } from '../../src/storage/s3/documents.ts';
import { type Bucket, createBucket } from '../storage/s3/bucket.ts';
import { CEPH_KEYS, type Ceph, startCeph, whyNoCeph } from '../support/ceph.ts';
import { openScenario, type Scenario } from './dashboard/scenario.ts';
import { walkPackage } from './package-walk.ts';

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

  it('accepts uploads in the web app once the CORS rule is set, and installs and updates lead to the bucket', async () => {
    await walkPackage(scenario, {
      folder,
      storage: new URL(ceph.url).origin,
      allowUploads: () => setCors(bucket.client, scenario.origin),
    });
  });
});
