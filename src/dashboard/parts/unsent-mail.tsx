// A word beside what is told by mail, on a server that has no mail server: who waits for the mail would wait for ever.
import { Code, Text } from '@mantine/core';
import { useFacts } from '../shell/facts.ts';
import { useTexts } from '../texts/languages.ts';

/** Nothing where mails are sent. */
export function UnsentMailHint() {
  const t = useTexts().common;
  if (useFacts().sendsMail) return null;
  return (
    <Text size="sm" c="dimmed">
      {t.unsentMail} <Code>taxiway mail list</Code>
    </Text>
  );
}
