// Counts the turns that work in bounded steps gives to others, and the rows it reads in one of them.
import type { Database, Statement } from 'better-sqlite3';
import { vi } from 'vitest';
import type { App } from '../../src/core/context.ts';
import { deliveryRunnerOf } from '../../src/webhooks/runner.ts';
import { followWork } from './own-work.ts';

type Reader = Record<'all' | 'get' | 'iterate', (this: Statement, ...parameters: unknown[]) => unknown>;

/** Stops the jobs and deliveries of a server for good, because their polls read rows that would be counted too. */
export async function stopRunners(app: App): Promise<void> {
  await app.jobs.stop();
  await deliveryRunnerOf(app).stop();
}

/** Every look at the time finds that a step is over, so that others get a turn at every place that offers one. */
export async function countTurns(work: () => unknown): Promise<number> {
  let turns = 0;
  await watchTurns(work, () => {
    turns += 1;
  });
  return turns;
}

/**
 * Returns the most rows that are read from the database between two turns of other work. Every place that offers a turn gives it,
 * so it doesn't depend on the speed of the machine. A query without rows counts as one. What the server does by itself at the time
 * doesn't count.
 */
export async function countRowsInOneTurn(client: Database, work: () => unknown): Promise<number> {
  // All statements of the process share it.
  const statements = Object.getPrototypeOf(client.prepare('SELECT 1')) as Reader;
  const { all, get, iterate } = statements;
  let rows = 0;
  let most = 0;
  const { run, isOwn, stop } = followWork();
  const add = (count: number) => {
    if (!isOwn()) return;
    rows += count;
    most = Math.max(most, rows);
  };
  statements.all = function (...parameters) {
    const found = all.apply(this, parameters);
    add(Math.max(1, (found as unknown[]).length));
    return found;
  };
  statements.get = function (...parameters) {
    add(1);
    return get.apply(this, parameters);
  };
  statements.iterate = function* (...parameters) {
    add(1);
    for (const row of iterate.apply(this, parameters) as Iterable<unknown>) {
      yield row;
      add(1);
    }
  };
  try {
    await watchTurns(
      () => run(work),
      () => {
        rows = 0;
      },
    );
  } finally {
    stop();
    Object.assign(statements, { all, get, iterate });
  }
  return most;
}

/** Returns the most rows that are written to the database between two turns of other work. */
export async function countWritesInOneTurn(client: Database, work: () => unknown): Promise<number> {
  const total = client.prepare<[], number>('SELECT total_changes()').pluck();
  let before = total.get() ?? 0;
  let most = 0;
  const look = () => {
    const now = total.get() ?? 0;
    most = Math.max(most, now - before);
    before = now;
  };
  await watchTurns(work, look);
  look();
  return most;
}

async function watchTurns(work: () => unknown, onTurn: () => void): Promise<void> {
  let time = performance.now();
  const now = vi.spyOn(performance, 'now').mockImplementation(() => {
    time += 1_000;
    return time;
  });
  let isOver = false;
  const look = () => {
    if (isOver) return;
    onTurn();
    setImmediate(look);
  };
  setImmediate(look);
  try {
    await work();
  } finally {
    isOver = true;
    now.mockRestore();
  }
}
