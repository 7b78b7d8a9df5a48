// Commits in groups as the server does, with checkpoints all the time, so that the log is started over often. Prints each transaction
// that is acknowledged, with the bytes of the trace until then. With "litestream", another connection checkpoints as Litestream does. With
// "command", commits are flushed one by one as a command does, and SQLite checkpoints by itself.
import { once } from 'node:events';
import { openSync, readSync, statSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { truncateLog } from '../../src/data/checkpoints.ts';
import { openDatabase } from '../../src/data/database.ts';
import { flushAfterCommits, startGroupCommit } from '../../src/data/group-commit.ts';
import { createCheckpointThread } from '../../src/runtime/checkpoint-thread.ts';
import { createRandom } from './random.ts';

const [file = '', trace = '', output = '', seed = '0', milliseconds = '0', checkpoints = 'server'] =
  process.argv.slice(2);
const isReplicated = checkpoints === 'litestream';
const isCommand = checkpoints === 'command';
const WRITERS = 8;
const random = createRandom(Number(seed));
const db = openDatabase({ file, synchronous: 'full', busyTimeoutMs: 5_000, isReplicated });
const { $client: client } = db;
client.exec(`CREATE TABLE IF NOT EXISTS counters (writer INTEGER PRIMARY KEY, n INTEGER) STRICT;
  CREATE TABLE IF NOT EXISTS entries (id INTEGER PRIMARY KEY, writer INTEGER, n INTEGER, text TEXT) STRICT;
  CREATE INDEX IF NOT EXISTS entries_by_text ON entries (text);`);
const thread = createCheckpointThread(
  { file, nativeBinding: undefined },
  { warn: (facts: unknown) => void process.stderr.write(`${String(facts)}\n`) },
);
const stop = isCommand ? flushAfterCommits(db) : startGroupCommit(db, isReplicated ? undefined : thread.run);
if (isCommand) client.pragma('wal_autocheckpoint = 100');
const setCounter = client.prepare('INSERT INTO counters VALUES (?, ?) ON CONFLICT DO UPDATE SET n = excluded.n');
const addEntry = client.prepare('INSERT INTO entries (writer, n, text) VALUES (?, ?, ?)');
const changeEntry = client.prepare('UPDATE entries SET text = ? WHERE id = ?');
const textOf = () => String(random.next()).repeat(random.between(1, 120));
const acknowledged: [writer: number, n: number, traced: number][] = [];
let isPaused = false;
const end = performance.now() + Number(milliseconds);
/** A busy machine needs longer for enough of them. */
const ENOUGH_WRITES = 120;
const ENOUGH_LOGS = 4;
/** The salts that the log's header had: each log has its own. */
const logs = new Set<bigint>();
/** For the thread with Litestream's connections too: 1 when the load is over. */
const over = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

const log = openSync(`${file}-wal`, 'r');
const salt = new BigUint64Array(1);
const SALT_POSITION = 16;

function isOver(): boolean {
  if (readSync(log, salt, 0, salt.byteLength, SALT_POSITION) === salt.byteLength) logs.add(salt[0] ?? 0n);
  const isEnough = acknowledged.length >= ENOUGH_WRITES && logs.size >= ENOUGH_LOGS;
  if (isEnough && performance.now() >= end) Atomics.store(over, 0, 1);
  return Atomics.load(over, 0) === 1;
}

async function write(writer: number): Promise<void> {
  for (let n = 1; !isOver(); n += 1) {
    while (isPaused) await sleep(1);
    client
      .transaction(() => {
        addEntry.run(writer, n, textOf());
        for (let count = random.between(0, 6); count > 0; count -= 1)
          changeEntry.run(textOf(), random.between(1, n * WRITERS));
        setCounter.run(writer, n);
      })
      .immediate();
    // A command's write returns when it's durable.
    if (!isCommand) await db.durability.settle();
    acknowledged.push([writer, n, statSync(trace).size]);
    if (random.oneIn(4)) await sleep(random.between(0, 30));
  }
}

/** Without writes meanwhile, a checkpoint is complete, and the next write starts the log over. */
async function checkpointOften(): Promise<void> {
  while (Atomics.load(over, 0) === 0) {
    await sleep(random.between(0, 60));
    isPaused = !random.oneIn(4);
    await thread.run();
    isPaused = false;
    if (random.oneIn(8)) truncateLog(client);
  }
}

/** Runs until the end of the load. Its writes and flushes are in the trace too. */
async function runLitestream(): Promise<void> {
  // Beside this one, bundled or not.
  const entry = join(import.meta.dirname, `litestream-connection${extname(import.meta.filename)}`);
  const [code] = await once(new Worker(entry, { workerData: { file, seed: Number(seed), over } }), 'exit');
  if (code !== 0) throw new Error('the connection of Litestream failed');
}

await Promise.all([
  isReplicated ? runLitestream() : isCommand ? undefined : checkpointOften(),
  ...Array.from({ length: WRITERS }, (_, writer) => write(writer)),
]);
await stop();
await thread.close();
writeFileSync(output, JSON.stringify(acknowledged));
