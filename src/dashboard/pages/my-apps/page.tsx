// The channels that the user can test.
import { Text, Title } from '@mantine/core';
import type { TesterChannel, TesterOrganization, TesterProject } from '../../../testers/view/schema.ts';
import { useReadAll } from '../../api/hooks.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { EmptyState, PageHeader, QueryContent } from '../../components/page.tsx';
import { useCurrentUser } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { AppCard } from './app-card.tsx';
import { PasskeyOffer } from './passkey-offer.tsx';
import { CardSkeleton, CardsSkeleton } from './skeleton.tsx';

export const myOrganizationsPath = '/testers/me/organizations';

export function Page() {
  const t = useTexts().myApps;
  const { me } = useCurrentUser();
  const organizations = useReadAll<TesterOrganization>(myOrganizationsPath);
  return (
    <>
      <PageHeader title={t.title} hint={t.hint} />
      <PasskeyOffer />
      <QueryContent read={organizations} loading={<CardsSkeleton cards={3} />}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState drawing="apps" title={t.emptyTitle} text={t.emptyText(me.email)} />
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
          {projects.data.map((project) => (
            <ProjectApps key={project.identifier} project={project} />
          ))}
        </ul>
      )}
    </section>
  );
}

function ProjectApps({ project }: { project: TesterProject }) {
  const t = useTexts().myApps;
  const query = { organization_id: project.organization_id, project_id: project.identifier };
  const channels = useReadAll<TesterChannel>('/testers/me/channels', { query });
  if (channels.data === undefined) {
    return (
      <li>
        {channels.error === null ? (
          <CardSkeleton />
        ) : (
          <ErrorAlert error={channels.error} onRetry={() => void channels.refetch()} />
        )}
      </li>
    );
  }
  if (channels.data.length === 0) {
    return (
      <li className="tw-card">
        <strong>{project.name}</strong>
        <Text size="sm" c="dimmed">
          {t.noChannels}
        </Text>
      </li>
    );
  }
  return channels.data.map((channel) => (
    <li key={channel.identifier}>
      <AppCard project={project} channel={channel} />
    </li>
  ));
}
