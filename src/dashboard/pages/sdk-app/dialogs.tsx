// The dialogs that edit, rotate, revoke and delete an SDK app.
import { Modal } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Channel } from '../../../channels/schema.ts';
import type { SdkApp, SdkAppWithSecret } from '../../../sdk/app-schema.ts';
import { useChange } from '../../api/hooks.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { useTexts } from '../../texts/locale.ts';
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
  // Only the lists are invalidated, because queries of the deleted app would fail.
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
              showSuccess(texts.common.saved);
            }}
          />
        )}
      </Modal>
      <ConfirmDialog
        isOpen={dialog === 'rotate'}
        title={t.rotateTitle(app.name)}
        action={t.rotate}
        onClose={onClose}
        onConfirm={async () => setSecret((await rotate.mutateAsync(undefined)).app_secret)}
      >
        {t.rotateText(app.install_count)}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={dialog === 'revoke'}
        title={t.revokeTitle(app.name)}
        action={t.revoke}
        typed={app.name}
        onClose={onClose}
        onConfirm={async () => {
          await revoke.mutateAsync(undefined);
          showSuccess(t.revokedToast(app.name));
        }}
      >
        {t.revokeText(app.install_count)}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={dialog === 'delete'}
        title={t.deleteTitle(app.name)}
        action={t.delete}
        typed={app.name}
        onClose={onClose}
        onConfirm={async () => {
          await remove.mutateAsync(undefined);
          showSuccess(t.deleted(app.name));
          await navigate({
            to: '/projects/$projectId/sdk',
            params: { projectId: app.project_id },
            ignoreBlocker: true,
          });
        }}
      >
        {t.deleteText(app.install_count)}
      </ConfirmDialog>
      <SecretDialog shown={secret === undefined ? undefined : { app, secret }} onClose={() => setSecret(undefined)} />
    </>
  );
}
