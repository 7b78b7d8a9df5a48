// Checkpoints: with replication, none of the program's connections makes one.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabaseForWriting } from '../../src/commands/open-app.ts';
import { configFrom } from '../../src/config.ts';
import { checkpoint, truncateLog } from '../../src/data/checkpoints.ts';
import { type Db, openDatabase, openReader } from '../../src/data/database.ts';
import { compactIfSmall, emptyLog, eraseEarlierFreePages } from '../../src/data/erasure.ts';
import { watchDatabase } from '../../src/data/health.ts';
import { waitInRounds } from '../../src/data/lock-wait.ts';
import { measureLog } from '../../src/data/log-size.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { startFixture } from '../../src/testing/fixture.ts';

const log = { debug() {}, info() {}, warn() {}, error() {}, fatal() {}, flush() {} } as never;
const FRAME_BYTES = 4096 + 24;
let folder: string;
let db: Db;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'taxiway-checkpoints-'));
});
afterEach(() => {
  db.$client.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(isReplicated: boolean): void {
  db = openDatabase({ file: join(folder, 'a.db'), synchronous: 'normal', busyTimeoutMs: 5_000, isReplicated });
  db.$client.exec('CREATE TABLE a (x TEXT)');
}

/** Pages of the log that are written into the database file. */
const checkpointed = () =>
  (db.$client.pragma('wal_checkpoint(NOOP)') as { checkpointed: number }[])[0]?.checkpointed ?? Number.NaN;

/** More pages than SQLite keeps in the log by itself. */
function writePages(): void {
  const insert = db.$client.prepare('INSERT INTO a VALUES (?)');
  for (let number = 0; number < 1_200; number += 1) insert.run('x'.repeat(3_000));
}

/** Everything in the program that checkpoints. */
async function checkpointByEveryMeans(): Promise<void> {
  const { $client: client } = db;
  watchDatabase({ db, clock: systemClock, log, onUnsafe: () => undefined }).check();
  compactIfSmall({ db, log });
  await emptyLog({ db, log });
  eraseEarlierFreePages(client, log, false);
  checkpoint(client);
  truncateLog(client);
}

describe('the write-ahead log', () => {
  it('is kept for Litestream with replication', async () => {
    open(true);
    writePages();
    const written = measureLog(db.$client);
    expect(written).toBeGreaterThan(1_200 * FRAME_BYTES);
    await checkpointByEveryMeans();
    expect(checkpointed()).toBe(0);
    // The compaction and the changed numbers in the header are added.
    expect(measureLog(db.$client)).toBeGreaterThan(written);
  });

  it('is written into the database and truncated without replication', async () => {
    open(false);
    writePages();
    expect(measureLog(db.$client)).toBeLessThan(1_200 * FRAME_BYTES);
    await checkpointByEveryMeans();
    expect(measureLog(db.$client)).toBe(0);
  });

  it('is measured by the pages in use, not by the size of the file', () => {
    open(false);
    writePages();
    db.$client.pragma('wal_checkpoint(RESTART)');
    db.$client.exec("INSERT INTO a VALUES ('one more page')");
    expect(measureLog(db.$client)).toBeLessThan(10 * FRAME_BYTES);
  });

  it("isn't truncated while something reads an earlier state, and nothing waits for that", () => {
    // Longer than the test may take.
    db = openDatabase({ file: join(folder, 'a.db'), synchronous: 'normal', busyTimeoutMs: 60_000 });
    db.$client.exec('CREATE TABLE a (x TEXT)');
    const reader = openReader(db.$client);
    reader.exec('BEGIN');
    reader.prepare('SELECT * FROM a').all();
    writePages();
    expect(truncateLog(db.$client)).toBe(false);
    expect(measureLog(db.$client)).toBeGreaterThan(1_200 * FRAME_BYTES);
    expect(db.$client.pragma('busy_timeout', { simple: true })).toBe(60_000);
    // As long on a server, whose connection reports locks sooner.
    waitInRounds(db.$client);
    const pragma = vi.spyOn(db.$client, 'pragma');
    expect(truncateLog(db.$client)).toBe(false);
    expect(pragma.mock.calls.map(([text]) => text)).toContain('busy_timeout = 20');
    pragma.mockRestore();
    expect(db.$client.pragma('busy_timeout', { simple: true })).toBe(3);
    reader.close();
    expect(truncateLog(db.$client)).toBe(true);
    expect(measureLog(db.$client)).toBe(0);
  });
});

describe('with replication', () => {
  it.each([
    ['s3://company-replica/taxiway', 0],
    ['', 1000],
  ])('target %j sets SQLite to checkpoint after %i pages, in the server and in commands', async (target, pages) => {
    open(false);
    const fixture = await startFixture({ config: { replication: { target } } });
    try {
      expect(fixture.app.db.$client.pragma('wal_autocheckpoint', { simple: true })).toBe(pages);
      const config = configFrom({ server: { data_dir: fixture.config.server.data_dir }, replication: { target } });
      const client = openDatabaseForWriting(config);
      expect(client.pragma('wal_autocheckpoint', { simple: true })).toBe(pages);
      expect(client.pragma('busy_timeout', { simple: true })).toBe(5_000);
      client.close();
    } finally {
      await fixture.stop();
    }
  });

  it('only one file checkpoints', () => {
    open(false);
    const root = join(import.meta.dirname, '../../src');
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const found = files.filter((file) => /wal_checkpoint\((?!NOOP)/.test(readFileSync(join(root, file), 'utf8')));
    expect(found).toEqual(['data/checkpoints.ts']);
  });
});
