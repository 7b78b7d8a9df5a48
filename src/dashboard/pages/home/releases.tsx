// The newest releases by day: what was released where, by whom, and how many testers have it.

import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { RecentRelease } from '../../../overviews/recent-release-schema.ts';
import { platformFacts } from '../../../platforms.ts';
import { AppIcon } from '../../components/app-icon.tsx';
import { ChannelSign, PREVIEW_SIGN } from '../../components/channel-sign.tsx';
import { firstLine, notesOf } from '../../components/notes.ts';
import { AuthorPicture } from '../../components/release-author.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { formatExact } from '../../components/times.ts';
import { useLocale, useTexts } from '../../texts/locale.ts';
import { formatTimeOfDay, groupByDay, nameDay } from './news.ts';
import { ShowAll } from './show-all.tsx';

/** Number of releases that are shown at first. */
const SHOWN = 6;

/** Returns the time of a release in milliseconds since the epoch. */
export const momentOf = ({ release }: RecentRelease): number => Date.parse(release.created_at);

interface ReleasesProps {
  items: readonly RecentRelease[];
  signs: ReadonlyMap<string, string>;
  /** Returns the URL of the icon of a release's project. */
  iconOf(release: RecentRelease['release']): string | null;
}

export function Releases({ items, signs, iconOf }: ReleasesProps) {
  const { language, texts } = useLocale();
  const t = texts.home.releases;
  const [isAll, setAll] = useState(false);
  const now = Date.now();
  const shown = isAll ? items : items.slice(0, SHOWN);
  return (
    <section aria-labelledby="recent-releases">
      <div className="tw-home-head">
        <h2 id="recent-releases">{t.title}</h2>
      </div>
      {groupByDay(shown, momentOf).map((day) => (
        <div key={day.start}>
          <h3 className="tw-news-day">{nameDay(day.start, now, language)}</h3>
          <ul className="tw-news">
            {day.items.map((item) => (
              <li key={item.release.identifier} className="tw-news-row">
                <Row
                  item={item}
                  isToday={nameDay(day.start, now, language) === nameDay(now, now, language)}
                  sign={signs.get(item.release.channel_id) ?? PREVIEW_SIGN}
                  icon={iconOf(item.release)}
                />
              </li>
            ))}
          </ul>
        </div>
      ))}
      {shown.length < items.length && (
        <ShowAll label={t.more(items.length - shown.length)} onClick={() => setAll(true)} />
      )}
    </section>
  );
}

interface RowProps {
  item: RecentRelease;
  isToday: boolean;
  sign: string;
  icon: string | null;
}

function Row({ item, isToday, sign, icon }: RowProps) {
  const t = useTexts().home.releases;
  const { release, project_name: project, channel_name: channel } = item;
  const { build } = release;
  const notes = firstLine(notesOf(release));
  const params = { projectId: release.project_id };
  return (
    <>
      <AppIcon src={icon} name={project} size={36} />
      <div className="tw-two">
        <span className="tw-two-line">
          <Link
            to="/projects/$projectId/builds/$buildId"
            params={{ ...params, buildId: build.identifier }}
            className="tw-name tw-ellipsis"
          >
            {project} <span className="tw-figures">{build.version_name}</span>
          </Link>
          <span className="tw-os tw-figures">({build.display_build_number})</span>
          <span className="tw-os">{platformFacts[build.platform].name}</span>
        </span>
        <span className="tw-caption tw-ellipsis">{notes ?? t.noNotes}</span>
      </div>
      <Link
        to="/projects/$projectId/channels/$channelId"
        params={{ ...params, channelId: release.channel_id }}
        className="tw-news-channel"
      >
        <ChannelSign sign={sign} />
        <span className="tw-ellipsis">{channel}</span>
      </Link>
      <Author item={item} isToday={isToday} />
      <Adoption item={item} />
    </>
  );
}

function Author({ item: { release }, isToday }: { item: RecentRelease; isToday: boolean }) {
  const { language, texts } = useLocale();
  const who = texts.releasing.who;
  const name = release.released_by?.kind === 'system' ? who.automatic : (release.released_by?.name ?? who.unknown);
  const moment = Date.parse(release.created_at);
  return (
    <div className="tw-news-author" title={name}>
      <AuthorPicture release={release} size={20} />
      <div className="tw-two">
        <span className="tw-ellipsis">{name}</span>
        <span className="tw-caption">
          {isToday ? (
            <RelativeTime at={release.created_at} />
          ) : (
            <time dateTime={release.created_at} title={formatExact(moment, language)}>
              {formatTimeOfDay(moment, language)}
            </time>
          )}
        </span>
      </div>
    </div>
  );
}

/** Public channels have downloads but usually no testers. */
function Adoption({ item: { testers, adoption } }: { item: RecentRelease }) {
  const t = useTexts().home.releases;
  if (testers === 0) {
    return (
      <div className="tw-news-adoption">
        {adoption.downloads > 0 && <span className="tw-caption">{t.downloads(adoption.downloads)}</span>}
      </div>
    );
  }
  return (
    <div className="tw-news-adoption">
      <span className="tw-caption tw-figures" aria-hidden>
        <strong>{adoption.testers}</strong> {t.of(testers)}
      </span>
      <span className="tw-bar" role="img" aria-label={t.adoption(adoption.testers, testers)}>
        <span style={{ width: `${(100 * adoption.testers) / testers}%` }} />
      </span>
    </div>
  );
}
