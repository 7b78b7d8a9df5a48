// How the page looks out for a phone: how often, how long, and whom it takes for an arrival.
import { describe, expect, it } from 'vitest';
import { findEnrolledSince, POLLING_TIMEOUT_MS, pollingInterval } from '../../src/dashboard/pages/devices/arrivals.ts';
import type { Device } from '../../src/devices/schema.ts';

describe('the pause between two looks', () => {
  it.each([
    [0, 2000],
    [10_000, 2000],
    [60_000, 6000],
    [150_000, 15_000],
    [POLLING_TIMEOUT_MS - 1, 15_000],
    [POLLING_TIMEOUT_MS, undefined],
    [POLLING_TIMEOUT_MS * 3, undefined],
  ])('after %d ms is %s', (waited, pause) => {
    expect(pollingInterval(waited)).toBe(pause);
  });

  it('asks the server fewer than a hundred times before it ends', () => {
    let looks = 0;
    for (let waited = 0; ; looks += 1) {
      const pause = pollingInterval(waited);
      if (pause === undefined) break;
      waited += pause;
    }
    expect(looks).toBeLessThan(100);
  });
});

function device(name: string, enrolledAt: string | null): Device {
  return {
    identifier: name,
    organization_id: 'organization',
    udid: '…0000',
    name,
    platform: 'ios',
    product: null,
    model: null,
    os_version: null,
    developer_id: null,
    registered_at: '2026-01-01T00:00:00.000Z',
    enrolled_at: enrolledAt,
  };
}

describe('who has arrived', () => {
  it('proved who they are since the link was made, the last first; an old acquaintance among them', () => {
    const all = [
      device('by hand', null),
      device('before', '2026-01-31T11:59:59.999Z'),
      device('at once', '2026-01-31T12:00:00.000Z'),
      device('last', '2026-01-31T12:04:00.000Z'),
    ];
    expect(findEnrolledSince(all, '2026-01-31T12:00:00.000Z').map(({ name }) => name)).toEqual(['last', 'at once']);
  });
});
