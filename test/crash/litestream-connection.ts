// Does with its connections what Litestream 0.3.13 does beside a server: holds a read transaction, gives it up for a checkpoint, writes a
// row so that the log has a new page, and keeps everybody from writing while it copies the end of a log that was started over.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { createRandom } from './random.ts';

const LOG_HEADER_BYTES = 32;
const { file, seed, milliseconds } = workerData as { file: string; seed: number; milliseconds: number };
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
const readHeader = () => readFileSync(`${file}-wal`).subarray(0, LOG_HEADER_BYTES).toString('hex');

function hold(): void {
  reader.exec('BEGIN');
  reader.prepare('SELECT count(1) FROM _litestream_seq').get();
}

addPage.run();
hold();
for (const end = performance.now() + milliseconds; performance.now() < end; ) {
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
