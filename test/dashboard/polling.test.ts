// The pauses between requests while something is expected to change.
import { describe, expect, it } from 'vitest';
import {
  type PollingSchedule,
  pollingInterval,
  pollingSchedules,
  unchangedInterval,
} from '../../src/dashboard/components/polling.ts';

describe('a polling schedule', () => {
  it.each<[string, PollingSchedule, [number, number | undefined][]]>([
    [
      'enrollment',
      pollingSchedules.enrollment,
      [
        [0, 2000],
        [10_000, 2000],
        [60_000, 6000],
        [150_000, 15_000],
        [899_999, 15_000],
        [900_000, undefined],
        [2_700_000, undefined],
      ],
    ],
    [
      'single sign-on',
      pollingSchedules.singleSignOn,
      [
        [0, 3000],
        [15_000, 3000],
        [60_000, 12_000],
        [150_000, 30_000],
        [599_999, 30_000],
        [600_000, undefined],
      ],
    ],
    [
      'deliveries',
      pollingSchedules.deliveries,
      [
        [0, 1000],
        [20_000, 5000],
        [200_000, 20_000],
        [299_999, 20_000],
        [300_000, undefined],
      ],
    ],
  ])('pauses longer over time and then ends: %s', (_, schedule, expected) => {
    expect(expected.map(([elapsed]) => [elapsed, pollingInterval(elapsed, schedule)])).toEqual(expected);
  });

  it('sends fewer than a hundred requests', () => {
    for (const schedule of Object.values(pollingSchedules)) {
      let requests = 0;
      for (let elapsed = 0, pause: number | undefined; ; requests += 1) {
        pause = pollingInterval(elapsed, schedule);
        if (pause === undefined) break;
        elapsed += pause;
      }
      expect(requests).toBeLessThan(100);
    }
  });
});

describe('polling without a schedule', () => {
  it('starts with 5 seconds and pauses longer while nothing changes, up to a minute', () => {
    expect([0, 1, 2, 10].map(unchangedInterval)).toEqual([5000, 7500, 11_250, 60_000]);
  });
});
