// Checks the audit chains of a database: every row in its place, bound to the one before it, none missing.
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

/** What is wrong, and where: in which chain, at which place, at which row. */
export interface AuditProblem {
  chain: string;
  sequence: number;
  /** Id of the row that stands there; null where there is none. */
  id: string | null;
  /** Null where there is no row, and where its time is none. */
  timestamp: string | null;
  problem: 'altered' | 'removed' | 'inserted';
  text: string;
}

export interface AuditVerdict {
  rows: number;
  heads: Head[];
  problems: AuditProblem[];
  /** Problems beyond those that are listed. */
  unlisted: number;
}

type Row = AuditContent & Head;

const MOST_LISTED = 1_000;

const ROWS = `SELECT id, organization_id AS organizationId, developer_id AS developerId, timestamp, event, type, identifier,
    actor_kind AS actorKind, actor_id AS actorId, actor_name AS actorName, ip_address AS ipAddress, details, chain,
    sequence, hash FROM audit_events WHERE chain = ? ORDER BY sequence`;

/** Making an organization or an account is the first event of its chain, so a chain is there for each. */
const CHAINS = `SELECT chain FROM audit_events UNION SELECT chain FROM audit_checkpoints
  UNION SELECT id FROM organizations UNION SELECT id FROM developers ORDER BY 1`;

/**
 * Walks over all chains. A row that was changed, put in or moved does not follow from the one before it; one that was taken
 * away leaves a gap. `noted` are heads from the log or a backup, `kept` those noted beside the database: rows that were taken
 * from the end show by them alone.
 * Without a keyring no checkpoint can be proven to be retention's, and each is told of. Reads only.
 */
export function verifyAuditTrail(
  client: Sqlite.Database,
  keyring: Keyring | undefined,
  noted: readonly Head[] = [],
  kept?: NotedHeads,
): AuditVerdict {
  const verdict: AuditVerdict = { rows: 0, heads: [], problems: [], unlisted: 0 };
  const tell = (problem: AuditProblem): void => {
    if (verdict.problems.length >= MOST_LISTED) verdict.unlisted += 1;
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
    const doubt = 'without the secret key nobody can tell whether retention removed what stood here and before';
    const text = keyring === undefined ? doubt : 'what stood here and before was not removed by retention';
    tell(missing(chain, point.sequence, text));
  }
  const start = point ?? chainStart(chain);
  let last: Link = start;
  let rows = 0;
  for (const row of client.prepare<[string], Row>(ROWS).iterate(chain)) {
    rows += 1;
    if (row.sequence <= last.sequence) {
      tell(wrong(row, 'inserted', 'the row stands before the beginning of the chain'));
      continue;
    }
    if (row.sequence > last.sequence + 1) {
      const [first, final] = [last.sequence + 1, row.sequence - 1];
      tell(missing(chain, first, first === final ? 'the row is missing' : `rows ${first} to ${final} are missing`));
    } else if (hashRow(last.hash, chain, row.sequence, row) !== row.hash) {
      tell(wrong(row, 'altered', 'the row does not follow from the one before it: it was altered, inserted or moved'));
    }
    last = row;
  }
  if (rows === 0 && point === undefined) tell(missing(chain, 1, 'the whole chain is missing'));
  return { head: last, rows };
}

/** A head that was noted must still be in the chain, unless retention has reached it or its owner's account was deleted. */
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
  const text = `the chain had a row with the hash ${hash} here when its head was noted`;
  tell(row === undefined ? missing(chain, sequence, text) : wrong(row, 'altered', text));
}

/** An account takes its own chain with it, and leaves one event in the service's. */
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

/** A line of the noted heads that this service did not write, or that was changed since. */
function foreign(line: number): AuditProblem {
  const text = `line ${line} of the noted heads was not written by this service, or was changed`;
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

/** Null for what an altered row can hold and no calendar has. */
function writeTime(timestamp: number): string | null {
  const date = new Date(timestamp);
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}
