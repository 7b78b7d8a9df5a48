// Does with its connections what Litestream 0.3.13 does beside a server: holds a read transaction, gives it up for a checkpoint, writes a
// row so that the log has a new page, and keeps everybody from writing while it copies the end of a log that was started over.
import { openSync, readSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { createRandom } from './random.ts';

const LOG_HEADER_BYTES = 32;
const { file, seed, over } = workerData as { file: string; seed: number; over: Int32Array };
const random = createRandom(seed);
const [reader, writer] = [0, 1].map(() => {
  const client = new Sqlite(file, { timeout: 5_000 });
  client.pragma('wal_autocheckpoint = 0');
  return client;
}) as [Sqlite.Database, Sqlite.Database];
writer.exec(`CREATE TABLE IF NOT EXISTS _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);
  CREATE TABLE IF NOT EXISTS _litestream_lock (id INTEGER);`);
const addPage = writer.prepare(
  'INSERT INTO _litestream_seq VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET seq = seq + 1',
);
const log = openSync(`${file}-wal`, 'r');

/** Of the log, without its pages: a busy machine's log is long. */
function readHeader(): string {
  const header = Buffer.alloc(LOG_HEADER_BYTES);
  return header.toString('hex', 0, readSync(log, header, 0, LOG_HEADER_BYTES, 0));
}

function hold(): void {
  reader.exec('BEGIN');
  reader.prepare('SELECT count(1) FROM _litestream_seq').get();
}

addPage.run();
hold();
while (Atomics.load(over, 0) === 0) {
  await sleep(random.between(0, 60));
  const before = readHeader();
  reader.exec('ROLLBACK');
  writer.pragma(`wal_checkpoint(${random.oneIn(4) ? 'RESTART' : 'PASSIVE'})`);
  hold();
  addPage.run();
  if (readHeader() === before) continue;
  writer.exec('BEGIN; INSERT INTO _litestream_lock VALUES (1)');
  readHeader();
  writer.exec('ROLLBACK');
}
reader.close();
writer.close();
