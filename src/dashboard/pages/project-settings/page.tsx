// Project settings: icon, name, members and deletion.
import { Button, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Project, ProjectContents } from '../../../projects/schema.ts';
import { useChange, useRead } from '../../api/hooks.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { changedFields, FormBody, useForm } from '../../components/form.tsx';
import { IconField } from '../../components/icon-field.tsx';
import { PageHeader, QueryContent, RowsSkeleton, Section } from '../../components/page.tsx';
import { PeopleSection } from '../../components/people.tsx';
import { RoleErrorPage } from '../../components/role-error.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { mayInProject } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { useProject } from '../project/project-context.ts';
import { useShownIcon } from '../project/shown-icon.ts';
import { LinkedProjects } from './linked-projects.tsx';
import { Screenshots } from './screenshots.tsx';

export function Page() {
  const project = useProject();
  if (mayInProject(project, 'project.edit_icon')) return <SettingsPage />;
  return <RoleErrorPage organizationId={project.organization_id} />;
}

function SettingsPage() {
  const texts = useTexts();
  const t = texts.projects;
  const project = useProject();
  const path = `/projects/${project.identifier}`;
  const isAdmin = mayInProject(project, 'project.edit');
  const shownIcon = useShownIcon(project);
  return (
    <>
      <PageHeader title={t.tabs.settings} />
      <div className="tw-settings">
        <div>
          <Section title={t.icon} hint={t.iconHint}>
            <IconField
              name={project.name}
              src={project.icon_url}
              inherited={shownIcon}
              path={`${path}/icon`}
              touches={['/projects']}
            />
          </Section>
          <Screenshots path={path} />
          {isAdmin && <General key={project.identifier} project={project} />}
          {isAdmin && <LinkedProjects key={`linked ${project.identifier}`} project={project} />}
          {isAdmin && (
            <PeopleSection
              path={path}
              touches={[path]}
              roles={['read', 'read_download', 'read_download_upload', 'maintainer', 'admin']}
              roleNames={texts.roles.project}
              hint={texts.people.projectHint}
            />
          )}
          {isAdmin && <DeleteProject project={project} />}
        </div>
      </div>
    </>
  );
}

function General({ project }: { project: Project }) {
  const texts = useTexts();
  const t = texts.projects;
  const save = useChange(
    (api, body: object) => api.send('PATCH', `/projects/${project.identifier}`, { body }),
    ['/projects'],
  );
  const form = useForm({
    values: {
      name: project.name,
      description: project.description ?? '',
      bundle_identifier: project.bundle_identifier ?? '',
      size_budget_bytes: project.size_budget_bytes === null ? '' : String(project.size_budget_bytes / 1_000_000),
    },
    async submit(values, saved) {
      await save.mutateAsync(changedFields(bodyOf(values), bodyOf(saved)));
      showSuccess(texts.common.saved);
    },
    fieldOfCode: { already_exists: 'name' },
  });
  return (
    <Section title={t.general}>
      <FormBody form={form} submit={texts.common.save}>
        <TextInput label={t.name} {...form.text('name')} />
        <TextInput
          label={`${texts.builds.bundleIdentifier} (${texts.common.optional})`}
          description={t.bundleHint}
          {...form.text('bundle_identifier')}
        />
        <TextInput
          label={`${texts.comparison.budget.label} (${texts.common.optional})`}
          inputMode="decimal"
          {...form.text('size_budget_bytes', texts.comparison.budget.hint)}
        />
        <Textarea label={`${t.description} (${texts.common.optional})`} autosize {...form.text('description')} />
      </FormBody>
    </Section>
  );
}

type GeneralValues = Record<'name' | 'description' | 'bundle_identifier' | 'size_budget_bytes', string>;

/** Returns the body of the request. Empty fields are null. */
function bodyOf({ name, description, bundle_identifier: bundle, size_budget_bytes: budget }: GeneralValues) {
  const optional = { description: description || null, bundle_identifier: bundle || null };
  return { name, ...optional, size_budget_bytes: readBudget(budget) };
}

/** Returns the bytes of a number of megabytes; null for none. Other texts are returned, so that the server rejects them. */
function readBudget(text: string): number | string | null {
  if (text.trim() === '') return null;
  const bytes = Math.round(Number(text.replace(',', '.')) * 1_000_000);
  return Number.isFinite(bytes) ? bytes : text;
}

function DeleteProject({ project }: { project: Project }) {
  const t = useTexts().projects;
  const [isConfirming, setConfirming] = useState(false);
  return (
    <Section title={t.deleteSection} hint={t.deleteHint}>
      <div>
        <Button variant="default" className="tw-danger" onClick={() => setConfirming(true)}>
          {t.delete}
        </Button>
      </div>
      <ConfirmDeletion project={project} isOpen={isConfirming} onClose={() => setConfirming(false)} />
    </Section>
  );
}

/** Shows how much is deleted. The button is disabled until the numbers are loaded. */
function ConfirmDeletion({ project, isOpen, onClose }: { project: Project; isOpen: boolean; onClose(): void }) {
  const t = useTexts().projects;
  const navigate = useNavigate();
  const path = `/projects/${project.identifier}`;
  const contents = useRead<ProjectContents>(`${path}/contents`, { isEnabled: isOpen });
  const remove = useChange((api) => api.send('DELETE', path, { query: { force: true } }), ['/projects?']);
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={t.deleteTitle(project.name)}
      action={t.deleteAction(contents.data?.builds ?? 0)}
      typed={project.name}
      isReady={contents.data !== undefined}
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync(undefined);
        showSuccess(t.deleted(project.name));
        await navigate({ to: '/', ignoreBlocker: true });
      }}
    >
      <QueryContent read={contents} loading={<RowsSkeleton rows={1} picture={0} />}>
        {(data) => t.deleteEffect(data)}
      </QueryContent>
    </ConfirmDialog>
  );
}
