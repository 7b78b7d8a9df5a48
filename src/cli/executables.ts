// The executables that the operator put into a folder for people to download. Their checksums are computed when someone first asks,
// in a thread of their own.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { App } from '../core/context.ts';
import { definePart } from '../core/parts.ts';
import { MINUTE } from '../lib/clock.ts';
import { startDeadline } from '../lib/deadline.ts';

/** Names of a release, such as taxiway-0.2.0-linux-x64. The pattern also keeps a name inside the folder. */
const NAME = /^taxiway[\w.-]{0,100}$/;
const MAX_LISTED = 50;
/** Longer than any disk takes for an executable. A disk that doesn't respond must not hold up the other files. */
const HASH_TIMEOUT_MS = 5 * MINUTE;

interface Executable {
  name: string;
  path: string;
  bytes: number;
  /** When it last changed, in milliseconds. */
  modifiedAt: number;
}

export interface Executables {
  /** Returns the files of the folder by name, at most 50. None if there is no folder. */
  list(): Promise<Executable[]>;
  /** Returns a file by its name; undefined if it isn't in the folder. */
  find(name: string): Promise<Executable | undefined>;
  /** Returns the SHA-256 in hex if it's known. Otherwise starts to compute it and returns undefined. */
  knownSha256(file: Executable): string | undefined;
  /** Returns the SHA-256 in hex once it's computed; undefined if the file can't be read. */
  sha256(file: Executable): Promise<string | undefined>;
  close(): Promise<void>;
}

/** The thread that reads one file. As text, because it's the same in all forms of the program. */
const HASHER = `
const { createHash } = require('node:crypto');
const { createReadStream } = require('node:fs');
const { parentPort, workerData } = require('node:worker_threads');
const hash = createHash('sha256');
createReadStream(workerData, { highWaterMark: 1 << 20 })
  .on('data', (chunk) => hash.update(chunk))
  .on('error', () => parentPort.postMessage(null))
  .on('end', () => parentPort.postMessage(hash.digest('hex')));
`;

export const executablesOf = definePart<Executables>({
  open: (app) => openExecutables(app.config.cli.executables),
  close: (executables) => executables.close(),
});

/** Opens a folder of executables. It's read again for each request, so that the operator can replace files. */
function openExecutables(folder: string): Executables {
  const sums = new Map<string, { of: string; sum: string | undefined }>();
  const running = new Map<string, Promise<string | undefined>>();
  const workers = new Set<Worker>();
  let turn: Promise<unknown> = Promise.resolve();
  let isClosed = false;
  // A replaced file has another size or time.
  const stateOf = ({ bytes, modifiedAt }: Executable): string => `${bytes} ${modifiedAt}`;

  async function find(name: string): Promise<Executable | undefined> {
    if (!NAME.test(name)) return undefined;
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found?.isFile() !== true) return undefined;
    return { name, path, bytes: found.size, modifiedAt: found.mtimeMs };
  }

  function hash(path: string): Promise<string | undefined> {
    if (isClosed) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      let worker: Worker;
      try {
        worker = new Worker(HASHER, { eval: true, workerData: path });
      } catch {
        // The system refuses another thread. The next request tries again.
        return resolve(undefined);
      }
      workers.add(worker);
      const deadline = startDeadline(HASH_TIMEOUT_MS, () => {
        resolve(undefined);
        void worker.terminate();
      }).unref();
      worker.once('message', (sum: string | null) => resolve(sum ?? undefined));
      worker.once('error', () => resolve(undefined));
      worker.once('exit', () => {
        clearTimeout(deadline);
        workers.delete(worker);
        resolve(undefined);
      });
    });
  }

  function knownSha256(file: Executable): string | undefined {
    const known = sums.get(file.name);
    if (known?.of === stateOf(file)) return known.sum;
    void sha256(file);
    return undefined;
  }

  function sha256(file: Executable): Promise<string | undefined> {
    const of = stateOf(file);
    const known = sums.get(file.name);
    if (known?.of === of) return Promise.resolve(known.sum);
    const key = `${file.name} ${of}`;
    const started = running.get(key);
    if (started !== undefined) return started;
    // One after the other: they share a disk.
    const sum = turn.then(() => hash(file.path));
    turn = sum;
    running.set(key, sum);
    return sum.then((value) => {
      running.delete(key);
      if (value !== undefined) sums.set(file.name, { of, sum: value });
      return value;
    });
  }

  return {
    async list() {
      const names = (await readdir(folder).catch(() => [])).filter((name) => NAME.test(name)).sort();
      const found = await Promise.all(names.slice(0, MAX_LISTED).map(find));
      return found.filter((file) => file !== undefined);
    },
    find,
    knownSha256,
    sha256,
    async close() {
      isClosed = true;
      await Promise.all([...workers].map((worker) => worker.terminate()));
    },
  };
}

/** Returns the executables with their checksums as lines of sha256sum, when all are computed. */
export async function listChecksums(app: Pick<App, 'parts'>): Promise<string> {
  const executables = executablesOf(app);
  const files = await executables.list();
  const sums = await Promise.all(files.map((file) => executables.sha256(file)));
  return files.map(({ name }, index) => (sums[index] === undefined ? '' : `${sums[index]}  ${name}\n`)).join('');
}
