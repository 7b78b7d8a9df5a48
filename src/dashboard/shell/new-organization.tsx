// Creates an organization.
import { Button, Modal, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { invalidate, useApi } from '../api/hooks.ts';
import { FormBody, useForm } from '../components/form.tsx';
import { useTexts } from '../texts/locale.ts';
import { organizationsPath, useCurrentUser } from './current-user.ts';

/** A button that opens the dialog. */
export function NewOrganization() {
  const t = useTexts();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>{t.shell.newOrganization}</Button>
      <NewOrganizationDialog isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}

/** The dialog without its button. */
export function NewOrganizationDialog({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const t = useTexts();
  return (
    <Modal opened={isOpen} onClose={onClose} title={t.shell.newOrganization} centered>
      {isOpen && <NewOrganizationForm onDone={onClose} />}
    </Modal>
  );
}

function NewOrganizationForm({ onDone }: { onDone(): void }) {
  const t = useTexts();
  const api = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { switchOrganization: choose } = useCurrentUser();
  const form = useForm({
    values: { name: '' },
    submit: async (body) => {
      const id = await api.send<string>('POST', organizationsPath, { body });
      await invalidate(queries, organizationsPath);
      return id;
    },
    async onDone(id) {
      choose(id);
      onDone();
      await navigate({ to: '/', ignoreBlocker: true });
    },
  });
  return (
    <FormBody form={form} submit={t.common.create}>
      <TextInput label={t.shell.organizationName} data-autofocus autoComplete="organization" {...form.text('name')} />
    </FormBody>
  );
}
