// Charts of a channel: activity by day, and adoption of the current release. Loaded when a channel is opened.
import { SegmentedControl, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { Channel } from '../../../channels/schema.ts';
import type { ChannelDays } from '../../../overviews/channel-day-schema.ts';
import { DayChart } from '../../charts/day-chart.tsx';
import { ErrorAlert } from '../../components/errors.tsx';
import { Loading } from '../../components/page.tsx';
import { usePollingRead } from '../../components/polling.ts';
import { useLocale, useTexts } from '../../texts/locale.ts';
import { activityChart, adoptionChart } from './chart-content.ts';

const spans = [7, 30, 90] as const;

export function Charts({ channel }: { channel: Channel }) {
  const t = useTexts().charts;
  const [span, setSpan] = useState<(typeof spans)[number]>(30);
  const read = usePollingRead<ChannelDays>(`/channels/${channel.identifier}/analytics/days`, {
    query: { days: span },
  });
  // The previous period stays visible until the new one is loaded, so that the layout doesn't shift.
  const [before, setBefore] = useState<ChannelDays>();
  useEffect(() => {
    if (read.data !== undefined) setBefore(read.data);
  }, [read.data]);
  const shown = read.data ?? before;
  return (
    <>
      <div>
        <SegmentedControl
          size="xs"
          aria-label={t.period}
          value={String(span)}
          onChange={(value) => setSpan(spans.find((one) => String(one) === value) ?? 30)}
          data={spans.map((value) => ({ value: String(value), label: t.days(value) }))}
        />
      </div>
      {shown === undefined && read.error === null && <Loading rows={2} height={264} />}
      {read.data === undefined && read.error !== null && (
        <ErrorAlert error={read.error} onRetry={() => void read.refetch()} />
      )}
      {shown !== undefined && <ChannelCharts read={shown} />}
    </>
  );
}

function ChannelCharts({ read }: { read: ChannelDays }) {
  const t = useTexts().charts;
  const { language } = useLocale();
  const days = read.days.map(({ day }) => day);
  const use = activityChart(read, t);
  const adoption = read.release_id === null ? undefined : adoptionChart(read, t);
  const isEmpty = use.series.every(({ values }) => values.every((value) => value === 0));
  const number = new Intl.NumberFormat(language, { notation: 'compact' });
  const percent = new Intl.NumberFormat(language, { style: 'percent' });
  return (
    <>
      {adoption === undefined ? (
        <Text size="sm" c="dimmed">
          {read.release_id === null ? t.nothingLive : t.noAudience}
        </Text>
      ) : (
        <DayChart
          title={t.adoption}
          days={days}
          kind="lines"
          formatTick={(value) => percent.format(value)}
          {...adoption}
        />
      )}
      {isEmpty ? (
        <Text size="sm" c="dimmed">
          {use.text}
        </Text>
      ) : (
        <>
          <DayChart title={t.activity} days={days} kind="bars" formatTick={(value) => number.format(value)} {...use} />
          <Text size="xs" c="dimmed">
            {use.series.length > 1 && `${t.installsHint} `}
            {t.utc} {t.keyboardHint}
          </Text>
        </>
      )}
    </>
  );
}
