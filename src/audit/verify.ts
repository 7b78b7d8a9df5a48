// Verifies the audit chains of a database: all rows exist in order, and each is linked to the one before.
import type Sqlite from 'better-sqlite3';
import {
  type AuditContent,
  type Checkpoint,
  chainStart,
  hashRow,
  isSealed,
  type Link,
  SERVICE_CHAIN,
} from '../core/audit-chain.ts';
import type { Keyring } from '../runtime/signing.ts';
import type { Head, NotedHeads } from './chain-heads.ts';

/** A problem with its chain, position and row. */
interface AuditProblem {
  chain: string;
  sequence: number;
  /** Id of the row at this position; null if there is none. */
  id: string | null;
  /** Null if there is no row, or if its time is invalid. */
  timestamp: string | null;
  problem: 'altered' | 'removed' | 'inserted';
  text: string;
}

export interface AuditVerdict {
  rows: number;
  heads: Head[];
  problems: AuditProblem[];
  /** Number of problems that aren't listed. */
  unlisted: number;
}

type Row = AuditContent & Head;

const MAX_LISTED = 1_000;

const ROWS = `SELECT id, organization_id AS organizationId, developer_id AS developerId, timestamp, event, type, identifier,
    actor_kind AS actorKind, actor_id AS actorId, actor_name AS actorName, ip_address AS ipAddress, details, chain,
    sequence, hash FROM audit_events WHERE chain = ? ORDER BY sequence`;

/** The first event of a chain is the creation of its organization or account, so each of them has a chain. */
const CHAINS = `SELECT chain FROM audit_events UNION SELECT chain FROM audit_checkpoints
  UNION SELECT id FROM organizations UNION SELECT id FROM developers ORDER BY 1`;

/**
 * Verifies all chains. A modified, inserted or moved row doesn't match the one before; a deleted row leaves a gap.
 * `noted` are heads from the log or a backup, `kept` those saved beside the database: rows deleted from the end can
 * only be detected by them.
 * Without a keyring, checkpoints can't be verified as written by retention, so all are reported. Only reads.
 */
export function verifyAuditTrail(
  client: Sqlite.Database,
  keyring: Keyring | undefined,
  noted: readonly Head[] = [],
  kept?: NotedHeads,
): AuditVerdict {
  const verdict: AuditVerdict = { rows: 0, heads: [], problems: [], unlisted: 0 };
  const tell = (problem: AuditProblem): void => {
    if (verdict.problems.length >= MAX_LISTED) verdict.unlisted += 1;
    else verdict.problems.push(problem);
  };
  client.transaction(() => {
    for (const chain of client.prepare<[], string>(CHAINS).pluck().all()) {
      const { head, rows } = verifyChain(client, keyring, chain, tell);
      verdict.rows += rows;
      verdict.heads.push({ chain, sequence: head.sequence, hash: head.hash });
    }
    for (const head of [...noted, ...(kept?.heads ?? [])]) judgeNotedHead(client, head, tell);
    for (const line of kept?.foreignLines ?? []) tell(foreign(line));
  })();
  return verdict;
}

type Tell = (problem: AuditProblem) => void;

function verifyChain(
  client: Sqlite.Database,
  keyring: Keyring | undefined,
  chain: string,
  tell: Tell,
): { head: Link; rows: number } {
  const point = findCheckpoint(client, chain);
  if (point !== undefined && (keyring === undefined || !isSealed(keyring, point))) {
    const doubt = "without the secret key it can't be verified whether retention deleted the rows up to here";
    const text = keyring === undefined ? doubt : "the rows up to here weren't deleted by retention";
    tell(missing(chain, point.sequence, text));
  }
  const start = point ?? chainStart(chain);
  let last: Link = start;
  let rows = 0;
  for (const row of client.prepare<[string], Row>(ROWS).iterate(chain)) {
    rows += 1;
    if (row.sequence <= last.sequence) {
      tell(wrong(row, 'inserted', 'the row is before the beginning of the chain'));
      continue;
    }
    if (row.sequence > last.sequence + 1) {
      const [first, final] = [last.sequence + 1, row.sequence - 1];
      tell(missing(chain, first, first === final ? 'the row is missing' : `rows ${first} to ${final} are missing`));
    } else if (hashRow(last.hash, chain, row.sequence, row) !== row.hash) {
      tell(wrong(row, 'altered', "the row doesn't match the one before it: it was altered, inserted or moved"));
    }
    last = row;
  }
  if (rows === 0 && point === undefined) tell(missing(chain, 1, 'the whole chain is missing'));
  return { head: last, rows };
}

/**
 * Checks that a saved head is still in the chain, unless retention has deleted it or its owner's account was deleted.
 */
function judgeNotedHead(client: Sqlite.Database, { chain, sequence, hash }: Head, tell: Tell): void {
  const point = findCheckpoint(client, chain);
  const row = client
    .prepare<[string, number], Row>(
      `SELECT id, timestamp, hash, chain, sequence FROM audit_events WHERE chain = ? AND sequence = ?`,
    )
    .get(chain, sequence);
  const found = row ?? (point?.sequence === sequence ? point : undefined);
  if (found?.hash === hash || (point !== undefined && sequence < point.sequence)) return;
  if (found === undefined && isOfDeletedAccount(client, chain)) return;
  const text = `the chain had a row with the hash ${hash} here when its head was saved`;
  tell(row === undefined ? missing(chain, sequence, text) : wrong(row, 'altered', text));
}

/** A deleted account removes its chain and leaves one event in the service's own. */
function isOfDeletedAccount(client: Sqlite.Database, chain: string): boolean {
  const farewell = client.prepare(
    "SELECT 1 FROM audit_events WHERE chain = ? AND event = 'deleted' AND type = 'developer' AND identifier = ?",
  );
  return farewell.get(SERVICE_CHAIN, chain) !== undefined;
}

function findCheckpoint(client: Sqlite.Database, chain: string): Checkpoint | undefined {
  return client
    .prepare<[string], Checkpoint>(
      'SELECT chain, sequence, hash, trimmed_at AS trimmedAt, seal FROM audit_checkpoints WHERE chain = ?',
    )
    .get(chain);
}

/** A line of the saved heads that this service didn't write or that was modified. */
function foreign(line: number): AuditProblem {
  const text = `line ${line} of the saved heads wasn't written by this service or was modified`;
  return { chain: 'noted-heads', sequence: line, id: null, timestamp: null, problem: 'altered', text };
}

function missing(chain: string, sequence: number, text: string): AuditProblem {
  return { chain, sequence, id: null, timestamp: null, problem: 'removed', text };
}

function wrong(
  row: Pick<Row, 'chain' | 'sequence' | 'id' | 'timestamp'>,
  problem: 'altered' | 'inserted',
  text: string,
) {
  const { chain, sequence, id } = row;
  return { chain, sequence, id, timestamp: writeTime(row.timestamp), problem, text };
}

/** Returns null for times outside of the calendar, which a modified row may contain. */
function writeTime(timestamp: number): string | null {
  const date = new Date(timestamp);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
