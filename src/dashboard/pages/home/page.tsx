// The home page: what was released, what needs attention, and the apps of the organization.

import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Fragment, lazy, type ReactNode, Suspense, useState } from 'react';
import type { ProjectActivity } from '../../../overviews/activity-schema.ts';
import type { Attention } from '../../../overviews/attention-schema.ts';
import type { ProjectOverview } from '../../../overviews/project-schema.ts';
import type { RecentReleases } from '../../../overviews/recent-release-schema.ts';
import { useRead, useReadAll } from '../../api/hooks.ts';
import { assignSigns } from '../../components/channel-sign.tsx';
import { ErrorAlert, ErrorPage } from '../../components/errors.tsx';
import { PageHeader } from '../../components/page.tsx';
import { buildIcon, listedIcon } from '../../components/project-icon.ts';
import { useDays } from '../../components/time.tsx';
import { mayInOrganization, useOrganization } from '../../shell/current-user.ts';
import type { Texts } from '../../texts/en.ts';
import { withTexts } from '../../texts/loading.ts';
import { useLocale, useTexts } from '../../texts/locale.ts';
import { PackageButton, usePackageUpload } from '../../upload/projects-drop.tsx';
import { Apps } from './apps.tsx';
import { AttentionList } from './attention.tsx';
import { countToday, formatToday } from './news.ts';
import { momentOf, Releases } from './releases.tsx';
import { SetupSection } from './setup-section.tsx';
import { HomeSkeleton } from './skeleton.tsx';

/** Loaded on demand, because an organization is without apps only once. */
const NoApps = lazy(async () => ({ default: (await import('./no-apps.tsx')).NoApps }));
const NewProjectDialog = lazy(
  withTexts(async () => ({ default: (await import('./new-project.tsx')).NewProjectDialog })),
);

/** Number of releases that are read, as in api/prefetched.ts. */
const MAX_RECENT = 20;

export function Page() {
  const organization = useOrganization();
  return <HomePage key={organization.identifier} />;
}

function HomePage() {
  const texts = useTexts();
  // The page says what is today.
  useDays();
  const organization = useOrganization();
  const [isCreating, setCreating] = useState(false);
  const [wasCreating, setWasCreating] = useState(false);
  const mayCreate = mayInOrganization(organization, 'organization.create_project');
  const query = { organization_id: organization.identifier };
  const projects = useReadAll<ProjectOverview>('/projects/overview', { query });
  const activity = useReadAll<ProjectActivity>('/projects/activity', { query });
  const recent = useRead<RecentReleases>('/releases/recent', { query: { ...query, limit: MAX_RECENT } });
  const attention = useRead<Attention>(`/organizations/${organization.identifier}/attention`);
  const reads = [projects, activity, recent, attention];
  const isLoading = reads.some(({ isPending }) => isPending);
  const failed = reads.find(({ data, error }) => data === undefined && error !== null);
  function openDialog(): void {
    setWasCreating(true);
    setCreating(true);
  }
  // The buttons appear with the content, so that nothing moves while it is loading.
  const rows = isLoading ? [] : (projects.data ?? []);
  const [isPublic, setPublic] = useState(true);
  const packages = usePackageUpload({ overviews: projects.data, isPublic });
  return (
    <>
      <Heading recent={recent.data} attention={attention.data} isLoading={isLoading}>
        {rows.length > 0 && mayCreate && (
          <Button variant="default" leftSection={<IconPlus size={16} />} onClick={openDialog}>
            {texts.projects.create}
          </Button>
        )}
        {rows.length > 0 && packages.isAllowed && <PackageButton label={texts.adding.choose} onFiles={packages.add} />}
      </Heading>
      {projects.data === undefined && projects.error !== null ? (
        <ErrorPage error={projects.error} onRetry={() => void projects.refetch()} />
      ) : isLoading ? (
        <HomeSkeleton />
      ) : rows.length === 0 ? (
        <Suspense fallback={<HomeSkeleton />}>
          <NoApps
            {...(mayCreate && { onCreate: openDialog, onFiles: packages.add })}
            isPublic={isPublic}
            onPublicChange={setPublic}
          />
        </Suspense>
      ) : (
        <div className="tw-home">
          {failed !== undefined && <ErrorAlert error={failed.error} onRetry={() => void failed.refetch()} />}
          <News
            projects={rows}
            activity={activity.data ?? []}
            recent={recent.data?.items ?? []}
            attention={attention.data ?? { items: [], total: 0 }}
          />
        </div>
      )}
      {mayCreate && !isLoading && <SetupSection recent={recent.data?.items[0]?.release} />}
      {packages.overlay}
      {wasCreating && (
        <Suspense>
          <NewProjectDialog
            organizationId={organization.identifier}
            isOpen={isCreating}
            onClose={() => setCreating(false)}
          />
        </Suspense>
      )}
    </>
  );
}

interface HeadingProps {
  recent: RecentReleases | undefined;
  attention: Attention | undefined;
  isLoading: boolean;
  /** The buttons beside it. */
  children: ReactNode;
}

/** The page's one fact, or its name if nothing happened. */
function Heading({ recent, attention, isLoading, children }: HeadingProps) {
  const { language, texts } = useLocale();
  const t = texts.home;
  const now = Date.now();
  const facts = isLoading ? [] : listFacts(t, recent, attention, now);
  return (
    <PageHeader
      title={t.title}
      heading={
        facts.length === 0
          ? t.title
          : facts.map((fact, index) => (
              <Fragment key={fact}>
                {index > 0 && ' '}
                <span className="tw-home-fact">{index < facts.length - 1 ? `${fact},` : fact}</span>
              </Fragment>
            ))
      }
      hint={formatToday(now, language)}
      actions={children}
    />
  );
}

function listFacts(
  t: Texts['home'],
  recent: RecentReleases | undefined,
  attention: Attention | undefined,
  now: number,
): string[] {
  const items = recent?.items ?? [];
  const today = countToday(items, momentOf, now);
  const total = attention?.total ?? 0;
  return [
    ...(today > 0 ? [t.releasesToday(today, today < MAX_RECENT)] : []),
    ...(total > 0 ? [t.needAttention(total)] : []),
  ];
}

interface NewsProps {
  projects: readonly ProjectOverview[];
  activity: readonly ProjectActivity[];
  recent: RecentReleases['items'];
  attention: Attention;
}

function News({ projects, activity, recent, attention }: NewsProps) {
  const activityOf = new Map(activity.map((row) => [row.project_id, row]));
  const signs = new Map(
    activity.flatMap(({ channels }) => [
      ...assignSigns(channels.map(({ channel_id: identifier, name }) => ({ identifier, name }))),
    ]),
  );
  const overviewOf = new Map(projects.map((overview) => [overview.project.identifier, overview]));
  const iconOf = ({ project_id: projectId, build }: RecentReleases['items'][number]['release']) => {
    const overview = overviewOf.get(projectId);
    return overview === undefined ? null : (listedIcon(overview) ?? buildIcon(overview.project, build.icon_url));
  };
  const hasBoth = recent.length > 0 && attention.total > 0;
  return (
    <>
      {(recent.length > 0 || attention.total > 0) && (
        <div className="tw-home-columns" data-both={hasBoth || undefined}>
          {recent.length > 0 && <Releases items={recent} signs={signs} iconOf={iconOf} />}
          {attention.total > 0 && <AttentionList attention={attention} />}
        </div>
      )}
      <Apps projects={projects} activityOf={activityOf} signs={signs} />
    </>
  );
}
