// The hash chains of the audit trail: each row's hash covers the row before it, so that rows that were changed, deleted,
// inserted or moved in the database are detected.
import { hash } from 'node:crypto';
import type { Db } from '../data/database.ts';
import { prepared } from '../data/database.ts';
import { type Keyring, signFields, verifyFields } from '../runtime/signing.ts';

/** The chain of events that belong to no organization and no developer. */
export const SERVICE_CHAIN = 'service';

/** The fields of an audit row that its hash covers, apart from its position. */
export interface AuditContent {
  id: string;
  organizationId: string | null;
  developerId: string | null;
  timestamp: number;
  event: string;
  type: string;
  identifier: string;
  actorKind: string;
  actorId: string | null;
  actorName: string | null;
  ipAddress: string | null;
  details: string;
}

/** A link: its position in the chain, from 1, and its hash. Link 0 precedes the first row. */
export interface Link {
  sequence: number;
  hash: string;
}

export interface Checkpoint extends Link {
  chain: string;
  trimmedAt: number;
  seal: string;
}

const FORMAT = 'taxiway audit row 1';
const SEAL_PURPOSE = 'audit-checkpoint';

const lastRow = prepared((db) =>
  db.$client.prepare<[string], Link>(
    'SELECT sequence, hash FROM audit_events WHERE chain = ? ORDER BY sequence DESC LIMIT 1',
  ),
);

const checkpointOf = prepared((db) =>
  db.$client.prepare<[string], Checkpoint>(
    'SELECT chain, sequence, hash, trimmed_at AS trimmedAt, seal FROM audit_checkpoints WHERE chain = ?',
  ),
);

/** Returns the chain of a row. */
export function chainOf({ organizationId, developerId }: Pick<AuditContent, 'organizationId' | 'developerId'>): string {
  return organizationId ?? developerId ?? SERVICE_CHAIN;
}

/** Returns the link before the first row of a chain. */
export function chainStart(chain: string): Link {
  return { sequence: 0, hash: hash('sha256', `taxiway audit chain ${chain}`) };
}

/** Returns where retention has cut the chain, or undefined if it hasn't. */
function findCheckpoint(ctx: { db: Db }, chain: string): Checkpoint | undefined {
  return checkpointOf(ctx).get(chain);
}

/** Returns the last link of a chain, which the next row's hash covers. */
export function findHead(ctx: { db: Db }, chain: string): Link {
  return lastRow(ctx).get(chain) ?? findCheckpoint(ctx, chain) ?? chainStart(chain);
}

/** Returns a row's hash in hex: SHA-256 over the previous hash and its fields, each prefixed with its length in bytes; null has none. */
export function hashRow(previous: string, chain: string, sequence: number, row: AuditContent): string {
  const fields = [
    FORMAT,
    previous,
    chain,
    String(sequence),
    row.id,
    row.organizationId,
    row.developerId,
    String(row.timestamp),
    row.event,
    row.type,
    row.identifier,
    row.actorKind,
    row.actorId,
    row.actorName,
    row.ipAddress,
    row.details,
  ];
  let text = '';
  for (const field of fields) text += field === null ? '-;' : `${Buffer.byteLength(field)}:${field};`;
  // Creates no hash object, which would add work to each garbage collection.
  return hash('sha256', text);
}

/** Signs a checkpoint. */
export function sealCheckpoint(keyring: Keyring, point: Omit<Checkpoint, 'seal'>): string {
  return signFields(keyring, SEAL_PURPOSE, sealedFields(point));
}

/** Whether this service signed the checkpoint, with its current or a previous key. */
export function isSealed(keyring: Keyring, point: Checkpoint): boolean {
  return verifyFields(keyring, SEAL_PURPOSE, sealedFields(point), point.seal);
}

function sealedFields({ chain, sequence, hash, trimmedAt }: Omit<Checkpoint, 'seal'>): string[] {
  return [chain, String(sequence), hash, String(trimmedAt)];
}
