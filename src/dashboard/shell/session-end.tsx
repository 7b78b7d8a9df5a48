// Asks to sign in again over the page when the session ends, so that nothing on it is lost.
import { Modal, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import type { Developer } from '../../accounts/schema.ts';
import { useApi } from '../api/api-context.ts';
import { SignInForm } from '../pages/sign-in/sign-in-form.tsx';
import { useTexts } from '../texts/languages.ts';
import { useFacts } from './facts.ts';
import { mePath, useVisit } from './me.ts';
import { useHasEnded } from './session-watch.ts';
import { useWatches } from './watches.ts';

/** Nothing while the session lasts. */
export function SessionEnd() {
  const t = useTexts().shell;
  const api = useApi();
  const queries = useQueryClient();
  const { me } = useVisit();
  const { base } = useFacts();
  const { session } = useWatches();
  const hasEnded = useHasEnded(session);
  const back = useRouterState({ select: ({ location }) => location.href });
  async function goOn(): Promise<void> {
    // Somebody else must not go on with what the one before saw and typed.
    const now = await api.send<Developer>('GET', mePath);
    if (now.identifier !== me.identifier) location.assign(`${base}/`);
    session.begin();
    await queries.invalidateQueries();
  }
  return (
    <Modal.Root opened={hasEnded} onClose={() => undefined} closeOnEscape={false} closeOnClickOutside={false} centered>
      <Modal.Overlay />
      <Modal.Content aria-label={t.sessionExpired}>
        <Modal.Body>
          <Stack>
            <Title order={2} size="h4">
              {t.sessionExpired}
            </Title>
            <Text size="sm">{t.sessionExpiredText}</Text>
            {hasEnded && <SignInForm back={back} email={me.email} hasLinks={false} onSignedIn={() => void goOn()} />}
          </Stack>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
