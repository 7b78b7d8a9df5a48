// Links the project with the project of the same app for another platform.
import { Button, Select } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { platformFacts } from '../../../platforms.ts';
import type { Project } from '../../../projects/schema.ts';
import { useChange, useReadAll } from '../../api/hooks.ts';
import { AppIcon } from '../../components/app-icon.tsx';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { FormBody, useForm } from '../../components/form.tsx';
import { QueryContent, RowsSkeleton, Section } from '../../components/page.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { mayInProject } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';

/** What shows the siblings of projects and channels. */
const TOUCHED = ['/projects', '/channels'];

export function LinkedProjects({ project }: { project: Project }) {
  const t = useTexts().siblings;
  return (
    <Section title={t.platforms} hint={t.hint}>
      {project.siblings.length > 0 ? <Linked project={project} /> : <LinkForm project={project} />}
    </Section>
  );
}

function Linked({ project }: { project: Project }) {
  const t = useTexts().siblings;
  const [isConfirming, setConfirming] = useState(false);
  const unlink = useChange((api) => api.send('DELETE', `/projects/${project.identifier}/sibling`), TOUCHED);
  const names = project.siblings.map(nameProject);
  return (
    <>
      <ul className="tw-list">
        {project.siblings.map((sibling) => (
          <li key={sibling.identifier}>
            <AppIcon src={null} name={sibling.name} size={32} />
            <div className="tw-grow">
              <Link to="/projects/$projectId" params={{ projectId: sibling.identifier }} className="tw-strong">
                {sibling.name}
              </Link>
              <div className="tw-small">{platformFacts[sibling.platform].name}</div>
            </div>
            <Button variant="default" onClick={() => setConfirming(true)}>
              {t.unlink}
            </Button>
          </li>
        ))}
      </ul>
      <ConfirmDialog
        isOpen={isConfirming}
        title={t.unlinkTitle(names)}
        action={t.unlink}
        onClose={() => setConfirming(false)}
        onConfirm={async () => {
          await unlink.mutateAsync(undefined);
          showSuccess(t.unlinked(names));
        }}
      >
        {t.unlinkEffect}
      </ConfirmDialog>
    </>
  );
}

function nameProject({ name, platform }: Pick<Project, 'name' | 'platform'>): string {
  return `${name} (${platformFacts[platform].name})`;
}

function LinkForm({ project }: { project: Project }) {
  const t = useTexts().siblings;
  const projects = useReadAll<Project>('/projects', { query: { organization_id: project.organization_id } });
  return (
    <QueryContent read={projects} loading={<RowsSkeleton rows={1} picture={0} />}>
      {(rows) => {
        const candidates = rows.filter(
          (one) => one.platform !== project.platform && one.siblings.length === 0 && mayInProject(one, 'project.edit'),
        );
        return candidates.length === 0 ? (
          <p className="tw-small">{t.noProjects}</p>
        ) : (
          <Picker project={project} candidates={candidates} />
        );
      }}
    </QueryContent>
  );
}

function Picker({ project, candidates }: { project: Project; candidates: readonly Project[] }) {
  const t = useTexts().siblings;
  const link = useChange(
    (api, siblingId: string) =>
      api.send('PUT', `/projects/${project.identifier}/sibling`, { body: { sibling_project_id: siblingId } }),
    TOUCHED,
  );
  const isSameName = ({ name }: Project) => name.toLowerCase() === project.name.toLowerCase();
  const form = useForm({
    values: { sibling_project_id: (candidates.find(isSameName) ?? candidates[0])?.identifier ?? '' },
    async submit({ sibling_project_id: id }) {
      await link.mutateAsync(id);
      const linked = candidates.find(({ identifier }) => identifier === id);
      showSuccess(t.linked(linked === undefined ? [] : [nameProject(linked)]));
    },
    fieldOfCode: { already_exists: 'sibling_project_id', not_found: 'sibling_project_id' },
  });
  return (
    <FormBody form={form} submit={t.link}>
      <Select
        label={t.project}
        data={candidates.map((one) => ({ value: one.identifier, label: nameProject(one) }))}
        searchable={candidates.length > 8}
        allowDeselect={false}
        {...form.value('sibling_project_id')}
      />
    </FormBody>
  );
}
