// The second factor: a code, a recovery code, or a passkey.
import { Button, Stack, TextInput, Title } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useState } from 'react';
import type { AuthenticationBegin } from '../../../second-factors/schema.ts';
import type { MfaRequired, TokenResponse } from '../../../sign-in/schema.ts';
import { useApi } from '../../api/api-context.ts';
import { ApiError } from '../../api/errors.ts';
import { askPasskey } from '../../api/passkeys.ts';
import { FormBody, useForm } from '../../parts/form.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useTexts } from '../../texts/languages.ts';

interface SecondStepProps {
  first: MfaRequired;
  onSignedIn(answer: TokenResponse): void;
  onStartOver(): void;
}

/** Asks for what the account has; codes first, because they need no device at hand. */
export function SecondStep({ first, onSignedIn, onStartOver }: SecondStepProps) {
  const t = useTexts().entry.twoFactor;
  const api = useApi();
  const has = (method: MfaRequired['methods'][number]) => first.methods.includes(method);
  const [method, setMethod] = useState<'totp' | 'recovery_code'>(has('totp') ? 'totp' : 'recovery_code');
  const [error, setError] = useState<unknown>();
  const form = useForm({
    values: { code: '' },
    submit: async ({ code }) => {
      const body = { mfa_token: first.mfa_token, method, code };
      onSignedIn(await api.send<TokenResponse>('POST', '/login/mfa', { body, isAnonymous: true }));
    },
  });

  async function byPasskey(): Promise<void> {
    setError(undefined);
    try {
      const begin = { body: { mfa_token: first.mfa_token }, isAnonymous: true };
      const { challenge_id, options } = await api.send<AuthenticationBegin>('POST', '/login/mfa/passkey/begin', begin);
      const credential = await askPasskey(options);
      if (credential === undefined) return;
      const finish = { body: { challenge_id, credential }, isAnonymous: true };
      onSignedIn(await api.send<TokenResponse>('POST', '/login/mfa/passkey/finish', finish));
    } catch (thrown) {
      setError(thrown);
    }
  }

  const isWrong = form.rest instanceof ApiError && form.rest.status === 401;
  const other = method === 'totp' ? 'recovery_code' : 'totp';
  return (
    <Stack>
      <Title order={2} size="h4">
        {t.title}
      </Title>
      {has('passkey') && (
        <Button leftSection={<IconFingerprint size={18} />} onClick={() => void byPasskey()}>
          {t.usePasskey}
        </Button>
      )}
      {error !== undefined && <Problem error={error} />}
      {(has('totp') || has('recovery_code')) && (
        <FormBody form={isWrong ? { ...form, rest: undefined } : form} submit={t.submit} isWide>
          <TextInput
            key={method}
            label={method === 'totp' ? t.totp : t.recovery}
            autoComplete="one-time-code"
            inputMode={method === 'totp' ? 'numeric' : 'text'}
            autoFocus
            {...form.text('code')}
            error={isWrong ? t.incorrect : form.problems.code}
          />
        </FormBody>
      )}
      {has(other) && (
        <Button variant="subtle" size="compact-sm" onClick={() => setMethod(other)}>
          {other === 'totp' ? t.useTotp : t.useRecovery}
        </Button>
      )}
      <Button variant="subtle" color="gray" size="compact-sm" onClick={onStartOver}>
        {t.startOver}
      </Button>
    </Stack>
  );
}
