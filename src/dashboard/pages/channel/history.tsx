// The release history of a channel, newest first.
import { Badge, Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Release } from '../../../releases/schema.ts';
import { useChange } from '../../api/hooks.ts';
import { AppIcon } from '../../components/app-icon.tsx';
import { formatBuild, isUninstallable } from '../../components/build-name.ts';
import { StatusLine } from '../../components/build-status.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { mayInProject } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { useProject } from '../project/project-context.ts';
import { ReleaseMenu } from './release-menu.tsx';

const colors = { active: 'gray', disabled: 'yellow', rolled_back: 'red' } as const;

interface HistoryProps {
  releases: readonly Release[];
  /** The release that becomes current if the current one is deleted. */
  before: Release | undefined;
}

export function History({ releases, before }: HistoryProps) {
  return (
    <ul className="tw-list">
      {releases.map((release) => (
        <Row key={release.identifier} release={release} before={before} />
      ))}
    </ul>
  );
}

function Row({ release, before }: Pick<HistoryProps, 'before'> & { release: Release }) {
  const t = useTexts().channels;
  const project = useProject();
  const { state, is_current: isCurrent, build } = release;
  const enable = useChange(
    (api) => api.send('POST', `/releases/${release.identifier}/enable`),
    ['/releases', '/channels', '/projects'],
  );
  return (
    <li>
      <AppIcon src={build.icon_url} name={project.name} size={36} />
      <div className="tw-grow">
        <Link
          to="/projects/$projectId/builds/$buildId"
          params={{ projectId: build.project_id, buildId: build.identifier }}
          className="tw-quiet-link tw-strong"
        >
          {formatBuild(release.build)}
        </Link>
        <div className="tw-small tw-ellipsis">
          <RelativeTime at={release.created_at} />
          {release.release_notes !== null && ` · ${release.release_notes.split('\n')[0]}`}
        </div>
        {isUninstallable(build) && build.revoked_at === null && <StatusLine build={build} />}
      </div>
      {build.revoked_at !== null && <Badge color="red">{t.buildRevoked}</Badge>}
      <Badge color={isCurrent ? 'green' : colors[state]} variant="light">
        {isCurrent ? t.current : t.states[state]}
      </Badge>
      {state === 'disabled' && mayInProject(project, 'release.manage') && (
        <Button size="compact-sm" variant="default" loading={enable.isPending} onClick={() => enable.mutate(undefined)}>
          {t.enable}
        </Button>
      )}
      <ReleaseMenu release={release} before={before} />
      {enable.error !== null && <ErrorAlert error={enable.error} />}
    </li>
  );
}
