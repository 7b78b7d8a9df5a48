// One S3 service for all test files of a run: the first that needs it starts it, and the end of the run stops it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CEPH_FOLDER_VARIABLE, stopSharedCeph } from './ceph.ts';

export function setup(): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'taxiway-s3-'));
  process.env[CEPH_FOLDER_VARIABLE] = folder;
  return async () => {
    delete process.env[CEPH_FOLDER_VARIABLE];
    await stopSharedCeph(folder);
    rmSync(folder, { recursive: true, force: true });
  };
}
