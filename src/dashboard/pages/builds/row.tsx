// A row of the table of builds.
import { Badge } from '@mantine/core';
import { IconDots, IconDownload, IconPin } from '@tabler/icons-react';
import { type CSSProperties, memo, useEffect, useState } from 'react';
import type { BuildDeviceCount } from '../../../builds/device-schema.ts';
import type { Build } from '../../../builds/schema.ts';
import { formatAlignedBytes } from '../../../lib/formats.ts';
import type { Project } from '../../../projects/schema.ts';
import { AppIcon } from '../../components/app-icon.tsx';
import { formatBuild } from '../../components/build-name.ts';
import { StatusLine } from '../../components/build-status.tsx';
import { ChannelSign } from '../../components/channel-sign.tsx';
import { firstLine } from '../../components/notes.ts';
import { buildIcon } from '../../components/project-icon.ts';
import { RowLink } from '../../components/row-link.tsx';
import { SourceChips } from '../../components/source-chips.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { Uploader } from '../../components/uploader.tsx';
import { useLocale, useTexts } from '../../texts/locale.ts';
import { mayDownload, mayRelease, menuItems } from '../build/actions.tsx';
import { isAtMost, type Scrolling, type Speed } from './scrolling.ts';
import { compareSizes } from './size-change.ts';

export const ROW_HEIGHT = 60;

export type RowAction = 'release' | 'download' | 'menu';

/** A channel on which a build is live. */
export interface LiveChannel {
  identifier: string;
  name: string;
  sign: string;
  /** How many of its testers have the build. */
  have: number;
  testers: number;
}

interface RowProps {
  build: Build;
  /** The next older build of the list. */
  before: Build | undefined;
  project: Project;
  index: number;
  start: number;
  count: BuildDeviceCount | undefined;
  channels: readonly LiveChannel[];
  /** Undefined for people who may change no builds. */
  isSelected: boolean | undefined;
  onSelect: ((build: Build, isSelected: boolean, isRange: boolean) => void) | undefined;
  isMenuOpen: boolean;
  scrolling: Scrolling;
  onAct(build: Build, action: RowAction, button: HTMLElement): void;
}

/**
 * Returns the style that places a row. A variable, because a property that differs between all rows makes Chromium compare each new row
 * with the styles of earlier ones, which takes longer than everything else.
 */
function placeAt(start: number): CSSProperties {
  return { '--row-start': `${start}px` } as CSSProperties;
}

/** Memoized, so that scrolling doesn't render visible rows again. */
export const BuildRow = memo(function BuildRow(props: RowProps) {
  const { build, before, project, index, start, count, channels, isMenuOpen, isSelected = false, onSelect } = props;
  const t = useTexts().builds;
  const isReadable = useHasSlowed(props.scrolling, 'slow');
  const hasActions = useHasSlowed(props.scrolling, 'still');
  if (!isReadable) return <PassingRow {...{ build, index, start, isSelected }} />;
  return (
    <tr
      aria-rowindex={index + 2}
      className="tw-build-row"
      data-open={isMenuOpen || undefined}
      data-selected={isSelected || undefined}
      style={placeAt(start)}
    >
      <td>
        {onSelect !== undefined && (
          <input
            type="checkbox"
            className="tw-row-check"
            aria-label={t.bulk.select(formatBuild(build))}
            checked={isSelected}
            onChange={({ currentTarget: { checked }, nativeEvent }) =>
              onSelect(build, checked, (nativeEvent as MouseEvent).shiftKey)
            }
          />
        )}
        <AppIcon src={buildIcon(project, build.icon_url)} name={project.name} size={32} />
        <div className="tw-grow">
          <div className="tw-ellipsis">
            <RowLink
              to="/projects/$projectId/builds/$buildId"
              params={{ projectId: build.project_id, buildId: build.identifier }}
              className="tw-cover-link tw-build-version"
            >
              {build.version_name} <span>({build.display_build_number})</span>
            </RowLink>{' '}
            {build.pinned_at !== null && (
              <Badge size="xs" color="gray" leftSection={<IconPin size={10} />}>
                {t.pinned}
              </Badge>
            )}
            {build.revoked_at !== null && (
              <Badge size="xs" color="red">
                {t.revoked}
              </Badge>
            )}
            {build.inspection_status === 'unreadable' && (
              <Badge size="xs" color="yellow">
                {t.unreadable}
              </Badge>
            )}
          </div>
          <StatusLine build={build} count={count} />
        </div>
      </td>
      <td>
        <div className="tw-ellipsis">{firstLine(build.release_notes)}</div>
        <SourceChips build={build} isShort />
      </td>
      <td>
        <Channels build={build} channels={channels} />
      </td>
      <td>
        <Uploader build={build}>
          <small>
            <RelativeTime at={build.uploaded_at} />
          </small>
        </Uploader>
      </td>
      <td>
        <Size build={build} before={before} />
      </td>
      <td>{hasActions && <RowActions {...props} />}</td>
    </tr>
  );
});

/** Renders the texts of a row that passes too fast to be read, which takes a third of the time of a whole row. */
function PassingRow({ build, index, start, isSelected }: Pick<RowProps, 'build' | 'index' | 'start' | 'isSelected'>) {
  const { language } = useLocale();
  return (
    <tr
      aria-rowindex={index + 2}
      className="tw-build-row"
      data-passing
      data-selected={isSelected || undefined}
      style={placeAt(start)}
    >
      <td>
        <span className="tw-build-version">
          {build.version_name} ({build.display_build_number})
        </span>
      </td>
      <td>{firstLine(build.release_notes)}</td>
      <td />
      <td>{build.uploaded_by?.name}</td>
      <td>{formatAlignedBytes(build.size_bytes, language)}</td>
      <td />
    </tr>
  );
}

/**
 * Returns whether the list has been at most as fast since the row was rendered. The actions are a third of the elements of a row, and
 * can't be used while the list scrolls.
 */
function useHasSlowed(scrolling: Scrolling, limit: Speed): boolean {
  const [hasSlowed, setHasSlowed] = useState(isAtMost(scrolling.speed, limit));
  useEffect(
    () => (hasSlowed ? undefined : scrolling.whenAtMost(limit, () => setHasSlowed(true))),
    [scrolling, limit, hasSlowed],
  );
  return hasSlowed;
}

function Channels({ build, channels }: { build: Build; channels: readonly LiveChannel[] }) {
  const texts = useTexts();
  const [only, second] = channels;
  if (only === undefined) return null;
  const isAlone = second === undefined;
  const text = isAlone
    ? only.testers > 0 && texts.channels.card.adoption(only.have, only.testers)
    : channels.map(({ name }) => name).join(', ');
  return (
    <>
      <span className="tw-row-signs">
        {channels.map(({ identifier, name, sign }) => (
          <RowLink
            key={identifier}
            to="/projects/$projectId/channels/$channelId"
            params={{ projectId: build.project_id, channelId: identifier }}
            className="tw-quiet-link"
          >
            <ChannelSign sign={sign} {...(isAlone ? {} : { name })} />
            {isAlone && <span className="tw-ellipsis">{name}</span>}
          </RowLink>
        ))}
      </span>
      {text !== false && (
        <small className="tw-ellipsis" aria-hidden={isAlone ? undefined : true}>
          {text}
        </small>
      )}
    </>
  );
}

function Size({ build, before }: { build: Build; before: Build | undefined }) {
  const { language, texts } = useLocale();
  const t = texts.builds;
  const change = compareSizes(build, before, language);
  return (
    <>
      {formatAlignedBytes(build.size_bytes, language)}
      {change !== undefined && before !== undefined && (
        <small data-large={change.isLarge || undefined} title={t.comparedWith(formatBuild(before))}>
          {change.text === '' ? t.noSizeChange : change.text}
        </small>
      )}
    </>
  );
}

function RowActions({ build, project, isMenuOpen, onAct }: RowProps) {
  const texts = useTexts();
  const t = texts.builds;
  const name = formatBuild(build);
  return (
    <span className="tw-row-actions">
      {mayRelease(build, project) && (
        <button
          type="button"
          className="tw-row-button"
          aria-label={t.releaseNamed(name)}
          onClick={(event) => onAct(build, 'release', event.currentTarget)}
        >
          {texts.channels.release}
        </button>
      )}
      {mayDownload(build, project) && (
        <button
          type="button"
          className="tw-row-icon"
          aria-label={t.downloadNamed(name)}
          title={t.download}
          onClick={(event) => onAct(build, 'download', event.currentTarget)}
        >
          <IconDownload size={16} stroke={1.75} aria-hidden />
        </button>
      )}
      {menuItems(build, project, texts).length > 0 && (
        <button
          type="button"
          className="tw-row-icon"
          aria-label={t.actionsFor(name)}
          aria-haspopup="menu"
          aria-expanded={isMenuOpen}
          title={texts.common.more}
          onClick={(event) => onAct(build, 'menu', event.currentTarget)}
        >
          <IconDots size={16} stroke={1.75} aria-hidden />
        </button>
      )}
    </span>
  );
}
