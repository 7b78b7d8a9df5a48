// What an app with in-app updates reported about an install.
import { Badge } from '@mantine/core';
import { useTexts } from '../texts/locale.ts';

const colors = { downloaded: 'gray', installed: 'green', launched: 'green', failed: 'red' } as const;

export function ReportBadge({ state }: { state: keyof typeof colors }) {
  const t = useTexts().sdk;
  return (
    <Badge variant="light" color={colors[state]}>
      {t.reportStates[state]}
    </Badge>
  );
}
