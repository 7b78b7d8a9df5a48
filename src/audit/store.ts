// Queries for the audit trail, in steps whose cost doesn't depend on the length of the trail.

import type { App } from '../core/context.ts';
import { type Db, prepared } from '../data/database.ts';
import type { ActorKind } from '../events.ts';
import type { Period } from './period.ts';

/** A row of the audit trail. */
export interface AuditEventRow {
  /** Row id, the order of rows with the same time. */
  position: number;
  timestamp: number;
  event: string;
  type: string;
  identifier: string;
  actorKind: ActorKind;
  actorId: string | null;
  actorName: string | null;
  ipAddress: string | null;
  details: string;
}

/** The owner of the log. */
export type Owner = { organizationId: string } | { developerId: string };

/** The row after which a step continues. */
export type Step = Pick<AuditEventRow, 'timestamp' | 'position'>;

interface Asked extends Period {
  owner: string;
  limit: number;
  timestamp: number;
  position: number;
}

const COLUMNS = `rowid AS position, timestamp, event, type, identifier, actor_kind AS actorKind, actor_id AS actorId,
  actor_name AS actorName, ip_address AS ipAddress, details`;

/**
 * The index ends with the row id, so it provides the order, and each step starts where the last one ended. The name of
 * the owner's column is one of two.
 */
const newestOf = (column: 'organization_id' | 'developer_id') =>
  prepared((db: Db) =>
    db.$client.prepare<[Asked], AuditEventRow>(
      `SELECT ${COLUMNS} FROM audit_events
        WHERE ${column} = @owner AND timestamp >= @since AND (timestamp, rowid) < (@timestamp, @position)
        ORDER BY timestamp DESC, rowid DESC LIMIT @limit`,
    ),
  );

const oldestOfOrganization = prepared((db) =>
  db.$client.prepare<[Asked], AuditEventRow>(
    `SELECT ${COLUMNS} FROM audit_events
      WHERE organization_id = @owner AND timestamp < @before AND (timestamp, rowid) > (@timestamp, @position)
      ORDER BY timestamp, rowid LIMIT @limit`,
  ),
);

const newestOfOrganization = newestOf('organization_id');
const newestOfDeveloper = newestOf('developer_id');

/** Returns a step of a log, newest first, after a row. */
export function readNewest(app: Pick<App, 'db'>, owner: Owner, period: Period, limit: number, after?: Step) {
  const [query, id] =
    'organizationId' in owner ? [newestOfOrganization, owner.organizationId] : [newestOfDeveloper, owner.developerId];
  const start = after ?? { timestamp: period.before, position: Number.MIN_SAFE_INTEGER };
  return query(app).all({ ...period, ...start, owner: id, limit });
}

/** Returns a step of an organization's log, oldest first, after a row, for exports. */
export function readOldest(app: Pick<App, 'db'>, organizationId: string, period: Period, limit: number, after?: Step) {
  const start = after ?? { timestamp: period.since, position: Number.MIN_SAFE_INTEGER };
  return oldestOfOrganization(app).all({ ...period, ...start, owner: organizationId, limit });
}
