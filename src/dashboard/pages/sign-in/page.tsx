// The sign-in page. Signed-in users are redirected.

import { Alert, Title } from '@mantine/core';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import type { Service } from '../../../service/schema.ts';
import { isSignedOut } from '../../api/errors.ts';
import { useApi, useRead } from '../../api/hooks.ts';
import { isSessionEvent } from '../../api/session.ts';
import { useEmailText } from '../../components/email-texts.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { Loading } from '../../components/page.tsx';
import { SetupPending } from '../../components/setup-pending.tsx';
import { useAppStatus } from '../../shell/app-status.ts';
import { mePath, useForgetSession } from '../../shell/current-user.ts';
import { isServerPath, readReturnPath } from '../../shell/return-path.ts';
import { useTexts } from '../../texts/locale.ts';
import { SignInForm } from './sign-in-form.tsx';

export function Page() {
  const t = useTexts().auth.signIn;
  const emailText = useEmailText();
  const api = useApi();
  const router = useRouter();
  const navigate = useNavigate();
  const forget = useForgetSession();
  const [wasSignedIn] = useState(() => api.mayBeSignedIn());
  const [hasEnded, setEnded] = useState(false);
  const { session } = useAppStatus();
  const back = readReturnPath(location.search);
  const { data: service } = useRead<Service>('/service', { isAnonymous: true });
  const email = new URLSearchParams(location.search).get('email') ?? '';
  /** Only the invited address can accept the invitation that led here. */
  const isInvited = email !== '' && back.startsWith('/invite/');
  const wasAccountDeleted = new URLSearchParams(location.search).has('left');
  useEffect(() => session.markActive(), [session]);
  useEffect(() => {
    document.title = `${t.title} · Taxiway`;
  }, [t]);
  const full = router.options.basepath === '/' ? back : router.options.basepath + back;
  const signedIn = () => {
    forget();
    if (isServerPath(back)) location.replace(full);
    else void navigate({ href: back, replace: true });
  };
  const resume = useEffectEvent(signedIn);
  useEffect(() => {
    // The user may sign in in another tab.
    const look = (event: StorageEvent) => {
      if (isSessionEvent(event) && api.mayBeSignedIn()) resume();
    };
    addEventListener('storage', look);
    return () => removeEventListener('storage', look);
  }, [api]);
  const isOther = new URLSearchParams(location.search).get('account') === 'other';
  if (wasSignedIn && !isOther && !hasEnded) return <Resume onRenewed={signedIn} onEnded={() => setEnded(true)} />;
  return (
    <>
      <Title order={1} size="h3">
        {t.title}
      </Title>
      {service?.setup_pending === true && <SetupPending />}
      {wasAccountDeleted && (
        <Alert color="yellow" role="status">
          {emailText(t.accountDeleted)}
        </Alert>
      )}
      <SignInForm back={full} onSignedIn={signedIn} email={email} isEmailFixed={isInvited} />
    </>
  );
}

/** Renews the session, so that the next page recognizes it, and continues there. An expired session would lead back here. */
function Resume({ onRenewed, onEnded }: { onRenewed(): void; onEnded(): void }) {
  const api = useApi();
  const [error, setError] = useState<unknown>();
  const renew = () =>
    api.send('GET', mePath).then(onRenewed, (reason: unknown) => (isSignedOut(reason) ? onEnded() : setError(reason)));
  const start = useEffectEvent(renew);
  useEffect(() => void start(), []);
  if (error === undefined) return <Loading rows={2} />;
  const retry = () => {
    setError(undefined);
    void renew();
  };
  return <ErrorAlert error={error} onRetry={retry} />;
}
