// Backups in a bucket of a real S3 service.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBuild } from '../../src/builds/store.ts';
import { type BuildScenario, startBuildScenario, uploadAnswer } from '../builds/scenario.ts';
import { openWorkshop, type Workshop } from '../commands/test-host.ts';
import { type Bucket, createBucket } from '../storage/s3/bucket.ts';
import { CEPH_KEYS, type Ceph, startCeph, whyNoCeph } from '../support/ceph.ts';
import { buildApk } from '../support/fixtures.ts';

const bytes = buildApk();

describe.skipIf(whyNoCeph() !== undefined)('a backup in a bucket', () => {
  let ceph: Ceph;
  let bucket: Bucket;
  let scenario: BuildScenario;
  let workshop: Workshop;
  let env: Record<string, string>;
  beforeAll(async () => {
    ceph = await startCeph();
    bucket = await createBucket(ceph);
    scenario = await startBuildScenario();
    const { data_dir: dataDir } = scenario.fixture.config.server;
    env = {
      TAXIWAY_LOG__LEVEL: 'silent',
      TAXIWAY_BACKUP__S3__ENDPOINT: ceph.url,
      TAXIWAY_BACKUP__S3__FORCE_PATH_STYLE: 'true',
      TAXIWAY_BACKUP__S3__ACCESS_KEY_ID: CEPH_KEYS.accessKeyId,
      TAXIWAY_BACKUP__S3__SECRET_ACCESS_KEY: CEPH_KEYS.secretAccessKey,
    };
    workshop = openWorkshop({ ...env, TAXIWAY_SERVER__DATA_DIR: dataDir });
  }, 180_000);
  afterAll(async () => {
    workshop?.[Symbol.dispose]();
    await scenario?.[Symbol.asyncDispose]();
    bucket?.close();
    await ceph?.stop();
  });

  it('is created, extended, verified, restored and cleaned up', async () => {
    const build = await uploadAnswer(scenario.ci, scenario.android, bytes);
    const key = findBuild(scenario.fixture.app, build.identifier)?.objectKey ?? '';
    const place = `s3://${bucket.name}/backups/taxiway`;
    const first = await workshop.run(['backup', place, '--json']);
    expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 0, stderr: '' });
    const second = await workshop.run(['backup', place, '--json']);
    expect(JSON.parse(second.stdout).added_bytes).toBeLessThan(JSON.parse(first.stdout).added_bytes);
    expect((await workshop.run(['verify', place])).code).toBe(0);
    const folder = join(workshop.folder, 'restored');
    const restored = await workshop.run(['restore', place], {
      env: { ...env, TAXIWAY_SERVER__DATA_DIR: folder, XDG_CONFIG_HOME: workshop.folder },
    });
    expect({ code: restored.code }).toEqual({ code: 0 });
    expect(readFileSync(join(folder, 'blobs/objects', key))).toEqual(bytes);
    const third = await workshop.run(['backup', place, '--json'], {
      env: {
        ...env,
        TAXIWAY_SERVER__DATA_DIR: scenario.fixture.config.server.data_dir,
        TAXIWAY_BACKUP__KEEP: '1',
        XDG_CONFIG_HOME: workshop.folder,
      },
    });
    expect(JSON.parse(third.stdout)).toMatchObject({ deleted: 2, warnings: [] });
    expect(JSON.parse((await workshop.run(['backup', place, '--list', '--json'])).stdout)).toHaveLength(1);
  });

  it('says why a bucket cannot be used', async () => {
    const { code, stderr } = await workshop.run(['backup', 's3://absent-bucket/x']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^taxiway: .*NoSuchBucket/s);
  });
});
