// A notice where a team looks every day: something that channels serve stops working soon, or has.
import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTexts } from '../texts/languages.ts';
import { useExpiring } from './expiring.ts';
import { Time } from './time.tsx';

const NOTICED_DAYS = 30;

/** The notice; nothing while there is none to give, or it cannot be known. */
export function ExpiryNotice() {
  const t = useTexts().expiring;
  const { data: things = [] } = useExpiring(NOTICED_DAYS);
  const [first] = things;
  if (first === undefined) return null;
  const what = `${t.kinds[first.kind]} ${first.name ?? ''}`.trim();
  const ended = things.filter((thing) => thing.is_expired).length;
  return (
    <Alert
      color={ended > 0 ? 'red' : 'yellow'}
      icon={<IconAlertTriangle size={18} />}
      title={t.notice.title(ended, things.length - ended)}
      role="status"
    >
      {t.notice.first(what, first.project_name, first.channel_name, first.is_expired)} <Time at={first.expires_at} />.{' '}
      <Link to="/expiring" className="tw-link">
        {t.notice.show}
      </Link>
    </Alert>
  );
}
