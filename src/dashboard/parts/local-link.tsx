// A word beside a link that no phone can open, because the server knows itself by a name of this machine alone.
import { Code, Text } from '@mantine/core';
import { useTexts } from '../texts/languages.ts';

/** Nothing where the link has an address that others can reach. */
export function LocalLinkHint({ link }: { link: string }) {
  const t = useTexts().common;
  if (!/^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(link).hostname)) return null;
  return (
    <Text size="sm" c="dimmed">
      {t.localLinkHint} <Code>server.base_url</Code>
    </Text>
  );
}
