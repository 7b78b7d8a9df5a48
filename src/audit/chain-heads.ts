// The heads of the audit chains, saved in a file beside the database. Rows deleted from the end of a chain leave no
// gap, so they only show by comparison with a head saved elsewhere. Nothing that writes the database writes this file
// by accident.

import { appendFileSync, readFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { Logger } from 'pino';
import { findHead, type Link, SERVICE_CHAIN } from '../core/audit-chain.ts';
import { definePart } from '../core/parts.ts';
import { type Db, prepared } from '../data/database.ts';
import { type Clock, DAY, MINUTE, timestamp } from '../lib/clock.ts';
import { writeAside } from '../lib/durable-file.ts';
import { codeOf } from '../lib/error-code.ts';
import { createStepRows } from '../lib/step-rows.ts';
import { startSteps } from '../lib/steps.ts';
import { giveToOwnerOf } from '../runtime/data-owner.ts';
import { type Keyring, signFields, verifyFields } from '../runtime/signing.ts';
import { listChains, listLinksAfter } from './chain-store.ts';

/** The last link of a chain. */
export interface Head extends Link {
  chain: string;
}

export interface NotedHeads {
  heads: Head[];
  /** Numbers of lines that this service didn't write. */
  foreignLines: number[];
}

export interface ChainHeads {
  /** Saves the heads of the chains that have grown since the last time. */
  note(): Promise<void>;
  /** Saves the heads once a minute. */
  start(): void;
  /** Saves the heads for the last time, if it was started. */
  stop(): Promise<void>;
}

interface Line {
  at: string;
  /** `chain:sequence:hash` each. */
  heads: readonly string[];
  seal: string;
}

const SEAL_PURPOSE = 'audit-noted-heads';
const HEADS_PER_LINE = 50;
const LINKS = { min: 100, max: 1_600 };
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

/** Returns the file for the heads of a database. */
export const headFileOf = (databaseFile: string): string => `${databaseFile}.audit-heads`;

/** Returns a head in the form used in the file, in logs and for `taxiway verify --head`. */
const formatHead = ({ chain, sequence, hash }: Head): string => `${chain}:${sequence}:${hash}`;

/** Parses a head. Returns undefined for anything else. */
export function parseHead(text: string): Head | undefined {
  const [, chain, sequence, hash] = /^([0-9a-z-]{1,64}):([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (chain === undefined || sequence === undefined || hash === undefined) return undefined;
  return { chain, sequence: Number(sequence), hash };
}

/**
 * Returns all heads saved beside a database, or undefined if none ever was. Without a keyring all lines are accepted,
 * because they can't be verified. A last line left incomplete by a crash is skipped.
 */
export function readChainHeads(databaseFile: string, keyring: Keyring | undefined): NotedHeads | undefined {
  const lines = readLines(databaseFile);
  if (lines === undefined) return undefined;
  const noted = new NotedLines(keyring);
  for (const line of lines) noted.add(line);
  return noted.result();
}

/** Returns the complete lines of the file beside a database, or undefined if there is none. */
function readLines(databaseFile: string): string[] | undefined {
  try {
    return readFileSync(headFileOf(databaseFile), 'utf8').split('\n').slice(0, -1);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The heads of the lines so far. */
class NotedLines {
  readonly #heads = new Map<string, Head>();
  readonly #foreignLines: number[] = [];
  readonly #keyring: Keyring | undefined;
  #count = 0;

  constructor(keyring: Keyring | undefined) {
    this.#keyring = keyring;
  }

  add(line: string): void {
    this.#count += 1;
    const found = readLine(line, this.#keyring);
    if (found === undefined) this.#foreignLines.push(this.#count);
    for (const head of found ?? []) this.#heads.set(formatHead(head), head);
  }

  result(): NotedHeads {
    return { heads: [...this.#heads.values()], foreignLines: this.#foreignLines };
  }
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

/**
 * Signs the saved heads with the current key of a ring. Lines that no key of it signed stay as they are, so that `taxiway verify` still
 * reports them.
 */
export function resealChainHeads(databaseFile: string, keyring: Keyring): void {
  const lines = readLines(databaseFile);
  if (lines === undefined) return;
  const file = headFileOf(databaseFile);
  writeAside(file, (aside) => {
    for (const text of lines) {
      const isOurs = readLine(text, keyring) !== undefined;
      const { at, heads }: Line = isOurs ? JSON.parse(text) : { at: '', heads: [] };
      appendFileSync(aside, isOurs ? writeLine(keyring, at, heads) : `${text}\n`);
    }
    giveToOwnerOf(file, aside);
  });
}

function writeLine(keyring: Keyring, at: string, heads: readonly string[]): string {
  const line: Line = { at, heads, seal: signFields(keyring, SEAL_PURPOSE, [at, ...heads]) };
  return `${JSON.stringify(line)}\n`;
}

/** Creates the writer of a server's file. */
function createChainHeads({
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
  /** Id of the last row read; undefined before the first run, which reads all chains. */
  let lastId: string | undefined;
  let compactedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let first: NodeJS.Immediate | undefined;
  let running: Promise<void> | undefined;

  async function formatLines(heads: readonly Head[]): Promise<string> {
    const at = timestamp(clock.time());
    const step = startSteps();
    const lines: string[] = [];
    for (let from = 0; from < heads.length; from += HEADS_PER_LINE) {
      const part = heads.slice(from, from + HEADS_PER_LINE).map(formatHead);
      lines.push(writeLine(keyring, at, part));
      await step();
    }
    return lines.join('');
  }

  async function write(path: string, flags: 'a' | 'w', heads: readonly Head[]): Promise<void> {
    const lines = await formatLines(heads);
    // A power cut must not undo the rows that they name.
    await db.durability.settle();
    const handle = await open(path, flags, 0o600);
    try {
      await handle.appendFile(lines);
      await handle.datasync();
    } finally {
      await handle.close();
    }
  }

  async function listGrown(after: string): Promise<Head[]> {
    const heads = new Map<string, Head>();
    const steps = createStepRows(LINKS);
    let id = after;
    for (let isMore = true; isMore; await yieldToOthers()) {
      steps.take((rows) => {
        const links = listLinksAfter(app, id, rows);
        // Rows are in the order of writing, so later links replace earlier ones.
        for (const { chain, sequence, hash } of links) heads.set(chain, { chain, sequence, hash });
        id = links.at(-1)?.id ?? id;
        isMore = links.length === rows;
      });
    }
    lastId = id;
    return [...heads.values()];
  }

  async function listAll(): Promise<Head[]> {
    const step = startSteps();
    const heads: Head[] = [];
    for (const chain of listChains(app)) {
      heads.push({ chain, ...findHead(app, chain) });
      await step();
    }
    return heads;
  }

  async function readNoted(): Promise<NotedHeads> {
    const step = startSteps();
    const noted = new NotedLines(keyring);
    for (const line of readLines(db.$client.name) ?? []) {
      noted.add(line);
      await step();
    }
    return noted.result();
  }

  /**
   * Reads all chains and writes the file again with the last head of each. Heads that are missing in their chain are
   * kept, because `taxiway verify` must see them. Those of deleted accounts are removed.
   */
  async function compact(): Promise<void> {
    const newest = db.$client.prepare<[], string | null>('SELECT max(id) FROM audit_events').pluck().get() ?? '';
    const { heads: noted, foreignLines } = await readNoted();
    const known = await listAll();
    const currentOf = new Map(known.map((head) => [head.chain, head]));
    const kept = new Map(known.map((head) => [formatHead(head), head]));
    const step = startSteps();
    let cut = 0;
    if (foreignLines.length > 0) log.error({ file, lines: foreignLines }, 'saved audit heads were modified');
    for (const head of noted) {
      await step();
      const current = currentOf.get(head.chain);
      if (isInChain(head, current ?? findHead(app, head.chain))) {
        // Retention may have deleted all rows of a chain.
        if (current === undefined) kept.set(formatHead(head), head);
        continue;
      }
      if (farewellOf(app).get(SERVICE_CHAIN, head.chain) !== undefined) continue;
      kept.set(formatHead(head), head);
      cut += 1;
    }
    if (cut > 0) log.error({ heads: cut }, 'audit events missing: run "taxiway verify"');
    const aside = `${file}.part`;
    await rm(aside, { force: true });
    await write(aside, 'w', [...kept.values()]);
    await rename(aside, file);
    lastId = newest;
    compactedAt = clock.time();
  }

  /** Returns whether a chain still contains a link, or retention has deleted it. */
  function isInChain(head: Head, current: Link): boolean {
    if (head.sequence > current.sequence) return false;
    const hash = linkAt(app).get(head.chain, head.sequence);
    const trimmed = trimmedTo(app).get(head.chain) ?? 0;
    return hash === undefined ? head.sequence <= trimmed : hash === head.hash;
  }

  async function noteOnce(): Promise<void> {
    try {
      if (lastId === undefined || Math.abs(clock.time() - compactedAt) >= COMPACT_EVERY_MS) {
        await compact();
        return;
      }
      const grown = await listGrown(lastId);
      if (grown.length > 0) await write(file, 'a', grown);
    } catch (error) {
      log.error({ err: error }, 'saving audit heads failed');
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

/** Saves the heads of the audit chains of a server. */
export const auditHeadsOf = definePart<ChainHeads>({
  open: ({ db, secrets, clock, log }) => createChainHeads({ db, keyring: secrets.keyring, clock, log }),
  start: (keeper) => keeper.start(),
  close: (keeper) => keeper.stop(),
});
