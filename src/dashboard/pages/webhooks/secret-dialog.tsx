// The dialog with the signing secret, shown once.
import { Text } from '@mantine/core';
import { OneTimeSecretDialog } from '../../components/one-time-secret.tsx';
import { useTexts } from '../../texts/locale.ts';

export function SecretDialog({ secret, onClose }: { secret: string | undefined; onClose(): void }) {
  const t = useTexts().webhooks;
  return (
    <OneTimeSecretDialog title={t.secretTitle} secret={secret} onClose={onClose}>
      <Text size="sm">{t.secretText}</Text>
    </OneTimeSecretDialog>
  );
}
