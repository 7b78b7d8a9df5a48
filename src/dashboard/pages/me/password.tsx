// Changes the password.
import { PasswordInput } from '@mantine/core';
import type { Developer } from '../../../accounts/schema.ts';
import { useChange } from '../../api/api-context.ts';
import { FormBody, useForm } from '../../parts/form.tsx';
import { Section } from '../../parts/page.tsx';
import { sayDone } from '../../parts/toasts.ts';
import { useFacts } from '../../shell/facts.ts';
import { useTexts } from '../../texts/languages.ts';

export function PasswordSection({ me }: { me: Developer }) {
  const texts = useTexts();
  const t = texts.account;
  const { passwordMinimum } = useFacts();
  const change = useChange(
    (api, body: object) => api.send('POST', `/developers/${me.identifier}/change_password`, { body }),
    ['/sessions'],
  );
  const form = useForm({
    values: { current_password: '', new_password: '' },
    async submit(body) {
      await change.mutateAsync(body);
      form.setValues({ current_password: '', new_password: '' });
      sayDone(t.passwordChanged);
    },
  });
  return (
    <Section title={t.password} hint={t.passwordHint}>
      <FormBody form={form} submit={t.changePassword}>
        <input type="text" name="username" autoComplete="username" value={me.email} readOnly hidden />
        <PasswordInput label={t.currentPassword} autoComplete="current-password" {...form.text('current_password')} />
        <PasswordInput
          label={texts.entry.newPassword}
          description={texts.entry.atLeast(passwordMinimum)}
          autoComplete="new-password"
          {...form.text('new_password')}
        />
      </FormBody>
    </Section>
  );
}
