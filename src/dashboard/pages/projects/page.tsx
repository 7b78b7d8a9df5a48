// The projects of the organization, and the way to a new one.
import { Badge, Button, Modal, SegmentedControl, Text, Textarea, TextInput, Title } from '@mantine/core';
import { IconApps, IconPlus } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { Build } from '../../../builds/schema.ts';
import type { Project } from '../../../projects/schema.ts';
import type { Release } from '../../../releases/schema.ts';
import { type Page as ListPage, useChange, useRead, useReadAll } from '../../api/api-context.ts';
import { AppIcon } from '../../parts/app-icon.tsx';
import { ExpiryNotice } from '../../parts/expiry-notice.tsx';
import { FormBody, useForm } from '../../parts/form.tsx';
import { Empty, PageHead, Shown } from '../../parts/page.tsx';
import { Time } from '../../parts/time.tsx';
import { mayInOrganization, useOrganization } from '../../shell/me.ts';
import { useTexts } from '../../texts/languages.ts';

export function Page() {
  const t = useTexts().projects;
  const organization = useOrganization();
  const [isMaking, setMaking] = useState(false);
  const mayCreate = mayInOrganization(organization, 'organization.create_project');
  const query = { organization_id: organization.identifier };
  const projects = useReadAll<Project>('/projects', { query });
  const make = mayCreate ? (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setMaking(true)}>
      {t.create}
    </Button>
  ) : null;
  return (
    <>
      <PageHead title={t.title} hint={organization.name} actions={projects.data?.length ? make : null} />
      <ExpiryNotice />
      <Shown read={projects}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty
              icon={<IconApps size={40} stroke={1.4} aria-hidden />}
              title={t.emptyTitle}
              text={mayCreate ? t.emptyText : t.emptyMember}
              action={make}
              {...(mayCreate ? { command: createCommand(organization.identifier) } : {})}
            />
          ) : (
            <ul className="tw-cards">
              {rows.map((project) => (
                <li key={project.identifier}>
                  <ProjectCard project={project} />
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
      <Modal opened={isMaking} onClose={() => setMaking(false)} title={t.create} centered>
        {isMaking && <NewProject organizationId={organization.identifier} />}
      </Modal>
    </>
  );
}

function createCommand(organizationId: string): string {
  return (
    `curl -X POST '${location.origin}/api/v1/projects?organization_id=${organizationId}' \\\n` +
    `  -H "Authorization: Bearer $TAXIWAY_TOKEN" -H 'Content-Type: application/json' \\\n` +
    `  -d '{"name":"My App","platform":"ios"}'`
  );
}

function ProjectCard({ project }: { project: Project }) {
  const texts = useTexts();
  const t = texts.projects;
  const element = useRef<HTMLAnchorElement>(null);
  const isSeen = useIsSeen(element);
  const query = { organization_id: project.organization_id, project_id: project.identifier };
  const builds = useRead<ListPage<Build>>('/builds', { query: { ...query, limit: 1 }, isEnabled: isSeen });
  const releases = useRead<Release[]>('/releases/current', { query, isEnabled: isSeen });
  const newest = releases.data?.toSorted((left, right) => right.created_at.localeCompare(left.created_at))[0];
  const last = builds.data?.items[0];
  return (
    <Link
      ref={element}
      to="/projects/$projectId"
      params={{ projectId: project.identifier }}
      className="tw-card tw-card-link"
    >
      <div className="tw-row">
        <AppIcon src={project.icon_url ?? last?.icon_url ?? null} name={project.name} size={48} />
        <div className="tw-grow">
          <Title order={2} size="h4">
            {project.name}
          </Title>
          <Text size="sm" c="dimmed" truncate>
            {project.bundle_identifier ?? last?.bundle_identifier ?? ' '}
          </Text>
        </div>
        <Badge variant="default">{texts.common.platforms[project.platform]}</Badge>
      </div>
      <dl className="tw-facts">
        <dt>{t.newestRelease}</dt>
        <dd>{newest === undefined ? '–' : `${newest.build.version_name} (${newest.build.build_number})`}</dd>
        <dt>{t.lastUpload}</dt>
        <dd>{last === undefined ? '–' : <Time at={last.uploaded_at} />}</dd>
      </dl>
    </Link>
  );
}

/** Whether an element has come into view yet. */
function useIsSeen(element: React.RefObject<Element | null>): boolean {
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (element.current === null) return;
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true);
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return isSeen;
}

function NewProject({ organizationId }: { organizationId: string }) {
  const texts = useTexts();
  const t = texts.projects;
  const navigate = useNavigate();
  const create = useChange(
    (api, body: object) => api.send<Project>('POST', '/projects', { query: { organization_id: organizationId }, body }),
    ['/projects'],
  );
  const form = useForm({
    values: { name: '', platform: 'ios' as Project['platform'], description: '' },
    async submit({ description, ...body }) {
      const made = await create.mutateAsync({ ...body, ...(description === '' ? {} : { description }) });
      await navigate({ to: '/projects/$projectId', params: { projectId: made.identifier } });
    },
    fieldOfCode: { already_exists: 'name' },
  });
  return (
    <FormBody form={form} submit={texts.common.create}>
      <TextInput label={t.name} data-autofocus {...form.text('name')} />
      <SegmentedControl
        aria-label={t.platform}
        value={form.values.platform}
        onChange={(value) => form.set('platform', value === 'android' ? 'android' : 'ios')}
        data={[
          { value: 'ios', label: texts.common.platforms.ios },
          { value: 'android', label: texts.common.platforms.android },
        ]}
      />
      <Text size="sm" c="dimmed">
        {t.platformHint}
      </Text>
      <Textarea
        label={`${t.description} (${texts.common.optional})`}
        {...form.text('description')}
        onChange={(event) => form.set('description', event.currentTarget.value)}
      />
    </FormBody>
  );
}
