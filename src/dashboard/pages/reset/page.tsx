// Requests a password reset link. The link opens a server-rendered page that works without JavaScript.

import { Anchor, Text, TextInput, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useApi } from '../../api/hooks.ts';
import { useEmailText } from '../../components/email-texts.ts';
import { FormBody, useForm } from '../../components/form.tsx';
import { UnsentEmailHint } from '../../components/unsent-email.tsx';
import { useTexts } from '../../texts/locale.ts';

export function Page() {
  const texts = useTexts().auth;
  const emailText = useEmailText();
  const t = texts.reset;
  const api = useApi();
  const [sentTo, setSentTo] = useState<string>();
  useEffect(() => {
    document.title = `${t.title} · Taxiway`;
  }, [t]);
  const form = useForm({
    values: { email: '' },
    async submit(body) {
      await api.send('POST', '/login/password_reset', { body, isAnonymous: true });
      setSentTo(body.email);
    },
  });
  return (
    <>
      <Title order={1} size="h3">
        {sentTo === undefined ? t.title : emailText(t.sentTitle)}
      </Title>
      {sentTo === undefined ? (
        <>
          <Text size="sm">{emailText(t.text)}</Text>
          <FormBody form={form} submit={emailText(t.submit)} isWide>
            <TextInput label={texts.email} type="email" autoComplete="username" autoFocus {...form.text('email')} />
          </FormBody>
        </>
      ) : (
        <>
          <Text role="status">{emailText(t.sent)(sentTo)}</Text>
          <UnsentEmailHint />
        </>
      )}
      <Anchor component={Link} to="/sign-in" size="sm" className="tw-link">
        {t.signIn}
      </Anchor>
    </>
  );
}
