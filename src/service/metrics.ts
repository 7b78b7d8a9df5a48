// The metrics and their access rules.
import { BlockList, isIP } from 'node:net';
import { describeBackups } from '../backup/service.ts';
import { countBilling } from '../billing/totals.ts';
import type { Context } from '../core/context.ts';
import { unauthorized } from '../core/session-state.ts';
import { describeSweeps } from '../core/sweeps.ts';
import { databaseBytes } from '../data/database-size.ts';
import { measureLog } from '../data/log-size.ts';
import { type Reply, reply } from '../http/reply.ts';
import { type DiskSpace, findDiskSpace } from '../lib/disk-space.ts';
import { notFound } from '../lib/errors.ts';
import { describeReplication } from '../replication/service.ts';
import { isSameSecret } from '../runtime/secrets.ts';
import { countDeliveries, countJobs, countMails } from './queue-counts.ts';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Proxies send at least one of these, unless they are configured to send none. */
const PROXY_HEADERS = ['x-forwarded-for', 'forwarded', 'x-forwarded-proto', 'x-forwarded-host', 'x-real-ip', 'via'];

/**
 * Returns the metrics in the text format of Prometheus. A configured token is required as bearer (401). Without one,
 * only requests from this machine that weren't forwarded by a proxy are allowed (404). Also 404 if
 * disabled.
 */
export async function showMetrics(ctx: Context): Promise<Reply> {
  const { metrics } = ctx;
  if (metrics === undefined) throw notFound();
  const { token } = ctx.config.metrics;
  if (token === '') refuseStrangers(ctx);
  else if (!isToken(withoutScheme(ctx.request.header('authorization') ?? ''), token)) throw unauthorized();
  const { contentType, text } = await metrics.render();
  // Without the data folder, the other metrics still say what is wrong.
  const disk = await findDiskSpace(ctx.config.server.data_dir);
  const ours = [
    await renderQueues(ctx),
    renderSweeps(ctx),
    renderBackups(ctx),
    renderReplication(ctx),
    renderBilling(ctx),
    renderLimits(ctx, disk),
  ].join('');
  return reply(contentType, `${text}${ours}`);
}

/** Whether a header has the token. Node reads each byte as a character, but programs send the token in UTF-8. */
function isToken(sent: string, token: string): boolean {
  return isSameSecret(sent, token) || isSameSecret(Buffer.from(sent, 'latin1').toString('utf8'), token);
}

/** Returns the token of an Authorization header; empty for another scheme. Unlike the API's, it may have spaces, because an operator chose it. */
function withoutScheme(authorization: string): string {
  return /^bearer +(.*)$/i.exec(authorization)?.[1] ?? '';
}

/** What waits or has failed, each state also with nothing in it, so that an alert sees the first one. */
async function renderQueues(ctx: Context): Promise<string> {
  const gauge = (name: string, help: string, label: string, counts: Record<string, number>) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} gauge`,
    ...Object.entries(counts).map(([state, total]) => `${name}{${label}="${state}"} ${total}`),
  ];
  const lines = [
    ...gauge('taxiway_jobs', 'Jobs in the queue by state', 'state', await countJobs(ctx)),
    ...gauge('taxiway_mails', 'Mails in the outbox by state', 'state', await countMails(ctx)),
    ...gauge(
      'taxiway_webhook_deliveries',
      'Pending and failed webhook deliveries by status',
      'status',
      await countDeliveries(ctx),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * The time, the duration and the result of the last run of each cleanup job that this server runs. Another one, such as those of billing
 * once that is off, would stay failed, and its alert would never end.
 */
function renderSweeps(ctx: Context): string {
  const runs = describeSweeps(ctx, ctx.sweeps).flatMap(({ name, lastRun }) => (lastRun ? [{ name, ...lastRun }] : []));
  type Run = (typeof runs)[number];
  const gauge = (name: string, help: string, value: (run: Run) => number, labels: (run: Run) => string = () => '') => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} gauge`,
    ...runs.map((run) => `${name}{sweep="${run.name}"${labels(run)}} ${value(run)}`),
  ];
  const lines = [
    ...gauge(
      'taxiway_sweep_last_run_timestamp_seconds',
      'Last run of each sweep',
      (run) => run.startedAt / 1000,
      (run) => `,result="${run.error === null ? 'done' : 'failed'}"`,
    ),
    ...gauge(
      'taxiway_sweep_last_run_seconds',
      'Duration of the last run of each sweep',
      (run) => run.durationMs / 1000,
    ),
    ...gauge(
      'taxiway_sweep_last_run_removed',
      'Number of items that the last run of each sweep deleted, read or sent an email about',
      (run) => run.removed,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** A gauge without labels, or nothing if it has no value. */
const renderGauge = (name: string, help: string, value: number | null | undefined): string =>
  value === null || value === undefined ? '' : `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${value}\n`;

/** What can run out: the disk of the data folder, and the certificate. */
function renderLimits(ctx: Context, disk: DiskSpace | undefined): string {
  const certificate = ctx.https?.certificate();
  return [
    renderGauge('taxiway_disk_free_bytes', 'Free space on the disk of the data folder', disk?.free),
    renderGauge('taxiway_disk_size_bytes', 'Size of the disk of the data folder', disk?.total),
    renderGauge('taxiway_database_bytes', 'Size of the database', databaseBytes(ctx.db.$client)),
    renderGauge('taxiway_database_log_bytes', 'Write-ahead log in use', measureLog(ctx.db.$client)),
    renderGauge(
      'taxiway_certificate_expiry_timestamp_seconds',
      'When the certificate of the server expires',
      certificate && certificate.expiresAt / 1000,
    ),
    renderGauge(
      'taxiway_certificate_lifetime_seconds',
      'How long the certificate of the server is valid in total',
      certificate && (certificate.expiresAt - certificate.startsAt) / 1000,
    ),
  ].join('');
}

/** The last successful backup to the configured place, and whether the last run failed. */
function renderBackups(ctx: Context): string {
  const { last_run: last, last_success: success } = describeBackups(ctx);
  return [
    renderGauge(
      'taxiway_backup_last_success_timestamp_seconds',
      'Start of the last successful backup',
      success && Date.parse(success.started_at) / 1000,
    ),
    renderGauge('taxiway_backup_last_success_bytes', 'Size of the last successful backup', success?.total_bytes),
    renderGauge('taxiway_backup_failed', 'Whether the last backup failed', last && (last.state === 'failed' ? 1 : 0)),
  ].join('');
}

/** Whether Litestream runs, and how far the replica is behind, with replication on. */
function renderReplication(ctx: Context): string {
  const state = describeReplication(ctx);
  return [
    renderGauge('taxiway_replication_up', 'Whether Litestream responds', state && (state.is_running ? 1 : 0)),
    renderGauge('taxiway_replication_lag_seconds', 'How far the replica is behind', state?.lag_seconds),
  ].join('');
}

/** Locks, balances below zero and the provider's recent events, with billing on. */
function renderBilling(ctx: Context): string {
  if (!ctx.config.billing.enabled) return '';
  const { locks, belowZero, events } = countBilling(ctx);
  const gauge = (name: string, help: string, values: readonly (readonly [labels: string, value: number])[]) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} gauge`,
    ...values.map(([labels, value]) => `${name}${labels} ${value}`),
  ];
  const lines = [
    ...gauge(
      'taxiway_billing_locked_organizations',
      'Locked organizations by reason',
      Object.entries(locks).map(([reason, total]) => [`{reason="${reason}"}`, total]),
    ),
    ...gauge('taxiway_billing_balances_below_zero', 'Organizations with a balance below zero', [['', belowZero]]),
    ...gauge(
      'taxiway_billing_provider_events',
      'Events of the payment provider in the last 24 hours by outcome',
      Object.entries(events).map(([outcome, total]) => [`{outcome="${outcome}"}`, total]),
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function refuseStrangers({ request }: Context): void {
  const { ipAddress } = request;
  const isPassedOn = PROXY_HEADERS.some((name) => request.header(name) !== undefined);
  const isLocal = ipAddress !== null && loopback.check(ipAddress, isIP(ipAddress) === 6 ? 'ipv6' : 'ipv4');
  if (!isLocal || isPassedOn) throw notFound();
}
