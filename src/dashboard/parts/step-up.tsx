// Proves once more who one is, by what the account has: password, a code of the authenticator app, or a passkey.
import { PasswordInput, Text, TextInput } from '@mantine/core';
import type { AuthenticationBegin, MfaStatus } from '../../second-factors/schema.ts';
import { useApi, useRead } from '../api/api-context.ts';
import { askPasskey } from '../api/passkeys.ts';
import { useVisit } from '../shell/me.ts';
import { useTexts } from '../texts/languages.ts';
import { FormBody, useForm } from './form.tsx';
import { Loading, Shown } from './page.tsx';

interface StepUpProps {
  action: string;
  /** Asks for a new address as well. */
  asksEmail?: boolean;
  isHarmless?: boolean;
  onSubmit(body: Record<string, unknown>): Promise<void>;
}

/** The form. A passkey is asked for where it is the only second factor. */
export function StepUpForm(props: StepUpProps) {
  const status = useRead<MfaStatus>('/mfa');
  return (
    <Shown read={status} loading={<Loading rows={2} height={48} />}>
      {(data) => <Fields {...props} hasApp={data.totp_enabled} hasPasskey={data.passkey_count > 0} />}
    </Shown>
  );
}

interface FieldsProps extends StepUpProps {
  hasApp: boolean;
  hasPasskey: boolean;
}

function Fields({ action, asksEmail = false, isHarmless = false, onSubmit, hasApp, hasPasskey }: FieldsProps) {
  const texts = useTexts();
  const t = texts.account;
  const api = useApi();
  const { me } = useVisit();
  const asksPasskey = hasPasskey && !hasApp;
  const form = useForm({
    values: { new_email: '', current_password: '', mfa_code: '' },
    async submit({ new_email: email, current_password: password, mfa_code: code }) {
      const body: Record<string, unknown> = { ...(asksEmail ? { new_email: email } : {}) };
      // A new address needs the field even from an account without a password.
      if (password !== '' || asksEmail) body.current_password = password;
      if (code !== '') body.mfa_code = code;
      if (asksPasskey) {
        const path = `/developers/${me.identifier}/change_email/passkey/begin`;
        const { challenge_id, options } = await api.send<AuthenticationBegin>('POST', path);
        const assertion = await askPasskey(options);
        if (assertion === undefined) return;
        Object.assign(body, { passkey_challenge_id: challenge_id, passkey_assertion: assertion });
      }
      await onSubmit(body);
    },
  });
  return (
    <FormBody form={form} submit={action} {...(isHarmless ? {} : { color: 'red' })}>
      {asksEmail && <TextInput label={t.newEmail} type="email" autoComplete="email" {...form.text('new_email')} />}
      <PasswordInput label={t.currentPassword} autoComplete="current-password" {...form.text('current_password')} />
      {hasApp && <TextInput label={t.stepUpCode} autoComplete="one-time-code" {...form.text('mfa_code')} />}
      {asksPasskey && <Text size="sm">{t.stepUpPasskey}</Text>}
    </FormBody>
  );
}
