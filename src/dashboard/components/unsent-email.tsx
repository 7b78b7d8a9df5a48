// A hint for servers that don't send email: where the operator can read the message.
import { Code, Text } from '@mantine/core';
import { useServerInfo } from '../shell/server-info.ts';
import { useTexts } from '../texts/locale.ts';

/** Renders nothing if the server sends email. */
export function UnsentEmailHint() {
  const t = useTexts().auth;
  const { sendsMail, program } = useServerInfo();
  if (sendsMail) return null;
  return (
    <Text size="sm" c="dimmed">
      {t.unsentEmail} <Code>{program} mail list</Code>, <Code>{program} mail show ID</Code>
    </Text>
  );
}
