// Shows that the connection is lost, and refetches everything when it is back.
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useTexts } from '../texts/locale.ts';
import { useAppStatus } from './app-status.ts';
import { useIsReachable } from './reachability.ts';

/** Renders nothing while the server responds. */
export function ConnectionBanner() {
  const t = useTexts().shell;
  const queries = useQueryClient();
  const isReached = useIsReachable(useAppStatus().reachability);
  const wasLost = useRef(false);
  useEffect(() => {
    if (isReached && wasLost.current) void queries.invalidateQueries();
    wasLost.current = !isReached;
  }, [isReached, queries]);
  return (
    <div role="status">
      {!isReached && (
        <div className="tw-banner">
          <IconPlugConnectedX size={18} aria-hidden />
          {t.connectionLost}
        </div>
      )}
    </div>
  );
}
