// The data of a chart by day.

export interface Series {
  name: string;
  /** One value for each day. */
  values: readonly number[];
  /** Returns the text of a day's value, such as "4 of 6 testers". */
  format(day: number): string;
}

export interface DayChartProps {
  title: string;
  /** A summary of the values. */
  text: string;
  /** UTC dates as in the API, oldest first. */
  days: readonly string[];
  series: readonly Series[];
  kind: 'bars' | 'lines';
  /** The ticks of the axis from 0 to its top. */
  ticks: readonly number[];
  formatTick(value: number): string;
}

export const seriesClasses = ['tw-chart-first', 'tw-chart-second'] as const;
