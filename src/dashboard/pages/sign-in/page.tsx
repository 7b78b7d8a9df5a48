// The sign-in page. Signed-in users are redirected.

import { Alert, Title } from '@mantine/core';
import { Navigate, useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import { useApi, useRead } from '../../api/hooks.ts';
import { isSessionEvent } from '../../api/session.ts';
import { useEmailText } from '../../components/email-texts.ts';
import { type ServiceInfo, SetupPending } from '../../components/setup-pending.tsx';
import { useAppStatus } from '../../shell/app-status.ts';
import { useClearCache } from '../../shell/current-user.ts';
import { readReturnPath } from '../../shell/return-path.ts';
import { useTexts } from '../../texts/locale.ts';
import { SignInForm } from './sign-in-form.tsx';

export function Page() {
  const t = useTexts().auth.signIn;
  const emailText = useEmailText();
  const api = useApi();
  const router = useRouter();
  const navigate = useNavigate();
  const forget = useClearCache();
  const [wasSignedIn] = useState(() => api.mayBeSignedIn());
  const { session } = useAppStatus();
  const back = readReturnPath(location.search);
  const { data: service } = useRead<ServiceInfo>('/service', { isAnonymous: true });
  const wasAccountDeleted = new URLSearchParams(location.search).has('left');
  useEffect(() => session.markActive(), [session]);
  useEffect(() => {
    document.title = `${t.title} · Taxiway`;
  }, [t]);
  const signedIn = () => {
    forget();
    void navigate({ href: back, replace: true });
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
  if (wasSignedIn) return <Navigate to="/" replace />;
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
      <SignInForm
        back={router.options.basepath === '/' ? back : router.options.basepath + back}
        onSignedIn={signedIn}
      />
    </>
  );
}
