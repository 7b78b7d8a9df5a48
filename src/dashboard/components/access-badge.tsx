// Whether a person in a list of testers can already install.
import { Badge, Tooltip } from '@mantine/core';
import type { TesterGrant } from '../../testers/grants/schema.ts';
import { useTexts } from '../texts/locale.ts';

export function AccessBadge({ status, is_verified: isVerified }: Pick<TesterGrant, 'status' | 'is_verified'>) {
  const t = useTexts().testers;
  if (status === 'pending') return <Badge color="yellow">{t.pending}</Badge>;
  return isVerified ? <Badge color="green">{t.active}</Badge> : <UnverifiedBadge />;
}

/** Marks a person who has access, but can't use it yet. */
export function UnverifiedBadge() {
  const t = useTexts().testers.channel;
  return (
    <Tooltip label={t.unverifiedHint} withArrow>
      <Badge color="yellow">{t.unverified}</Badge>
    </Tooltip>
  );
}
