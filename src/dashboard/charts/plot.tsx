// The drawing of a chart by day. Screen readers skip it, because the text around it contains the same values.
import { inRem } from '../components/font-size.ts';
import { useLocale } from '../texts/locale.ts';
import { formatDate } from './dates.ts';
import { dayCenter, labelledDays } from './scale.ts';
import { type DayChartProps, type Series, seriesClasses } from './series.ts';

interface PlotProps extends DayChartProps {
  /** The width of the axis. */
  left: number;
  /** The width of the drawing at the default font size; 0 until it was measured. */
  width: number;
  chosen: number | undefined;
}

const HEIGHT = 168;
/** In the units of the drawing, which is scaled as a whole. */
const FONT_SIZE = 11;
const TOP = 8;
const BOTTOM = 22;
const GROUND = HEIGHT - BOTTOM;
const LABEL_WIDTH = 64;
const WIDEST_BAR = 18;

export function Plot({ days, series, kind, ticks, formatTick, left, width, chosen }: PlotProps) {
  const { language } = useLocale();
  const inner = Math.max(0, width - left);
  const count = days.length;
  const top = ticks.at(-1) ?? 1;
  const heightOf = (value: number) => GROUND - (value / top) * (GROUND - TOP);
  if (inner === 0) return <svg height={inRem(HEIGHT)} aria-hidden="true" />;
  const place: Place = { inner, count, heightOf };
  return (
    <svg height={inRem(HEIGHT)} viewBox={`0 0 ${width} ${HEIGHT}`} fontSize={FONT_SIZE} aria-hidden="true">
      {ticks.map((value) => (
        <g key={value}>
          <path className="tw-chart-rule" d={`M${left} ${Math.round(heightOf(value)) + 0.5}H${width}`} />
          <text x={left - 8} y={heightOf(value) + 4} textAnchor="end">
            {formatTick(value)}
          </text>
        </g>
      ))}
      <g transform={`translate(${left} 0)`}>
        {chosen !== undefined && (
          <rect
            className="tw-chart-mark"
            x={dayCenter(chosen, inner, count) - Math.max(3, inner / count) / 2}
            y={TOP}
            width={Math.max(3, inner / count)}
            height={GROUND - TOP}
          />
        )}
        {series.map((one, index) => (
          <g key={one.name} className={seriesClasses[index] ?? ''}>
            {kind === 'bars' ? (
              <Bars series={one} place={place} index={index} of={series.length} />
            ) : (
              <Line series={one} place={place} chosen={chosen} />
            )}
          </g>
        ))}
        {labelledDays(inner, count, LABEL_WIDTH).map((day) => (
          <text
            key={day}
            x={Math.min(dayCenter(day, inner, count), inner - LABEL_WIDTH / 3)}
            y={HEIGHT - 6}
            textAnchor="middle"
          >
            {formatDate(days[day] ?? '', language, 'short')}
          </text>
        ))}
      </g>
    </svg>
  );
}

interface Place {
  inner: number;
  count: number;
  heightOf(value: number): number;
}

interface BarsProps {
  series: Series;
  place: Place;
  /** The position of the series among those side by side. */
  index: number;
  of: number;
}

function Bars({ series, place: { inner, count, heightOf }, index, of }: BarsProps) {
  const width = Math.min(WIDEST_BAR, ((inner / count) * 0.8) / of);
  const path = series.values
    .map((value, day) => {
      if (value === 0) return '';
      const x = dayCenter(day, inner, count) + (index - of / 2) * width;
      // Small values stay visible.
      const y = Math.min(heightOf(value), GROUND - 2);
      return `M${x.toFixed(2)} ${GROUND}V${y.toFixed(2)}h${(width * 0.92).toFixed(2)}V${GROUND}z`;
    })
    .join('');
  return <path className="tw-chart-bar" d={path} />;
}

function Line({
  series,
  place: { inner, count, heightOf },
  chosen,
}: {
  series: Series;
  place: Place;
  chosen: number | undefined;
}) {
  const points = series.values.map((value, day) => [dayCenter(day, inner, count), heightOf(value)] as const);
  const path = points.map(([x, y], day) => `${day === 0 ? 'M' : 'L'}${x.toFixed(2)} ${y.toFixed(2)}`).join('');
  const [x, y] = points[Math.min(chosen ?? count - 1, count - 1)] ?? [0, 0];
  return (
    <>
      <path className="tw-chart-line" d={path} />
      <circle className="tw-chart-dot" cx={x} cy={y} r={4} />
    </>
  );
}
