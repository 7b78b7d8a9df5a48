// The uploads in React. They continue across pages, and resume automatically once a server that was unreachable responds.
import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { invalidate, useApi } from '../api/hooks.ts';
import { saveLastChannel } from '../components/last-channel.ts';
import { useAppStatus } from '../shell/app-status.ts';
import { useCurrentUser } from '../shell/current-user.ts';
import { useIsReachable } from '../shell/reachability.ts';
import { useServerInfo } from '../shell/server-info.ts';
import { createUploads, isInterrupted, type Upload, type Uploads } from './uploads.ts';

const UploadContext = createContext<Uploads | undefined>(undefined);

/** Returns the uploads of this tab. */
export function useUploads(): Uploads {
  const uploads = useContext(UploadContext);
  if (uploads === undefined) throw new Error('There are no uploads around this component');
  return uploads;
}

/** Returns the current and recent uploads. */
export function useUploadList(): readonly Upload[] {
  const uploads = useUploads();
  return useSyncExternalStore(uploads.subscribe, uploads.list);
}

/** Provides the uploads. */
export function UploadProvider({ children }: { children: ReactNode }) {
  const client = useApi();
  const queries = useQueryClient();
  const { hashWorker, uploadWorker, uploadOrigins } = useServerInfo();
  const { me } = useCurrentUser();
  const { reachability } = useAppStatus();
  const [uploads] = useState(() =>
    createUploads({
      client,
      hashWorker,
      workerFor(url) {
        const { origin } = new URL(url);
        return origin === location.origin || uploadOrigins.includes(origin) ? undefined : uploadWorker;
      },
      async maxBytes() {
        const queryFn = () => client.send<{ limits: Record<string, number> }>('GET', '/service', { isAnonymous: true });
        const { limits } = await queries.fetchQuery({ queryKey: ['/service', {}], queryFn, staleTime: 600_000 });
        return limits.build_size_bytes ?? Number.POSITIVE_INFINITY;
      },
      isServerReachable: reachability.check,
      pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
      onReleased: ({ identifier }, channelId) => saveLastChannel(me.identifier, identifier, channelId),
      onChanged: ({ project: { organization_id: organizationId } }) => {
        const setup = `/organizations/${organizationId}/setup`;
        void invalidate(queries, '/builds', '/releases', '/channels', '/projects', setup);
      },
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
  const list = useSyncExternalStore(uploads.subscribe, uploads.list);
  const isReached = useIsReachable(useAppStatus().reachability);
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
