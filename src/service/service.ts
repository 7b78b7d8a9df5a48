// What the service says of itself: its version, its limits, its health.
import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { isSetupPending } from '../accounts/setup.ts';
import type { App, Context } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { migrationStatus } from '../data/migrate.ts';
import { SECOND } from '../lib/clock.ts';
import { version } from '../lib/version.ts';
import type { Readiness } from './schema.ts';

/** Anybody may ask, and the answer costs a write to the storage: within a second it is given again. */
const READINESS_LIFETIME_MS = SECOND;
const recentReadiness = prepared((): { at: number; state?: Promise<Readiness> } => ({ at: 0 }));

const LEAST_FREE_BYTES = 256 * 1024 * 1024;
/** Enough for the write-ahead log of a busy hour. */
const LEAST_FREE_DATABASE_BYTES = 16 * 1024 * 1024;

/** Name, versions, features and limits in force. */
export function describeService(app: App) {
  const { config } = app;
  return {
    name: 'Taxiway',
    version: version.version,
    api_versions: ['v1'],
    features: {
      signup: config.accounts.signup,
      billing: false,
      sso: true,
      captcha: config.captcha.provider,
      mail: config.mail.transport,
      storage: 'local' as const,
    },
    setup_pending: isSetupPending(app),
    limits: { ...config.limits },
  };
}

/** Version, commit and time of the build of the program. */
export function describeVersion() {
  return { version: version.version, commit: version.commit, built_at: version.builtAt };
}

/** Whether the parts work: database, migrations, storage and room on the disk. */
export function checkReadiness(ctx: Context): Promise<Readiness> {
  const recent = recentReadiness(ctx);
  const now = ctx.clock.now().getTime();
  if (recent.state === undefined || now - recent.at >= READINESS_LIFETIME_MS) {
    recent.at = now;
    recent.state = examine(ctx);
  }
  return recent.state;
}

async function examine(ctx: Context): Promise<Readiness> {
  const storage = await ctx.storage.check();
  // Strangers ask for this too: folders and errors of the file system are for the log alone.
  if (!storage.ok) ctx.log.error({ detail: storage.detail }, 'the storage does not work');
  const free = storage.freeBytes;
  const hasRoom = free === undefined || free >= LEAST_FREE_BYTES;
  const waiting = checkDatabase(ctx);
  const trouble = waiting === undefined ? 'does not answer' : findTrouble(ctx);
  const checks = {
    database: { ok: trouble === undefined, detail: trouble ?? 'reads and writes work' },
    migrations: { ok: waiting === 0, detail: waiting === 0 ? 'up to date' : `${waiting ?? 'unknown'} waiting` },
    storage: { ok: storage.ok, detail: storage.ok ? 'keeps what it is given' : 'does not work' },
    disk: { ok: hasRoom, detail: free === undefined ? 'no known end' : `${Math.floor(free / 1024 ** 2)} MiB free` },
  };
  const isReady = Object.values(checks).every((check) => check.ok);
  return { status: isReady ? ('ready' as const) : ('not_ready' as const), checks };
}

/** Why the database takes no writes. The words name no path: strangers read them. */
function findTrouble(ctx: Context): string | undefined {
  try {
    const trouble = ctx.health.check();
    if (trouble !== undefined) ctx.log.error({ trouble }, 'the database takes no writes');
    return trouble ?? findLackOfRoom(ctx.config.database.file);
  } catch (error) {
    ctx.log.error({ err: error }, 'the database does not answer');
    return 'does not answer';
  }
}

/** The database may be on a disk of its own, without the room that the storage has. */
function findLackOfRoom(file: string): string | undefined {
  const { bavail, bsize } = statfsSync(dirname(file));
  const free = bavail * bsize;
  return free >= LEAST_FREE_DATABASE_BYTES ? undefined : `its disk has only ${Math.floor(free / 1024 ** 2)} MiB free`;
}

function checkDatabase(ctx: Context): number | undefined {
  try {
    return migrationStatus(ctx.db.$client).waiting.length;
  } catch (error) {
    ctx.log.error({ err: error }, 'the database does not answer');
    return undefined;
  }
}
