// A hint for links that phones can't open, because the server's address is a loopback address.
import { Code, Text } from '@mantine/core';
import { isLoopbackUrl } from '../../lib/url-host.ts';
import { useTexts } from '../texts/locale.ts';

/** Renders nothing if other devices can reach the link's host. */
export function LocalLinkHint({ link }: { link: string }) {
  const t = useTexts().sharing;
  if (!isLoopbackUrl(link)) return null;
  return (
    <Text size="sm" c="dimmed">
      {t.localLinkHint} <Code>server.base_url</Code>
    </Text>
  );
}
