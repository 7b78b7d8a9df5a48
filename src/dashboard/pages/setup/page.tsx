// The first administrator: one form, and then one is signed in.
import { PasswordInput, Text, TextInput, Title } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Setup } from '../../../accounts/schema.ts';
import type { TokenResponse } from '../../../sign-in/schema.ts';
import { useApi } from '../../api/api-context.ts';
import { ApiError } from '../../api/errors.ts';
import { FormBody, useForm } from '../../parts/form.tsx';
import { useFacts } from '../../shell/facts.ts';
import { useForget } from '../../shell/me.ts';
import { inServerName } from '../../shell/server-name.ts';
import { useTexts } from '../../texts/languages.ts';

export function Page() {
  const t = useTexts().entry;
  const api = useApi();
  const navigate = useNavigate();
  const forget = useForget();
  const { base, passwordMinimum, program } = useFacts();
  const { token } = useParams({ from: '/entry/setup/$token' });
  const [isDead, setDead] = useState(false);
  useEffect(() => {
    document.title = `${t.setup.title} · Taxiway`;
  }, [t]);
  useEffect(() => {
    // The server says by its own page whether the link still works; looking uses nothing up.
    const address = `${base}/setup/${encodeURIComponent(token)}?plain`;
    void fetch(address, { method: 'HEAD' }).then(({ status }) => setDead(status === 404));
  }, [base, token]);
  const form = useForm<Setup>({
    values: { display_name: '', email: '', password: '', organization_name: '' },
    async submit(body) {
      try {
        await postSetup(`${base}/setup/${encodeURIComponent(token)}`, body);
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) {
          setDead(true);
          return;
        }
        throw error;
      }
      const login = { email: body.email, password: body.password, cookies: true };
      api.noteTokens(await api.send<TokenResponse>('POST', '/login', { body: login, isAnonymous: true }));
      forget();
      await navigate({ to: '/', replace: true });
    },
  });
  if (isDead) {
    return (
      <>
        <Title order={1} size="h3">
          {t.setup.invalidTitle}
        </Title>
        <Text>{inServerName(t.setup.invalid, program)}</Text>
      </>
    );
  }
  return (
    <>
      <Title order={1} size="h3">
        {t.setup.title}
      </Title>
      <Text size="sm">{t.setup.text}</Text>
      <FormBody form={form} submit={t.setup.submit} isWide>
        <TextInput label={t.displayName} autoComplete="name" autoFocus {...form.text('display_name')} />
        <TextInput label={t.email} type="email" autoComplete="username" {...form.text('email')} />
        <PasswordInput
          label={t.newPassword}
          autoComplete="new-password"
          description={t.atLeast(passwordMinimum)}
          {...form.text('password')}
        />
        <TextInput label={t.organizationName} autoComplete="organization" {...form.text('organization_name')} />
      </FormBody>
    </>
  );
}

/** The setup lies outside the API, at the address of its link. */
async function postSetup(address: string, body: Setup): Promise<void> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new ApiError(response.status, await response.json().catch(() => undefined), response.headers);
}
