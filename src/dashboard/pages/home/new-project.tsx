// Creates a project. Loaded when the dialog is first opened.

import { Modal, SegmentedControl, Text, Textarea, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { platformFacts, platforms } from '../../../platforms.ts';
import type { Project } from '../../../projects/schema.ts';
import { useChange } from '../../api/hooks.ts';
import { FormBody, useForm } from '../../components/form.tsx';
import { useOpened } from '../../components/opened.ts';
import { useTexts } from '../../texts/locale.ts';
import { LinkOffer, useLinkCandidate } from './link-offer.tsx';

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
    <Modal opened={useOpened(isOpen)} onClose={onClose} title={t.create} centered>
      {isOpen && <NewProject organizationId={organizationId} />}
    </Modal>
  );
}

function NewProject({ organizationId }: { organizationId: string }) {
  const texts = useTexts();
  const t = texts.projects;
  const navigate = useNavigate();
  const [isLinking, setLinking] = useState(true);
  const create = useChange(
    (api, body: object) => api.send<Project>('POST', '/projects', { query: { organization_id: organizationId }, body }),
    ['/projects'],
  );
  const form = useForm({
    values: { name: '', platform: 'ios' as Project['platform'], description: '' },
    async submit({ description, ...body }) {
      return create.mutateAsync({
        ...body,
        ...(description === '' ? {} : { description }),
        ...(sibling === undefined || !isLinking ? {} : { sibling_project_id: sibling.identifier }),
      });
    },
    onDone: ({ identifier }) => navigate({ to: '/projects/$projectId', params: { projectId: identifier } }),
    fieldOfCode: { already_exists: 'name' },
  });
  const sibling = useLinkCandidate(organizationId, form.values);
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
      {sibling !== undefined && <LinkOffer project={sibling} checked={isLinking} onChange={setLinking} />}
      <Textarea
        label={`${t.description} (${texts.common.optional})`}
        {...form.text('description')}
        onChange={(event) => form.set('description', event.currentTarget.value)}
      />
    </FormBody>
  );
}
