// Two-factor authentication at sign-in: code, recovery code or passkey.
import { Button, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useState } from 'react';
import type { AuthenticationBegin } from '../../../second-factors/schema.ts';
import type { MfaRequired, TokenResponse } from '../../../sign-in/schema.ts';
import { ApiError } from '../../api/errors.ts';
import { useApi } from '../../api/hooks.ts';
import { requestPasskey } from '../../api/passkeys.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { FormBody, useForm } from '../../components/form.tsx';
import { useTexts } from '../../texts/locale.ts';

interface TwoFactorFormProps {
  first: MfaRequired;
  onSignedIn(answer: TokenResponse): void;
  onStartOver(): void;
}

/** Asks for a factor of the account. Codes come first, because they work on any device. */
export function TwoFactorForm({ first, onSignedIn, onStartOver }: TwoFactorFormProps) {
  const texts = useTexts().auth;
  const t = texts.twoFactor;
  const api = useApi();
  const has = (method: MfaRequired['methods'][number]) => first.methods.includes(method);
  const [method, setMethod] = useState<'totp' | 'recovery_code'>(has('totp') ? 'totp' : 'recovery_code');
  const [error, setError] = useState<unknown>();
  const [isCanceled, setCanceled] = useState(false);
  const form = useForm({
    values: { code: '' },
    submit: async ({ code }) => {
      const body = { mfa_token: first.mfa_token, method, code };
      onSignedIn(await api.send<TokenResponse>('POST', '/login/mfa', { body, isAnonymous: true }));
    },
  });

  async function signInWithPasskey(): Promise<void> {
    setError(undefined);
    setCanceled(false);
    try {
      const begin = { body: { mfa_token: first.mfa_token }, isAnonymous: true };
      const { challenge_id, options } = await api.send<AuthenticationBegin>('POST', '/login/mfa/passkey/begin', begin);
      const credential = await requestPasskey(options);
      if (credential === undefined) {
        setCanceled(true);
        return;
      }
      const finish = { body: { challenge_id, credential }, isAnonymous: true };
      onSignedIn(await api.send<TokenResponse>('POST', '/login/mfa/passkey/finish', finish));
    } catch (thrown) {
      setError(thrown);
    }
  }

  const isWrong = form.formError instanceof ApiError && form.formError.status === 401;
  const other = method === 'totp' ? 'recovery_code' : 'totp';
  return (
    <Stack>
      <Title order={2} size="h4">
        {t.title}
      </Title>
      {has('passkey') && (
        <Button leftSection={<IconFingerprint size={18} />} onClick={() => void signInWithPasskey()}>
          {t.usePasskey}
        </Button>
      )}
      {isCanceled && (
        <Text size="sm" role="alert">
          {texts.passkeyCanceled}
        </Text>
      )}
      {error !== undefined && <ErrorAlert error={error} />}
      {(has('totp') || has('recovery_code')) && (
        <FormBody form={isWrong ? { ...form, formError: undefined } : form} submit={t.submit} isWide>
          <TextInput
            key={method}
            label={method === 'totp' ? t.totp : t.recovery}
            autoComplete="one-time-code"
            inputMode={method === 'totp' ? 'numeric' : 'text'}
            autoFocus
            {...form.text('code')}
            error={isWrong ? t.incorrect : form.errors.code}
          />
        </FormBody>
      )}
      {has(other) && (
        <Button variant="subtle" onClick={() => setMethod(other)}>
          {other === 'totp' ? t.useTotp : t.useRecovery}
        </Button>
      )}
      <Button variant="subtle" color="gray" onClick={onStartOver}>
        {t.startOver}
      </Button>
    </Stack>
  );
}
