// The sign-up page. The next page asks the user to verify the email address.
import { Anchor, PasswordInput, Text, TextInput, Title } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { Service } from '../../../service/schema.ts';
import { useApi, useRead } from '../../api/hooks.ts';
import { Captcha } from '../../components/captcha.tsx';
import { FormBody, useForm } from '../../components/form.tsx';
import { Loading, QueryContent } from '../../components/page.tsx';
import { SetupPending } from '../../components/setup-pending.tsx';
import { readReturnPath } from '../../shell/return-path.ts';
import { useServerInfo } from '../../shell/server-info.ts';
import { useTexts } from '../../texts/locale.ts';

export function Page() {
  const t = useTexts().auth;
  const joinToken = readJoinToken();
  const service = useRead<Service>('/service', { isAnonymous: true });
  useEffect(() => {
    document.title = `${t.signUp.title} · Taxiway`;
  }, [t]);
  return (
    <>
      <Title order={1} size="h3">
        {t.signUp.title}
      </Title>
      <QueryContent read={service} loading={<Loading rows={3} height={48} />}>
        {({ features, setup_pending: isSetupPending }) => {
          if (isSetupPending) return <SetupPending />;
          if (features.signup === 'closed') return <Text>{t.signUp.closed}</Text>;
          return (
            <>
              {features.signup === 'invited' && joinToken === undefined && (
                <Text size="sm">{t.signUp.invitedOnly}</Text>
              )}
              <SignUpForm hasCaptcha={features.captcha !== 'none'} joinToken={joinToken} />
            </>
          );
        }}
      </QueryContent>
      <Text size="sm" ta="center">
        {t.signUp.haveAccount}{' '}
        <Anchor component={Link} to="/sign-in" search={true} className="tw-link">
          {t.signIn.submit}
        </Anchor>
      </Text>
    </>
  );
}

/** Returns the token of the join link that led here, if any. */
function readJoinToken(): string | undefined {
  return /^\/join\/([^/?#]+)$/.exec(readReturnPath(location.search))?.[1];
}

function SignUpForm({ hasCaptcha, joinToken }: { hasCaptcha: boolean; joinToken: string | undefined }) {
  const t = useTexts().auth;
  const api = useApi();
  const navigate = useNavigate();
  const { passwordMinimum } = useServerInfo();
  const [attempt, setAttempt] = useState(0);
  const form = useForm({
    values: { display_name: '', email: '', password: '', captcha_token: '' },
    async submit({ captcha_token: token, ...account }) {
      const body = { ...account, ...(token === '' ? {} : { captcha_token: token }), join_token: joinToken };
      await api.send('POST', '/developers', { body, isAnonymous: true }).catch((error: unknown) => {
        form.set('captcha_token', '');
        setAttempt((last) => last + 1);
        throw error;
      });
      const path = readReturnPath(location.search);
      const back = path === '/' ? '' : `&back=${encodeURIComponent(path)}`;
      // An href, because the router's types don't include the query.
      await navigate({ href: `/verify?email=${encodeURIComponent(account.email)}${back}` });
    },
  });
  return (
    <FormBody form={form} submit={t.signUp.submit} isWide isDisabled={hasCaptcha && form.values.captcha_token === ''}>
      <TextInput label={t.displayName} autoComplete="name" autoFocus {...form.text('display_name')} />
      <TextInput label={t.email} type="email" autoComplete="username" {...form.text('email')} />
      <PasswordInput
        label={t.newPassword}
        autoComplete="new-password"
        {...form.text('password', t.atLeast(passwordMinimum))}
      />
      {hasCaptcha && <Captcha attempt={attempt} onSolved={(token) => form.set('captcha_token', token)} />}
    </FormBody>
  );
}
