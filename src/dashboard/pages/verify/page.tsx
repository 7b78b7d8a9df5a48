// Asks the user to verify their email address, and resends the email.

import { Anchor, Button, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useChange } from '../../api/hooks.ts';
import { useEmailText } from '../../components/email-texts.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { UnsentEmailHint } from '../../components/unsent-email.tsx';
import { useTexts } from '../../texts/locale.ts';

export function Page() {
  const texts = useTexts().auth;
  const emailText = useEmailText();
  const t = texts.verify;
  const title = emailText(t.title);
  const [email] = useState(() => new URLSearchParams(location.search).get('email') ?? '');
  const resend = useChange(
    (api) => api.send('POST', '/developers/resend_verification', { body: { email }, isAnonymous: true }),
    [],
  );
  useEffect(() => {
    document.title = `${title} · Taxiway`;
  }, [title]);
  return (
    <>
      <Title order={1} size="h3">
        {title}
      </Title>
      <Text>{emailText(t.text)(email)}</Text>
      <UnsentEmailHint />
      {resend.isSuccess && (
        <Text size="sm" role="status">
          {emailText(t.resent)}
        </Text>
      )}
      {resend.error !== null && <ErrorAlert error={resend.error} />}
      <Button component={Link} to="/sign-in">
        {t.signIn}
      </Button>
      <Button variant="default" loading={resend.isPending} onClick={() => resend.mutate(undefined)}>
        {emailText(t.resend)}
      </Button>
      <Anchor component={Link} to="/sign-up" size="sm" className="tw-link">
        {t.useAnotherAddress}
      </Anchor>
    </>
  );
}
