// The schedules of a running server, with the clock of the machine.
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { Sweep } from '../../src/core/context.ts';
import { scheduleSweeps } from '../../src/core/sweeps.ts';
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

/** Starts the schedule of one cleanup job. Returns the times of its runs, and what ends the current one. */
function scheduled(schedule: string) {
  const runs: string[] = [];
  let release = () => {};
  const run = () => {
    runs.push(new Date().toISOString().slice(11, 16));
    return new Promise<number>((resolve) => {
      release = () => resolve(0);
    });
  };
  const sweep: Sweep = { name: 'sessions', schedule, run };
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
