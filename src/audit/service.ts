// The rules of reading the audit trail: whose, which days, how much, and how long it may take.
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { App, Context, DeveloperContext, OrganizationContext } from '../core/context.ts';
import { type Reply, reply } from '../http/reply.ts';
import { timestamp } from '../lib/clock.ts';
import { AppError, notFound } from '../lib/errors.ts';
import { eventLabelOf, typeLabelOf } from './labels.ts';
import { type AskedPeriod, type Period, readPeriod } from './period.ts';
import type { AuditQuery, AuditRow } from './schema.ts';
import * as store from './store.ts';

/** Small enough that other requests are answered between two steps. */
const ROWS_PER_STEP = 500;
const RETRY_AFTER_SECONDS = 5;

/** The trail of the request's organization. */
export function readOrganizationTrail(ctx: OrganizationContext, query: AuditQuery): Promise<AuditRow[] | Reply> {
  return answerTrail(ctx, { organizationId: ctx.organization.id }, query, toAuditRow);
}

/** The trail of the caller; somebody else's is not found. From where another person acted stays that person's own. */
export async function readPersonalTrail(
  ctx: DeveloperContext,
  developerId: string,
  query: AuditQuery,
): Promise<AuditRow[] | Reply> {
  if (developerId !== ctx.actor.id) throw notFound();
  return answerTrail(ctx, { developerId }, query, (row) => {
    const isOfAnother = row.actorKind === 'developer' && row.actorId !== developerId;
    return toAuditRow(isOfAnother ? { ...row, ipAddress: null } : row);
  });
}

async function answerTrail(
  ctx: Context,
  owner: store.Owner,
  query: AuditQuery,
  toRow: (row: store.AuditEventRow) => AuditRow,
): Promise<AuditRow[] | Reply> {
  const asked = readPeriod(ctx, query);
  const rows = await readSteps(ctx, owner, asked);
  const shown = rows.slice(0, asked.most).map(toRow);
  if (rows.length <= asked.most) return shown;
  return reply('application/json', JSON.stringify(shown), { 'x-audit-truncated': 'true' });
}

/** The newest rows, one more than are answered where there are more. Throws 503 when it takes longer than the read timeout. */
async function readSteps(ctx: Context, owner: store.Owner, asked: AskedPeriod): Promise<store.AuditEventRow[]> {
  const giveUpAt = performance.now() + ctx.config.database.audit_read_timeout_ms;
  const rows: store.AuditEventRow[] = [];
  while (rows.length <= asked.most) {
    const limit = Math.min(ROWS_PER_STEP, asked.most + 1 - rows.length);
    const step = store.readNewest(ctx, owner, asked, limit, rows.at(-1));
    rows.push(...step);
    if (performance.now() > giveUpAt) {
      throw new AppError(
        'storage_backend_unavailable',
        'The audit trail does not answer in time; try again, or ask for fewer days',
        {},
        { 'retry-after': String(RETRY_AFTER_SECONDS) },
      );
    }
    if (step.length < limit) break;
    await yieldToOthers();
  }
  return rows;
}

/** Every event of an organization in a period, oldest first, without the caps of the feed; for the operator. */
export function* exportTrail(app: Pick<App, 'db'>, organizationId: string, period: Period): Generator<AuditRow> {
  let last: store.AuditEventRow | undefined;
  do {
    const step = store.readOldest(app, organizationId, period, ROWS_PER_STEP, last);
    for (const row of step) yield toAuditRow(row);
    last = step.at(-1);
  } while (last !== undefined);
}

/** A row in its wire shape. The specification knows four kinds of actors: what nobody was signed in for, the system tells. */
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
    event_type_label: eventLabelOf(row.event),
    data_type_label: typeLabelOf(row.type),
  };
}
