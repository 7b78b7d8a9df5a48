// Says that a mail is on its way, and sends it again.
import { Anchor, Button, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useChange } from '../../api/api-context.ts';
import { Problem } from '../../parts/problem.tsx';
import { useTexts } from '../../texts/languages.ts';

export function Page() {
  const texts = useTexts().entry;
  const t = texts.verify;
  const [email] = useState(() => new URLSearchParams(location.search).get('email') ?? '');
  const resend = useChange(
    (api) => api.send('POST', '/developers/resend_verification', { body: { email }, isAnonymous: true }),
    [],
  );
  useEffect(() => {
    document.title = `${t.title} · Taxiway`;
  }, [t]);
  return (
    <>
      <Title order={1} size="h3">
        {t.title}
      </Title>
      <Text>{t.text(email)}</Text>
      {resend.isSuccess && (
        <Text size="sm" role="status">
          {t.resent}
        </Text>
      )}
      {resend.error !== null && <Problem error={resend.error} />}
      <Button component={Link} to="/sign-in">
        {t.signIn}
      </Button>
      <Button variant="default" loading={resend.isPending} onClick={() => resend.mutate(undefined)}>
        {t.resend}
      </Button>
      <Anchor component={Link} to="/sign-up" size="sm" className="tw-link">
        {t.wrongAddress}
      </Anchor>
    </>
  );
}
