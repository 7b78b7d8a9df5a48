// Amounts set aside until what they are for has happened.
import { and, eq } from 'drizzle-orm';
import type { Tx } from '../core/context.ts';
import { reservations } from '../data/tables/tables.ts';
import { DAY } from '../lib/clock.ts';

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

export function reserveRefund(tx: Tx, { organizationId, amountCents, ...details }: RefundRequest): string {
  const id = tx.ids.next();
  tx.db
    .insert(reservations)
    .values({
      id,
      organizationId,
      kind: 'refund',
      subjectId: id,
      amountUcents: amountCents * 1_000_000,
      details: JSON.stringify(details),
      expiresAt: tx.now + 60 * DAY,
    })
    .run();
  return id;
}

export function releaseReservation(tx: Tx, id: string): void {
  tx.db.delete(reservations).where(eq(reservations.id, id)).run();
}

export function findReservation({ db }: Pick<Tx, 'db'>, kind: 'refund', subjectId: string) {
  const row = db
    .select()
    .from(reservations)
    .where(and(eq(reservations.kind, kind), eq(reservations.subjectId, subjectId)))
    .get();
  if (row === undefined) return undefined;
  const details = JSON.parse(row.details ?? '{}') as Omit<RefundRequest, 'organizationId' | 'amountCents'>;
  return { id: row.id, organizationId: row.organizationId, amountCents: row.amountUcents / 1_000_000, ...details };
}
