// The channels that the user can test.
import { Text, Title } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import type { TesterChannel, TesterOrganization, TesterProject } from '../../../testers/view/schema.ts';
import { readAll, useApi, useReadAll } from '../../api/hooks.ts';
import { groupApps } from '../../components/apps.ts';
import { useEmailText } from '../../components/email-texts.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { EmptyState, PageHeader, QueryContent } from '../../components/page.tsx';
import { isUnverified, useCurrentUser } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { AppCard } from './app-card.tsx';
import { PasskeyOffer } from './passkey-offer.tsx';
import { CardSkeleton, CardsSkeleton } from './skeleton.tsx';

export const myOrganizationsPath = '/testers/me/organizations';

export function Page() {
  const t = useTexts().myApps;
  const emailText = useEmailText();
  const { me } = useCurrentUser();
  const organizations = useReadAll<TesterOrganization>(myOrganizationsPath);
  return (
    <>
      <PageHeader title={t.title} hint={emailText(t.hint)} />
      <PasskeyOffer />
      <QueryContent read={organizations} loading={<CardsSkeleton cards={3} />}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              drawing="apps"
              title={t.emptyTitle}
              text={(isUnverified(me) ? t.emptyUnverified : t.emptyText)(me.email)}
            />
          ) : (
            rows.map((organization) => <OrganizationApps key={organization.identifier} organization={organization} />)
          )
        }
      </QueryContent>
    </>
  );
}

/** An organization. Errors, such as required two-factor authentication, don't affect the others. */
function OrganizationApps({ organization }: { organization: TesterOrganization }) {
  const query = { organization_id: organization.identifier };
  const projects = useReadAll<TesterProject>('/testers/me/projects', { query });
  return (
    <section className="tw-form" aria-label={organization.name}>
      <Title order={2} size="h4">
        {organization.name}
      </Title>
      {projects.data === undefined ? (
        projects.error === null ? (
          <CardsSkeleton cards={3} />
        ) : (
          <ErrorAlert error={projects.error} onRetry={() => void projects.refetch()} />
        )
      ) : (
        <ul className="tw-cards">
          {groupApps(projects.data, toLinked).map((app) => (
            <AppChannels key={app[0]?.identifier} projects={app} />
          ))}
        </ul>
      )}
    </section>
  );
}

const toLinked = ({ identifier, platform, sibling_ids: ids }: TesterProject) => ({
  identifier,
  platform,
  siblings: ids.map((id) => ({ identifier: id })),
});

/** The channels of an app: of one project, or of linked ones for several platforms. */
function AppChannels({ projects }: { projects: readonly TesterProject[] }) {
  const t = useTexts().myApps;
  const lists = useChannels(projects);
  const failed = lists.find(({ data, error }) => data === undefined && error !== null);
  const channels = lists.flatMap(({ data }) => data ?? []);
  if (lists.some(({ data }) => data === undefined)) {
    return (
      <li>
        {failed === undefined ? (
          <CardSkeleton />
        ) : (
          <ErrorAlert error={failed.error} onRetry={() => void failed.refetch()} />
        )}
      </li>
    );
  }
  if (channels.length === 0) {
    return (
      <li className="tw-card">
        <strong>{projects[0]?.name}</strong>
        <Text size="sm" c="dimmed">
          {t.noChannels}
        </Text>
      </li>
    );
  }
  const parts = channels.flatMap((channel) => {
    const project = projects.find(({ identifier }) => identifier === channel.project_id);
    return project === undefined ? [] : { project, channel };
  });
  const cards = groupApps(parts, ({ project: { platform }, channel: { identifier, sibling_ids: ids } }) => ({
    identifier,
    platform,
    siblings: ids.map((id) => ({ identifier: id })),
  }));
  return cards.map((card) => (
    <li key={card[0]?.channel.identifier}>
      <AppCard parts={card} />
    </li>
  ));
}

function useChannels(projects: readonly TesterProject[]) {
  const client = useApi();
  return useQueries({
    queries: projects.map(({ organization_id, identifier }) => {
      const path = '/testers/me/channels';
      const query = { organization_id, project_id: identifier };
      return {
        queryKey: [path, query, 'all'],
        queryFn: ({ signal }: { signal: AbortSignal }) => readAll<TesterChannel>(client, path, query, signal),
      };
    }),
  });
}
