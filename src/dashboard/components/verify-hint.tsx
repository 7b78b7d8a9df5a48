// How addresses get verified on a server that doesn't send email. Without that, new people can't install anything.
import { Code, Text } from '@mantine/core';
import { useServerInfo } from '../shell/server-info.ts';
import { useTexts } from '../texts/locale.ts';

/** Renders nothing if the server sends email. */
export function VerifyHint() {
  const t = useTexts().testers;
  const { sendsMail, program } = useServerInfo();
  if (sendsMail) return null;
  return (
    <Text size="xs" c="dimmed">
      {t.verifyHint} <Code>{program} developer verify EMAIL</Code>
    </Text>
  );
}
