// The numbers of a chart as a table, the newest day first.
import { useSpeech, useTexts } from '../texts/languages.ts';
import { formatDate } from './dates.ts';
import type { DayChartProps } from './series.ts';

export function DayTable({ title, days, series }: Pick<DayChartProps, 'title' | 'days' | 'series'>) {
  const t = useTexts().charts;
  const { language } = useSpeech();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
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
              <tr key={day}>
                <th scope="row">{formatDate(day, language, 'long')}</th>
                {series.map(({ name, words }) => (
                  <td key={name}>{words(index)}</td>
                ))}
              </tr>
            ))
            .reverse()}
        </tbody>
      </table>
    </section>
  );
}
