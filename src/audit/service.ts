// The rules for reading the audit trail: permissions, periods, limits and timeouts.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { App, Context, DeveloperContext, OrganizationContext } from '../core/context.ts';
import { isOfAnother } from '../core/own-actors.ts';
import { type Reply, reply } from '../http/reply.ts';
import { timestamp } from '../lib/clock.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { labelOf } from './labels.ts';
import { type AskedPeriod, type Period, readPeriod } from './period.ts';
import type { AuditQuery, AuditRow } from './schema.ts';
import * as store from './store.ts';

/** Small enough not to delay other requests between two steps. */
const ROWS_PER_STEP = 500;
const RETRY_AFTER_SECONDS = 5;

/** Returns the audit trail of the request's organization. */
export function readOrganizationTrail(ctx: OrganizationContext, query: AuditQuery): Promise<AuditRow[] | Reply> {
  return answerTrail(ctx, { organizationId: ctx.organization.id }, query, toAuditRow);
}

/** Returns the caller's audit trail. Throws `not_found` for other people's. IP addresses of other actors are removed. */
export async function readPersonalTrail(
  ctx: DeveloperContext,
  developerId: string,
  query: AuditQuery,
): Promise<AuditRow[] | Reply> {
  if (developerId !== ctx.actor.id) throw notFound();
  return answerTrail(ctx, { developerId }, query, (row) =>
    toAuditRow(isOfAnother(ctx, developerId, row) ? { ...row, ipAddress: null } : row),
  );
}

async function answerTrail(
  ctx: Context,
  owner: store.Owner,
  query: AuditQuery,
  toRow: (row: store.AuditEventRow) => AuditRow,
): Promise<AuditRow[] | Reply> {
  const asked = readPeriod(ctx, query);
  const rows = await readSteps(ctx, owner, asked);
  const shown = rows.slice(0, asked.max).map(toRow);
  if (rows.length <= asked.max) return shown;
  return reply('application/json', JSON.stringify(shown), { 'x-audit-truncated': 'true' });
}

/** Returns the newest rows, up to one more than the limit. Throws 503 after the read timeout. */
async function readSteps(ctx: Context, owner: store.Owner, asked: AskedPeriod): Promise<store.AuditEventRow[]> {
  const giveUpAt = performance.now() + ctx.config.database.audit_read_timeout_ms;
  const rows: store.AuditEventRow[] = [];
  while (rows.length <= asked.max) {
    const limit = Math.min(ROWS_PER_STEP, asked.max + 1 - rows.length);
    const step = store.readNewest(ctx, owner, asked, limit, rows.at(-1));
    rows.push(...step);
    if (performance.now() > giveUpAt) {
      throw new AppError(
        'storage_backend_unavailable',
        'Reading the audit trail took too long. Try again or choose fewer days',
        {},
        { 'retry-after': String(RETRY_AFTER_SECONDS) },
      );
    }
    if (step.length < limit) break;
    await yieldToOthers();
  }
  return rows;
}

/** Returns all events of an organization in a period, oldest first, without limits, for the operator. */
export function* exportTrail(app: Pick<App, 'db'>, organizationId: string, period: Period): Generator<AuditRow> {
  let last: store.AuditEventRow | undefined;
  do {
    const step = store.readOldest(app, organizationId, period, ROWS_PER_STEP, last);
    for (const row of step) yield toAuditRow(row);
    last = step.at(-1);
  } while (last !== undefined);
}

/**
 * Converts a row to its API shape. The specification has four kinds of actors: events without a signed-in actor have
 * the actor system.
 */
function toAuditRow(row: store.AuditEventRow): AuditRow {
  const kind = row.actorKind === 'anonymous' ? 'system' : row.actorKind;
  return {
    timestamp: timestamp(row.timestamp),
    event: row.event,
    type: row.type,
    identifier: row.identifier,
    actor: { kind, identifier: row.actorId, name: row.actorName },
    ip_address: row.ipAddress,
    details: JSON.parse(row.details),
    event_type_label: labelOf(row.event),
    data_type_label: labelOf(row.type),
  };
}
