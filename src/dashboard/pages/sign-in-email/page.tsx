// The page of the link in an email for signing in. Opening it doesn't use the link, because mail programs open links
// automatically.
import { Anchor, Button, Text, Title } from '@mantine/core';
import { Link, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { MfaRequired, TokenResponse } from '../../../sign-in/schema.ts';
import { ApiError } from '../../api/errors.ts';
import { useApi } from '../../api/hooks.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { useAppStatus } from '../../shell/app-status.ts';
import { readReturnPath } from '../../shell/return-path.ts';
import { useTexts } from '../../texts/locale.ts';
import { clearPendingEmail, readPendingEmail } from '../sign-in/pending-email.ts';
import { TwoFactorForm } from '../sign-in/two-factor-form.tsx';

export function Page() {
  const texts = useTexts().auth;
  const t = texts.emailLink;
  const api = useApi();
  const router = useRouter();
  const { session } = useAppStatus();
  const [token] = useState(() => new URLSearchParams(location.search).get('token') ?? '');
  const [twoFactor, setTwoFactor] = useState<MfaRequired>();
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<unknown>();
  useEffect(() => session.markActive(), [session]);
  useEffect(() => {
    document.title = `${texts.signIn.title} · Taxiway`;
  }, [texts]);

  function signedIn(answer: TokenResponse): void {
    api.noteTokens(answer);
    const back = readReturnPath(`?${new URLSearchParams({ back: readPendingEmail()?.back ?? '/' })}`);
    clearPendingEmail();
    const base = router.options.basepath ?? '/';
    location.replace(back === '/' ? base : back);
  }

  async function signIn(): Promise<void> {
    setSending(true);
    setError(undefined);
    try {
      const body = { token, cookies: true };
      const request = { body, isAnonymous: true };
      const answer = await api.send<TokenResponse | MfaRequired>('POST', '/login/email/confirm', request);
      if ('mfa_required' in answer) setTwoFactor(answer);
      else signedIn(answer);
    } catch (thrown) {
      setError(thrown);
    }
    setSending(false);
  }

  const reason = error instanceof ApiError ? error.details.reason : undefined;
  const isOver = reason === 'other_browser' || reason === 'unusable_code' || token === '';
  return (
    <>
      <Title order={1} size="h3">
        {texts.signIn.title}
      </Title>
      {twoFactor !== undefined ? (
        <TwoFactorForm first={twoFactor} onSignedIn={signedIn} onStartOver={() => location.assign('.')} />
      ) : isOver ? (
        <>
          <Text role="alert">{reason === 'other_browser' ? t.otherBrowser : t.dead}</Text>
          <Anchor component={Link} to="/sign-in" size="sm" className="tw-link">
            {t.startOver}
          </Anchor>
        </>
      ) : (
        <>
          <Text size="sm">{t.text}</Text>
          {error !== undefined && <ErrorAlert error={error} />}
          <Button fullWidth loading={isSending} onClick={() => void signIn()}>
            {texts.signIn.submit}
          </Button>
        </>
      )}
    </>
  );
}
