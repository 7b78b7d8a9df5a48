// Step-up: the form that verifies the person again, with what the account has: password, a code, a passkey, or a new sign-in
// through the identity provider.
import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AuthenticationBegin, MfaStatus, StepUpNeeds } from '../../second-factors/schema.ts';
import { readAgain, useApi, useRead } from '../api/api-context.ts';
import { ApiError } from '../api/errors.ts';
import { askPasskey } from '../api/passkeys.ts';
import { useVisit } from '../shell/me.ts';
import { useTexts } from '../texts/languages.ts';
import { FormBody, useForm } from './form.tsx';
import { Loading, Shown } from './page.tsx';
import { Time } from './time.tsx';

/** A value that the change needs besides the step-up. */
interface StepUpField {
  /** Its name in the body. */
  name: 'new_email' | 'new_password' | 'name';
  label: string;
  value?: string;
  description?: string;
}

interface StepUpProps {
  action: string;
  field?: StepUpField;
  isHarmless?: boolean;
  onSubmit(body: Record<string, unknown>): Promise<void>;
}

/** The form. `onSubmit` gets the fields of the step-up, with the value of `field`, for the body of the request. */
export function StepUpForm(props: StepUpProps) {
  const status = useRead<MfaStatus>('/mfa');
  return (
    <Shown read={status} loading={<Loading rows={2} height={48} />}>
      {({ step_up: needs }) =>
        isFresh(needs) ? <Fields {...props} needs={needs} /> : <SignInAgain sso={needs.single_sign_on} />
      }
    </Shown>
  );
}

/** By the server's clock alone: that of this machine may be wrong. */
function isFresh({ single_sign_on: sso }: StepUpNeeds): boolean {
  return sso === null || sso.fresh_until !== null;
}

const isTooOld = (error: unknown) => error instanceof ApiError && error.details.reason === 'sign_in_too_old';

/** Leads to the identity provider and back to this page. */
function SignInAgain({ sso }: { sso: StepUpNeeds['single_sign_on'] }) {
  const t = useTexts().account.stepUp;
  if (sso?.held_until != null) {
    return (
      <Text size="sm">
        {t.unavailableUntil} <Time at={sso.held_until} />
      </Text>
    );
  }
  const relayState = encodeURIComponent(location.pathname + location.search);
  return (
    <Stack align="flex-start">
      <Text size="sm">{t.signInAgainText}</Text>
      <Button component="a" href={`${sso?.login_url ?? ''}&relay_state=${relayState}`}>
        {t.signInAgain}
      </Button>
    </Stack>
  );
}

function Fields({ action, field, isHarmless = false, onSubmit, needs }: StepUpProps & { needs: StepUpNeeds }) {
  const texts = useTexts();
  const t = texts.account;
  const api = useApi();
  const queries = useQueryClient();
  const { me } = useVisit();
  const [byCode, setByCode] = useState(false);
  const asksPasskey = needs.passkey && !byCode;
  const form = useForm<Record<string, string>>({
    values: { ...(field === undefined ? {} : { [field.name]: field.value ?? '' }), current_password: '', mfa_code: '' },
    async submit({ current_password: password = '', mfa_code: code = '', ...own }) {
      const body: Record<string, unknown> = { ...own };
      // A new address needs the field even from an account without a password.
      if (password !== '' || field?.name === 'new_email') body.current_password = password;
      if (code !== '' && !asksPasskey) body.mfa_code = code;
      if (asksPasskey) {
        const path = `/developers/${me.identifier}/change_email/passkey/begin`;
        const { challenge_id, options } = await api.send<AuthenticationBegin>('POST', path);
        const assertion = await askPasskey(options);
        if (assertion === undefined) return;
        Object.assign(body, { passkey_challenge_id: challenge_id, passkey_assertion: assertion });
      }
      try {
        await onSubmit(body);
      } catch (error) {
        // The sign-in grew old while the form was open: it gives way to the button that signs in again.
        if (!isTooOld(error)) throw error;
        await readAgain(queries, '/mfa');
      }
    },
  });
  const isEmail = field?.name === 'new_email';
  return (
    <FormBody form={form} submit={action} {...(isHarmless ? {} : { color: 'red' })}>
      <input type="text" name="username" autoComplete="username" value={me.email} readOnly hidden />
      {field !== undefined && field.name !== 'new_password' && (
        <TextInput
          label={field.label}
          {...(isEmail ? { type: 'email', autoComplete: 'email' } : { autoComplete: 'off' })}
          {...form.text(field.name)}
        />
      )}
      {needs.current_password && (
        <PasswordInput label={t.currentPassword} autoComplete="current-password" {...form.text('current_password')} />
      )}
      {field?.name === 'new_password' && (
        <PasswordInput
          label={field.label}
          description={field.description}
          autoComplete="new-password"
          {...form.text('new_password')}
        />
      )}
      {(needs.mfa_code || byCode) && (
        <TextInput
          label={byCode ? t.stepUp.recoveryCode : t.stepUpCode}
          autoComplete="one-time-code"
          {...form.text('mfa_code')}
        />
      )}
      {asksPasskey && <Text size="sm">{t.stepUpPasskey}</Text>}
      {needs.passkey && (
        <Anchor component="button" type="button" size="sm" onClick={() => setByCode(!byCode)}>
          {byCode ? t.stepUp.usePasskey : t.stepUp.useRecoveryCode}
        </Anchor>
      )}
    </FormBody>
  );
}
