// What changes for testers, where a build is released, and the warning about its size.
import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { BuildComparison } from '../../builds/compare-schema.ts';
import type { Build } from '../../builds/schema.ts';
import { formatBytes } from '../../lib/formats.ts';
import type { Project } from '../../projects/schema.ts';
import { useRead } from '../api/hooks.ts';
import { useLocale } from '../texts/locale.ts';
import { formatBuild } from './build-name.ts';
import { describeChanges } from './comparison-lines.ts';

/** Shows what testers who have the build `live` get with `build`; nothing until it's read, and if it can't be. */
export function TesterChanges({ build, live }: { build: Build; live: Build }) {
  const { texts, language } = useLocale();
  const t = texts.comparison;
  const { data } = useRead<BuildComparison>(`/builds/${build.identifier}/compare/${live.identifier}`);
  if (data === undefined) return null;
  const lines = describeChanges(data, build.platform, { texts, language });
  return (
    <section className="tw-changes" aria-label={t.forTesters}>
      <h3>{t.forTesters}</h3>
      {lines.length === 0 ? (
        <p>{t.nothingForTesters}</p>
      ) : (
        <ul>
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
      <p className="tw-caption">{t.comparedWith(formatBuild(live))}</p>
    </section>
  );
}

/** Warns if a build is larger than the project's budget. */
export function BudgetWarning({ build, project }: { build: Build; project: Project }) {
  const { texts, language } = useLocale();
  const t = texts.comparison.budget;
  const { size_budget_bytes: budget } = project;
  if (budget === null || build.size_bytes <= budget) return null;
  return (
    <Alert
      color="yellow"
      icon={<IconAlertTriangle size={18} />}
      title={t.over(formatBytes(build.size_bytes - budget, language), formatBytes(budget, language))}
    >
      {t.overText}
    </Alert>
  );
}
