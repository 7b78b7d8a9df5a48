// A word beside what is told by mail, on a server that has no mail server: who waits for the mail would wait for ever.
import { Code, Text } from '@mantine/core';
import { useFacts } from '../shell/facts.ts';
import { useTexts } from '../texts/languages.ts';

/** Nothing where mails are sent. */
export function UnsentMailHint() {
  const t = useTexts().common;
  const { sendsMail, program } = useFacts();
  if (sendsMail) return null;
  return (
    <Text size="sm" c="dimmed">
      {t.unsentEmail} <Code>{program} mail list</Code>
    </Text>
  );
}
