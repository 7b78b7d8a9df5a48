// Proves once more who one is, by what the account has.
import { PasswordInput, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { MfaStatus } from '../../second-factors/schema.ts';
import { useRead } from '../api/api-context.ts';
import { useTexts } from '../texts/languages.ts';
import { FormBody, useForm } from './form.tsx';
import { Loading, Shown } from './page.tsx';

interface StepUpProps {
  action: string;
  children?: ReactNode;
  onSubmit(body: Record<string, string>): Promise<void>;
}

/** Password, and a code while an authenticator app is enrolled. */
export function StepUpForm(props: StepUpProps) {
  const status = useRead<MfaStatus>('/mfa');
  return (
    <Shown read={status} loading={<Loading rows={2} height={48} />}>
      {(data) => <Fields {...props} hasApp={data.totp_enabled} />}
    </Shown>
  );
}

function Fields({ action, children, onSubmit, hasApp }: StepUpProps & { hasApp: boolean }) {
  const texts = useTexts();
  const form = useForm({
    values: { current_password: '', mfa_code: '' },
    submit: ({ current_password, mfa_code: code }) =>
      onSubmit({
        ...(current_password === '' ? {} : { current_password }),
        ...(code === '' ? {} : { mfa_code: code }),
      }),
  });
  return (
    <FormBody form={form} submit={action} color="red">
      {children}
      <PasswordInput
        label={texts.account.currentPassword}
        autoComplete="current-password"
        {...form.text('current_password')}
      />
      {hasApp && <TextInput label={texts.account.stepUpCode} autoComplete="one-time-code" {...form.text('mfa_code')} />}
    </FormBody>
  );
}
