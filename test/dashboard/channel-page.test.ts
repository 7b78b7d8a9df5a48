// What the page of a channel derives from its data: notes, the order of channels, adoption, and authors.
import { describe, expect, it } from 'vitest';
import { orderChannels } from '../../src/dashboard/components/channel-order.ts';
import { listStores } from '../../src/dashboard/components/feeds.tsx';
import { firstLine } from '../../src/dashboard/components/notes.ts';
import { describeAuthor } from '../../src/dashboard/components/release-author.tsx';
import { formatShortDay } from '../../src/dashboard/components/times.ts';
import { abilityOf, divideAdoption } from '../../src/dashboard/pages/channel/adoption-parts.ts';
import { feeds as feedsDe } from '../../src/dashboard/texts/de/feeds.ts';
import { releasing as de } from '../../src/dashboard/texts/de/releasing.ts';
import { feeds as feedsEn } from '../../src/dashboard/texts/en/feeds.ts';
import { releasing as en } from '../../src/dashboard/texts/en/releasing.ts';
import type { ChannelTester } from '../../src/testers/roster/schema.ts';

type Device = ChannelTester['devices'][number];

const device = (verdict: 'yes' | 'no' | 'unknown'): Device =>
  ({ identifier: verdict, name: 'Phone', install: { verdict, reason: 'compatible' } }) as unknown as Device;
const tester = (more: Partial<ChannelTester> = {}): ChannelTester => ({
  developer_id: 'd',
  email: 'd@example.com',
  display_name: 'D',
  is_verified: true,
  muted: false,
  grants: [],
  devices: [],
  installed: null,
  ...more,
});
const has = (release_id: string) =>
  tester({ installed: { release_id } as unknown as NonNullable<ChannelTester['installed']> });

describe('the hint about feeds', () => {
  it.each([
    ['android', 'en', 'Install and update with F-Droid or Obtainium, or follow releases in a feed reader.'],
    ['ios', 'en', 'Install and update with AltStore or SideStore, or follow releases in a feed reader.'],
    [
      'android',
      'de',
      'Installieren und aktualisieren mit F-Droid oder Obtainium, oder Freigaben im Feedreader verfolgen.',
    ],
    [
      'ios',
      'de',
      'Installieren und aktualisieren mit AltStore oder SideStore, oder Freigaben im Feedreader verfolgen.',
    ],
  ] as const)('names the app stores of %s in the language %s', (platform, language, expected) => {
    expect({ en: feedsEn, de: feedsDe }[language].hint(listStores(platform, language))).toBe(expected);
  });
});

describe('the first line of notes', () => {
  it.each([
    [null, undefined],
    [' \n ', undefined],
    ['\n\n  Fixes a crash \nand more', 'Fixes a crash'],
    ['\u2022 Tides\n\u2022 Moons', 'Tides'],
    ['## **New:** [tides](https://x.example)', 'New: tides'],
    ['> 1. `scan` is ~~slow~~ fast', 'scan is slow fast'],
    ['```\ncode\n```', 'code'],
    ['<img src=x>', '<img src=x>'],
    ['- \\#12 and a_b', '#12 and a_b'],
  ])('of %j is %j', (notes, line) => expect(firstLine(notes)).toBe(line));
});

describe('the order of channels', () => {
  const channels = [{ identifier: '3' }, { identifier: '2' }, { identifier: '1' }];
  const promoted = (channel_id: string, from: string | null) => ({
    channel_id,
    promoted_from: from === null ? null : { channel_id: from, name: from },
  });
  it('is by age without promotions', () => {
    expect(orderChannels(channels, [promoted('1', null)])).toEqual(['1', '2', '3']);
  });
  it('follows the promotions of current releases', () => {
    expect(orderChannels(channels, [promoted('1', '3'), promoted('2', '1')])).toEqual(['3', '1', '2']);
    expect(orderChannels(channels, [promoted('1', 'deleted')])).toEqual(['1', '2', '3']);
  });
  it('is by age for circular promotions', () => {
    expect(orderChannels(channels, [promoted('1', '2'), promoted('2', '1')])).toEqual(['3', '1', '2']);
  });
});

describe('adoption', () => {
  it('divides all testers into parts that add up', () => {
    const roster = [
      has('now'),
      has('old'),
      tester({ devices: [device('no'), device('yes')] }),
      tester({ devices: [device('no')] }),
      tester({ is_verified: false, devices: [device('yes')] }),
    ];
    expect(divideAdoption({ have: 1, total: 5 }, 'now', roster)).toEqual({ have: 1, can: 1, cannot: 2, unknown: 1 });
  });
  it('shows unknown testers if the list is incomplete or inconsistent', () => {
    const unknown = { have: 1, can: 0, cannot: 0, unknown: 2 };
    const can = tester({ devices: [device('yes')] });
    expect(divideAdoption({ have: 1, total: 3 }, 'now', undefined)).toEqual(unknown);
    expect(divideAdoption({ have: 1, total: 3 }, 'now', [has('now'), can])).toEqual(unknown);
    expect(divideAdoption({ have: 1, total: 3 }, 'now', [can, can, can])).toEqual(unknown);
  });
  it('counts testers without a known device as unknown', () => {
    expect([tester(), tester({ devices: [device('unknown'), device('no')] })].map(abilityOf)).toEqual([
      'unknown',
      'unknown',
    ]);
  });
});

describe('the author of a release', () => {
  const from = { channel_id: 'n', name: 'nightly' };
  const ada = { kind: 'developer', name: 'Ada' } as const;
  it('is a sentence with the name of a person or a token', () => {
    const t = en.who;
    expect(describeAuthor({ released_by: ada, promoted_from: from }, t)).toBe('Ada promoted from nightly');
    const ci = { kind: 'project_access_token', name: 'ci-main' } as const;
    expect(describeAuthor({ released_by: ci, promoted_from: null }, t)).toBe('ci-main released');
    const system = { kind: 'system', name: null } as const;
    expect(describeAuthor({ released_by: system, promoted_from: null }, t)).toBe('Released automatically');
    expect(describeAuthor({ released_by: null, promoted_from: null }, t)).toBe('A deleted account or token released');
  });
  it('is translated to German', () => {
    const t = de.who;
    expect(describeAuthor({ released_by: ada, promoted_from: from }, t)).toBe('Von Ada aus nightly weitergegeben');
    expect(describeAuthor({ released_by: null, promoted_from: null }, t)).toBe(
      'Freigegeben von gelöschtem Konto oder Token',
    );
  });
});

describe('the date of an earlier release', () => {
  it('contains the year only if it is not the current one', () => {
    const now = Date.UTC(2026, 10, 22, 12);
    expect(formatShortDay(Date.UTC(2026, 10, 9, 12), now, 'en')).toBe('Nov 9');
    expect(formatShortDay(Date.UTC(2025, 10, 9, 12), now, 'en')).toBe('Nov 9, 2025');
  });
});
