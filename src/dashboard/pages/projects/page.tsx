// The projects of the organization.

import { Button } from '@mantine/core';
import { IconApps, IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { ProjectOverview } from '../../../overviews/project-schema.ts';
import { platformFacts } from '../../../platforms.ts';
import { useReadAll } from '../../api/hooks.ts';
import { AppIcon } from '../../components/app-icon.tsx';
import { formatBuild } from '../../components/build-name.ts';
import { ExpiryNotice } from '../../components/expiry-notice.tsx';
import { EmptyState, PageHeader, QueryContent } from '../../components/page.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { mayInOrganization, useOrganization } from '../../shell/current-user.ts';
import { readServerAddress } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';
import { ProjectsDrop } from '../../upload/projects-drop.tsx';

const NewProjectDialog = lazy(async () => ({ default: (await import('./new-project.tsx')).NewProjectDialog }));

export function Page() {
  const t = useTexts().projects;
  const organization = useOrganization();
  const [isCreating, setCreating] = useState(false);
  const [wasCreating, setWasCreating] = useState(false);
  const mayCreate = mayInOrganization(organization, 'organization.create_project');
  const query = { organization_id: organization.identifier };
  const projects = useReadAll<ProjectOverview>('/projects/overview', { query });
  function openDialog(): void {
    setWasCreating(true);
    setCreating(true);
  }
  const make = mayCreate ? (
    <Button leftSection={<IconPlus size={16} />} onClick={openDialog}>
      {t.create}
    </Button>
  ) : null;
  return (
    <>
      <PageHeader title={t.title} hint={organization.name} actions={projects.data?.length ? make : null} />
      <ExpiryNotice />
      <ProjectsDrop overviews={projects.data ?? []} />
      <QueryContent read={projects}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              icon={<IconApps size={40} stroke={1.4} aria-hidden />}
              title={t.emptyTitle}
              text={mayCreate ? t.emptyText : t.emptyReadOnly}
              action={make}
              {...(mayCreate ? { command: createCommand(organization.identifier) } : {})}
            />
          ) : (
            <ul className="tw-cards">
              {rows.map((overview) => (
                <li key={overview.project.identifier}>
                  <ProjectCard overview={overview} />
                </li>
              ))}
            </ul>
          )
        }
      </QueryContent>
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

function createCommand(organizationId: string): string {
  return (
    `curl -X POST '${readServerAddress()}/api/v1/projects?organization_id=${organizationId}' \\\n` +
    `  -H "Authorization: Bearer $TAXIWAY_TOKEN" -H 'Content-Type: application/json' \\\n` +
    `  -d '{"name":"My App","platform":"ios"}'`
  );
}

function ProjectCard({ overview }: { overview: ProjectOverview }) {
  const texts = useTexts();
  const t = texts.projects;
  const { project, newest_release: newest, last_upload: last, app_icon_url: appIcon } = overview;
  return (
    <Link to="/projects/$projectId" params={{ projectId: project.identifier }} className="tw-card tw-card-link">
      <div className="tw-row">
        <AppIcon src={project.icon_url ?? appIcon} name={project.name} size={48} />
        <div className="tw-grow">
          <h2 className="tw-card-title">{project.name}</h2>
          <p className="tw-card-hint tw-ellipsis">{project.bundle_identifier ?? last?.bundle_identifier ?? ' '}</p>
        </div>
        <span className="tw-platform">{platformFacts[project.platform].name}</span>
      </div>
      <dl className="tw-facts">
        <dt>{t.latestRelease}</dt>
        <dd>{newest === null ? '–' : formatBuild(newest.build)}</dd>
        <dt>{t.lastUpload}</dt>
        <dd>{last === null ? '–' : <RelativeTime at={last.uploaded_at} />}</dd>
      </dl>
    </Link>
  );
}
