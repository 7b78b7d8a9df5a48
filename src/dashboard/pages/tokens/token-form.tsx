// The form that creates an access token of the project.
import { NativeSelect, TextInput } from '@mantine/core';
import { type ProjectRole, projectRoleReaches, projectRoles } from '../../../permissions.ts';
import type { ProjectAccessTokenWithSecret } from '../../../tokens/schema.ts';
import { useChange } from '../../api/hooks.ts';
import { type Expiry, ExpiryChoice, expiryDate } from '../../components/expiry-choice.tsx';
import { FormBody, useForm } from '../../components/form.tsx';
import { useTexts } from '../../texts/locale.ts';
import { inProject, useProject } from '../project/project-context.ts';

interface Values {
  name: string;
  role: ProjectRole;
  expires_at: Expiry;
}

export function TokenForm({ onCreated }: { onCreated(token: ProjectAccessTokenWithSecret): void }) {
  const texts = useTexts();
  const t = texts.projectTokens;
  const project = useProject();
  const create = useChange(
    (api, body: object) =>
      api.send<ProjectAccessTokenWithSecret>('POST', '/project-access-tokens', { query: inProject(project), body }),
    ['/project-access-tokens'],
  );
  const form = useForm<Values>({
    values: { name: '', role: 'read_download_upload', expires_at: { kind: 'days', days: 90 } },
    async submit({ name, role, expires_at: expiry }) {
      onCreated(await create.mutateAsync({ name, role, expires_at: expiryDate(expiry) }));
    },
  });
  // Users can't grant more than their own role.
  const grantable = projectRoles.filter((role) => projectRoleReaches(project.role, role));
  return (
    <FormBody form={form} submit={texts.common.create}>
      <TextInput
        label={texts.account.tokens.name}
        description={texts.account.tokens.nameHint}
        data-autofocus
        {...form.text('name')}
      />
      <NativeSelect
        label={t.role}
        description={t.roleHints[form.values.role]}
        data={grantable.map((value) => ({ value, label: texts.roles.project[value] ?? value }))}
        {...form.text('role')}
      />
      <ExpiryChoice
        value={form.values.expires_at}
        error={form.errors.expires_at}
        onChange={(expiry) => form.set('expires_at', expiry)}
      />
    </FormBody>
  );
}
