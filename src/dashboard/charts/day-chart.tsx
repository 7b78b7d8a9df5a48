// A chart of days with one or two series, as bars or lines: drawn here, because that needs no styles made at run time.

import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, type PointerEvent, useId, useState } from 'react';
import { useSpeech, useTexts } from '../texts/languages.ts';
import { formatDate } from './dates.ts';
import { DayTable } from './day-table.tsx';
import { Plot } from './plot.tsx';
import { dayAt, dayByKey } from './scale.ts';
import { type DayChartProps, seriesClasses } from './series.ts';

const LEFT = 40;

/** The chart. A pointer or the arrow keys choose a day, whose values stand below; all of them are in a table as well. */
export function DayChart(props: DayChartProps) {
  const { title, text, days, series } = props;
  const t = useTexts().charts;
  const { language } = useSpeech();
  const { ref, width } = useElementSize<HTMLDivElement>();
  const [chosen, setChosen] = useState<number>();
  const titleId = useId();
  const count = days.length;
  const day = Math.min(chosen ?? count - 1, count - 1);
  const date = formatDate(days[day] ?? '', language, 'long');
  const words = series.map(({ name, words: say }) => `${name}: ${say(day)}`).join(', ');

  function point({ clientX, currentTarget }: PointerEvent<HTMLElement>): void {
    const box = currentTarget.getBoundingClientRect();
    setChosen(dayAt(clientX - box.left - LEFT, box.width - LEFT, count));
  }
  function press(event: KeyboardEvent): void {
    const next = dayByKey(event.key, day, count);
    if (next === undefined) return;
    event.preventDefault();
    setChosen(next);
  }
  return (
    <figure className="tw-chart">
      <figcaption className="tw-chart-head">
        <h3 className="tw-chart-title" id={titleId}>
          {title}
        </h3>
        <span className="tw-small">{text}</span>
      </figcaption>
      <div
        ref={ref}
        className="tw-chart-plot"
        role="slider"
        tabIndex={0}
        aria-labelledby={titleId}
        aria-valuemin={1}
        aria-valuemax={count}
        aria-valuenow={day + 1}
        aria-valuetext={`${date}: ${words}`}
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={({ pointerType }) => pointerType === 'mouse' && setChosen(undefined)}
        onKeyDown={press}
      >
        <Plot {...props} left={LEFT} width={width} chosen={chosen} />
      </div>
      <ul className="tw-chart-legend">
        <li className="tw-small">{date}</li>
        {series.map(({ name, words: say }, index) => (
          <li key={name}>
            <span className={`tw-chart-swatch ${seriesClasses[index] ?? ''}`} aria-hidden />
            {name}: {say(day)}
          </li>
        ))}
      </ul>
      <details className="tw-details tw-no-print">
        <summary>{t.table}</summary>
        <DayTable title={title} days={days} series={series} />
      </details>
    </figure>
  );
}
