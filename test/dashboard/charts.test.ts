// The geometry of charts, the charts of a channel, and commands for CI jobs.
import { describe, expect, it } from 'vitest';
import { formatDate } from '../../src/dashboard/charts/dates.ts';
import {
  axisTicks,
  axisWidth,
  dayAt,
  dayCenter,
  dayForKey,
  labelledDays,
  share,
} from '../../src/dashboard/charts/scale.ts';
import { activityChart, adoptionChart } from '../../src/dashboard/pages/channel/chart-content.ts';
import { commandWithCurl, commandWithProgram } from '../../src/dashboard/pages/tokens/ci-commands.ts';
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
  ])('for up to %i has round whole numbers as ticks', (max, ticks) => {
    expect(axisTicks(max)).toEqual(ticks);
  });

  it.each([1, 7, 99, 1234, 98_765])('includes %i with at most four steps', (max) => {
    const ticks = axisTicks(max);
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(max);
    expect(ticks.length).toBeLessThanOrEqual(5);
  });

  it('is as wide as its labels', () => {
    expect(axisWidth(['0', '50', '100'])).toBe(40);
    expect(['0,50 $', '1.250,00 $', 'US$1,250.00'].map((label) => axisWidth(['0', label]))).toEqual([49, 75, 82]);
  });

  it('labels days without overlap, always including the last one', () => {
    expect(labelledDays(700, 7, 64)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(labelledDays(300, 30, 64)).toEqual([8, 15, 22, 29]);
    for (const count of [1, 7, 30, 90, 365]) {
      const days = labelledDays(280, count, 64);
      expect(days.at(-1)).toBe(count - 1);
      const gaps = days
        .slice(1)
        .map((day, index) => dayCenter(day, 280, count) - dayCenter(days[index] ?? 0, 280, count));
      expect(gaps.every((gap) => gap >= 64)).toBe(true);
    }
  });

  it('formats UTC days in any time zone', () => {
    expect(formatDate('2026-01-31', 'en-GB', 'short')).toBe('31 Jan');
    expect(formatDate('2026-01-31', 'en-GB', 'long')).toBe('31 Jan 2026');
    expect(formatDate('?', 'en-GB', 'long')).toBe('?');
  });
});

describe('the selected day', () => {
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
    expect(dayForKey(key, 5, 10)).toBe(day);
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

describe('the activity of a channel', () => {
  it('is zero on days without downloads', () => {
    const drawn = activityChart(read([{}, { downloads: 5 }, {}]), charts);
    expect(drawn.series.map(({ values }) => values)).toEqual([[0, 5, 0]]);
    expect([drawn.text, drawn.ticks.at(-1)]).toEqual(['5 downloads in 3 days', 6]);
    expect(drawn.series[0]?.format(0)).toBe('0');
  });

  it('includes installs if the channel has apps with in-app updates', () => {
    const drawn = activityChart(read([{ downloads: 1, installs: 1 }, {}], { installs: 3 }), charts);
    expect(drawn.series.map(({ name, values }) => [name, values])).toEqual([
      ['Downloads', [1, 0]],
      ['Installs', [1, 0]],
    ]);
    expect(drawn.text).toBe('1 download and 1 install in 2 days');
    expect(activityChart(read([{ installs: 1 }]), charts).series).toHaveLength(2);
  });
});

describe('the adoption of a release', () => {
  it('is the share of testers and apps that have it', () => {
    const days = [{}, { testers_on_current: 1 }, { testers_on_current: 3, installs_on_current: 5 }];
    const drawn = adoptionChart(read(days, { testers: 4, installs: 10 }), charts);
    expect(drawn?.series.map(({ values }) => values)).toEqual([
      [0, 0.25, 0.75],
      [0, 0, 0.5],
    ]);
    expect(drawn?.text).toBe('3 of 4 testers, 5 of 10 installs');
    expect(drawn?.series[0]?.format(0)).toBe('0 of 4 testers');
  });

  it('leaves out empty groups, and is undefined without testers and apps', () => {
    expect(adoptionChart(read([{}], { testers: 1 }), charts)?.series.map(({ name }) => name)).toEqual(['Testers']);
    expect(adoptionChart(read([{}], { installs: 1 }), charts)?.series.map(({ name }) => name)).toEqual([
      'Apps with in-app updates',
    ]);
    expect(adoptionChart(read([{ testers_on_current: 1 }]), charts)).toBeUndefined();
  });

  it('never exceeds the total', () => {
    expect([share(0, 0), share(5, 0), share(7, 5)]).toEqual([0, 0, 1]);
    const drawn = adoptionChart(read([{ installs_on_current: 7 }], { installs: 5 }), charts);
    expect([drawn?.series[0]?.values, drawn?.text]).toEqual([[1], '5 of 5 installs']);
  });
});

describe('the commands for a CI job', () => {
  const project = { organization_id: 'o', identifier: 'p', platform: 'ios' } as const;
  const place = { server: 'https://builds.example.com', project, token: 'svc_x' };

  it.each([
    ['read', 'taxiway builds'],
    ['read_download', 'taxiway builds'],
    ['read_download_upload', 'taxiway upload app.ipa'],
    ['maintainer', 'taxiway upload app.ipa --channel beta'],
    ['admin', 'taxiway upload app.ipa --channel beta'],
  ] as const)('need no more than the role %s', (role, line) => {
    const lines = commandWithProgram({ ...place, role }).split('\n');
    expect(lines).toEqual([`export TAXIWAY_URL='https://builds.example.com'`, `export TAXIWAY_TOKEN='svc_x'`, line]);
    expect(commandWithCurl({ ...place, role }).includes('builds/initiate')).toBe(!line.endsWith('builds'));
  });

  it('upload with curl in the three steps of the API', () => {
    const lines = commandWithCurl({ ...place, role: 'maintainer' });
    expect(lines).toContain(`HERE='organization_id=o&project_id=p'`);
    expect(lines).toContain('-T app.ipa');
    expect(lines).toContain('/complete?$HERE"');
  });
});

describe('the usage of a channel', () => {
  it('labels testers with a download so that they cannot be mistaken for all testers', () => {
    expect(en.channels.usage.totalTesters).toBe('Testers with at least one download');
    expect(de.channels.usage.totalTesters).toBe('Tester mit mindestens einem Download');
  });
});
