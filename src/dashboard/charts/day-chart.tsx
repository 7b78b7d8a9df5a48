// A chart by day with one or two series, as bars or lines. Own code instead of a library, because libraries create
// style elements at run time.

import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, type PointerEvent, useId, useState } from 'react';
import { fontScale } from '../components/font-size.ts';
import { useLocale, useTexts } from '../texts/locale.ts';
import { formatDate } from './dates.ts';
import { DayTable } from './day-table.tsx';
import { Plot } from './plot.tsx';
import { axisWidth, dayAt, dayForKey } from './scale.ts';
import { type DayChartProps, seriesClasses } from './series.ts';

/**
 * Renders the chart. The pointer or the arrow keys select a day, whose values are shown below. A table contains all
 * values.
 */
export function DayChart(props: DayChartProps) {
  const { title, text, days, series, ticks, formatTick } = props;
  const t = useTexts().charts;
  const { language } = useLocale();
  const { ref, width } = useElementSize<HTMLDivElement>();
  const [scale] = useState(fontScale);
  const [chosen, setChosen] = useState<number>();
  const titleId = useId();
  const count = days.length;
  const left = axisWidth(ticks.map(formatTick));
  const day = Math.min(chosen ?? count - 1, count - 1);
  const date = formatDate(days[day] ?? '', language, 'long');
  const values = series.map(({ name, format }) => `${name}: ${format(day)}`).join(', ');

  function selectAtPointer({ clientX, currentTarget }: PointerEvent<HTMLElement>): void {
    const box = currentTarget.getBoundingClientRect();
    setChosen(dayAt((clientX - box.left) / scale - left, box.width / scale - left, count));
  }
  function selectByKey(event: KeyboardEvent): void {
    const next = dayForKey(event.key, day, count);
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
        aria-valuetext={`${date}: ${values}`}
        onPointerMove={selectAtPointer}
        onPointerDown={selectAtPointer}
        onPointerLeave={({ pointerType }) => pointerType === 'mouse' && setChosen(undefined)}
        onKeyDown={selectByKey}
      >
        <Plot {...props} left={left} width={width / scale} chosen={chosen} />
      </div>
      <ul className="tw-chart-legend">
        <li className="tw-small">{date}</li>
        {series.map(({ name, format }, index) => (
          <li key={name}>
            <span className={`tw-chart-swatch ${seriesClasses[index] ?? ''}`} aria-hidden />
            {name}: {format(day)}
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
