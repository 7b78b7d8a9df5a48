// Checkpoints in another thread: rarely, and never at the same time as what needs the log for itself.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCheckpoints } from '../../src/data/background-checkpoints.ts';
import { checkpoint, leaveCheckpointsToThread, truncateLog } from '../../src/data/checkpoints.ts';
import { type Db, openDatabase } from '../../src/data/database.ts';
import { countLog } from '../../src/data/log-size.ts';
import { createCheckpointThread } from '../../src/runtime/checkpoint-thread.ts';

let folder: string;
let file: string;
let db: Db;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'taxiway-checkpoints-'));
  file = join(folder, 'a.db');
  db = openDatabase({ file, synchronous: 'normal', busyTimeoutMs: 5_000 });
  leaveCheckpointsToThread(db.$client);
  db.$client.exec('CREATE TABLE a (x BLOB)');
});
afterEach(() => {
  vi.restoreAllMocks();
  db.$client.close();
  rmSync(folder, { recursive: true, force: true });
});

const write = (pages: number) => db.$client.prepare('INSERT INTO a VALUES (zeroblob(?))').run(pages * 4_096);
const pending = () => countLog(db.$client).pages - countLog(db.$client).checkpointed;

/** Checkpoints that end on request. */
function holdCheckpoints() {
  const held: PromiseWithResolvers<boolean>[] = [];
  const run = () => {
    const one = Promise.withResolvers<boolean>();
    held.push(one);
    return one.promise;
  };
  return { checkpoints: createCheckpoints(db, run), held };
}

describe('a checkpoint', () => {
  it('starts after 4,000 pages, and not again while it runs', () => {
    const { checkpoints, held } = holdCheckpoints();
    write(1_000);
    checkpoints.consider();
    expect(held).toHaveLength(0);
    write(3_000);
    checkpoints.consider();
    checkpoints.consider();
    expect(held).toHaveLength(1);
  });

  it('starts a minute after fewer pages, and not without any', () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    truncateLog(db.$client);
    const { checkpoints, held } = holdCheckpoints();
    checkpoints.consider();
    now.mockReturnValue(100_000);
    checkpoints.consider();
    write(1);
    checkpoints.consider();
    now.mockReturnValue(159_000);
    checkpoints.consider();
    expect(held).toHaveLength(0);
    now.mockReturnValue(160_000);
    checkpoints.consider();
    expect(held).toHaveLength(1);
  });

  it('keeps what needs the log for itself waiting', async () => {
    const { checkpoints, held } = holdCheckpoints();
    const truncate = vi.fn(() => truncateLog(db.$client));
    checkpoints.whenLogIsFree(truncate);
    expect(truncate).toHaveBeenCalledTimes(1);
    write(4_000);
    checkpoints.consider();
    checkpoints.whenLogIsFree(truncate);
    expect(truncate).toHaveBeenCalledTimes(1);
    held[0]?.resolve(true);
    await checkpoints.stop();
    expect(truncate).toHaveBeenCalledTimes(2);
    expect(countLog(db.$client).pages).toBe(0);
  });

  it('of a long log runs in the main thread if the other thread failed, and only then', async () => {
    write(5_000);
    const attempt = async (isEnded: boolean, pagesWithoutThread: number) => {
      const checkpoints = createCheckpoints(db, () => Promise.resolve(isEnded), pagesWithoutThread);
      checkpoints.consider();
      await checkpoints.stop();
      return pending();
    };
    const all = pending();
    expect(await attempt(true, 4_500)).toBe(all);
    expect(await attempt(false, 6_000)).toBe(all);
    expect(await attempt(false, 4_500)).toBe(0);
  });

  it('of a long log runs in the main thread if SQLite fails in the other thread', async () => {
    db.writes.onError = vi.fn();
    write(5_000);
    const error = new Error('unable to open database file');
    const checkpoints = createCheckpoints(db, () => Promise.reject(error), 4_500);
    checkpoints.consider();
    await checkpoints.stop();
    expect(db.writes.onError).toHaveBeenCalledExactlyOnceWith(error);
    expect(pending()).toBe(0);
  });

  it('is never part of a commit, however long the log is', () => {
    // SQLite's largest number of pages.
    expect(db.$client.pragma('wal_autocheckpoint', { simple: true })).toBe(2_147_483_647);
  });

  it('that fails is an error of a write, and is repeated', async () => {
    db.writes.onError = vi.fn();
    const { checkpoints, held } = holdCheckpoints();
    write(4_000);
    checkpoints.consider();
    const error = new Error('disk I/O error');
    held[0]?.reject(error);
    await checkpoints.stop();
    expect(db.writes.onError).toHaveBeenCalledExactlyOnceWith(error);
    checkpoints.consider();
    expect(held).toHaveLength(2);
  });
});

describe('the thread', () => {
  it('writes the log into the database, which the main thread then leaves alone', async () => {
    write(100);
    checkpoint(db.$client);
    expect(pending()).toBeGreaterThan(100);
    const thread = createCheckpointThread({ file, nativeBinding: undefined }, { warn: vi.fn() });
    await thread.run();
    expect(pending()).toBe(0);
    await thread.close();
  });

  it('reports errors of SQLite', async () => {
    const missing = join(folder, 'missing.db');
    const thread = createCheckpointThread({ file: missing, nativeBinding: undefined }, { warn: vi.fn() });
    await expect(thread.run()).rejects.toMatchObject({ code: 'SQLITE_CANTOPEN' });
    await thread.close();
  });
});
