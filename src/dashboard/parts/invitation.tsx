// The frame of an invitation: what it leads to, who is asked, and the button that accepts it.
import { Anchor, Button, Stack, Text, Title } from '@mantine/core';
import { Link, useNavigate, useRouterState } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { useApi } from '../api/api-context.ts';
import { ApiError } from '../api/errors.ts';
import { useForget, useMe } from '../shell/me.ts';
import { useTexts } from '../texts/languages.ts';
import { Loading } from './page.tsx';
import { Problem, ProblemPage } from './problem.tsx';

interface InvitationProps {
  preview: { isPending: boolean; error: unknown };
  title: string;
  children: ReactNode;
  accept(): Promise<void>;
}

/** An invitation. Who is not signed in is led to sign in or up and comes back here. */
export function Invitation({ preview, title, children, accept }: InvitationProps) {
  const t = useTexts().entry.invitation;
  const isDead = preview.error instanceof ApiError && preview.error.status === 404;
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
      </>
    );
  }
  if (preview.error !== null) return <ProblemPage error={preview.error} />;
  return (
    <>
      <Title order={1} size="h3">
        {title}
      </Title>
      {children}
      <Acceptance accept={accept} />
    </>
  );
}

function Acceptance({ accept }: { accept(): Promise<void> }) {
  const t = useTexts().entry.invitation;
  const api = useApi();
  const forget = useForget();
  const navigate = useNavigate();
  const here = useRouterState({ select: ({ location }) => location.href });
  const [isKnown, setKnown] = useState(() => api.mayBeSignedIn());
  const me = useMe(isKnown);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const signIn = `/sign-in?back=${encodeURIComponent(here)}`;
  async function press(): Promise<void> {
    setBusy(true);
    setError(undefined);
    await accept().catch(setError);
    setBusy(false);
  }
  if (isKnown && me.isPending) return <Loading rows={1} height={40} />;
  if (!isKnown || me.data === undefined) {
    return (
      <Stack>
        <Text size="sm">{t.needsAccount}</Text>
        <Button onClick={() => void navigate({ href: signIn })}>{t.signIn}</Button>
        <Button variant="default" component={Link} to="/sign-up">
          {t.signUp}
        </Button>
      </Stack>
    );
  }
  return (
    <Stack>
      <Text size="sm">
        {t.signedInAs(me.data.email)}{' '}
        <Anchor
          component="button"
          type="button"
          className="tw-link"
          onClick={() =>
            void api.signOut().then(() => {
              setKnown(false);
              forget();
              return navigate({ href: signIn });
            })
          }
        >
          {t.useAnotherAccount}
        </Anchor>
      </Text>
      {error !== undefined && <Problem error={error} />}
      <Button loading={isBusy} onClick={() => void press()}>
        {t.accept}
      </Button>
    </Stack>
  );
}
