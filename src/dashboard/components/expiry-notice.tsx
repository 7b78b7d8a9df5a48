// A notice on the page of projects that signatures of live builds have expired or expire soon.
import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTexts } from '../texts/locale.ts';
import { useExpiring } from './expiring.ts';
import { RelativeTime } from './time.tsx';

const NOTICED_DAYS = 30;

/** Renders the notice, or nothing if no signature expires soon. */
export function ExpiryNotice() {
  const t = useTexts().expiring;
  const { data: items = [] } = useExpiring(NOTICED_DAYS);
  const [first] = items;
  if (first === undefined) return null;
  const what = `${t.kinds[first.kind]} ${first.name ?? ''}`.trim();
  const ended = items.filter((item) => item.is_expired).length;
  return (
    <Alert
      color={ended > 0 ? 'red' : 'yellow'}
      icon={<IconAlertTriangle size={18} />}
      title={t.notice.title(ended, items.length - ended)}
      role="status"
    >
      {t.notice.first(what, first.project_name, first.channel_name, first.is_expired)}{' '}
      <RelativeTime at={first.expires_at} />.{' '}
      <Link to="/expiring" className="tw-link">
        {t.notice.show}
      </Link>
    </Alert>
  );
}
