// Stores the session of `taxiway login` in a file that only its owner can read.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { describeFailure, Refusal } from '../../lib/failure.ts';
import * as z from '../../lib/zod.ts';
import type { CommandHost } from '../host.ts';

const StoredSession = z.object({
  url: z.string(),
  email: z.string(),
  access_token: z.string(),
  refresh_token: z.string(),
  /** Expiry of the access token, in milliseconds since the epoch. */
  expires_at: z.number(),
});

export type StoredSession = z.output<typeof StoredSession>;

const ABANDONED_LOCK_MS = 30_000;
const LOCK_PAUSE_MS = 100;
const SIGN_OF_LIFE_MS = 5000;

/**
 * Returns `$XDG_CONFIG_HOME/taxiway/credentials.json`, or the same path below ~/.config. An empty or relative folder doesn't count: the
 * tokens would be stored in the current one. Throws Refusal without a home folder.
 */
function credentialsFile(host: CommandHost): string {
  const { XDG_CONFIG_HOME: configured = '' } = host.env;
  return join(isAbsolute(configured) ? configured : join(findHome(host), '.config'), 'taxiway', 'credentials.json');
}

function findHome(host: CommandHost): string {
  const { HOME, USERPROFILE } = host.env;
  const stated = [HOME, USERPROFILE].find((folder) => folder !== undefined && isAbsolute(folder));
  const home = stated ?? host.findAccountHome();
  if (home === undefined) throw new Refusal('there is no home folder for the session: set HOME');
  return home;
}

/** Returns the stored session; undefined if there is none. */
export function readSession(host: CommandHost): StoredSession | undefined {
  const file = credentialsFile(host);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw new Refusal(`cannot read the stored session: ${describeFailure(error)}`);
  }
  try {
    return StoredSession.parse(JSON.parse(text));
  } catch {
    throw new Refusal(`${file} is damaged; sign in again with "taxiway login"`);
  }
}

/** Atomically replaces the stored session. The file has mode 0600. */
export function keepSession(host: CommandHost, session: StoredSession): string {
  const file = credentialsFile(host);
  const aside = `${file}.${process.pid}.new`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    rmSync(aside, { force: true });
    writeFileSync(aside, `${JSON.stringify(session, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(aside, file);
  } catch (error) {
    throw new Refusal(`cannot store the session: ${describeFailure(error)}`);
  }
  return file;
}

/** Deletes the stored session if there is one. */
export function clearSession(host: CommandHost): void {
  try {
    rmSync(credentialsFile(host), { force: true });
  } catch (error) {
    throw new Refusal(`cannot delete the stored session: ${describeFailure(error)}`);
  }
}

/** Runs `work` under a lock shared by all taxiway commands, because using a refresh token twice ends its session. */
export async function withSessionLock<T>(host: CommandHost, work: () => Promise<T>): Promise<T> {
  const lock = `${credentialsFile(host)}.lock`;
  const mark = `${process.pid} ${randomUUID()}`;
  for (let waited = 0; !(await takeLock(host, lock, mark)); waited += LOCK_PAUSE_MS) {
    if (waited >= ABANDONED_LOCK_MS)
      throw new Refusal(`another taxiway command uses ${lock}; delete it if no command is running`);
    await host.sleep(LOCK_PAUSE_MS);
  }
  // A server that is busy or restarts may take minutes, in which the lock must not look abandoned.
  const signs = setInterval(
    () => ifMarked(lock, mark, () => utimesSync(lock, new Date(), new Date())),
    SIGN_OF_LIFE_MS,
  );
  signs.unref();
  try {
    return await work();
  } finally {
    clearInterval(signs);
    ifMarked(lock, mark, () => rmSync(lock, { force: true }));
  }
}

async function takeLock(host: CommandHost, lock: string, mark: string): Promise<boolean> {
  try {
    writeFileSync(lock, mark, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code !== 'EEXIST') throw new Refusal(`cannot lock the stored session: ${describeFailure(error)}`);
  }
  const made = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  // Both times are from the file system's clock. A lock of this age was left by a process that no longer runs.
  if (made === undefined || Date.now() - made <= ABANDONED_LOCK_MS) return false;
  // Several commands may find that at the same time: the last one that replaces the lock has it.
  const aside = `${lock}.${mark.split(' ').at(-1)}`;
  try {
    writeFileSync(aside, mark, { flag: 'wx', mode: 0o600 });
    renameSync(aside, lock);
  } catch (error) {
    throw new Refusal(`cannot lock the stored session: ${describeFailure(error)}`);
  }
  await host.sleep(LOCK_PAUSE_MS);
  return isMarked(lock, mark);
}

function isMarked(lock: string, mark: string): boolean {
  try {
    return readFileSync(lock, 'utf8') === mark;
  } catch {
    return false;
  }
}

/** Changes the lock if it is still that of this command, which may have been suspended for long. */
function ifMarked(lock: string, mark: string, change: () => void): void {
  if (!isMarked(lock, mark)) return;
  try {
    change();
  } catch {
    // Another command can take the lock later.
  }
}
