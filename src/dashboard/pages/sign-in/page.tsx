// The page for signing in. Who is signed in already is sent on.

import { Alert, Title } from '@mantine/core';
import { Navigate, useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import { useApi, useRead } from '../../api/api-context.ts';
import { isSessionEvent } from '../../api/session.ts';
import { useMailTexts } from '../../parts/mail-texts.ts';
import { type Service, SetupPending } from '../../parts/setup-pending.tsx';
import { useForget } from '../../shell/me.ts';
import { readBack } from '../../shell/return-path.ts';
import { useWatches } from '../../shell/watches.ts';
import { useTexts } from '../../texts/languages.ts';
import { SignInForm } from './sign-in-form.tsx';

export function Page() {
  const t = useTexts().entry.signIn;
  const say = useMailTexts();
  const api = useApi();
  const router = useRouter();
  const navigate = useNavigate();
  const forget = useForget();
  const [wasSignedIn] = useState(() => api.mayBeSignedIn());
  const { session } = useWatches();
  const back = readBack(location.search);
  const { data: service } = useRead<Service>('/service', { isAnonymous: true });
  const hasLeft = new URLSearchParams(location.search).has('left');
  useEffect(() => session.begin(), [session]);
  useEffect(() => {
    document.title = `${t.title} · Taxiway`;
  }, [t]);
  const signedIn = () => {
    forget();
    void navigate({ href: back, replace: true });
  };
  const goOn = useEffectEvent(signedIn);
  useEffect(() => {
    // Somebody may sign in again in another tab.
    const look = (event: StorageEvent) => {
      if (isSessionEvent(event) && api.mayBeSignedIn()) goOn();
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
      {hasLeft && (
        <Alert color="yellow" role="status">
          {say(t.accountDeleted)}
        </Alert>
      )}
      <SignInForm
        back={router.options.basepath === '/' ? back : router.options.basepath + back}
        onSignedIn={signedIn}
      />
    </>
  );
}
