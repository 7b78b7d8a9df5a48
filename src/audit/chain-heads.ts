// Where the audit chains end, noted in a file beside the database. What is cut from the end of a chain leaves no gap in it, so
// it only shows by a head that was noted elsewhere. Nothing that writes the database writes this file by accident.

import { readFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Logger } from 'pino';
import { findHead, type Link, SERVICE_CHAIN } from '../core/audit-chain.ts';
import { definePart } from '../core/parts.ts';
import { type Db, prepared } from '../data/database.ts';
import { type Clock, DAY, MINUTE, timestamp } from '../lib/clock.ts';
import { type Keyring, signFields, verifyFields } from '../runtime/signing.ts';
import { listChains, listLinksAfter } from './chain-store.ts';

/** The last link of a chain. */
export interface Head extends Link {
  chain: string;
}

export interface NotedHeads {
  heads: Head[];
  /** Numbers of lines that this service did not write. */
  foreignLines: number[];
}

export interface ChainHeads {
  /** Notes the heads of the chains that have grown since the last time. */
  note(): Promise<void>;
  /** Notes once a minute. */
  start(): void;
  /** Notes for the last time, if it was started. */
  stop(): Promise<void>;
}

interface Line {
  at: string;
  /** `chain:sequence:hash` each. */
  heads: string[];
  seal: string;
}

const SEAL_PURPOSE = 'audit-noted-heads';
const HEADS_PER_LINE = 50;
const LINKS_PER_STEP = 2_000;
const CHAINS_PER_STEP = 500;
const COMPACT_EVERY_MS = DAY;

const farewellOf = prepared((db) =>
  db.$client
    .prepare<[string, string]>(
      "SELECT 1 FROM audit_events WHERE chain = ? AND event = 'deleted' AND type = 'developer' AND identifier = ?",
    )
    .pluck(),
);

const linkAt = prepared((db) =>
  db.$client
    .prepare<[string, number], string>('SELECT hash FROM audit_events WHERE chain = ? AND sequence = ?')
    .pluck(),
);

const trimmedTo = prepared((db) =>
  db.$client.prepare<[string], number>('SELECT sequence FROM audit_checkpoints WHERE chain = ?').pluck(),
);

/** Where the heads of a database are noted. */
export const headFileOf = (databaseFile: string): string => `${databaseFile}.audit-heads`;

/** A head in the form that is noted, logged and given to `taxiway verify --head`. */
export const formatHead = ({ chain, sequence, hash }: Head): string => `${chain}:${sequence}:${hash}`;

/** Reads a head in that form; undefined for anything else. */
export function parseHead(text: string): Head | undefined {
  const [, chain, sequence, hash] = /^([0-9a-z-]{1,64}):([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (chain === undefined || sequence === undefined || hash === undefined) return undefined;
  return { chain, sequence: Number(sequence), hash };
}

/**
 * Every head that was noted beside a database; undefined when none ever was. Without a keyring no line can be proven to be
 * this service's, and each is believed. A last line that a crash broke off is skipped.
 */
export function readChainHeads(databaseFile: string, keyring: Keyring | undefined): NotedHeads | undefined {
  let text: string;
  try {
    text = readFileSync(headFileOf(databaseFile), 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const heads = new Map<string, Head>();
  const foreignLines: number[] = [];
  const lines = text.split('\n');
  lines.pop();
  for (const [index, line] of lines.entries()) {
    const found = readLine(line, keyring);
    if (found === undefined) foreignLines.push(index + 1);
    for (const head of found ?? []) heads.set(formatHead(head), head);
  }
  return { heads: [...heads.values()], foreignLines };
}

function readLine(text: string, keyring: Keyring | undefined): Head[] | undefined {
  let line: Partial<Line>;
  try {
    line = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { at, heads, seal } = line;
  if (typeof at !== 'string' || typeof seal !== 'string' || !Array.isArray(heads)) return undefined;
  if (keyring !== undefined && !verifyFields(keyring, SEAL_PURPOSE, [at, ...heads.map(String)], seal)) return undefined;
  return heads.flatMap((head) => parseHead(String(head)) ?? []);
}

/** Keeps the file of one server. */
export function createChainHeads({
  db,
  keyring,
  clock,
  log,
}: {
  db: Db;
  keyring: Keyring;
  clock: Clock;
  log: Pick<Logger, 'error'>;
}): ChainHeads {
  const app = { db };
  const file = headFileOf(db.$client.name);
  /** The last link that was looked at, by the id of its row; undefined before the first look, which is at every chain. */
  let lastId: string | undefined;
  let compactedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let first: NodeJS.Immediate | undefined;
  let running: Promise<void> | undefined;

  function formatLines(heads: readonly Head[]): string {
    const at = timestamp(clock.now().getTime());
    const lines: string[] = [];
    for (let from = 0; from < heads.length; from += HEADS_PER_LINE) {
      const part = heads.slice(from, from + HEADS_PER_LINE).map(formatHead);
      const line: Line = { at, heads: part, seal: signFields(keyring, SEAL_PURPOSE, [at, ...part]) };
      lines.push(`${JSON.stringify(line)}\n`);
    }
    return lines.join('');
  }

  async function write(path: string, flags: 'a' | 'w', heads: readonly Head[]): Promise<void> {
    const handle = await open(path, flags, 0o600);
    try {
      await handle.appendFile(formatLines(heads));
      await handle.datasync();
    } finally {
      await handle.close();
    }
  }

  async function listGrown(after: string): Promise<Head[]> {
    const heads = new Map<string, Head>();
    let id = after;
    for (let links = listLinksAfter(app, id, LINKS_PER_STEP); links.length > 0; ) {
      // In the order of writing a later link replaces an earlier one.
      for (const { chain, sequence, hash } of links) heads.set(chain, { chain, sequence, hash });
      id = links.at(-1)?.id ?? id;
      if (links.length < LINKS_PER_STEP) break;
      await yieldToOthers();
      links = listLinksAfter(app, id, LINKS_PER_STEP);
    }
    lastId = id;
    return [...heads.values()];
  }

  async function listAll(): Promise<Head[]> {
    const heads: Head[] = [];
    for (const chain of listChains(app)) {
      heads.push({ chain, ...findHead(app, chain) });
      if (heads.length % CHAINS_PER_STEP === 0) await yieldToOthers();
    }
    return heads;
  }

  /**
   * Looks at every chain, and writes the file again with the last head of each. Heads that are no longer in their chain stay:
   * they are what `taxiway verify` has to see. Those of deleted accounts go.
   */
  async function compact(): Promise<void> {
    const newest = db.$client.prepare<[], string | null>('SELECT max(id) FROM audit_events').pluck().get() ?? '';
    const known = await listAll();
    const currentOf = new Map(known.map((head) => [head.chain, head]));
    const kept = new Map(known.map((head) => [formatHead(head), head]));
    let cut = 0;
    const { heads: noted = [], foreignLines = [] } = readChainHeads(db.$client.name, keyring) ?? {};
    if (foreignLines.length > 0) log.error({ file, lines: foreignLines }, 'noted audit heads were changed');
    for (const head of noted) {
      const current = currentOf.get(head.chain);
      if (current !== undefined && isInChain(head, current)) continue;
      if (farewellOf(app).get(SERVICE_CHAIN, head.chain) !== undefined) continue;
      kept.set(formatHead(head), head);
      cut += 1;
    }
    if (cut > 0) log.error({ heads: cut }, 'audit trail has lost events: run "taxiway verify"');
    const aside = `${file}.part`;
    await rm(aside, { force: true });
    await write(aside, 'w', [...kept.values()]);
    await rename(aside, file);
    lastId = newest;
    compactedAt = clock.now().getTime();
  }

  /** Whether a chain still has a link that it had, or retention has passed it. */
  function isInChain(head: Head, current: Head): boolean {
    if (head.sequence > current.sequence) return false;
    const hash = linkAt(app).get(head.chain, head.sequence);
    const trimmed = trimmedTo(app).get(head.chain) ?? 0;
    return hash === undefined ? head.sequence <= trimmed : hash === head.hash;
  }

  async function noteOnce(): Promise<void> {
    try {
      if (lastId === undefined || Math.abs(clock.now().getTime() - compactedAt) >= COMPACT_EVERY_MS) {
        await compact();
        return;
      }
      const grown = await listGrown(lastId);
      if (grown.length > 0) await write(file, 'a', grown);
    } catch (error) {
      log.error({ err: error }, 'audit trail heads not noted');
    }
  }

  function note(): Promise<void> {
    running ??= noteOnce().finally(() => {
      running = undefined;
    });
    return running;
  }

  return {
    note,
    start() {
      timer = setInterval(note, MINUTE).unref();
      first = setImmediate(note);
    },
    async stop() {
      if (timer === undefined) return;
      clearInterval(timer);
      clearImmediate(first);
      timer = undefined;
      await running;
      await note();
    },
  };
}

/** Notes where the audit chains of one server end. */
export const auditHeadsOf = definePart<ChainHeads>({
  open: ({ db, secrets, clock, log }) => createChainHeads({ db, keyring: secrets.keyring, clock, log }),
  start: (keeper) => keeper.start(),
  close: (keeper) => keeper.stop(),
});
