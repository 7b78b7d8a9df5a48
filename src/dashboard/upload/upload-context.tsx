// The uploads inside React: they go on while one walks through the app, and after a lost connection by themselves.
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { readAgain, useApi } from '../api/api-context.ts';
import { keepLastChannel } from '../parts/last-channel.ts';
import { useFacts } from '../shell/facts.ts';
import { useVisit } from '../shell/me.ts';
import { useIsReached } from '../shell/reachability.ts';
import { useWatches } from '../shell/watches.ts';
import { createUploads, isInterrupted, type Upload, type Uploads } from './uploads.ts';

const UploadContext = createContext<Uploads | undefined>(undefined);

/** The uploads of this tab. */
export function useUploads(): Uploads {
  const uploads = useContext(UploadContext);
  if (uploads === undefined) throw new Error('There are no uploads around this component');
  return uploads;
}

/** What is on its way or was lately. */
export function useUploadList(): readonly Upload[] {
  const uploads = useUploads();
  return useSyncExternalStore(uploads.watch, uploads.list);
}

/** Holds the uploads. */
export function UploadProvider({ children }: { children: ReactNode }) {
  const client = useApi();
  const queries = useQueryClient();
  const { hashWorker } = useFacts();
  const { me } = useVisit();
  const [uploads] = useState(() =>
    createUploads({
      client,
      hashWorker,
      async mostBytes() {
        const queryFn = () => client.send<{ limits: Record<string, number> }>('GET', '/service', { isAnonymous: true });
        const { limits } = await queries.fetchQuery({ queryKey: ['/service', {}], queryFn, staleTime: 600_000 });
        return limits.build_size_bytes ?? Number.POSITIVE_INFINITY;
      },
      onReleased: ({ identifier }, channelId) => keepLastChannel(me.identifier, identifier, channelId),
      onChanged: () => void readAgain(queries, '/builds', '/releases', '/channels', '/projects'),
    }),
  );
  return (
    <UploadContext.Provider value={uploads}>
      <Watcher uploads={uploads} />
      {children}
    </UploadContext.Provider>
  );
}

function Watcher({ uploads }: { uploads: Uploads }) {
  const list = useSyncExternalStore(uploads.watch, uploads.list);
  const isReached = useIsReached(useWatches().reachability);
  const isBusy = list.some(({ stage }) => stage === 'sending' || stage === 'completing');
  useEffect(() => {
    if (!isReached) return;
    for (const upload of uploads.list().filter(isInterrupted)) uploads.retry(upload.id);
  }, [isReached, uploads]);
  useEffect(() => {
    if (!isBusy) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isBusy]);
  return null;
}
