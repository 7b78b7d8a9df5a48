// Says that a mail is on its way, and sends it again.

import { Anchor, Button, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useChange } from '../../api/api-context.ts';
import { useMailTexts } from '../../parts/mail-texts.ts';
import { Problem } from '../../parts/problem.tsx';
import { UnsentMailHint } from '../../parts/unsent-mail.tsx';
import { useTexts } from '../../texts/languages.ts';

export function Page() {
  const texts = useTexts().entry;
  const say = useMailTexts();
  const t = texts.verify;
  const title = say(t.title);
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
      <Text>{say(t.text)(email)}</Text>
      <UnsentMailHint />
      {resend.isSuccess && (
        <Text size="sm" role="status">
          {say(t.resent)}
        </Text>
      )}
      {resend.error !== null && <Problem error={resend.error} />}
      <Button component={Link} to="/sign-in">
        {t.signIn}
      </Button>
      <Button variant="default" loading={resend.isPending} onClick={() => resend.mutate(undefined)}>
        {say(t.resend)}
      </Button>
      <Anchor component={Link} to="/sign-up" size="sm" className="tw-link">
        {t.useAnotherAddress}
      </Anchor>
    </>
  );
}
