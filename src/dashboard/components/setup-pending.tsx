// The notice on a server that isn't set up: where to find the setup link.
import { Alert, Code, Text } from '@mantine/core';
import { useServerInfo } from '../shell/server-info.ts';
import { useTexts } from '../texts/locale.ts';

/** Shows where the setup link was printed and how to print a new one. */
export function SetupPending() {
  const t = useTexts().auth.setup;
  const { program } = useServerInfo();
  return (
    <Alert color="yellow" role="status" title={t.pendingTitle}>
      <Text size="sm">{t.pending}</Text>
      <Code block mt="xs">
        {program} setup-link
      </Code>
    </Alert>
  );
}
