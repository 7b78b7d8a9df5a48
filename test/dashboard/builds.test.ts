// The list of builds and the page of a build: what is computed for them.
import { describe, expect, it } from 'vitest';
import type { BuildDevice } from '../../src/builds/device-schema.ts';
import type { Build } from '../../src/builds/schema.ts';
import { encodeCursor } from '../../src/core/paging.ts';
import { addLabels, listLabels, readLabels, removeLabels } from '../../src/dashboard/components/labels.ts';
import {
  describePermission,
  formatEntitlement,
  nameEntitlement,
} from '../../src/dashboard/components/package-words.ts';
import { statusTone } from '../../src/dashboard/components/status-tone.ts';
import { groupDevices } from '../../src/dashboard/pages/build/device-groups.ts';
import { planRoute } from '../../src/dashboard/pages/build/route-stops.ts';
import { isNarrowed, readBuildFilters, toQuery } from '../../src/dashboard/pages/builds/filters.ts';
import { countSparse, timeOfCursor } from '../../src/dashboard/pages/builds/search-progress.ts';
import { compareSizes } from '../../src/dashboard/pages/builds/size-change.ts';
import { de } from '../../src/dashboard/texts/de.ts';
import { en } from '../../src/dashboard/texts/en.ts';
import type { ChannelOverview } from '../../src/overviews/channel-schema.ts';
import { lowestIdAt } from '../../src/runtime/ids.ts';

describe('the filters of the list of builds', () => {
  it.each([
    [{}, {}],
    [{ status: 'revoked' }, { status: 'revoked' }],
    [{ status: 'all', other: 1 }, { status: 'all' }],
    [{ status: 'active' }, {}],
    [{ status: ['all'] }, {}],
    [
      { branch: ' main ', label: 'Nightly', pr: 42, installable: 'no', sort: 'version' },
      { branch: 'main', label: 'Nightly', pr: '42', installable: 'no', sort: 'version' },
    ],
    [{ commit: 'abc', pr: '0', installable: 'perhaps', sort: 'size', uploader: 'Ada', text: '' }, {}],
    [{ branch: 'b'.repeat(256), label: 'l'.repeat(51), text: 't'.repeat(101), bundle: ['a'] }, {}],
    [{ from: '2026-02-29', until: '2026-02-28' }, { until: '2026-02-28' }],
    [{ from: 'javascript:alert(1)', until: '2026-13-01' }, {}],
  ])('are read from the address %j', (search, filters) => {
    expect(readBuildFilters(search)).toEqual(filters);
  });

  it('become the query of the list; the last day is part of the period', () => {
    const filters = readBuildFilters({
      branch: 'main',
      commit: 'abcd',
      pr: 7,
      installable: 'yes',
      from: '2026-03-01',
      until: '2026-03-01',
    });
    const { uploaded_from: from, uploaded_until: until, ...query } = toQuery(filters);
    expect(query).toEqual({ status: 'active', branch: 'main', commit: 'abcd', pull_request: '7', installable: true });
    expect(from).toBe(new Date(2026, 2, 1).toISOString());
    expect(until).toBe(new Date(2026, 2, 2).toISOString());
    expect(toQuery({})).toEqual({ status: 'active' });
    expect([isNarrowed({ status: 'all', sort: 'version' }), isNarrowed({ text: 'a' })]).toEqual([false, true]);
  });
});

describe('the progress of a search', () => {
  const pages = (...sizes: number[]) =>
    sizes.map((size) => ({ items: Array.from({ length: size }, () => ({})), next_cursor: 'next' }));

  it('counts the pages with few builds at the end, since the user asked to search further', () => {
    expect([countSparse([], 0), countSparse(pages(2), 0), countSparse(pages(0, 0), 0)]).toEqual([0, 1, 2]);
    expect([countSparse(pages(0, 50, 0, 0, 0), 0), countSparse(pages(0, 50, 0, 0, 0), 4)]).toEqual([3, 1]);
    // Several pages with some builds each are as good as one with many.
    expect(countSparse(pages(10, 10, 10, 10, 10), 0)).toBe(4);
    expect(countSparse(pages(9, 9, 9, 9, 9), 0)).toBe(5);
    expect([countSparse(pages(0, 0, 0, 0, 0, 50), 5), countSparse(pages(0, 0, 0, 0, 0), 5)]).toEqual([0, 0]);
  });

  it('reads the time from the cursor that the server returns, and from no other text', () => {
    const moment = Date.UTC(2026, 2, 3, 14, 30);
    const id = lowestIdAt(moment);
    expect(timeOfCursor(encodeCursor(id))).toBe(moment);
    const others = [encodeCursor(`0011$0011\n${id}`), encodeCursor('no id'), 'ä', 'a', '', null, undefined];
    expect(others.map(timeOfCursor)).toEqual(others.map(() => undefined));
  });
});

describe('labels', () => {
  it('are separated by commas, and are the same in any case', () => {
    expect(readLabels(' nightly, ,Smoke,NIGHTLY,')).toEqual(['nightly', 'Smoke']);
    expect(addLabels(['Beta'], ['beta', 'smoke'])).toEqual(['Beta', 'smoke']);
    expect(removeLabels(['Beta', 'smoke'], ['BETA', 'other'])).toEqual(['smoke']);
    expect(listLabels([{ labels: ['smoke'] }, { labels: ['Beta', 'Smoke'] }])).toEqual(['Beta', 'smoke']);
  });
});

describe('the size change of a build', () => {
  const sized = (size_bytes: number, bundle_identifier: string | null = 'com.example.app') => ({
    size_bytes,
    bundle_identifier,
  });
  it.each([
    [52_700_000, 52_000_000, { text: '+700 kB', isLarge: false }],
    [51_300_000, 48_500_000, { text: '+2.8 MB', isLarge: true }],
    [48_300_000, 49_500_000, { text: '−1.2 MB', isLarge: false }],
    [51_300_000, 51_300_400, { text: '', isLarge: false }],
  ])('of %i bytes after one of %i bytes is computed', (size, before, change) => {
    expect(compareSizes(sized(size), sized(before), 'en')).toEqual(change);
  });

  it('is left out for the oldest build and for builds of different apps', () => {
    expect(compareSizes(sized(1000), undefined, 'en')).toBeUndefined();
    expect(compareSizes(sized(1000), sized(900, 'com.example.other'), 'en')).toBeUndefined();
    expect(compareSizes(sized(1000, null), sized(900, null), 'en')).toBeUndefined();
  });
});

describe('the color of a build', () => {
  const build = (status: string, reason: string) =>
    ({
      installability: { status, reason, profile_expires_at: null, needed_system: null, newest_system: null },
    }) as Build;
  const provisioned = build('installable', 'provisioned');
  const count = (devices_able: number, devices_total: number) => ({ devices_able, devices_total });

  it('is green from 95% of the devices, amber below, and red at none', () => {
    expect(statusTone(provisioned, count(19, 20))).toBe('ok');
    expect(statusTone(provisioned, count(18, 20))).toBe('warn');
    expect(statusTone(provisioned, count(0, 20))).toBe('bad');
  });

  it('depends on the package alone without known devices', () => {
    expect(statusTone(provisioned, count(0, 0))).toBe('ok');
    expect(statusTone(provisioned)).toBe('pending');
    expect(statusTone(build('installable', 'installable'))).toBe('ok');
    expect(statusTone(build('unknown', 'unreadable'))).toBe('warn');
    expect(statusTone(build('uninstallable', 'profile_expired'), count(3, 3))).toBe('bad');
  });
});

describe('the devices of a build', () => {
  const device = (name: string, verdict: string, reason: string, registered_at = '2026-01-01T00:00:00Z') =>
    ({ device: { name, registered_at }, install: { verdict, reason } }) as BuildDevice;

  it('are grouped by the reason, those that can be helped first', () => {
    const { able, groups } = groupDevices(
      [
        device('new', 'no', 'not_provisioned', '2026-03-01T00:00:00Z'),
        device('old', 'no', 'os_too_old'),
        device('fine', 'yes', 'provisioned'),
        device('left out', 'no', 'not_provisioned'),
        device('expired', 'no', 'profile_expired'),
      ],
      '2026-02-01T00:00:00Z',
    );
    expect(able.map((row) => row.device.name)).toEqual(['fine']);
    expect(groups.map(({ name, rows }) => [name, rows.map((row) => row.device.name)])).toEqual([
      ['waiting', ['new']],
      ['not_provisioned', ['left out']],
      ['os_too_old', ['old']],
      ['profile_expired', ['expired']],
    ]);
  });
});

describe('several builds of which some could not be changed', () => {
  it('are said to be changed otherwise only if others were', () => {
    expect(en.builds.bulk.failed(1, 2)).toBe("1 build couldn't be changed. All others were.");
    expect(en.builds.bulk.failed(2, 0)).toBe("2 builds couldn't be changed.");
    expect(de.builds.bulk.failed(1, 1)).toBe('1 Build konnte nicht geändert werden. Alle anderen wurden geändert.');
    expect(de.builds.bulk.failed(2, 0)).toBe('2 Builds konnten nicht geändert werden.');
  });
});

describe('the route of a build', () => {
  const channel = (identifier: string, liveBuild?: string) =>
    ({
      channel: { identifier },
      current_release: liveBuild === undefined ? null : { build: { identifier: liveBuild }, created_at: 'now' },
    }) as ChannelOverview;
  const release = (channel_id: string) => ({ channel_id, created_at: 'then', state: 'active' as const });
  const describeStops = (stops: ReturnType<typeof planRoute>) =>
    stops.map(({ overview, isLive, isPassed, release: found }) => [
      overview.channel.identifier,
      isLive ? 'live' : found === undefined ? 'ahead' : 'was live',
      isPassed,
    ]);

  it('is passed up to the farthest channel', () => {
    const channels = [channel('3'), channel('2', 'this'), channel('1', 'other')];
    expect(describeStops(planRoute({ identifier: 'this' }, channels, [release('1')]))).toEqual([
      ['1', 'was live', true],
      ['2', 'live', false],
      ['3', 'ahead', false],
    ]);
  });

  it('of many channels shows those that the build reached', () => {
    const channels = ['1', '2', '3', '4', '5', '6'].map((id) => channel(id, id === '6' ? 'this' : undefined));
    expect(describeStops(planRoute({ identifier: 'this' }, channels, []))).toEqual([
      ['1', 'ahead', true],
      ['2', 'ahead', true],
      ['3', 'ahead', true],
      ['6', 'live', false],
    ]);
  });

  it('ends with the previews that the build was released to, which it is not promoted through', () => {
    const channels = [channel('1', 'this'), channel('2', 'this'), channel('3', 'other'), channel('4', 'other')];
    const previews = new Set(['2', '3']);
    expect(describeStops(planRoute({ identifier: 'this' }, channels, [], previews))).toEqual([
      ['1', 'live', false],
      ['4', 'ahead', false],
      ['2', 'live', false],
    ]);
  });
});

describe('permissions and entitlements', () => {
  it('are described in both languages', () => {
    expect(describePermission('NSCameraUsageDescription', 'ios', en)).toEqual({
      name: 'Camera',
      meaning: 'Take photos and record video',
    });
    expect(describePermission('android.permission.CAMERA', 'android', de).name).toBe('Kamera');
  });

  it('that are unknown are named after their identifier', () => {
    expect(describePermission('NSFooBarUsageDescription', 'ios', en)).toEqual({ name: 'Foo bar', meaning: undefined });
    expect(describePermission('com.example.permission.SYNC_STATE', 'android', en).name).toBe('Sync state');
    expect(describePermission('constructor', 'android', en).name).toBe('Constructor');
  });

  it('have values as text', () => {
    expect(nameEntitlement('aps-environment', en)).toBe('Push notifications');
    expect(nameEntitlement('toString', en)).toBeUndefined();
    expect(formatEntitlement(false, en)).toBe('No');
    expect(formatEntitlement(['applinks:example.com', 'a'], en)).toBe('applinks:example.com, a');
    expect(formatEntitlement({ a: 1 }, en)).toBe('{"a":1}');
  });
});
