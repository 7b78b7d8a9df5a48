// The schedules of a running server, with the clock of the machine.
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Sweep } from '../../src/core/context.ts';
import { scheduleSweeps } from '../../src/core/sweeps.ts';
import { sweepRuns } from '../../src/data/tables/tables.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';

let fixture: Fixture;
let stop = () => {};
beforeAll(async () => {
  fixture = await startFixture();
});
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'], now: Date.parse('2026-01-01T12:03:00Z') });
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});
afterAll(() => fixture?.stop());

const MINUTE = 60_000;

/** Starts the schedule of one cleanup job with the time of its last run. Returns the times of its runs, and what ends the current one. */
function scheduled(schedule: string, lastRun?: string) {
  const runs: string[] = [];
  let release = () => {};
  const run = () => {
    runs.push(new Date().toISOString().slice(11, 16));
    return new Promise<number>((resolve) => {
      release = () => resolve(0);
    });
  };
  const sweep: Sweep = { name: 'sessions', schedule, run };
  fixture.app.db.delete(sweepRuns).run();
  if (lastRun !== undefined) {
    const row = { name: sweep.name, startedAt: Date.parse(lastRun), durationMs: 1, removed: 0, error: null };
    fixture.app.db.insert(sweepRuns).values(row).run();
  }
  stop = scheduleSweeps(fixture.app, [sweep]);
  const end = async () => {
    release();
    // Its result is stored in the same turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { runs, end };
}

it('runs a cleanup job at its times, until it is stopped', async () => {
  const { runs, end } = scheduled('*/5 * * * *');
  vi.advanceTimersByTime(2 * MINUTE - 1);
  expect(runs).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(runs).toEqual(['12:05']);
  await end();
  vi.advanceTimersByTime(5 * MINUTE);
  expect(runs).toEqual(['12:05', '12:10']);
  await end();
  stop();
  vi.advanceTimersByTime(60 * MINUTE);
  expect(runs).toEqual(['12:05', '12:10']);
});

it('does not start a cleanup job again while it runs', async () => {
  const { runs, end } = scheduled('*/5 * * * *');
  vi.advanceTimersByTime(8 * MINUTE);
  expect(runs).toEqual(['12:05']);
  await end();
  vi.advanceTimersByTime(4 * MINUTE);
  expect(runs).toEqual(['12:05', '12:15']);
});

it('runs a cleanup job at its next time after the clock was set back', () => {
  const { runs } = scheduled('7 * * * *');
  vi.setSystemTime(Date.parse('2025-12-31T06:06:00Z'));
  vi.advanceTimersByTime(MINUTE);
  expect(runs).toEqual(['06:07']);
});

it.each([
  ['missed its time while the server was stopped', '7 4 * * *', '2025-12-31T04:07:00Z', ['13:13', '04:07']],
  ['has never run', '7 4 * * *', undefined, ['13:13', '04:07']],
  ['did not miss it', '7 4 * * *', '2026-01-01T04:07:00Z', ['04:07']],
  ['was run by a command since', '7 4 * * *', '2026-01-01T09:00:00Z', ['04:07']],
  ['ran while the clock was ahead', '7 4 * * *', '2027-01-01T04:07:00Z', ['04:07']],
  ['runs sooner by its schedule', '0 13 * * *', '2025-12-25T13:00:00Z', ['13:00']],
])('runs a daily cleanup job 70 minutes after a start if it %s', async (_name, schedule, lastRun, expected) => {
  const { runs, end } = scheduled(schedule, lastRun);
  for (let minute = 0; minute < 23 * 60; minute += 1) {
    vi.advanceTimersByTime(MINUTE);
    if (runs.length > 0) await end();
  }
  expect(runs).toEqual(expected);
});
