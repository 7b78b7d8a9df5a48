// A dialog for a secret that is shown only once.
import { Alert, Button, Checkbox, Modal, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTexts } from '../texts/locale.ts';
import { CommandBlock } from './copy.tsx';

interface SecretProps {
  title: string;
  /** What the secret is for and where to store it. */
  children: ReactNode;
  secret: string | undefined;
  /** Shown below the secret: how to use it. */
  use?: ReactNode;
  onClose(): void;
}

/** Renders the dialog. It closes only with its button, after the user has confirmed that the secret is saved. */
export function OneTimeSecretDialog({ title, children, secret, use, onClose }: SecretProps) {
  return (
    <Modal
      opened={secret !== undefined}
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={title}
      centered
      size="lg"
    >
      {secret !== undefined && (
        <SecretBody secret={secret} use={use} onClose={onClose}>
          {children}
        </SecretBody>
      )}
    </Modal>
  );
}

function SecretBody({
  children,
  secret,
  use,
  onClose,
}: Pick<SecretProps, 'children' | 'use' | 'onClose'> & { secret: string }) {
  const { common, sharing: t } = useTexts();
  const [isKept, setKept] = useState(false);
  return (
    <Stack>
      {children}
      <CommandBlock text={secret} />
      {use}
      <Alert color="yellow">{t.secretShownOnce}</Alert>
      <Checkbox label={t.secretSaved} checked={isKept} onChange={(event) => setKept(event.currentTarget.checked)} />
      <Button disabled={!isKept} onClick={onClose}>
        {common.done}
      </Button>
    </Stack>
  );
}
