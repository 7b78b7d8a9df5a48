// The server's status: version, limits and health.

import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { isSetupPending } from '../accounts/setup.ts';
import type { App, Context } from '../core/context.ts';
import { MIN_FREE_BYTES } from '../core/storage.ts';
import { prepared } from '../data/database.ts';
import { migrationStatus } from '../data/migrate.ts';
import { allowsNewOrganizations } from '../flags/service.ts';
import { SECOND } from '../lib/clock.ts';
import { version } from '../lib/version.ts';
import type { Readiness } from './schema.ts';

/** Anyone can request it, and it writes to the storage, so the result is cached for a second. */
const READINESS_LIFETIME_MS = SECOND;
const recentReadiness = prepared((): { at: number; state?: Promise<Readiness> } => ({ at: 0 }));

/** Enough for the write-ahead log of a busy hour. */
const MIN_FREE_DATABASE_BYTES = 16 * 1024 * 1024;

/** Returns name, versions, features and limits. */
export function describeService(app: App) {
  const { config } = app;
  return {
    name: 'Taxiway',
    version: version.version,
    api_versions: ['v1'],
    features: {
      signup: config.accounts.signup,
      new_organizations: allowsNewOrganizations(app),
      billing: config.billing.enabled,
      online_payments: config.billing.enabled && config.billing.provider !== 'none',
      business: config.billing.business_self_service ? ('available' as const) : ('coming_soon' as const),
      sso: true,
      captcha: config.captcha.provider,
      mail: config.mail.transport,
      storage: app.storage.backend,
    },
    plans: { team: describePlan(config.plans.team), business: describePlan(config.plans.business) },
    setup_pending: isSetupPending(app),
    limits: { ...config.limits },
  };
}

function describePlan(plan: App['config']['plans']['team']) {
  const { build_retention_days, audit_retention_days, sso } = plan;
  return { build_retention_days, audit_retention_days, sso };
}

/** Returns version, commit and build time of the program. */
export function describeVersion() {
  return { version: version.version, commit: version.commit, built_at: version.builtAt };
}

/** Returns whether database, migrations, storage and disk space are in order. */
export function checkReadiness(ctx: Context): Promise<Readiness> {
  const recent = recentReadiness(ctx);
  const now = ctx.clock.time();
  if (recent.state === undefined || Math.abs(now - recent.at) >= READINESS_LIFETIME_MS) {
    recent.at = now;
    recent.state = examine(ctx);
  }
  return recent.state;
}

async function examine(ctx: Context): Promise<Readiness> {
  const storage = await ctx.storage.check();
  // Anyone can request this, so paths and file system errors are only logged.
  if (!storage.ok) ctx.log.error({ detail: storage.detail }, 'storage check failed');
  const free = storage.freeBytes;
  const hasRoom = free === undefined || free >= MIN_FREE_BYTES;
  const waiting = checkDatabase(ctx);
  const trouble = waiting === undefined ? "isn't responding" : findProblem(ctx);
  const checks = {
    database: { ok: trouble === undefined, detail: trouble ?? 'reads and writes work' },
    migrations: { ok: waiting === 0, detail: waiting === 0 ? 'up to date' : `${waiting ?? 'unknown'} waiting` },
    storage: { ok: storage.ok, detail: storage.ok ? 'reads and writes work' : 'not working' },
    disk: {
      ok: hasRoom,
      detail: free === undefined ? 'free space unknown' : `${Math.floor(free / 1024 ** 2)} MiB free`,
    },
  };
  const isReady = Object.values(checks).every((check) => check.ok);
  return { status: isReady ? ('ready' as const) : ('not_ready' as const), checks };
}

/** Returns why the database can't be written. The text contains no path, because anyone can read it. */
function findProblem(ctx: Context): string | undefined {
  try {
    const trouble = ctx.health.check();
    if (trouble !== undefined) ctx.log.error({ trouble }, 'database not writable');
    return trouble ?? findLowDiskSpace(ctx.config.database.file);
  } catch (error) {
    ctx.log.error({ err: error }, 'database not responding');
    return "isn't responding";
  }
}

/** The database may be on another disk than the storage, with less space. */
function findLowDiskSpace(file: string): string | undefined {
  const { bavail, bsize } = statfsSync(dirname(file));
  const free = bavail * bsize;
  return free >= MIN_FREE_DATABASE_BYTES ? undefined : `its disk has only ${Math.floor(free / 1024 ** 2)} MiB free`;
}

function checkDatabase(ctx: Context): number | undefined {
  try {
    return migrationStatus(ctx.db.$client).waiting.length;
  } catch (error) {
    ctx.log.error({ err: error }, 'database not responding');
    return undefined;
  }
}
