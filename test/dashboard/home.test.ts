// What the home page derives from its data.
import { describe, expect, it } from 'vitest';
import { statusTone } from '../../src/dashboard/components/status-tone.ts';
import {
  countToday,
  formatTimeOfDay,
  formatToday,
  groupByDay,
  nameDay,
  orderRoute,
} from '../../src/dashboard/pages/home/news.ts';

const at = (text: string) => new Date(text).getTime();
const now = at('2026-11-19T12:00:00');

describe('days', () => {
  it.each([
    ['2026-11-19T23:00:00', 'Today', 'Heute'],
    ['2026-11-19T00:00:00', 'Today', 'Heute'],
    ['2026-11-18T23:59:00', 'Yesterday', 'Gestern'],
    ['2026-11-17T10:04:00', 'Tuesday', 'Dienstag'],
    ['2026-11-13T10:04:00', 'Friday', 'Freitag'],
    ['2026-11-12T10:04:00', 'November 12', '12. November'],
    ['2025-12-24T10:04:00', 'December 24, 2025', '24. Dezember 2025'],
  ])('%s is %s', (moment, english, german) => {
    expect([nameDay(at(moment), now, 'en'), nameDay(at(moment), now, 'de')]).toEqual([english, german]);
  });

  it('are grouped, newest first', () => {
    const moments = ['2026-11-19T11:00:00', '2026-11-19T01:00:00', '2026-11-17T08:00:00'].map(at);
    expect(groupByDay(moments, (moment) => moment)).toEqual([
      { start: at('2026-11-19T00:00:00'), items: moments.slice(0, 2) },
      { start: at('2026-11-17T00:00:00'), items: moments.slice(2) },
    ]);
    expect(countToday(moments, (moment) => moment, now)).toBe(2);
  });

  it('are written in words', () => {
    expect([formatToday(now, 'en'), formatToday(now, 'de')]).toEqual([
      'Thursday, November 19',
      'Donnerstag, 19. November',
    ]);
    expect(formatTimeOfDay(now, 'de')).toBe('12:00');
  });
});

describe('the route', () => {
  const channel = (name: string, build_id: string | null) => ({
    channel_id: name,
    name,
    current: build_id === null ? null : { release_id: '', build_id, version_name: '', display_build_number: '' },
  });

  it('goes from the newest build to the oldest, channels without releases last', () => {
    const channels = [
      channel('production', '1'),
      channel('empty', null),
      channel('nightly', '3'),
      channel('beta', '3'),
    ];
    expect(orderRoute(channels).map(({ name }) => name)).toEqual(['nightly', 'beta', 'production', 'empty']);
  });
});

describe('the color of a state', () => {
  it.each([
    ['uninstallable', undefined, 'bad'],
    ['uninstallable', [40, 40], 'bad'],
    ['installable', undefined, 'ok'],
    ['installable', [0, 0], 'ok'],
    ['installable', [38, 40], 'ok'],
    ['installable', [37, 40], 'warn'],
    ['installable', [0, 40], 'bad'],
    ['unknown', undefined, 'warn'],
  ] as const)('for %s with the devices %j is %s', (status, devices, tone) => {
    const installability = {
      status,
      reason: 'installable',
      profile_expires_at: null,
      needed_system: null,
      newest_system: null,
    } as const;
    const count = devices && { devices_able: devices[0], devices_total: devices[1] };
    expect(statusTone({ installability }, count)).toBe(tone);
  });
});
