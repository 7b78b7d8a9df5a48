// Creates a project. Loaded when the dialog is first opened.

import { Modal, SegmentedControl, Text, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { platformFacts, platforms } from '../../../platforms.ts';
import type { Project } from '../../../projects/schema.ts';
import { useChange } from '../../api/hooks.ts';
import { FormBody, useForm } from '../../components/form.tsx';
import { useTexts } from '../../texts/locale.ts';

export function NewProjectDialog({
  organizationId,
  isOpen,
  onClose,
}: {
  organizationId: string;
  isOpen: boolean;
  onClose(): void;
}) {
  const t = useTexts().projects;
  return (
    <Modal opened={isOpen} onClose={onClose} title={t.create} centered>
      {isOpen && <NewProject organizationId={organizationId} />}
    </Modal>
  );
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
      const created = await create.mutateAsync({ ...body, ...(description === '' ? {} : { description }) });
      await navigate({ to: '/projects/$projectId', params: { projectId: created.identifier } });
    },
    fieldOfCode: { already_exists: 'name' },
  });
  return (
    <FormBody form={form} submit={texts.common.create}>
      <TextInput label={t.name} data-autofocus {...form.text('name')} />
      <SegmentedControl
        aria-label={t.platform}
        value={form.values.platform}
        onChange={(value) => form.set('platform', value)}
        data={platforms.map((value) => ({ value, label: platformFacts[value].name }))}
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
