// The release history of a channel along a dashed line, newest first.
import { Badge, Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { z } from 'zod';
import type { Release, releaseAnalytics } from '../../../releases/schema.ts';
import { useChange, useRead } from '../../api/hooks.ts';
import { formatBuild, isUninstallable } from '../../components/build-name.ts';
import { StatusLine } from '../../components/build-status.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { firstLine } from '../../components/notes.ts';
import { ReleaseAuthor } from '../../components/release-author.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { mayInProject } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { useProject } from '../project/project-context.ts';
import { ReleaseMenu } from './release-menu.tsx';

const colors = { disabled: 'yellow', rolled_back: 'red' } as const;

interface HistoryProps {
  releases: readonly Release[];
  /** The release that becomes current if the current one is deleted. */
  before: Release | undefined;
  /** The releases that the channel can be rolled back to. */
  targets: readonly Release[];
  onRollBack(target: Release): void;
}

export function History({ releases, before, targets, onRollBack }: HistoryProps) {
  return (
    <ol className="tw-line">
      {releases.map((release) => (
        <Row
          key={release.identifier}
          release={release}
          before={before}
          onRollBack={targets.includes(release) ? () => onRollBack(release) : undefined}
        />
      ))}
    </ol>
  );
}

interface RowProps {
  release: Release;
  before: Release | undefined;
  onRollBack: (() => void) | undefined;
}

function Row({ release, before, onRollBack }: RowProps) {
  const t = useTexts().channels;
  const mayManage = mayInProject(useProject(), 'release.manage');
  const { state, is_current: isCurrent, build } = release;
  const enable = useChange(
    (api) => api.send('POST', `/releases/${release.identifier}/enable`),
    ['/releases', '/channels', '/projects'],
  );
  const name = formatBuild(build);
  const rollBack = mayManage ? onRollBack : undefined;
  const enableIt = mayManage && state === 'disabled' ? () => enable.mutate(undefined) : undefined;
  return (
    <li>
      <span className="tw-stop" data-state={isCurrent ? 'current' : state} aria-hidden />
      <div className="tw-line-body">
        <div className="tw-line-head">
          <Link
            to="/projects/$projectId/builds/$buildId"
            params={{ projectId: build.project_id, buildId: build.identifier }}
            className="tw-quiet-link tw-line-name"
          >
            {name}
          </Link>
          {isCurrent && <Badge>{t.currentChip}</Badge>}
          {state !== 'active' && <Badge color={colors[state]}>{t.states[state]}</Badge>}
          {build.revoked_at !== null && <Badge color="red">{t.buildRevoked}</Badge>}
          <ReleaseAuthor release={release} size={18} />
        </div>
        <Facts release={release} />
        {isUninstallable(build) && build.revoked_at === null && <StatusLine build={build} />}
        {enable.error !== null && <ErrorAlert error={enable.error} />}
      </div>
      <div className="tw-line-end">
        <div className="tw-line-actions">
          {rollBack !== undefined && (
            <Button size="compact-sm" variant="default" aria-label={t.rollBackNamed(name)} onClick={rollBack}>
              {t.rollBackToThis}
            </Button>
          )}
          {enableIt !== undefined && (
            <Button size="compact-sm" variant="default" loading={enable.isPending} onClick={enableIt}>
              {t.enable}
            </Button>
          )}
        </div>
        <RelativeTime at={release.created_at} />
        <ReleaseMenu release={release} before={before} onRollBack={rollBack} onEnable={enableIt} />
      </div>
    </li>
  );
}

/** The first line of the notes, and how many testers got the release. */
function Facts({ release }: { release: Release }) {
  const t = useTexts().channels;
  const path = `/releases/${release.identifier}/analytics`;
  const { data } = useRead<z.output<typeof releaseAnalytics>>(path);
  const adoption =
    data === undefined ? undefined : t.got(data.unique_testers, data.total_downloads, release.is_current);
  return (
    <p className="tw-line-facts">
      {[firstLine(release.release_notes), adoption].filter(Boolean).join(' · ') || '\u00a0'}
    </p>
  );
}
