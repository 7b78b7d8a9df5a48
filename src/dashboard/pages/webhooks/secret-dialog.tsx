// The signing secret, shown once.
import { Text } from '@mantine/core';
import { Secret } from '../../parts/secret.tsx';
import { useTexts } from '../../texts/languages.ts';

export function SecretDialog({ secret, onClose }: { secret: string | undefined; onClose(): void }) {
  const t = useTexts().webhooks;
  return (
    <Secret title={t.secretTitle} secret={secret} onClose={onClose}>
      <Text size="sm">{t.secretText}</Text>
    </Secret>
  );
}
