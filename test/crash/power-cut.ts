// Simulates power cuts from the trace of a process (flush-recorder.c): writes before a finished flush are on disk; of later ones, any
// part is.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Random } from './random.ts';

const HEAD_BYTES = 24;
const SECTOR_BYTES = 512;
const [DATABASE, LOG, FOLDER] = [0, 1, 2];

interface Step {
  kind: 'W' | 'T' | 'B' | 'E';
  file: number;
  offset: number;
  /** Pairs the beginning and the end of a flush. */
  flush: bigint;
  data: Buffer;
  /** Where the record ends in the trace. */
  end: number;
}

/** What a cut leaves of the writes that weren't flushed. */
const LOSSES = ['all', 'none', 'some', 'sectors', 'earlier'] as const;

export interface Recording {
  steps: readonly Step[];
  /** The files before the process started. */
  database: Buffer;
  bytes: number;
  /** Room for the largest that the database and its log become, used by one cut after another: new memory for each takes longer than all else. */
  room: readonly [Buffer, Buffer];
}

/** Compiles the recorder. Returns undefined where that's not possible. */
export function compileRecorder(folder: string): string | undefined {
  const recorder = join(folder, 'flush-recorder.so');
  const source = join(import.meta.dirname, 'flush-recorder.c');
  const { status } = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', recorder, source, '-ldl', '-lpthread']);
  return process.platform === 'linux' && status === 0 ? recorder : undefined;
}

/** The environment of a process that is recorded. */
export function recordingEnv(recorder: string, file: string, trace: string, flushDelayMs: number) {
  return {
    LD_PRELOAD: recorder,
    RECORDED_FILE: file,
    RECORDED_TRACE: trace,
    FLUSH_DELAY_MS: String(flushDelayMs),
  };
}

/** Reads a trace. The last record may be incomplete. */
export function readRecording(trace: string, database: Buffer): Recording {
  const bytes = readFileSync(trace);
  const steps: Step[] = [];
  for (let at = 0; at + HEAD_BYTES <= bytes.length; ) {
    const length = bytes.readUInt32LE(at + 4);
    const end = at + HEAD_BYTES + length;
    if (end > bytes.length) break;
    steps.push({
      kind: String.fromCharCode(bytes.readUInt8(at)) as Step['kind'],
      file: bytes.readUInt8(at + 1),
      offset: Number(bytes.readBigUInt64LE(at + 8)),
      flush: bytes.readBigUInt64LE(at + 16),
      data: bytes.subarray(at + HEAD_BYTES, end),
      end,
    });
    at = end;
  }
  const roomOf = (file: number, initial: number): Buffer =>
    Buffer.allocUnsafe(
      steps.reduce((most, one) => Math.max(most, one.file === file ? one.offset + one.data.length : 0), initial),
    );
  const room = [roomOf(DATABASE, database.length), roomOf(LOG, 0)] as const;
  return { steps, database, bytes: steps.at(-1)?.end ?? 0, room };
}

/** Where something interesting happens: the log is started over, or a checkpoint writes or flushes the database. */
export function restartsAndCheckpoints({ steps }: Recording): number[] {
  return steps.flatMap(({ kind, file, offset, end }, index) => {
    const isRestart = kind === 'W' && file === LOG && offset === 0;
    const isCheckpoint = file === DATABASE && (kind !== 'W' || steps[index - 1]?.file !== DATABASE);
    return isRestart || isCheckpoint || kind === 'T' ? [end] : [];
  });
}

export const countRestarts = ({ steps }: Recording): number =>
  steps.filter(({ kind, file, offset }) => kind === 'W' && file === LOG && offset === 0).length;

/** Writes the database and its log to `folder` as a power cut after so many bytes of the trace could leave them. Returns the database. */
export function cutPower({ steps, database, room }: Recording, cut: number, random: Random, folder: string): string {
  const done = steps.filter(({ end }) => end <= cut);
  const flushed = [0, 0, 0];
  const begun = new Map<bigint, number>();
  for (const [index, { kind, file, flush }] of done.entries()) {
    if (kind === 'B') begun.set(flush, index);
    if (kind === 'E') flushed[file] = Math.max(flushed[file] ?? 0, begun.get(flush) ?? 0);
  }
  const [databaseRoom, logRoom] = room;
  const images: Image[] = [new Image(databaseRoom, database), new Image(logRoom, Buffer.alloc(0))];
  const loss = random.pick(LOSSES);
  const lateFrom = random.between(0, done.length);
  for (const [index, step] of done.entries()) {
    const image = images[step.file];
    if (image === undefined || step.kind === 'B' || step.kind === 'E') continue;
    const isFlushed = index < (flushed[step.file] ?? 0);
    if (isFlushed || loss === 'none') image.apply(step);
    else if (loss === 'some' && random.oneIn(2)) image.apply(step);
    else if (loss === 'sectors') image.apply(step, () => random.oneIn(2));
    else if (loss === 'earlier' && index >= lateFrom) image.apply(step);
  }
  const file = join(folder, 'cut.db');
  const [first, log] = images as [Image, Image];
  writeFileSync(file, first.bytes());
  // Without a flush of the folder, the log has no name yet.
  if ((flushed[FOLDER] ?? 0) > 0 || random.oneIn(2)) writeFileSync(`${file}-wal`, log.bytes());
  return file;
}

/** Opens a database after a cut, as the next start does, and returns the problems that SQLite finds. */
export function recoverDatabase(file: string): { client: Sqlite.Database; problems: unknown[] } {
  const client = new Sqlite(file);
  client.pragma('journal_mode = WAL');
  const rows = client.pragma('integrity_check') as { integrity_check: string }[];
  const problems = rows.map((row) => row.integrity_check).filter((text) => text !== 'ok');
  return { client, problems: [...problems, ...(client.pragma('foreign_key_check') as unknown[])] };
}

/** The bytes of a file, in a room for the most that it can have. */
class Image {
  readonly #bytes: Buffer;
  #size: number;

  constructor(room: Buffer, content: Buffer) {
    content.copy(room);
    this.#bytes = room;
    this.#size = content.length;
  }

  /** Applies a write or truncation; of a write, only the sectors that `isKept`. */
  apply({ kind, offset, data }: Step, isKept?: () => boolean): void {
    if (kind === 'T') {
      if (isKept === undefined || isKept()) this.#resize(offset);
      return;
    }
    if (offset + data.length > this.#size) this.#resize(offset + data.length);
    for (let from = 0; from < data.length; ) {
      const to = isKept === undefined ? data.length : Math.min(data.length, from + SECTOR_BYTES);
      if (isKept === undefined || isKept()) data.copy(this.#bytes, offset + from, from, to);
      from = to;
    }
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  #resize(size: number): void {
    if (size > this.#bytes.length) throw new RangeError(`${size} bytes are more than the file ever has`);
    if (size > this.#size) this.#bytes.fill(0, this.#size, size);
    this.#size = size;
  }
}
