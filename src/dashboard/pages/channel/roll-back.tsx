// The dialog that rolls a channel back to an earlier release.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Channel } from '../../../channels/schema.ts';
import type { Release } from '../../../releases/schema.ts';
import { invalidate, useChange, useRead } from '../../api/hooks.ts';
import { formatBuild } from '../../components/build-name.ts';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { showSuccess } from '../../components/toasts.ts';
import { useTexts } from '../../texts/locale.ts';
import { inProject, useProject } from '../project/project-context.ts';

interface RollBackProps {
  channel: Channel;
  /** The current release. */
  release: Release;
  /** The release to roll back to; undefined while the dialog is closed. */
  target: Release | undefined;
  /** Active releases between the two, which are rolled back too. */
  between: readonly Release[];
  onClose(): void;
}

export function RollBackDialog({ channel, release, target, between, onClose }: RollBackProps) {
  const t = useTexts().channels;
  const query = { ...inProject(useProject()), channel_id: channel.identifier, release_id: target?.identifier };
  const rollBack = useChange(
    (api) => api.send('POST', '/releases/rollback', { query }),
    ['/releases', '/channels', '/projects'],
  );
  const queries = useQueryClient();
  const isOpen = target !== undefined;
  // Somebody else may have released a build since the page was read, which would be rolled back too.
  useEffect(() => {
    if (isOpen) void invalidate(queries, '/releases?');
  }, [isOpen, queries]);
  const to = target === undefined ? '' : formatBuild(target.build);
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={t.rollBackTitle(channel.name)}
      action={t.rollBackTo(to)}
      onClose={onClose}
      onConfirm={async () => {
        await rollBack.mutateAsync(undefined);
        showSuccess(t.rolledBack(to));
      }}
    >
      <Effect release={release} to={to} />
      {between.length > 0 && ` ${t.rollBackBetween(between.map(({ build }) => formatBuild(build)))}`}
    </ConfirmDialog>
  );
}

/** The effect of rolling back. Without numbers until they are loaded. */
function Effect({ release, to }: { release: Release; to: string }) {
  const t = useTexts().channels;
  const path = `/releases/${release.identifier}/analytics`;
  const { data } = useRead<{ unique_testers: number; total_downloads: number }>(path);
  return <>{t.rollBackEffect(data?.unique_testers, data?.total_downloads, formatBuild(release.build), to)}</>;
}
