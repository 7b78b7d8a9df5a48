// What the organization used on each day of this month, and the projects and builds that take most of the storage.
import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { LargestBuilds, UsageDays } from '../../../billing/schema.ts';
import type { OrganizationStorage } from '../../../byosa/schema.ts';
import { formatAlignedBytes } from '../../../lib/formats.ts';
import { useRead } from '../../api/hooks.ts';
import { DayChart } from '../../charts/day-chart.tsx';
import { FactsSkeleton, QueryContent, Section } from '../../components/page.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { useLocale, useTexts } from '../../texts/locale.ts';
import { formatMoney } from './billing.ts';
import { costChart, formatMonth, totalCents } from './days.ts';

const SHOWN_PROJECTS = 5;

export function UseByDay({ path, currency }: { path: string; currency: string }) {
  const { language, texts } = useLocale();
  const t = texts.billing.days;
  const read = useRead<UsageDays>(`${path}/usage/days`);
  return (
    <Section title={t.title}>
      <QueryContent read={read} loading={<FactsSkeleton rows={5} />}>
        {(usage) =>
          totalCents(usage) < 1 ? (
            <Text size="sm" c="dimmed">
              {t.none}
            </Text>
          ) : (
            <>
              <DayChart
                title={formatMonth(usage.month, language)}
                kind="bars"
                {...costChart(
                  usage,
                  new Date().toISOString().slice(0, 10),
                  (cents) => formatMoney(cents, currency, language),
                  t,
                )}
              />
              <Text size="xs" c="dimmed">
                {texts.charts.utc} {texts.charts.keyboardHint}
              </Text>
            </>
          )
        }
      </QueryContent>
    </Section>
  );
}

/** Where the storage goes, with links to what can be deleted. */
export function StorageUse({ path }: { path: string }) {
  const t = useTexts().billing.largest;
  const builds = useRead<LargestBuilds>(`${path}/usage/largest-builds`);
  const storage = useRead<OrganizationStorage>(`${path}/storage`);
  return (
    <Section title={t.title} hint={t.hint}>
      <QueryContent read={builds} loading={<FactsSkeleton rows={5} />}>
        {({ builds: largest }) => (
          <QueryContent read={storage} loading={<FactsSkeleton rows={5} />}>
            {({ usage }) => <Lists builds={largest} projects={usage.projects} />}
          </QueryContent>
        )}
      </QueryContent>
    </Section>
  );
}

interface ListsProps {
  builds: LargestBuilds['builds'];
  projects: OrganizationStorage['usage']['projects'];
}

function Lists({ builds, projects }: ListsProps) {
  const { language, texts } = useLocale();
  const t = texts.billing.largest;
  if (builds.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t.none}
      </Text>
    );
  }
  const largest = projects
    .filter(({ bytes }) => bytes > 0)
    .toSorted((one, other) => other.bytes - one.bytes)
    .slice(0, SHOWN_PROJECTS);
  return (
    <>
      <h3 className="tw-chart-title">{t.projects}</h3>
      <ul className="tw-list" aria-label={t.projects}>
        {largest.map(({ project_id: projectId, name, builds: count, bytes }) => (
          <li key={projectId}>
            <Link to="/projects/$projectId/builds" params={{ projectId }} className="tw-link tw-grow">
              {name}
            </Link>
            <span className="tw-small">{texts.storage.builds(count)}</span>
            <span className="tw-storage-size">{formatAlignedBytes(bytes, language)}</span>
          </li>
        ))}
      </ul>
      <h3 className="tw-chart-title">{t.builds}</h3>
      <ul className="tw-list" aria-label={t.builds}>
        {builds.map((build) => (
          <li key={build.build_id}>
            <div className="tw-grow">
              <Link
                to="/projects/$projectId/builds/$buildId"
                params={{ projectId: build.project_id, buildId: build.build_id }}
                className="tw-link"
              >
                {build.project_name} {build.version_name} ({build.build_number})
              </Link>
              <div className="tw-small">
                {build.is_released && `${t.released} · `}
                <RelativeTime at={build.uploaded_at} />
              </div>
            </div>
            <span className="tw-storage-size">{formatAlignedBytes(build.size_bytes, language)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
