// Converts the API's days to the content of the charts.
import type { ChannelDays } from '../../../overviews/channel-day-schema.ts';
import { axisTicks, share } from '../../charts/scale.ts';
import type { Series } from '../../charts/series.ts';
import type { Texts } from '../../texts/en.ts';

type Words = Texts['charts'];

/** The content of a chart. */
export interface ChartContent {
  text: string;
  series: Series[];
  ticks: number[];
}

/** Returns downloads by day, and installs if the channel has apps with in-app updates or had some in the period. */
export function activityChart({ days, installs }: ChannelDays, t: Words): ChartContent {
  const perDay = { downloads: days.map((day) => day.downloads), installs: days.map((day) => day.installs) };
  const [downloaded, installed] = [sum(perDay.downloads), sum(perDay.installs)];
  const hasInstalls = installs > 0 || installed > 0;
  const series: Series[] = [toCounts(t.downloads, perDay.downloads)];
  if (hasInstalls) series.push(toCounts(t.installs, perDay.installs));
  const most = Math.max(0, ...perDay.downloads, ...perDay.installs);
  return {
    text: t.totals(downloaded, hasInstalls ? installed : undefined, days.length),
    series,
    ticks: axisTicks(most),
  };
}

/** Returns the share of testers and apps that have the current release; undefined if there are none. */
export function adoptionChart({ days, testers, installs }: ChannelDays, t: Words): ChartContent | undefined {
  const kinds = [
    { name: t.testers, all: testers, have: days.map((day) => day.testers_on_current), text: t.adoptionText },
    { name: t.apps, all: installs, have: days.map((day) => day.installs_on_current), text: t.appsText },
  ].filter(({ all }) => all > 0);
  if (kinds.length === 0) return undefined;
  // Limited to the total, because testers who left since may still be counted.
  const series = kinds.map(({ name, all, have, text }) => ({
    name,
    values: have.map((count) => share(count, all)),
    format: (day: number) => text(Math.min(all, have[day] ?? 0), all),
  }));
  return {
    text: series.map(({ format }) => format(days.length - 1)).join(', '),
    series,
    ticks: [0, 0.25, 0.5, 0.75, 1],
  };
}

function toCounts(name: string, values: readonly number[]): Series {
  return { name, values, format: (day) => String(values[day] ?? 0) };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
