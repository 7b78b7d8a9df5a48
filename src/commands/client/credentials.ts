// Stores the session of `taxiway login` in a file that only its owner can read.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
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

/** Returns `$XDG_CONFIG_HOME/taxiway/credentials.json`, or the same path below ~/.config. */
function credentialsFile(host: CommandHost): string {
  const configured = host.env.XDG_CONFIG_HOME;
  const home = host.env.HOME ?? host.env.USERPROFILE ?? homedir();
  return join(
    configured === undefined || configured === '' ? join(home, '.config') : configured,
    'taxiway',
    'credentials.json',
  );
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
  for (let waited = 0; !takeLock(lock); waited += LOCK_PAUSE_MS) {
    if (waited >= ABANDONED_LOCK_MS)
      throw new Refusal(`another taxiway command uses ${lock}; delete it if no command is running`);
    await host.sleep(LOCK_PAUSE_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function takeLock(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code !== 'EEXIST') throw new Refusal(`cannot lock the stored session: ${describeFailure(error)}`);
  }
  const made = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
  // Both times are from the file system's clock. A lock of this age was left by a process that no longer runs.
  if (made !== undefined && Date.now() - made > ABANDONED_LOCK_MS) rmSync(lock, { force: true });
  return false;
}
