// A secret that is shown this once: what to do with it, and a question before it goes.
import { Alert, Button, Checkbox, Modal, Stack } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTexts } from '../texts/languages.ts';
import { Command } from './copy.tsx';

interface SecretProps {
  title: string;
  /** What it is for and where it belongs. */
  children: ReactNode;
  secret: string | undefined;
  /** Below the secret: how it is used. */
  use?: ReactNode;
  onClose(): void;
}

/** The dialog; it closes by its button alone, once somebody says that the secret is kept. */
export function Secret({ title, children, secret, use, onClose }: SecretProps) {
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
  const t = useTexts().common;
  const [isKept, setKept] = useState(false);
  return (
    <Stack>
      {children}
      <Command text={secret} />
      {use}
      <Alert color="yellow">{t.secretShownOnce}</Alert>
      <Checkbox label={t.secretSaved} checked={isKept} onChange={(event) => setKept(event.currentTarget.checked)} />
      <Button disabled={!isKept} onClick={onClose}>
        {t.done}
      </Button>
    </Stack>
  );
}
