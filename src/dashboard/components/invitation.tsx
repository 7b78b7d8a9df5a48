// The page of an invitation: what it is for, the signed-in account, and the button that accepts it.
import { Anchor, Button, Stack, Text, Title } from '@mantine/core';
import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { isGone } from '../api/errors.ts';
import { useApi } from '../api/hooks.ts';
import { isUnverified, useForgetSession, useMe } from '../shell/current-user.ts';
import { useTexts } from '../texts/locale.ts';
import { ErrorAlert, ErrorPage } from './errors.tsx';
import { explainRefusedInvitation } from './lock-errors.ts';
import { Loading } from './page.tsx';
import { ContinueToProvider, requiredLogin } from './required-login.tsx';

interface InvitationProps {
  preview: { isPending: boolean; error: unknown };
  title: string;
  children: ReactNode;
  /** Where people go on whose invitation was accepted before. */
  next: { to: '/' | '/my-apps'; text: string };
  accept(): Promise<void>;
  /** The invited address, if the link shows it. */
  email?: string | undefined;
  /** What people see who aren't signed in as the invited person, if the link can create an account. */
  join?: ReactNode;
}

/** Renders the invitation. Users who aren't signed in can sign in or sign up and return here. */
export function Invitation({ preview, title, children, next, accept, email, join }: InvitationProps) {
  const t = useTexts().invitation;
  const api = useApi();
  const isDead = isGone(preview.error);
  const name = isDead ? t.invalidTitle : title;
  useEffect(() => {
    document.title = `${name} · Taxiway`;
  }, [name]);
  if (preview.isPending) return <Loading rows={2} />;
  if (isDead) {
    return (
      <>
        <Title order={1} size="h3">
          {t.invalidTitle}
        </Title>
        <Text>{t.invalid}</Text>
        <Button component={Link} to={next.to}>
          {api.mayBeSignedIn() ? next.text : t.signInShort}
        </Button>
      </>
    );
  }
  if (preview.error !== null) return <ErrorPage error={preview.error} />;
  return (
    <>
      <Title order={1} size="h3">
        {title}
      </Title>
      {children}
      <Acceptance accept={accept} email={email} join={join} />
    </>
  );
}

function Acceptance({ accept, email, join }: Pick<InvitationProps, 'accept' | 'email' | 'join'>) {
  const t = useTexts().invitation;
  const api = useApi();
  const forget = useForgetSession();
  const navigate = useNavigate();
  const here = useRouterState({ select: ({ location }) => location.href });
  const [isKnown, setKnown] = useState(() => api.mayBeSignedIn());
  const me = useMe(isKnown);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const back = `?back=${encodeURIComponent(here)}`;
  const signIn = `/sign-in${back}`;
  const loginUrl = requiredLogin(error);
  const hasJoin = join !== undefined && join !== false;
  async function signOut(): Promise<void> {
    setError(undefined);
    try {
      await api.signOut();
    } catch (thrown) {
      setError(thrown);
      return;
    }
    setKnown(false);
    forget();
    if (!hasJoin) await navigate({ href: signIn });
  }
  async function press(): Promise<void> {
    setBusy(true);
    setError(undefined);
    await accept().catch((thrown: unknown) =>
      // The server doesn't tell an invitation for another address from none.
      setError(explainRefusedInvitation(thrown, t, t.refused)),
    );
    setBusy(false);
  }
  if (isKnown && me.isPending) return <Loading rows={1} height={40} />;
  const isWaiting = me.data !== undefined && isUnverified(me.data);
  if (hasJoin && (!isKnown || me.data === undefined || (isWaiting && me.data.email === email))) return join;
  if (!isKnown || me.data === undefined) {
    return (
      <Stack>
        <Text size="sm">{t.needsAccount}</Text>
        <Button onClick={() => void navigate({ href: signIn })}>{t.signIn}</Button>
        <Button variant="default" onClick={() => void navigate({ href: `/sign-up${back}` })}>
          {t.signUp}
        </Button>
      </Stack>
    );
  }
  const isForOther = email !== undefined && email !== me.data.email;
  return (
    <Stack>
      <Text size="sm">
        {t.signedInAs(me.data.email)}{' '}
        {!isForOther && (
          <Anchor component="button" type="button" className="tw-link" onClick={() => void signOut()}>
            {t.useAnotherAccount}
          </Anchor>
        )}
      </Text>
      {isForOther && <Text size="sm">{t.isFor(email)}</Text>}
      {error !== undefined && loginUrl === undefined && <ErrorAlert error={error} />}
      {isForOther ? (
        <Button onClick={() => void signOut()}>{t.useAnotherAccount}</Button>
      ) : loginUrl === undefined ? (
        <Button loading={isBusy} onClick={() => void press()}>
          {t.accept}
        </Button>
      ) : (
        <ContinueToProvider loginUrl={loginUrl} email={me.data.email} />
      )}
    </Stack>
  );
}
