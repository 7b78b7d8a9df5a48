// The sizes of the last builds, with the project's budget.
import type { Build } from '../../../builds/schema.ts';
import { formatBytes } from '../../../lib/formats.ts';
import { DayChart } from '../../charts/day-chart.tsx';
import { axisTicks } from '../../charts/scale.ts';
import { formatBuild } from '../../components/build-name.ts';
import { formatSizeChange } from '../../components/comparison-lines.ts';
import { useLocale } from '../../texts/locale.ts';
import { useProject } from '../project/project-context.ts';

/** Builds in the chart, the newest of the list. */
const MAX_BUILDS = 60;

/** `rows` are newest first. Renders nothing for fewer than two builds. */
export function SizeChart({ rows }: { rows: readonly Build[] }) {
  const { texts, language } = useLocale();
  const t = texts.comparison.chart;
  const { size_budget_bytes: budget } = useProject();
  const builds = rows.slice(0, MAX_BUILDS).toReversed();
  const [first, last] = [builds[0], builds.at(-1)];
  if (first === undefined || last === undefined || builds.length < 2) return null;
  const most = Math.max(budget ?? 0, ...builds.map(({ size_bytes: bytes }) => bytes));
  const change = formatSizeChange(last.size_bytes - first.size_bytes, first.size_bytes, language);
  const size = {
    name: t.series,
    values: builds.map(({ size_bytes: bytes }) => bytes),
    format: (index: number) => {
      const build = builds[index];
      return build === undefined ? '' : t.value(formatBytes(build.size_bytes, language), formatBuild(build));
    },
  };
  const limit = budget !== null && {
    name: t.budget,
    values: builds.map(() => budget),
    format: () => formatBytes(budget, language),
  };
  return (
    <DayChart
      title={t.title}
      text={t.text(builds.length, change ?? texts.builds.noSizeChange)}
      days={builds.map(({ uploaded_at: at }) => at.slice(0, 10))}
      series={limit === false ? [size] : [size, limit]}
      kind="lines"
      ticks={axisTicks(most)}
      formatTick={(value) => (value === 0 ? '0' : formatBytes(value, language))}
    />
  );
}
