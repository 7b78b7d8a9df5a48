// The cost of each day of a month as a chart.

import type { UsageDays } from '../../../billing/schema.ts';
import { axisTicks } from '../../charts/scale.ts';
import type { DayChartProps } from '../../charts/series.ts';
import { dayMs } from '../../components/times.ts';
import type { Texts } from '../../texts/en.ts';

/** Returns the days of a month up to `today`, as YYYY-MM-DD. */
function daysUntil(month: string, today: string): string[] {
  const days: string[] = [];
  for (let time = Date.parse(`${month}-01T00:00:00Z`); ; time += dayMs) {
    const day = new Date(time).toISOString().slice(0, 10);
    if (!day.startsWith(month) || day > today) return days;
    days.push(day);
  }
}

/** Returns the cost of all days, in cents with fractions. */
export function totalCents({ days }: UsageDays): number {
  return days.reduce(
    (total, day) => total + Number(day.storage_cents) + Number(day.seats_cents) + Number(day.downloads_cents),
    0,
  );
}

/** Formats a month that is given as YYYY-MM. */
export function formatMonth(month: string, language: string): string {
  const format = new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric', timeZone: 'UTC' });
  return format.format(Date.parse(`${month}-01T00:00:00Z`));
}

/** Returns the chart of a month: the cost of storage and members, and that of downloads. `money` formats cents. */
export function costChart(
  { month, days }: UsageDays,
  today: string,
  money: (cents: number) => string,
  t: Texts['billing']['days'],
): Omit<DayChartProps, 'title' | 'kind'> {
  // The clocks of the server and the browser may differ.
  const last = days.at(-1)?.day ?? today;
  const shown = daysUntil(month, last > today ? last : today);
  const byDay = new Map(days.map((day) => [day.day, day]));
  const stored = shown.map((day) => {
    const row = byDay.get(day);
    return row === undefined ? 0 : Number(row.storage_cents) + Number(row.seats_cents);
  });
  const downloads = shown.map((day) => Number(byDay.get(day)?.downloads_cents ?? 0));
  const sum = [...stored, ...downloads].reduce((total, value) => total + value, 0);
  return {
    days: shown,
    // Rounded down, as the total of the meters is.
    text: t.total(money(Math.floor(sum))),
    series: [
      { name: t.stored, values: stored, format: (day) => money(stored[day] ?? 0) },
      { name: t.downloads, values: downloads, format: (day) => money(downloads[day] ?? 0) },
    ],
    ticks: axisTicks(Math.max(...stored, ...downloads, 1)),
    formatTick: money,
  };
}
