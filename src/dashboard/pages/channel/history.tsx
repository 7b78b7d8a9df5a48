// The release history of a channel along a dashed line, newest first.
import { Badge, Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type * as z from '../../../lib/zod.ts';
import type { Release, releaseAnalytics } from '../../../releases/schema.ts';
import { useChange, useRead } from '../../api/hooks.ts';
import { formatBuild, isUninstallable } from '../../components/build-name.ts';
import { StatusLine } from '../../components/build-status.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { firstLine, notesOf } from '../../components/notes.ts';
import { ReleaseAuthor } from '../../components/release-author.tsx';
import { SourceChips } from '../../components/source-chips.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { dayMs, formatExact, formatShortDay } from '../../components/times.ts';
import { mayInProject } from '../../shell/current-user.ts';
import { useLocale, useTexts } from '../../texts/locale.ts';
import { useProject } from '../project/project-context.ts';
import type { Before } from './current-release.tsx';
import { ReleaseMenu } from './release-menu.tsx';

/** Older releases show their date, because "last week" is too imprecise. */
const RELATIVE_DAYS = 7;

const colors = { disabled: 'yellow', rolled_back: 'red' } as const;

interface HistoryProps {
  releases: readonly Release[];
  /** The release that becomes current if the current one is deleted. */
  before: Before;
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
  before: Before;
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
          <span className="tw-line-title">
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
          </span>
          <ReleaseAuthor release={release} size={18} />
        </div>
        <Facts release={release} />
        <SourceChips build={build} isShort />
        {isUninstallable(build) && build.revoked_at === null && <StatusLine build={build} />}
        {enable.error !== null && <ErrorAlert error={enable.error} />}
      </div>
      <div className="tw-history-end">
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
          <ReleaseMenu release={release} before={before} onRollBack={rollBack} onEnable={enableIt} />
        </div>
        <ReleaseTime at={release.created_at} />
      </div>
    </li>
  );
}

/** The time of a release: relative in the last days, a date before. */
function ReleaseTime({ at }: { at: string }) {
  const { language } = useLocale();
  const moment = Date.parse(at);
  if (Date.now() - moment < RELATIVE_DAYS * dayMs) return <RelativeTime at={at} />;
  return (
    <time dateTime={at} title={formatExact(moment, language)}>
      {formatShortDay(moment, Date.now(), language)}
    </time>
  );
}

/** The first line of the notes, and how many testers got the release. The line keeps its height while it is loading. */
function Facts({ release }: { release: Release }) {
  const { language, texts } = useLocale();
  const path = `/releases/${release.identifier}/analytics`;
  const { data } = useRead<z.output<typeof releaseAnalytics>>(path);
  const got =
    data === undefined ? undefined : texts.channels.got(data.unique_testers, data.total_downloads, release.is_current);
  const text = [firstLine(notesOf(release)), got].filter((part) => part !== undefined).join(' · ');
  return (
    <p className="tw-line-facts">
      {text === '' ? '\u00a0' : text.charAt(0).toLocaleUpperCase(language) + text.slice(1)}
    </p>
  );
}
