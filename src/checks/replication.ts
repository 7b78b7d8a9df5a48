// Health check of replication: Litestream runs, and the replica isn't far behind.
import { setTimeout as sleep } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import type { Config } from '../config.ts';
import { measureLog } from '../data/log-size.ts';
import { SECOND } from '../lib/clock.ts';
import { createLag, type Lag } from '../replication/lag.ts';
import { measureCopied, readLitestream } from '../replication/position.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const NAME = 'replication';
const MEBIBYTE = 1024 * 1024;
/** How long a command waits until what was written before is sent, in addition to twice the configured interval. */
const PATIENCE_MS = 5 * SECOND;
const PAUSE_MS = 250;

interface Seen {
  isRunning: boolean;
  isPositionKnown: boolean;
  lagMs: number;
  isLate: boolean;
  /** Bytes of the write-ahead log in use. */
  logBytes: number;
}

/** Returns the findings of a running server, from what it has watched. Says nothing if replication is off. */
export async function describeWatched(
  config: Config,
  watched: ReturnType<Lag['read']> | undefined,
  logBytes: number,
): Promise<Finding[]> {
  if (watched === undefined) return [];
  const isLate = watched.lagMs > config.replication.warn_after_seconds * SECOND;
  return [await judge(config, { ...watched, isLate, logBytes }), ...findPackages(config)];
}

/** Reads Litestream's state until the replica has everything that was written before the first reading, or for some seconds. */
export async function checkReplication(
  config: Config,
  client: Sqlite.Database | undefined,
  { pause = sleep, request = fetch }: { pause?: (ms: number) => Promise<unknown>; request?: typeof fetch } = {},
): Promise<Finding[]> {
  const { target, metrics_address: address, interval_ms: interval } = config.replication;
  if (target === '') return [];
  const logBytes = client === undefined ? 0 : measureLog(client);
  const where = { database: config.database.file, address };
  const lag = createLag(0);
  let isLate = true;
  let syncsAtFirst = Number.POSITIVE_INFINITY;
  let syncsBefore = 0;
  /** The first reading at which everything that was written before the first one was copied. */
  let copiedAt = Number.POSITIVE_INFINITY;
  for (let at = 0; at <= PATIENCE_MS + 2 * interval && isLate; at += PAUSE_MS) {
    if (at > 0) await pause(PAUSE_MS);
    const state = await readLitestream(where, request);
    lag.observe(at, state);
    if (state === undefined) break;
    // The first sync that ended since the first reading may have begun before it, so only the second one copied everything.
    if (syncsBefore - syncsAtFirst >= 2) copiedAt = Math.min(copiedAt, at);
    isLate = at - lag.read().lagMs < copiedAt;
    // A restarted Litestream counts from 0.
    syncsAtFirst = Math.min(syncsAtFirst, state.syncs);
    syncsBefore = state.syncs;
  }
  return [await judge(config, { ...lag.read(), isLate, logBytes }), ...findPackages(config)];
}

async function judge(config: Config, seen: Seen): Promise<Finding> {
  const { target, metrics_address: address } = config.replication;
  const seconds = Math.round(seen.lagMs / SECOND);
  if (!seen.isRunning) {
    const mebibytes = Math.ceil(seen.logBytes / MEBIBYTE);
    return fail(
      NAME,
      `Litestream doesn't respond at ${address}, so nothing is replicated and the write-ahead log (${mebibytes} MiB) grows: ` +
        'run "systemctl start taxiway-litestream" and read its log',
      'replication_stopped',
      { address, mebibytes },
    );
  }
  if (!seen.isPositionKnown) {
    return warn(
      NAME,
      `Litestream has sent nothing to ${target} since it started: read its log if this doesn't change`,
      'replication_unknown',
      { target },
    );
  }
  if (seen.isLate) {
    const mebibytes = Math.ceil((seen.logBytes + (await measureCopied(config.database.file))) / MEBIBYTE);
    return fail(
      NAME,
      `${target} is at least ${seconds} s behind, and unsent changes take ${mebibytes} MiB beside the database: read Litestream's log, ` +
        'and restart Litestream once the target can be reached, because it can hang without logging anything',
      'replication_late',
      { target, seconds, mebibytes },
    );
  }
  return ok(NAME, `${target} is at most ${seconds} s behind`, 'replication_current', { target, seconds });
}

/** Only the database is replicated. */
function findPackages({ storage: { backend, local } }: Config): Finding[] {
  if (backend !== 'local') return [];
  const folder = local.directory;
  const text = `the packages in ${folder} aren't replicated: move them to a bucket, or copy them yourself`;
  return [warn(NAME, text, 'replication_packages', { folder })];
}
