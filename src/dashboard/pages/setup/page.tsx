// Creates the first admin account and signs in.
import { Button, PasswordInput, Text, TextInput, Title } from '@mantine/core';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Setup } from '../../../accounts/schema.ts';
import type { TokenResponse } from '../../../sign-in/schema.ts';
import { ApiError, ConnectionError } from '../../api/errors.ts';
import { useApi } from '../../api/hooks.ts';
import { FormBody, useForm } from '../../components/form.tsx';
import { useForgetSession } from '../../shell/current-user.ts';
import { replaceProgramName } from '../../shell/program-name.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';
import { SignInForm } from '../sign-in/sign-in-form.tsx';

export function Page() {
  const texts = useTexts();
  const t = texts.auth;
  const api = useApi();
  const navigate = useNavigate();
  const forget = useForgetSession();
  const { base, passwordMinimum, program } = useServerInfo();
  const { token } = useParams({ from: '/entry/setup/$token' });
  const [isDead, setDead] = useState(false);
  /** The address of the new account, if signing in takes more than the form has, such as a captcha. */
  const [created, setCreated] = useState<string>();
  useEffect(() => {
    document.title = `${t.setup.title} · Taxiway`;
  }, [t]);
  useEffect(() => {
    // The server's own page shows whether the link is still valid. HEAD doesn't use the link up.
    const address = `${base}/setup/${encodeURIComponent(token)}?plain`;
    void fetch(address, { method: 'HEAD' }).then(
      ({ status }) => setDead(status === 404),
      () => undefined,
    );
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
      try {
        api.noteTokens(await api.send<TokenResponse>('POST', '/login', { body: login, isAnonymous: true }));
      } catch {
        // The link is used up, and the account exists.
        setCreated(body.email);
        return;
      }
      await enter();
    },
  });

  async function enter(): Promise<void> {
    forget();
    await navigate({ to: '/', replace: true });
  }

  if (isDead) {
    return (
      <>
        <Title order={1} size="h3">
          {t.setup.invalidTitle}
        </Title>
        <Text>{replaceProgramName(t.setup.invalid, program)}</Text>
        <Button component={Link} to="/sign-in">
          {t.signIn.submit}
        </Button>
      </>
    );
  }
  if (created !== undefined) {
    return (
      <>
        <Title order={1} size="h3">
          {t.setup.createdTitle}
        </Title>
        <Text size="sm">{t.setup.created}</Text>
        <SignInForm back="/" onSignedIn={() => void enter()} hasLinks={false} email={created} isEmailFixed />
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
          {...form.text('password', t.atLeast(passwordMinimum))}
        />
        <TextInput
          label={`${t.organizationName} (${texts.common.optional})`}
          autoComplete="organization"
          description={t.setup.organizationHint}
          {...form.text('organization_name')}
        />
      </FormBody>
    </>
  );
}

/** Setup isn't part of the API; the request goes to the link itself. */
async function postSetup(address: string, body: Setup): Promise<void> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) }).catch((cause) => {
    throw new ConnectionError('The server does not answer', { cause });
  });
  if (!response.ok) throw new ApiError(response.status, await response.json().catch(() => undefined), response.headers);
}
