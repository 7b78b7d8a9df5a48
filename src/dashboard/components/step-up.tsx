// The step-up form: verifies the user again with the account's password, code or passkey, or with a new sign-in through
// the identity provider.
import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { AuthenticationBegin, MfaStatus, StepUpNeeds } from '../../second-factors/schema.ts';
import { ApiError } from '../api/errors.ts';
import { invalidate, useApi, useChange, useRead } from '../api/hooks.ts';
import { requestPasskey } from '../api/passkeys.ts';
import { useCurrentUser } from '../shell/current-user.ts';
import { useTexts } from '../texts/locale.ts';
import { ErrorAlert } from './errors.tsx';
import { FormBody, useForm } from './form.tsx';
import { Loading, QueryContent } from './page.tsx';
import { RelativeTime } from './time.tsx';

/** A value that the change requires besides the step-up. */
interface StepUpField {
  /** The name in the request body. */
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

/** Renders the form. `onSubmit` receives the step-up fields and the value of `field` for the request body. */
export function StepUpForm(props: StepUpProps) {
  const status = useRead<MfaStatus>('/mfa');
  return (
    <QueryContent read={status} loading={<Loading rows={2} height={48} />}>
      {({ step_up: needs }) =>
        isFresh(needs) ? <Fields {...props} needs={needs} /> : <SignInAgain sso={needs.single_sign_on} />
      }
    </QueryContent>
  );
}

/** Decided by the server, because this device's clock may be wrong. */
function isFresh({ single_sign_on: sso }: StepUpNeeds): boolean {
  return sso === null || sso.fresh_until !== null;
}

const isTooOld = (error: unknown) => error instanceof ApiError && error.details.reason === 'sign_in_too_old';

/** Links to the identity provider, which returns to this page. */
function SignInAgain({ sso }: { sso: StepUpNeeds['single_sign_on'] }) {
  const t = useTexts().account.stepUp;
  if (sso?.held_until != null) {
    return (
      <Text size="sm">
        {t.unavailableUntil} <RelativeTime at={sso.held_until} />
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
  const { me } = useCurrentUser();
  const [byCode, setByCode] = useState(false);
  const [isCanceled, setCanceled] = useState(false);
  const asksPasskey = needs.passkey && !byCode;
  const form = useForm<Record<string, string>>({
    values: {
      ...(field === undefined ? {} : { [field.name]: field.value ?? '' }),
      current_password: '',
      mfa_code: '',
      email_code: '',
    },
    async submit({ current_password: password = '', mfa_code: code = '', email_code: emailCode = '', ...own }) {
      const body: Record<string, unknown> = { ...own };
      // Changing the email address requires this field even if the account has no password.
      if (password !== '' || field?.name === 'new_email') body.current_password = password;
      if (code !== '' && !asksPasskey) body.mfa_code = code;
      if (needs.email_code) body.email_code = emailCode;
      setCanceled(false);
      if (asksPasskey) {
        const path = `/developers/${me.identifier}/change_email/passkey/begin`;
        const { challenge_id, options } = await api.send<AuthenticationBegin>('POST', path);
        const assertion = await requestPasskey(options);
        if (assertion === undefined) {
          setCanceled(true);
          return;
        }
        Object.assign(body, { passkey_challenge_id: challenge_id, passkey_assertion: assertion });
      }
      try {
        await onSubmit(body);
      } catch (error) {
        // The sign-in became too old while the form was open. Reading the status again shows the button that signs in.
        if (!isTooOld(error)) throw error;
        await invalidate(queries, '/mfa');
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
          autoComplete="new-password"
          {...form.text('new_password', field.description)}
        />
      )}
      {(needs.mfa_code || byCode) && (
        <TextInput
          label={byCode ? t.stepUp.recoveryCode : t.stepUpCode}
          autoComplete="one-time-code"
          {...form.text('mfa_code')}
        />
      )}
      {needs.email_code && (
        <>
          <EmailCodeButton email={me.email} developerId={me.identifier} />
          <TextInput
            label={t.stepUp.emailCode}
            autoComplete="one-time-code"
            inputMode="numeric"
            {...form.text('email_code')}
          />
        </>
      )}
      {asksPasskey && <Text size="sm">{t.stepUpPasskey}</Text>}
      {asksPasskey && isCanceled && (
        <Text size="sm" role="alert">
          {texts.auth.passkeyCanceled}
        </Text>
      )}
      {needs.passkey && (
        <Anchor component="button" type="button" size="sm" onClick={() => setByCode(!byCode)}>
          {byCode ? t.stepUp.usePasskey : t.stepUp.useRecoveryCode}
        </Anchor>
      )}
    </FormBody>
  );
}

/** Emails the code of a step-up. */
function EmailCodeButton({ email, developerId }: { email: string; developerId: string }) {
  const t = useTexts().account.stepUp;
  const send = useChange((api) => api.send('POST', `/developers/${developerId}/step_up_code`), []);
  return (
    <Stack align="flex-start" gap="xs">
      {send.isSuccess ? (
        <Text size="sm" role="status">
          {t.codeSent(email)}
        </Text>
      ) : (
        <Button variant="default" loading={send.isPending} onClick={() => send.mutate(undefined)}>
          {t.sendCode}
        </Button>
      )}
      {send.error !== null && <ErrorAlert error={send.error} />}
    </Stack>
  );
}
