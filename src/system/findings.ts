// The health checks of `taxiway check` for a running server, cached for a minute.
import { type Finding, fail, ok, warn } from '../checks/finding.ts';
import type { App, DeveloperContext } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { measureLog } from '../data/log-size.ts';
import { HOUR, MINUTE, timestamp } from '../lib/clock.ts';
import { notFound } from '../lib/errors.ts';
import { withProgramName } from '../lib/program-name.ts';
import { replicationWatchOf } from '../replication/watch.ts';
import type { SystemFindings } from './schema.ts';

/** The checks connect to the mail server and to the server's own address. */
const FINDINGS_LIFETIME_MS = MINUTE;
/** System is open all day for some people, and another server is asked. */
const UPDATES_LIFETIME_MS = 6 * HOUR;
const recentUpdates = prepared((): { at: number; findings: Finding[] } => ({
  at: Number.NEGATIVE_INFINITY,
  findings: [],
}));
const recentFindings = prepared((): { at: number; findings?: Promise<Finding[]> } => ({ at: 0 }));

/** Whether something is older than its lifetime, or of a time that hasn't come: the clock was set back since. */
function isOutdated(at: number, now: number, lifetimeMs: number): boolean {
  return now - at >= lifetimeMs || now < at;
}

/** Returns the findings, most urgent first. Throws `not_found` for people who aren't operators. */
export async function readFindings(ctx: DeveloperContext): Promise<SystemFindings> {
  if (!ctx.actor.isOperator) throw notFound();
  const recent = recentFindings(ctx);
  const now = ctx.clock.time();
  if (recent.findings === undefined || isOutdated(recent.at, now, FINDINGS_LIFETIME_MS)) {
    recent.at = now;
    recent.findings = examine(ctx);
  }
  const checkedAt = timestamp(recent.at);
  const order = ['fail', 'warn', 'ok'];
  const findings = await recent.findings;
  return {
    checked_at: checkedAt,
    findings: findings.toSorted((one, other) => order.indexOf(one.status) - order.indexOf(other.status)),
  };
}

/** Returns the result of the check at the start and of later statements. */
function describeDatabase({ health, integrity }: App): Finding {
  const name = 'database';
  const restore = 'stop the server, keep a copy of the data folder, and restore a backup';
  const { status, problems, checkedAt } = integrity.state();
  const damage = status === 'damaged' ? problems.join('; ') : health.damage();
  if (damage !== undefined) return fail(name, `damaged: ${damage}; ${restore}`, 'database_damaged', { damage });
  if (status === 'checking') return ok(name, 'is being checked in the background', 'database_checking');
  if (checkedAt === null)
    return warn(name, 'was not checked at the start; see the log for the reason', 'database_unchecked');
  const at = timestamp(checkedAt);
  return ok(name, `intact when it was checked at ${at}`, 'database_intact', { at });
}

async function examine(app: App): Promise<Finding[]> {
  const { config, storage } = app;
  const client = app.db.$client;
  const now = app.clock.now();
  // Loaded here, because the checks need certificate and mail libraries that most servers never use.
  const [address, backups, billing, database, device, mail, packages, reach, replication, room, tls, updates] =
    await Promise.all([
      import('../checks/address.ts'),
      import('../checks/backups.ts'),
      import('../checks/billing.ts'),
      import('../checks/database.ts'),
      import('../checks/device-authority.ts'),
      import('../checks/mail.ts'),
      import('../checks/packages.ts'),
      import('../checks/reachability.ts'),
      import('../checks/replication.ts'),
      import('../checks/storage.ts'),
      import('../checks/tls.ts'),
      import('../checks/updates.ts'),
    ]);
  const found = await Promise.all([
    attempt('ios', () => address.checkAddress(config)),
    attempt('certificate', () => tls.checkTls(config, client, now)),
    attempt('reach', () => reach.checkReach(config, client)),
    attempt('mail', () => mail.checkMail(config)),
    attempt('storage', () => room.checkStorage(config, storage)),
    attempt('packages', () => packages.checkPackages(client)),
    attempt('database', () => [describeDatabase(app)]),
    attempt('backup', () => backups.checkBackups(config, client, now)),
    attempt('replication', () =>
      replication.describeWatched(config, replicationWatchOf(app).state(), measureLog(client)),
    ),
    attempt('billing', () => billing.checkBilling(config, client)),
    attempt('payment provider', () => billing.checkPaymentProvider(app)),
    attempt('migrations', () => [database.checkMigrations(client)]),
    attempt('clock', () => [database.checkClock(now, client)]),
    attempt('device authority', () => device.checkDeviceAuthority(config)),
    attempt('updates', async () => {
      const recent = recentUpdates(app);
      if (isOutdated(recent.at, now.getTime(), UPDATES_LIFETIME_MS)) {
        recent.findings = await updates.checkUpdates(config, app.fetch);
        recent.at = now.getTime();
      }
      return recent.findings;
    }),
  ]);
  return found.flat().map((finding) => ({ ...finding, detail: withProgramName(finding.detail) }));

  /** An error in a check becomes its finding. */
  async function attempt(name: string, check: () => Finding[] | Promise<Finding[]>): Promise<Finding[]> {
    try {
      return await check();
    } catch (error) {
      app.log.error({ check: name, err: error }, 'health check failed');
      return [fail(name, 'the check failed; see the log for the reason', 'check_failed')];
    }
  }
}
