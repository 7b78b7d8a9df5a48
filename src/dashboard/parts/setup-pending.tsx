// Tells who opens a server that isn't set up where its setup link is.
import { Alert, Code, Text } from '@mantine/core';
import { useFacts } from '../shell/facts.ts';
import { useTexts } from '../texts/languages.ts';

/** What the entry pages read of the server. */
export interface Service {
  features: { signup: 'open' | 'invited' | 'closed'; captcha: string };
  setup_pending: boolean;
}

/** Where the setup link was printed, and how to print a new one. */
export function SetupPending() {
  const t = useTexts().entry.setup;
  const { program } = useFacts();
  return (
    <Alert color="yellow" role="status" title={t.pendingTitle}>
      <Text size="sm">{t.pending}</Text>
      <Code block mt="xs">
        {program} setup-link
      </Code>
    </Alert>
  );
}
