// The values of a chart as a table, newest day first.
import { useLocale, useTexts } from '../texts/locale.ts';
import { formatDate } from './dates.ts';
import type { DayChartProps } from './series.ts';

export function DayTable({ title, days, series }: Pick<DayChartProps, 'title' | 'days' | 'series'>) {
  const t = useTexts().charts;
  const { language } = useLocale();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
    <section className="tw-chart-table" tabIndex={0} aria-label={title}>
      <table aria-label={title}>
        <thead>
          <tr>
            <th scope="col">{t.day}</th>
            {series.map(({ name }) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days
            .map((day, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: several builds can be of one day
              <tr key={index}>
                <th scope="row">{formatDate(day, language, 'long')}</th>
                {series.map(({ name, format }) => (
                  <td key={name}>{format(index)}</td>
                ))}
              </tr>
            ))
            .reverse()}
        </tbody>
      </table>
    </section>
  );
}
