// External services that all test files of a run share: the first file that needs one starts it, and the end of the run stops it.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const READY_FILE = 'ready.json';

/** The folder in which the test files of a run find the bundled program; shared-services.ts creates it. Here, because loading what bundles it takes a while. */
export const PROGRAM_FOLDER_VARIABLE = 'TAXIWAY_TEST_PROGRAM';

/** What the process that started a service tells the others. */
export interface SharedService {
  pids: (number | undefined)[];
  folder: string;
}

/** Returns the service of a test run, whose files find each other in a folder. The first call starts it. */
export async function shareService<T extends SharedService>(
  shared: string,
  start: () => Promise<T>,
  patienceMs: number,
): Promise<T> {
  const ready = join(shared, READY_FILE);
  if (isFirst(shared)) {
    try {
      writeWhole(ready, await start());
    } catch (error) {
      writeWhole(ready, { failure: String(error) });
      throw error;
    }
  }
  const end = performance.now() + patienceMs;
  while (!existsSync(ready)) {
    if (performance.now() > end) throw new Error(`the service did not start within ${patienceMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const found: T | { failure: string } = JSON.parse(readFileSync(ready, 'utf8'));
  if ('failure' in found) throw new Error(found.failure);
  return found;
}

/** Stops the service of a test run, if any file started it. */
export function stopSharedService(shared: string): void {
  // A file that was still starting it has ended with its test process.
  const ready = join(shared, READY_FILE);
  if (!existsSync(ready)) return;
  const found: SharedService | { failure: string } = JSON.parse(readFileSync(ready, 'utf8'));
  if ('failure' in found) return;
  for (const pid of found.pids) {
    try {
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
  rmSync(found.folder, { recursive: true, force: true, maxRetries: 5 });
}

function isFirst(shared: string): boolean {
  try {
    mkdirSync(join(shared, 'started'));
    return true;
  } catch {
    return false;
  }
}

function writeWhole(file: string, content: object): void {
  writeFileSync(`${file}.new`, JSON.stringify(content));
  renameSync(`${file}.new`, file);
}
