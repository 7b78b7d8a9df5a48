// Asks the user to verify their email address, and resends the email. Without an address, asks for it first.

import { Anchor, Button, Text, TextInput, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useApi, useChange } from '../../api/hooks.ts';
import { useEmailText } from '../../components/email-texts.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { FormBody, useForm } from '../../components/form.tsx';
import { UnsentEmailHint } from '../../components/unsent-email.tsx';
import { useTexts } from '../../texts/locale.ts';

export function Page() {
  const texts = useTexts().auth;
  const emailText = useEmailText();
  const t = texts.verify;
  const title = emailText(t.title);
  const [email, setEmail] = useState(() => new URLSearchParams(location.search).get('email') ?? '');
  useEffect(() => {
    document.title = `${title} · Taxiway`;
  }, [title]);
  return (
    <>
      <Title order={1} size="h3">
        {title}
      </Title>
      {email === '' ? <AddressForm onSent={setEmail} /> : <Sent email={email} />}
      <Anchor component={Link} to="/sign-up" search={true} size="sm" className="tw-link">
        {t.useAnotherAddress}
      </Anchor>
    </>
  );
}

function AddressForm({ onSent }: { onSent(email: string): void }) {
  const texts = useTexts().auth;
  const emailText = useEmailText();
  const api = useApi();
  const form = useForm({
    values: { email: '' },
    async submit(body) {
      await api.send('POST', '/developers/resend_verification', { body, isAnonymous: true });
      onSent(body.email);
    },
  });
  return (
    <FormBody form={form} submit={emailText(texts.verify.resend)} isWide>
      <TextInput label={texts.email} type="email" autoComplete="username" autoFocus {...form.text('email')} />
    </FormBody>
  );
}

function Sent({ email }: { email: string }) {
  const emailText = useEmailText();
  const t = useTexts().auth.verify;
  const resend = useChange(
    (api) => api.send('POST', '/developers/resend_verification', { body: { email }, isAnonymous: true }),
    [],
  );
  return (
    <>
      <Text>{emailText(t.text)(email)}</Text>
      <UnsentEmailHint />
      {resend.isSuccess && (
        <Text size="sm" role="status">
          {emailText(t.resent)}
        </Text>
      )}
      {resend.error !== null && <ErrorAlert error={resend.error} />}
      <Button component={Link} to="/sign-in" search={true}>
        {t.signIn}
      </Button>
      <Button variant="default" loading={resend.isPending} onClick={() => resend.mutate(undefined)}>
        {emailText(t.resend)}
      </Button>
    </>
  );
}
