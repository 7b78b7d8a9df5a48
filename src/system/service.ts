// The state of the server, for its operator.

import { describeBackups } from '../backup/service.ts';
import type { App, DeveloperContext } from '../core/context.ts';
import { describeSweeps } from '../core/sweeps.ts';
import { migrationStatus } from '../data/migrate.ts';
import { timestamp, timestampOrNull } from '../lib/clock.ts';
import { findDiskSpace } from '../lib/disk-space.ts';
import { notFound } from '../lib/errors.ts';
import { version } from '../lib/version.ts';
import { describeReplication } from '../replication/service.ts';
import { countDeliveries, countJobs, countMails } from '../service/queue-counts.ts';
import { deliveryRunnerOf } from '../webhooks/runner.ts';
import type { SystemState } from './schema.ts';
import { describeStorage } from './storage.ts';
import * as store from './store.ts';

/** Returns the whole state. Throws `not_found` for people who aren't operators. */
export async function readSystem(ctx: DeveloperContext): Promise<SystemState> {
  if (!ctx.actor.isOperator) throw notFound();
  const totals = store.totalBuilds(ctx);
  const [storage, disk] = await Promise.all([describeStorage(ctx, totals), findDiskSpace(ctx.config.server.data_dir)]);
  const queues = await describeQueues(ctx);
  const now = ctx.clock.time();
  return {
    version: version.version,
    commit: version.commit,
    built_at: version.builtAt,
    started_at: timestamp(now - Math.round(process.uptime() * 1000)),
    now: timestamp(now),
    base_url: ctx.config.server.base_url,
    data_dir: ctx.config.server.data_dir,
    database: {
      size_bytes: store.measureDatabase(ctx),
      pending_migrations: migrationStatus(ctx.db.$client).waiting.length,
    },
    storage,
    backup: describeBackups(ctx),
    replication: describeReplication(ctx),
    disk: disk === undefined ? null : { free_bytes: disk.free, total_bytes: disk.total },
    accounts: store.countRows(ctx),
    ...queues,
    certificate: describeCertificate(ctx),
    ...describeHold(ctx),
    sweeps: describeSweeps(ctx, ctx.sweeps).map(({ name, schedule, nextRunAt, lastRun }) => ({
      name,
      schedule,
      next_run_at: timestampOrNull(nextRunAt),
      last_run: lastRun && {
        started_at: timestamp(lastRun.startedAt),
        duration_ms: lastRun.durationMs,
        removed: lastRun.removed,
        error: lastRun.error,
      },
    })),
  };
}

function describeHold(ctx: App): Pick<SystemState, 'clock_hold'> {
  const hold = ctx.clockGuard.observe();
  if (hold === undefined) return {};
  return {
    clock_hold: {
      jumped_from: timestamp(hold.jumpedFrom),
      jumped_to: timestamp(hold.jumpedTo),
      may_be_off: hold.mayBeOff,
      left_ms: Math.round(hold.leftMs),
    },
  };
}

async function describeQueues(ctx: App): Promise<Pick<SystemState, 'jobs' | 'webhook_deliveries' | 'mail'>> {
  const deliveries = await countDeliveries(ctx);
  const jobs = await countJobs(ctx);
  const mails = await countMails(ctx);
  const queues = store.readQueues(ctx);
  const failure = deliveryRunnerOf(ctx).lastFailure();
  return {
    jobs: {
      ...jobs,
      oldest_due_at: timestampOrNull(queues.oldestDueAt),
      last_error: queues.jobError,
    },
    webhook_deliveries: {
      ...deliveries,
      last_error: failure?.text ?? null,
      last_error_at: timestampOrNull(failure?.at ?? null),
    },
    mail: {
      transport: ctx.config.mail.transport,
      from: ctx.config.mail.from,
      ...mails,
      last_error: queues.mailError?.error ?? null,
      last_error_at: timestampOrNull(queues.mailError?.at ?? null),
    },
  };
}

function describeCertificate(ctx: App): SystemState['certificate'] {
  const { tls, base_url: baseUrl } = ctx.config.server;
  const own = ctx.https?.certificate();
  return {
    mode: tls.mode,
    is_https: baseUrl.startsWith('https:'),
    names: [...(own?.names ?? [])],
    expires_at: timestampOrNull(own?.expiresAt ?? null),
  };
}
