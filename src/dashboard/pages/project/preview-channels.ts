// Which channels of the project are those of previews: they aren't part of the order in which builds are promoted.
import { useMemo } from 'react';
import type { Preview } from '../../../channels/preview-schema.ts';
import { useReadAll } from '../../api/hooks.ts';
import { inProject, useProject } from './project-context.ts';

/** Returns the ids of the channels of all open previews, which are none until they're loaded. */
export function usePreviewChannels(): { ids: ReadonlySet<string>; isPending: boolean } {
  const { data, isPending } = useReadAll<Preview>('/previews', { query: inProject(useProject()) });
  return useMemo(
    () => ({ ids: new Set(data?.map(({ channel }) => channel.identifier)), isPending }),
    [data, isPending],
  );
}
