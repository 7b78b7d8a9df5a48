// The hash chains of the audit trail: every row is bound to the one before it, so that a row which is altered, removed,
// inserted or moved behind the program's back shows.
import { hash } from 'node:crypto';
import type { Db } from '../data/database.ts';
import { prepared } from '../data/database.ts';
import { type Keyring, signFields, verifyFields } from '../runtime/signing.ts';

/** The chain of what belongs neither to an organization nor to a developer. */
export const SERVICE_CHAIN = 'service';

/** The part of an audit row that its hash covers beside its place. */
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

/** A link: its place in the chain, from 1 on, and its hash. Link 0 stands before the first row. */
export interface Link {
  sequence: number;
  hash: string;
}

export interface Checkpoint extends Link {
  chain: string;
  trimmedAt: number;
  seal: string;
}

const FORM = 'taxiway audit row 1';
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

/** The chain that a row belongs to. */
export function chainOf({ organizationId, developerId }: Pick<AuditContent, 'organizationId' | 'developerId'>): string {
  return organizationId ?? developerId ?? SERVICE_CHAIN;
}

/** What stands before the first row of a chain. */
export function chainStart(chain: string): Link {
  return { sequence: 0, hash: hash('sha256', `taxiway audit chain ${chain}`) };
}

/** Where retention has cut the chain; undefined when it never did. */
function findCheckpoint(ctx: { db: Db }, chain: string): Checkpoint | undefined {
  return checkpointOf(ctx).get(chain);
}

/** The link that the next row of a chain is bound to. */
export function findHead(ctx: { db: Db }, chain: string): Link {
  return lastRow(ctx).get(chain) ?? findCheckpoint(ctx, chain) ?? chainStart(chain);
}

/** The hash of a row, in hex: SHA-256 over the link before it and its fields, each behind its length in bytes; null has none. */
export function hashRow(previous: string, chain: string, sequence: number, row: AuditContent): string {
  const fields = [
    FORM,
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
  // Without an object of its own, which each collection of garbage would have to look at.
  return hash('sha256', text);
}

/** The signature of a checkpoint. */
export function sealCheckpoint(keyring: Keyring, point: Omit<Checkpoint, 'seal'>): string {
  return signFields(keyring, SEAL_PURPOSE, sealedFields(point));
}

/** Whether this service made the checkpoint, with the key it has now or had before. */
export function isSealed(keyring: Keyring, point: Checkpoint): boolean {
  return verifyFields(keyring, SEAL_PURPOSE, sealedFields(point), point.seal);
}

function sealedFields({ chain, sequence, hash, trimmedAt }: Omit<Checkpoint, 'seal'>): string[] {
  return [chain, String(sequence), hash, String(trimmedAt)];
}
