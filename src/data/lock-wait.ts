// Waiting for the lock of writers, which a command in another process may take again and again.
import type Sqlite from 'better-sqlite3';

/**
 * SQLite looks for the lock after 1 ms and 2 more, and then after pauses that grow to 100 ms. With such pauses it can miss many of the
 * short moments in which a long command leaves the lock free, so on a server's connection, it reports the lock here, and the write is repeated.
 */
const ROUND_MS = 3;

/**
 * Makes SQLite report the lock after a short round of waiting. Only for a connection whose writes are repeated: those of `Db` by prepared
 * statements and by transactions that begin with the lock, not `exec` and `pragma`. Reads don't wait in WAL mode, except while another
 * process rebuilds the index of the log after a crash.
 */
export function waitInRounds(client: Sqlite.Database): void {
  const timeoutMs = Number(client.pragma('busy_timeout', { simple: true }));
  client.pragma(`busy_timeout = ${Math.min(timeoutMs, ROUND_MS)}`);
}

/**
 * Runs an attempt that needs the lock of writers, again and again until it gets it or `timeoutMs` have passed. Returns its result, or
 * throws what the last attempt threw. An attempt that fails after `hasBegun` returns true isn't repeated.
 */
export function takeLock<T>(attempt: () => T, timeoutMs: number, hasBegun: () => boolean = () => false): T {
  const begin = performance.now();
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || hasBegun() || performance.now() - begin >= timeoutMs) throw error;
    }
  }
}

/** Also while another process rebuilds the index of the log. A read that is too old to write on stays so, and has another code. */
const isBusy = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === 'SQLITE_BUSY' || error.code === 'SQLITE_BUSY_RECOVERY');

/** A command rests so long after its last rest, for longer than a server pauses between two attempts to get the lock. */
const EVERY_MS = 10;
const REST_MS = 5;

/**
 * Makes a command that writes for long leave the lock free between its commits, also where flushes take no time, so that a server beside it
 * waits for one of its transactions at most. The rest blocks the command's thread. Call it after what else sets `writes.onCommit`.
 */
export function restAfterCommits(
  writes: { onCommit?: () => void },
  { now = () => performance.now(), sleep = sleepNow } = {},
): void {
  const { onCommit } = writes;
  let restedAt = now();
  writes.onCommit = () => {
    onCommit?.();
    if (now() - restedAt < EVERY_MS) return;
    sleep(REST_MS);
    restedAt = now();
  };
}

function sleepNow(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
