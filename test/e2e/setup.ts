// What all browser tests need once: the web app, the documentation and the JavaScript client, built before several processes would build
// them into the same folder; and a file of what was found to be accessible.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provideClient } from '../../scripts/lib/client-bundle.ts';
import { provideDashboard } from '../../scripts/lib/dashboard.ts';
import { ACCEPTED_FILE_VARIABLE } from './accepted.ts';

export async function setup(): Promise<() => void> {
  await provideDashboard();
  // Describes all operations, which import Drizzle: workers.ts bundles it before this function is called, but after this file is loaded.
  const { provideDocs } = await import('../../scripts/lib/docs/build.ts');
  await provideDocs();
  await provideClient();
  const folder = mkdtempSync(join(tmpdir(), 'taxiway-accepted-'));
  process.env[ACCEPTED_FILE_VARIABLE] = join(folder, 'traits');
  return () => {
    delete process.env[ACCEPTED_FILE_VARIABLE];
    rmSync(folder, { recursive: true, force: true });
  };
}
