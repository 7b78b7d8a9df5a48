// How long transactions keep others from writing, without the time for which other programs had the processors.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Locked, watchLocks } from '../../bench/lock-watch.ts';

const { transaction } = Sqlite.prototype;
let client: Sqlite.Database;
let queued = 0;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  client = new Sqlite(':memory:');
});
afterEach(() => {
  vi.useRealTimers();
  Sqlite.prototype.transaction = transaction;
  client.close();
});

/** A transaction that has the lock for so long, of which it waits for a processor. */
function hold(ms: number, waitedMs: number): void {
  client
    .transaction(() => {
      vi.advanceTimersByTime(ms);
      queued += waitedMs;
    })
    .immediate();
}

describe.runIf(process.platform === 'linux')('the longest transaction', () => {
  it('is found without what it waited for a processor', () => {
    const longest = watchLocks({ read: () => queued });
    hold(100, 90);
    hold(40, 5);
    hold(20, 0);
    expect(longest()).toMatchObject({ ms: 35, queuedMs: 5 });
    expect(longest()).toEqual({ ms: 0, cpuMs: 0, queuedMs: 0 });
    // Both times are read one after the other.
    hold(3, 4);
    expect(longest().ms).toBe(0);
  });

  it('is as long as it ran beside a busy program on the same processor', async () => {
    const { stdout } = await promisify(execFile)('taskset', [
      ...['-c', '0', process.execPath],
      join(import.meta.dirname, 'contended-lock.ts'),
    ]);
    const { wall, locked } = JSON.parse(stdout) as { wall: number; locked: Locked };
    expect(locked.queuedMs).toBeGreaterThan(wall / 10);
    expect(Math.abs(wall - locked.ms - locked.queuedMs)).toBeLessThan(wall / 20);
  });
});
