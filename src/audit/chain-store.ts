// Queries for the links of the audit chains: reading them and deleting the oldest.

import type { Checkpoint, Link } from '../core/audit-chain.ts';
import type { App, Tx } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import type { Tier } from '../lib/tiers.ts';

type Db = Pick<App, 'db'>;

const chainAfter = prepared((db) =>
  db.$client.prepare<[string], string>('SELECT chain FROM audit_events WHERE chain > ? ORDER BY chain LIMIT 1').pluck(),
);

const oldestLinks = prepared((db) =>
  db.$client.prepare<[string, number], Link & { timestamp: number }>(
    'SELECT sequence, hash, timestamp FROM audit_events WHERE chain = ? ORDER BY sequence LIMIT ?',
  ),
);

const linksById = prepared((db) =>
  db.$client.prepare<[string, number], Link & { id: string; chain: string }>(
    'SELECT id, chain, sequence, hash FROM audit_events WHERE id > ? ORDER BY id LIMIT ?',
  ),
);

const deleteThrough = prepared((db) =>
  db.$client.prepare<[string, number]>('DELETE FROM audit_events WHERE chain = ? AND sequence <= ?'),
);

const writeCheckpoint = prepared((db) =>
  db.$client.prepare<[Checkpoint]>(
    `INSERT INTO audit_checkpoints (chain, sequence, hash, trimmed_at, seal) VALUES (@chain, @sequence, @hash, @trimmedAt, @seal)
      ON CONFLICT (chain) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash,
        trimmed_at = excluded.trimmed_at, seal = excluded.seal`,
  ),
);

const checkpointsAfter = prepared((db) =>
  db.$client.prepare<[string, number], Checkpoint>(
    `SELECT chain, sequence, hash, trimmed_at AS trimmedAt, seal FROM audit_checkpoints WHERE chain > ?
      ORDER BY chain LIMIT ?`,
  ),
);

const tierOf = prepared((db) =>
  db.$client.prepare<[string], Tier>('SELECT tier FROM organizations WHERE id = ?').pluck(),
);

/** Returns all chains with rows, in order. Each is found with one index lookup. */
export function* listChains(app: Db): Generator<string> {
  for (let chain = chainAfter(app).get(''); chain !== undefined; chain = chainAfter(app).get(chain)) yield chain;
}

/** Returns the tier of a chain's organization, or undefined for other chains and deleted organizations. */
export function findTierOfChain(app: Db, chain: string): Tier | undefined {
  return tierOf(app).get(chain);
}

/** Returns the first links of a chain. */
export function listOldestLinks(app: Db, chain: string, limit: number) {
  return oldestLinks(app).all(chain, limit);
}

/** Returns links of all chains in the order of writing, after an id. */
export function listLinksAfter(app: Db, id: string, limit: number) {
  return linksById(app).all(id, limit);
}

/** Returns the checkpoints after a chain, in order. */
export function listCheckpointsAfter(app: Db, chain: string, limit: number): Checkpoint[] {
  return checkpointsAfter(app).all(chain, limit);
}

/** Writes a checkpoint of a chain. */
export function saveCheckpoint(tx: Tx, point: Checkpoint): void {
  writeCheckpoint(tx).run(point);
}

/** Deletes everything up to a link. The checkpoint replaces it. */
export function trimChain(tx: Tx, point: Checkpoint): void {
  deleteThrough(tx).run(point.chain, point.sequence);
  saveCheckpoint(tx, point);
}
