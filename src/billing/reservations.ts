// Amounts set aside until what they are for has happened. A row is found by its key: organization, kind, expiry and subject.
import type { Context, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { SUMS_AT } from '../data/tables/tables.ts';
import { DAY } from '../lib/clock.ts';
import { UCENTS } from './costs.ts';

/** What the operator asked for. */
export interface RefundRequest {
  organizationId: string;
  /** Taken off the balance. */
  amountCents: number;
  /** Withheld; the rest is paid back. */
  feeCents: number | null;
  operatorName: string;
  note: string | null;
}

interface Reservation {
  organizationId: string;
  expiresAt: number;
  kind: 'upload' | 'download' | 'refund';
  subjectId: string;
  ucents: bigint;
  details?: string;
}

const insertReservation = prepared((db) =>
  db.$client.prepare<[string, Reservation['kind'], number, string, bigint, string | null]>(
    `INSERT INTO reservations (organization_id, kind, expires_at, subject_id, amount_ucents, details)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET amount_ucents = excluded.amount_ucents, expires_at = excluded.expires_at`,
  ),
);

const RANDOM_PART = 19;

/** Returns an id for the reservation of a link: the 62 random bits of a UUID, because every link contains and stores it. */
export function newReservationId({ ids }: Pick<Context, 'ids'>): string {
  return ids.next().slice(RANDOM_PART);
}

/** Adds a reservation, or changes the amount and the expiry of one for the same upload. */
export function addReservation(tx: Tx, reservation: Reservation): void {
  const { organizationId, expiresAt, kind, subjectId, ucents, details = null } = reservation;
  insertReservation(tx).run(organizationId, kind, expiresAt, subjectId, ucents, details);
}

const takeOff = prepared((db) =>
  db.$client.prepare<[bigint, string, number, string]>(
    `UPDATE reservations SET amount_ucents = max(0, amount_ucents - ?)
      WHERE organization_id = +? AND kind = 'download' AND expires_at = +? AND subject_id = +?`,
  ),
);

/** Takes what a download cost off its reservation, down to 0. */
export function takeOffReservation(
  tx: Tx,
  { organizationId, expiresAt, subjectId }: Pick<Reservation, 'organizationId' | 'expiresAt' | 'subjectId'>,
  ucents: bigint,
): void {
  takeOff(tx).run(ucents, organizationId, expiresAt, subjectId);
}

// The first condition is the one of the index.
const deleteOne = prepared((db) =>
  db.$client.prepare<[string, string]>(
    "DELETE FROM reservations WHERE kind <> 'download' AND kind = +? AND subject_id = +?",
  ),
);

/** Deletes the reservation of an upload or a refund. */
export function releaseReservation(tx: Tx, kind: 'upload' | 'refund', subjectId: string): void {
  deleteOne(tx).run(kind, subjectId);
}

/** Reserves the amount of a refund for 60 days, in which the payment provider decides. Returns the id of the reservation. */
export function reserveRefund(tx: Tx, { organizationId, amountCents, ...details }: RefundRequest): string {
  const id = tx.ids.next();
  addReservation(tx, {
    organizationId,
    expiresAt: tx.now + 60 * DAY,
    kind: 'refund',
    subjectId: id,
    ucents: BigInt(amountCents) * UCENTS,
    details: JSON.stringify(details),
  });
  return id;
}

const refundRow = prepared((db) =>
  db.$client.prepare<[string], { organizationId: string; amountUcents: number; details: string | null }>(
    `SELECT organization_id AS organizationId, amount_ucents AS amountUcents, details FROM reservations
      WHERE kind <> 'download' AND kind = 'refund' AND subject_id = ?`,
  ),
);

/** Returns a refund that was asked for and is neither approved nor rejected. */
export function findRefund(app: Pick<Context, 'db'>, id: string) {
  const row = refundRow(app).get(id);
  if (row === undefined) return undefined;
  const details = JSON.parse(row.details ?? '{}') as Omit<RefundRequest, 'organizationId' | 'amountCents'>;
  return { id, organizationId: row.organizationId, amountCents: row.amountUcents / Number(UCENTS), ...details };
}

const refundSum = prepared((db) =>
  db.$client
    .prepare<[string], number>(
      `SELECT amount_ucents FROM reservations WHERE organization_id = ? AND kind = 'refund' AND expires_at = ${SUMS_AT}`,
    )
    .pluck(),
);

/** Returns the cents of an organization's refunds that are neither approved nor rejected. */
export function sumRefunds(tx: Tx, organizationId: string): number {
  return (refundSum(tx).get(organizationId) ?? 0) / Number(UCENTS);
}

/** Refunds outlast their expiry, because the provider may still approve them. */
const expired = `SELECT organization_id, kind, expires_at, subject_id FROM reservations
  WHERE organization_id = ? AND kind IN ('download', 'upload') AND expires_at <= ?`;

const deleteExpiredRows = prepared((db) =>
  db.$client.prepare<[string, number, number]>(
    `DELETE FROM reservations WHERE (organization_id, kind, expires_at, subject_id) IN (${expired} LIMIT ?)`,
  ),
);

/** Deletes up to `limit` expired reservations of an organization. Returns the number deleted. */
export function deleteExpired(tx: Tx, organizationId: string, limit: number): number {
  return deleteExpiredRows(tx).run(organizationId, tx.now, limit).changes;
}

const organizationsAfter = prepared((db) =>
  db.$client.prepare<[number, string, number], { id: string; hasExpired: 0 | 1 }>(
    `SELECT a.organization_id AS id, EXISTS (${expired.replace('= ?', '= a.organization_id')}) AS hasExpired
      FROM billing_accounts a WHERE a.organization_id > ? ORDER BY a.organization_id LIMIT ?`,
  ),
);

/** Returns up to `limit` organizations with an account after another one, and whether they have expired reservations. */
export function listReserving(tx: Tx, after: string, limit: number): { id: string; hasExpired: boolean }[] {
  return organizationsAfter(tx)
    .all(tx.now, after, limit)
    .map(({ id, hasExpired }) => ({ id, hasExpired: hasExpired === 1 }));
}
