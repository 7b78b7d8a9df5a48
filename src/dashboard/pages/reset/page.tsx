// Asks for a link that sets a new password. The link itself leads to a page of the server that needs no script.

import { Anchor, Text, TextInput, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useApi } from '../../api/api-context.ts';
import { FormBody, useForm } from '../../parts/form.tsx';
import { useMailTexts } from '../../parts/mail-texts.ts';
import { UnsentMailHint } from '../../parts/unsent-mail.tsx';
import { useTexts } from '../../texts/languages.ts';

export function Page() {
  const texts = useTexts().entry;
  const say = useMailTexts();
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
        {sentTo === undefined ? t.title : say(t.sentTitle)}
      </Title>
      {sentTo === undefined ? (
        <>
          <Text size="sm">{say(t.text)}</Text>
          <FormBody form={form} submit={say(t.submit)} isWide>
            <TextInput label={texts.email} type="email" autoComplete="username" autoFocus {...form.text('email')} />
          </FormBody>
        </>
      ) : (
        <>
          <Text role="status">{say(t.sent)(sentTo)}</Text>
          <UnsentMailHint />
        </>
      )}
      <Anchor component={Link} to="/sign-in" size="sm" className="tw-link">
        {t.signIn}
      </Anchor>
    </>
  );
}
