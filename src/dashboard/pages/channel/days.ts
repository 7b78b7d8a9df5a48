// What the charts of a channel draw: the API's days in the shape of series.
import type { ChannelDays } from '../../../overviews/channel-day-schema.ts';
import { countTicks, shareOf } from '../../charts/scale.ts';
import type { Series } from '../../charts/series.ts';
import type { Texts } from '../../texts/en.ts';

type Words = Texts['charts'];

/** A chart without its frame. */
export interface Drawn {
  text: string;
  series: Series[];
  ticks: number[];
}

/** Downloads of each day, and installs beside them where the channel has apps that update themselves or had in these days. */
export function drawUse({ days, installs }: ChannelDays, t: Words): Drawn {
  const perDay = { downloads: days.map((day) => day.downloads), installs: days.map((day) => day.installs) };
  const [downloaded, installed] = [sum(perDay.downloads), sum(perDay.installs)];
  const hasInstalls = installs > 0 || installed > 0;
  const series: Series[] = [toCounts(t.downloads, perDay.downloads)];
  if (hasInstalls) series.push(toCounts(t.installs, perDay.installs));
  const most = Math.max(0, ...perDay.downloads, ...perDay.installs);
  return {
    text: t.totals(downloaded, hasInstalls ? installed : undefined, days.length),
    series,
    ticks: countTicks(most),
  };
}

/** How many of those who could have the current release had it, as shares; undefined where nobody could. */
export function drawAdoption({ days, testers, installs }: ChannelDays, t: Words): Drawn | undefined {
  const kinds = [
    { name: t.testers, all: testers, have: days.map((day) => day.testers_on_current), say: t.adoptionText },
    { name: t.apps, all: installs, have: days.map((day) => day.installs_on_current), say: t.appsText },
  ].filter(({ all }) => all > 0);
  if (kinds.length === 0) return undefined;
  // Who was counted out since may not make more than all.
  const series = kinds.map(({ name, all, have, say }) => ({
    name,
    values: have.map((count) => shareOf(count, all)),
    words: (day: number) => say(Math.min(all, have[day] ?? 0), all),
  }));
  return { text: series.map(({ words }) => words(days.length - 1)).join(', '), series, ticks: [0, 0.25, 0.5, 0.75, 1] };
}

function toCounts(name: string, values: readonly number[]): Series {
  return { name, values, words: (day) => String(values[day] ?? 0) };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
