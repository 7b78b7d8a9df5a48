// Makes an account; the next page says to look into the mail.
import { Anchor, PasswordInput, Text, TextInput, Title } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useApi, useRead } from '../../api/api-context.ts';
import { Captcha } from '../../parts/captcha.tsx';
import { FormBody, useForm } from '../../parts/form.tsx';
import { Loading, Shown } from '../../parts/page.tsx';
import { type Service, SetupPending } from '../../parts/setup-pending.tsx';
import { useFacts } from '../../shell/facts.ts';
import { useTexts } from '../../texts/languages.ts';

export function Page() {
  const t = useTexts().entry;
  const service = useRead<Service>('/service', { isAnonymous: true });
  useEffect(() => {
    document.title = `${t.signUp.title} · Taxiway`;
  }, [t]);
  return (
    <>
      <Title order={1} size="h3">
        {t.signUp.title}
      </Title>
      <Shown read={service} loading={<Loading rows={3} height={48} />}>
        {({ features, setup_pending: isSetupPending }) => {
          if (isSetupPending) return <SetupPending />;
          if (features.signup === 'closed') return <Text>{t.signUp.closed}</Text>;
          return (
            <>
              {features.signup === 'invited' && <Text size="sm">{t.signUp.invitedOnly}</Text>}
              <SignUpForm hasCaptcha={features.captcha !== 'none'} />
            </>
          );
        }}
      </Shown>
      <Text size="sm" ta="center">
        {t.signUp.haveAccount}{' '}
        <Anchor component={Link} to="/sign-in" className="tw-link">
          {t.signIn.submit}
        </Anchor>
      </Text>
    </>
  );
}

function SignUpForm({ hasCaptcha }: { hasCaptcha: boolean }) {
  const t = useTexts().entry;
  const api = useApi();
  const navigate = useNavigate();
  const { passwordMinimum } = useFacts();
  const form = useForm({
    values: { display_name: '', email: '', password: '', captcha_token: '' },
    async submit({ captcha_token: token, ...account }) {
      const body = { ...account, ...(token === '' ? {} : { captcha_token: token }) };
      await api.send('POST', '/developers', { body, isAnonymous: true });
      // Typed as a path alone; the page reads the address from its query.
      await navigate({ href: `/verify?email=${encodeURIComponent(account.email)}` });
    },
  });
  return (
    <FormBody form={form} submit={t.signUp.submit} isWide isDisabled={hasCaptcha && form.values.captcha_token === ''}>
      <TextInput label={t.displayName} autoComplete="name" autoFocus {...form.text('display_name')} />
      <TextInput label={t.email} type="email" autoComplete="username" {...form.text('email')} />
      <PasswordInput
        label={t.newPassword}
        autoComplete="new-password"
        description={t.atLeast(passwordMinimum)}
        {...form.text('password')}
      />
      {hasCaptcha && <Captcha onSolved={(token) => form.set('captcha_token', token)} />}
    </FormBody>
  );
}
