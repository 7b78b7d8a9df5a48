// Signing in by email: asks for the code that was sent.
import { Button, Stack, Text, TextInput, Title } from '@mantine/core';
import { useState } from 'react';
import type { MfaRequired, TokenResponse } from '../../../sign-in/schema.ts';
import { ApiError } from '../../api/errors.ts';
import { useApi } from '../../api/hooks.ts';
import { FormBody, useForm } from '../../components/form.tsx';
import { useTexts } from '../../texts/locale.ts';

interface EmailCodeFormProps {
  email: string;
  onAnswer(answer: TokenResponse | MfaRequired): void;
  /** Returns to the form that requests a code. */
  onStartOver(): void;
}

export function EmailCodeForm({ email, onAnswer, onStartOver }: EmailCodeFormProps) {
  const t = useTexts().auth.emailCode;
  const api = useApi();
  const [isDead, setDead] = useState(false);
  const form = useForm({
    values: { code: '' },
    async submit({ code }) {
      try {
        const body = { code, cookies: true };
        onAnswer(
          await api.send<TokenResponse | MfaRequired>('POST', '/login/email/confirm', { body, isAnonymous: true }),
        );
      } catch (error) {
        setDead(error instanceof ApiError && error.details.reason === 'unusable_code');
        form.set('code', '');
        throw error;
      }
    },
  });
  const isWrong = form.formError instanceof ApiError && form.formError.status === 401;
  return (
    <Stack>
      <Title order={2} size="h4">
        {t.title}
      </Title>
      <Text size="sm" role="status">
        {t.text(email)}
      </Text>
      <FormBody form={isWrong ? { ...form, formError: undefined } : form} submit={t.submit} isWide>
        <TextInput
          label={t.code}
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={16}
          required
          withAsterisk={false}
          autoFocus
          {...form.text('code')}
          error={isWrong ? (isDead ? t.dead : t.incorrect) : form.errors.code}
        />
      </FormBody>
      <Button variant="subtle" color="gray" onClick={onStartOver}>
        {t.startOver}
      </Button>
    </Stack>
  );
}
