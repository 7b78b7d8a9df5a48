// Says at once that the connection is lost, and reads everything again when it is back.
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useTexts } from '../texts/languages.ts';
import { useIsReached } from './reachability.ts';
import { useWatches } from './watches.ts';

/** Nothing while the server answers. */
export function ConnectionBanner() {
  const t = useTexts().shell;
  const queries = useQueryClient();
  const isReached = useIsReached(useWatches().reachability);
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
