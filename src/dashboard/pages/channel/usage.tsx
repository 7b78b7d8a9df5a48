// Usage of a channel and its current release.
import { Text } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { z } from 'zod';
import type { Channel, channelAnalytics } from '../../../channels/schema.ts';
import type { Release, releaseAnalytics } from '../../../releases/schema.ts';
import { Loading, Section } from '../../components/page.tsx';
import { usePollingRead } from '../../components/polling.ts';
import { RelativeTime } from '../../components/time.tsx';
import { ErrorBoundary } from '../../shell/error-boundary.tsx';
import { useTexts } from '../../texts/locale.ts';

const Charts = lazy(async () => ({ default: (await import('./charts.tsx')).Charts }));

export function Usage({ channel, release }: { channel: Channel; release: Release | undefined }) {
  const t = useTexts().channels.usage;
  const whole = usePollingRead<z.output<typeof channelAnalytics>>(`/channels/${channel.identifier}/analytics`);
  const current = usePollingRead<z.output<typeof releaseAnalytics>>(`/releases/${release?.identifier}/analytics`, {
    isEnabled: release !== undefined,
  });
  return (
    <Section title={t.title}>
      <dl className="tw-numbers">
        <Figure name={t.currentDownloads} value={release === undefined ? 0 : current.data?.total_downloads} />
        <Figure name={t.currentTesters} value={release === undefined ? 0 : current.data?.unique_testers} />
        <Figure name={t.totalDownloads} value={whole.data?.total_downloads} />
        <Figure name={t.totalTesters} value={whole.data?.unique_testers} />
      </dl>
      {whole.data?.last_downloaded_at && (
        <Text size="sm" c="dimmed" component="div">
          {t.lastDownload} <RelativeTime at={whole.data.last_downloaded_at} />
        </Text>
      )}
      <ErrorBoundary>
        <Suspense fallback={<Loading rows={2} height={264} />}>
          <Charts channel={channel} />
        </Suspense>
      </ErrorBoundary>
    </Section>
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
