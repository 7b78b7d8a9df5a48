// How far the current release of a channel has come: who has it, and downloads per day.
import { Button, Modal } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { Channel } from '../../../channels/schema.ts';
import type * as z from '../../../lib/zod.ts';
import type { ChannelDays } from '../../../overviews/channel-day-schema.ts';
import type { Release, releaseAnalytics } from '../../../releases/schema.ts';
import type { ChannelTester } from '../../../testers/roster/schema.ts';
import { formatDate } from '../../charts/dates.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { Loading } from '../../components/page.tsx';
import { usePollingRead } from '../../components/polling.ts';
import { RelativeTime } from '../../components/time.tsx';
import { ErrorBoundary } from '../../shell/error-boundary.tsx';
import { useLocale, useTexts } from '../../texts/locale.ts';
import { divideAdoption } from './adoption-parts.ts';

const Charts = lazy(async () => ({ default: (await import('./charts.tsx')).Charts }));

/** The days that the small chart shows. */
const SHOWN_DAYS = 14;

/** Reads the numbers of a channel. Both the adoption and the number of testers use them, so that they agree. */
export function useChannelDays(channel: Channel) {
  return usePollingRead<ChannelDays>(`/channels/${channel.identifier}/analytics/days`, {
    query: { days: SHOWN_DAYS },
  });
}

interface AdoptionProps {
  channel: Channel;
  release: Release | undefined;
  read: ReturnType<typeof useChannelDays>;
  /** All testers of the channel; undefined if they aren't all loaded. */
  testers: readonly ChannelTester[] | undefined;
}

export function Adoption({ channel, release, read, testers }: AdoptionProps) {
  const texts = useTexts();
  const t = texts.channels.usage;
  const [isOpen, setOpen] = useState(false);
  const current = usePollingRead<z.output<typeof releaseAnalytics>>(`/releases/${release?.identifier}/analytics`, {
    isEnabled: release !== undefined,
  });
  const { data: days } = read;
  return (
    <section className="tw-aside-part" aria-labelledby="adoption">
      <div className="tw-aside-head">
        <h2 id="adoption">{t.title}</h2>
        <Button variant="subtle" size="compact-sm" className="tw-no-print" onClick={() => setOpen(true)}>
          {t.analytics}
        </Button>
      </div>
      {days === undefined ? (
        read.error === null ? (
          <Loading rows={1} height={196} />
        ) : (
          <ErrorAlert error={read.error} onRetry={() => void read.refetch()} />
        )
      ) : (
        <>
          {release === undefined ? (
            <p className="tw-quiet">{texts.charts.nothingLive}</p>
          ) : (
            <Share release={release} days={days} testers={testers} analytics={current.data} />
          )}
          <Days release={release} days={days} />
        </>
      )}
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={t.analyticsOf(channel.name)} size="xl" centered>
        {isOpen && <Analytics channel={channel} release={release} current={current.data} />}
      </Modal>
    </section>
  );
}

interface ShareProps {
  release: Release;
  days: ChannelDays;
  testers: readonly ChannelTester[] | undefined;
  analytics: z.output<typeof releaseAnalytics> | undefined;
}

/** Who has the release. One sentence where nobody has it or nobody is asked to. */
function Share({ release, days, testers, analytics }: ShareProps) {
  const t = useTexts().channels.usage;
  const today = days.days.at(-1);
  const version = release.build.version_name;
  // Limited to the total, because testers who left since may still be counted.
  const have = Math.min(days.testers, today?.testers_on_current ?? 0);
  const running = Math.min(days.installs, today?.installs_on_current ?? 0);
  const downloads = analytics?.total_downloads;
  const parts = divideAdoption({ have, total: days.testers }, release.identifier, testers);
  return (
    <>
      {days.testers > 0 && (
        <>
          <p className="tw-figure">
            {have} <small>{t.testersHave(have, days.testers, version)}</small>
          </p>
          <Bar name={`${have} ${t.testersHave(have, days.testers, version)}`} total={days.testers} {...parts} />
          <ul className="tw-key">
            <Key count={parts.have} text={t.have(parts.have)} part="have" isAlways />
            <Key count={parts.can} text={t.can(parts.can)} part="can" />
            <Key count={parts.unknown} text={t.notYet} part="unknown" />
            <Key count={parts.cannot} text={t.cannot(parts.cannot)} part="cannot" />
          </ul>
        </>
      )}
      {days.installs > 0 && <p className="tw-quiet">{t.appsRun(running, days.installs, version)}</p>}
      <p className="tw-quiet">
        {downloads === undefined && '\u00a0'}
        {downloads !== undefined && (downloads === 0 ? t.nobodyDownloaded(version) : t.downloads(downloads, version))}
        {analytics?.last_downloaded_at && (
          <>
            , {t.last} <RelativeTime at={analytics.last_downloaded_at} />
          </>
        )}
      </p>
    </>
  );
}

function Bar({
  name,
  total,
  have,
  can,
  unknown,
  cannot,
}: Record<'total' | 'have' | 'can' | 'unknown' | 'cannot', number> & { name: string }) {
  const parts = Object.entries({ have, can, unknown, cannot }).filter(([, count]) => count > 0);
  return (
    <span className="tw-share-bar" role="img" aria-label={name}>
      {parts.map(([part, count]) => (
        <i key={part} data-part={part} style={{ width: `${(count / total) * 100}%` }} />
      ))}
    </span>
  );
}

function Key({
  count,
  text,
  part,
  isAlways = false,
}: {
  count: number;
  text: string;
  part: string;
  isAlways?: boolean;
}) {
  if (count === 0 && !isAlways) return null;
  return (
    <li>
      <i data-part={part} />
      <b>{count}</b> {text}
    </li>
  );
}

/** Downloads per day as a small chart; nothing without downloads. */
function Days({ release, days: { days } }: { release: Release | undefined; days: ChannelDays }) {
  const t = useTexts().channels.usage;
  const { language } = useLocale();
  const most = Math.max(...days.map(({ downloads }) => downloads));
  if (most <= 0) return null;
  const releasedOn = release?.created_at.slice(0, 10) ?? '9999';
  const since = sum(days.filter(({ day }) => day >= releasedOn));
  const before = sum(days) - since;
  return (
    <figure className="tw-days-figure">
      <div className="tw-days" role="img" aria-label={t.inDays(sum(days), days.length)}>
        {days.map(({ day, downloads }) => (
          <span key={day} title={t.onDay(downloads, formatDate(day, language, 'short'))}>
            {downloads > 0 && (
              <i data-part={day >= releasedOn ? 'have' : 'cannot'} style={{ height: `${(downloads / most) * 100}%` }} />
            )}
          </span>
        ))}
      </div>
      <div className="tw-days-axis" aria-hidden>
        <span>{formatDate(days[0]?.day ?? '', language, 'short')}</span>
        <span>{t.today}</span>
      </div>
      <figcaption>
        <ul className="tw-key">
          {release !== undefined && <Key count={since} text={t.sinceRelease(release.build.version_name)} part="have" />}
          <Key count={before} text={release === undefined ? t.downloadsOnly : t.beforeRelease} part="cannot" />
        </ul>
      </figcaption>
    </figure>
  );
}

function sum(days: readonly { downloads: number }[]): number {
  return days.reduce((total, { downloads }) => total + downloads, 0);
}

interface AnalyticsProps {
  channel: Channel;
  release: Release | undefined;
  current: z.output<typeof releaseAnalytics> | undefined;
}

function Analytics({ channel, release, current }: AnalyticsProps) {
  const t = useTexts().channels.usage;
  const whole = usePollingRead<{ total_downloads: number; unique_testers: number }>(
    `/channels/${channel.identifier}/analytics`,
  );
  return (
    <div className="tw-section">
      <dl className="tw-numbers">
        <Figure name={t.currentDownloads} value={release === undefined ? 0 : current?.total_downloads} />
        <Figure name={t.currentTesters} value={release === undefined ? 0 : current?.unique_testers} />
        <Figure name={t.totalDownloads} value={whole.data?.total_downloads} />
        <Figure name={t.totalTesters} value={whole.data?.unique_testers} />
      </dl>
      <ErrorBoundary>
        <Suspense fallback={<Loading rows={2} height={264} />}>
          <Charts channel={channel} />
        </Suspense>
      </ErrorBoundary>
    </div>
  );
}

function Figure({ name, value }: { name: string; value: number | undefined }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value ?? '…'}</dd>
    </div>
  );
}
