// A dialog that asks the user to sign in again when the session expires. The page below keeps its input.
import { Modal, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { useEffect, useEffectEvent } from 'react';
import type { Developer } from '../../accounts/schema.ts';
import { useApi } from '../api/hooks.ts';
import { isSessionEvent } from '../api/session.ts';
import { useOpened } from '../components/opened.ts';
import { SignInForm } from '../pages/sign-in/sign-in-form.tsx';
import { useTexts } from '../texts/locale.ts';
import { useAppStatus } from './app-status.ts';
import { mePath, useCurrentUser } from './current-user.ts';
import { clearSelectedOrganization } from './selected-organization.ts';
import { useServerInfo } from './server-info.ts';
import { useIsSessionExpired } from './session-status.ts';

/** Above the palette and all other dialogs, also those of pages that were opened after an earlier session expired. */
const ABOVE_ALL = 10_000;

/** Open while the session has expired. Closes when the user signs in here or in another tab. */
export function SessionExpiredDialog() {
  const t = useTexts().shell;
  const api = useApi();
  const queries = useQueryClient();
  const { me } = useCurrentUser();
  const { base } = useServerInfo();
  const { session } = useAppStatus();
  const hasEnded = useIsSessionExpired(session);
  const back = useRouterState({ select: ({ location }) => location.href });
  async function resume(): Promise<void> {
    // Another user must not see the data and input of the previous one.
    const current = await api.send<Developer>('GET', mePath);
    if (current.identifier !== me.identifier) {
      clearSelectedOrganization();
      location.assign(`${base}/`);
      return;
    }
    session.markActive();
    await queries.invalidateQueries();
  }
  const resumeFromOtherTab = useEffectEvent(() => {
    // If it fails, the form stays.
    if (hasEnded && api.mayBeSignedIn()) void resume().catch(() => undefined);
  });
  useEffect(() => {
    const listen = (event: StorageEvent) => isSessionEvent(event) && resumeFromOtherTab();
    addEventListener('storage', listen);
    // It may have happened while this dialog was loaded.
    resumeFromOtherTab();
    return () => removeEventListener('storage', listen);
  }, []);
  return (
    <Modal.Root
      opened={useOpened(hasEnded)}
      onClose={() => undefined}
      closeOnEscape={false}
      closeOnClickOutside={false}
      zIndex={ABOVE_ALL}
      centered
    >
      <Modal.Overlay />
      <Modal.Content aria-label={t.sessionExpired}>
        <Modal.Body>
          <Stack>
            <Title order={2} size="h4">
              {t.sessionExpired}
            </Title>
            <Text size="sm">{t.sessionExpiredText}</Text>
            {hasEnded && (
              <SignInForm
                back={base + back}
                email={me.email}
                hasLinks={false}
                keepsPage
                onSignedIn={() => void resume()}
              />
            )}
          </Stack>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
