// One S3 service, one of Azure and one bundle of the program for all test files of a run: the first that needs one starts or
// builds it, and the end of the run stops and removes it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AZURITE_FOLDER_VARIABLE } from './azurite.ts';
import { CEPH_FOLDER_VARIABLE } from './ceph.ts';
import { PROGRAM_FOLDER_VARIABLE, stopSharedService } from './shared-service.ts';

export function setup(): () => void {
  const folders = [CEPH_FOLDER_VARIABLE, AZURITE_FOLDER_VARIABLE, PROGRAM_FOLDER_VARIABLE].map((variable) => {
    const folder = mkdtempSync(join(tmpdir(), 'taxiway-shared-'));
    process.env[variable] = folder;
    return { variable, folder };
  });
  return () => {
    for (const { variable, folder } of folders) {
      delete process.env[variable];
      stopSharedService(folder);
      rmSync(folder, { recursive: true, force: true });
    }
  };
}
