// The arithmetic of the charts, and the numbers of a channel in the shape that they draw.
import { describe, expect, it } from 'vitest';
import { formatDate } from '../../src/dashboard/charts/dates.ts';
import { countTicks, dayAt, dayByKey, labelledDays, middleOf, shareOf } from '../../src/dashboard/charts/scale.ts';
import { drawAdoption, drawUse } from '../../src/dashboard/pages/channel/days.ts';
import { commandWithCurl, commandWithProgram } from '../../src/dashboard/pages/tokens/ci-commands.ts';
import { pauseAfter } from '../../src/dashboard/parts/polling.ts';
import { de } from '../../src/dashboard/texts/de.ts';
import { charts } from '../../src/dashboard/texts/en/charts.ts';
import { en } from '../../src/dashboard/texts/en.ts';
import type { ChannelDay, ChannelDays } from '../../src/overviews/channel-day-schema.ts';

describe('an axis', () => {
  it.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [4, [0, 1, 2, 3, 4]],
    [5, [0, 2, 4, 6]],
    [37, [0, 10, 20, 30, 40]],
    [212, [0, 100, 200, 300]],
    [4000, [0, 1000, 2000, 3000, 4000]],
  ])('for up to %i has round marks in whole numbers', (max, ticks) => {
    expect(countTicks(max)).toEqual(ticks);
  });

  it.each([1, 7, 99, 1234, 98_765])('reaches over %i with four steps at most', (max) => {
    const ticks = countTicks(max);
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(max);
    expect(ticks.length).toBeLessThanOrEqual(5);
  });

  it('names days that do not touch, the last one always', () => {
    expect(labelledDays(700, 7, 64)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(labelledDays(300, 30, 64)).toEqual([8, 15, 22, 29]);
    for (const count of [1, 7, 30, 90, 365]) {
      const days = labelledDays(280, count, 64);
      expect(days.at(-1)).toBe(count - 1);
      const gaps = days
        .slice(1)
        .map((day, index) => middleOf(day, 280, count) - middleOf(days[index] ?? 0, 280, count));
      expect(gaps.every((gap) => gap >= 64)).toBe(true);
    }
  });

  it('writes days of UTC, wherever the reader is', () => {
    expect(formatDate('2026-01-31', 'en-GB', 'short')).toBe('31 Jan');
    expect(formatDate('2026-01-31', 'en-GB', 'long')).toBe('31 Jan 2026');
    expect(formatDate('?', 'en-GB', 'long')).toBe('?');
  });
});

describe('the chosen day', () => {
  it.each([
    [-5, 0],
    [0, 0],
    [99, 9],
    [100, 9],
    [55, 5],
  ])('at %i of 100 pixels with ten days is %i', (x, day) => {
    expect(dayAt(x, 100, 10)).toBe(day);
  });

  it.each([
    ['ArrowLeft', 4],
    ['ArrowRight', 6],
    ['PageDown', 0],
    ['PageUp', 9],
    ['Home', 0],
    ['End', 9],
    ['Enter', undefined],
  ])('after %s from the sixth of ten is %s', (key, day) => {
    expect(dayByKey(key, 5, 10)).toBe(day);
  });
});

const quiet: ChannelDay = {
  day: '2026-01-01',
  downloads: 0,
  installs: 0,
  testers_on_current: 0,
  installs_on_current: 0,
};
const read = (days: Partial<ChannelDay>[], all: Partial<ChannelDays> = {}): ChannelDays => ({
  channel_id: 'c',
  release_id: 'r',
  testers: 0,
  installs: 0,
  days: days.map((day, index) => ({ ...quiet, day: `2026-01-0${index + 1}`, ...day })),
  ...all,
});

describe('the use of a channel', () => {
  it('is zero on days without any', () => {
    const drawn = drawUse(read([{}, { downloads: 5 }, {}]), charts);
    expect(drawn.series.map(({ values }) => values)).toEqual([[0, 5, 0]]);
    expect([drawn.text, drawn.ticks.at(-1)]).toEqual(['5 downloads in 3 days', 6]);
    expect(drawn.series[0]?.words(0)).toBe('0');
  });

  it('has installs beside the downloads where an app updates itself', () => {
    const drawn = drawUse(read([{ downloads: 1, installs: 1 }, {}], { installs: 3 }), charts);
    expect(drawn.series.map(({ name, values }) => [name, values])).toEqual([
      ['Downloads', [1, 0]],
      ['Installs', [1, 0]],
    ]);
    expect(drawn.text).toBe('1 download and 1 install in 2 days');
    expect(drawUse(read([{ installs: 1 }]), charts).series).toHaveLength(2);
  });
});

describe('the adoption of a release', () => {
  it('is the share of those who could have it', () => {
    const days = [{}, { testers_on_current: 1 }, { testers_on_current: 3, installs_on_current: 5 }];
    const drawn = drawAdoption(read(days, { testers: 4, installs: 10 }), charts);
    expect(drawn?.series.map(({ values }) => values)).toEqual([
      [0, 0.25, 0.75],
      [0, 0, 0.5],
    ]);
    expect(drawn?.text).toBe('3 of 4 testers, 5 of 10 installs');
    expect(drawn?.series[0]?.words(0)).toBe('0 of 4 testers');
  });

  it('leaves out whom there are none of, and is nothing where nobody could have it', () => {
    expect(drawAdoption(read([{}], { testers: 1 }), charts)?.series.map(({ name }) => name)).toEqual(['Testers']);
    expect(drawAdoption(read([{}], { installs: 1 }), charts)?.series.map(({ name }) => name)).toEqual([
      'Apps with in-app updates',
    ]);
    expect(drawAdoption(read([{ testers_on_current: 1 }]), charts)).toBeUndefined();
  });

  it('is never more than all of them', () => {
    expect([shareOf(0, 0), shareOf(5, 0), shareOf(7, 5)]).toEqual([0, 0, 1]);
    const drawn = drawAdoption(read([{ installs_on_current: 7 }], { installs: 5 }), charts);
    expect([drawn?.series[0]?.values, drawn?.text]).toEqual([[1], '5 of 5 installs']);
  });
});

describe('reading again', () => {
  it('comes after 5 seconds, and the more seldom the longer nothing is new, once a minute at least', () => {
    expect([0, 1, 2, 10].map(pauseAfter)).toEqual([5000, 7500, 11_250, 60_000]);
  });
});

describe('the lines for a build server', () => {
  const project = { organization_id: 'o', identifier: 'p', platform: 'ios' } as const;
  const place = { server: 'https://builds.example.com', project, token: 'svc_x' };

  it.each([
    ['read', 'taxiway builds'],
    ['read_download', 'taxiway builds'],
    ['read_download_upload', 'taxiway upload app.ipa'],
    ['maintainer', 'taxiway upload app.ipa --channel beta'],
    ['admin', 'taxiway upload app.ipa --channel beta'],
  ] as const)('ask for no more than the role %s may do', (role, line) => {
    const lines = commandWithProgram({ ...place, role }).split('\n');
    expect(lines).toEqual([`export TAXIWAY_URL='https://builds.example.com'`, `export TAXIWAY_TOKEN='svc_x'`, line]);
    expect(commandWithCurl({ ...place, role }).includes('builds/initiate')).toBe(!line.endsWith('builds'));
  });

  it('upload by curl in the three steps of the API', () => {
    const lines = commandWithCurl({ ...place, role: 'maintainer' });
    expect(lines).toContain(`HERE='organization_id=o&project_id=p'`);
    expect(lines).toContain('-T app.ipa');
    expect(lines).toContain('/complete?$HERE"');
  });
});

describe('the numbers of a channel', () => {
  it('call those who downloaded something not the testers in all, of whom there can be more', () => {
    expect(en.channels.numbers.allTesters).toBe('Testers with at least one download');
    expect(de.channels.numbers.allTesters).toBe('Tester mit mindestens einem Download');
  });
});
