// The ways to change or end an SDK app; each says what becomes of its installs.
import { Modal } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Channel } from '../../../channels/schema.ts';
import type { SdkApp, SdkAppWithSecret } from '../../../sdk/app-schema.ts';
import { useChange } from '../../api/api-context.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { sayDone } from '../../parts/toasts.ts';
import { useTexts } from '../../texts/languages.ts';
import { SdkAppForm } from '../sdk/sdk-app-form.tsx';
import { SecretDialog } from '../sdk/secret-dialog.tsx';

export type SdkAppDialog = 'edit' | 'rotate' | 'revoke' | 'delete';

interface SdkAppDialogsProps {
  app: SdkApp;
  channels: readonly Channel[];
  dialog: SdkAppDialog | undefined;
  onClose(): void;
}

const touched = ['/sdk-apps'];

export function SdkAppDialogs({ app, channels, dialog, onClose }: SdkAppDialogsProps) {
  const texts = useTexts();
  const t = texts.sdk;
  const navigate = useNavigate();
  const [secret, setSecret] = useState<string>();
  const path = `/sdk-apps/${app.identifier}`;
  const rotate = useChange((api) => api.send<SdkAppWithSecret>('POST', `${path}/rotate-secret`), touched);
  const revoke = useChange((api) => api.send('POST', `${path}/revoke`), touched);
  // Its own page is gone by then, so only the lists are read again.
  const remove = useChange((api) => api.send('DELETE', path), ['/sdk-apps?']);
  return (
    <>
      <Modal opened={dialog === 'edit'} onClose={onClose} title={t.editTitle(app.name)} centered>
        {dialog === 'edit' && (
          <SdkAppForm
            channels={channels}
            app={app}
            onDone={() => {
              onClose();
              sayDone(texts.common.saved);
            }}
          />
        )}
      </Modal>
      <Confirm
        isOpen={dialog === 'rotate'}
        title={t.rotateTitle(app.name)}
        action={t.rotate}
        onClose={onClose}
        onConfirm={async () => setSecret((await rotate.mutateAsync(undefined)).app_secret)}
      >
        {t.rotateText(app.install_count)}
      </Confirm>
      <Confirm
        isOpen={dialog === 'revoke'}
        title={t.revokeTitle(app.name)}
        action={t.revoke}
        typed={app.name}
        onClose={onClose}
        onConfirm={async () => {
          await revoke.mutateAsync(undefined);
          sayDone(t.revokedToast(app.name));
        }}
      >
        {t.revokeText(app.install_count)}
      </Confirm>
      <Confirm
        isOpen={dialog === 'delete'}
        title={t.deleteTitle(app.name)}
        action={t.delete}
        typed={app.name}
        onClose={onClose}
        onConfirm={async () => {
          await remove.mutateAsync(undefined);
          sayDone(t.deleted(app.name));
          await navigate({ to: '/projects/$projectId/sdk', params: { projectId: app.project_id } });
        }}
      >
        {t.deleteText(app.install_count)}
      </Confirm>
      <SecretDialog shown={secret === undefined ? undefined : { app, secret }} onClose={() => setSecret(undefined)} />
    </>
  );
}
