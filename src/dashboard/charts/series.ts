// What a chart of days shows.

export interface Series {
  name: string;
  /** One for each day. */
  values: readonly number[];
  /** What the value of a day is in words, such as "4 of 6 testers". */
  words(day: number): string;
}

export interface DayChartProps {
  title: string;
  /** What it all comes to, in words. */
  text: string;
  /** Dates of UTC as the API writes them, the oldest first. */
  days: readonly string[];
  series: readonly Series[];
  kind: 'bars' | 'lines';
  /** Marks of the axis from 0 upwards; the last is its top. */
  ticks: readonly number[];
  formatTick(value: number): string;
}

export const seriesClasses = ['tw-chart-first', 'tw-chart-second'] as const;
