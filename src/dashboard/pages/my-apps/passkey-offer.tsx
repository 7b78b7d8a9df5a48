// The offer to add a passkey, after the first install.
import { Alert } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { MfaStatus } from '../../../second-factors/schema.ts';
import { useRead } from '../../api/hooks.ts';
import { hasPasskeys } from '../../api/passkeys.ts';
import { useTexts } from '../../texts/locale.ts';

export function PasskeyOffer() {
  const t = useTexts().account.passkeyOffer;
  const { data } = useRead<MfaStatus>('/mfa');
  if (data?.offers_passkey !== true || !hasPasskeys()) return null;
  return (
    <Alert icon={<IconFingerprint size={18} />}>
      {t.hint}{' '}
      <Link to="/me/passkey" search={{ back: '/my-apps' }} className="tw-link">
        {t.add}
      </Link>
    </Alert>
  );
}
