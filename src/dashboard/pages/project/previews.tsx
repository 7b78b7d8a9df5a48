// The open previews of pull requests in a project, below its channels.
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Build } from '../../../builds/schema.ts';
import type { Preview } from '../../../channels/preview-schema.ts';
import type { DeviceCount } from '../../../compatibility/status-line.ts';
import type { ChannelOverview } from '../../../overviews/channel-schema.ts';
import { useChange } from '../../api/hooks.ts';
import { formatBuild } from '../../components/build-name.ts';
import { StatusLine, useDeviceCounts } from '../../components/build-status.tsx';
import { ChannelSign, PREVIEW_SIGN } from '../../components/channel-sign.tsx';
import { ConfirmDialog } from '../../components/confirm.tsx';
import { Section } from '../../components/page.tsx';
import { RelativeTime, TimeInText } from '../../components/time.tsx';
import { mayInProject } from '../../shell/current-user.ts';
import { useTexts } from '../../texts/locale.ts';
import { useProject } from './project-context.ts';

interface PreviewsProps {
  previews: readonly Preview[];
  overviews: readonly ChannelOverview[];
}

/** Renders the previews, or nothing if there are none. */
export function Previews({ previews, overviews }: PreviewsProps) {
  const t = useTexts().previews;
  const owned = new Set(previews.map(({ channel }) => channel.identifier));
  const releaseOf = new Map(
    overviews.flatMap(({ channel: { identifier }, current_release: release }) =>
      release !== null && owned.has(identifier) ? [[identifier, release] as const] : [],
    ),
  );
  const counts = useDeviceCounts([...releaseOf.values()].map(({ build }) => build));
  if (previews.length === 0) return null;
  return (
    <section aria-label={t.title}>
      <Section title={t.title}>
        <ul className="tw-channels" data-plain>
          {previews.map((preview) => {
            const build = releaseOf.get(preview.channel.identifier)?.build;
            return (
              <li key={preview.identifier}>
                <PreviewRow
                  preview={preview}
                  build={build}
                  count={build === undefined ? undefined : counts.get(build.identifier)}
                />
              </li>
            );
          })}
        </ul>
      </Section>
    </section>
  );
}

interface PreviewRowProps {
  preview: Preview;
  /** What is live on it. */
  build: Build | undefined;
  count: DeviceCount | undefined;
}

function PreviewRow({ preview: { identifier, channel, opened_at, ends_at }, build, count }: PreviewRowProps) {
  const texts = useTexts();
  const t = texts.previews;
  const project = useProject();
  const [isEnding, setEnding] = useState(false);
  const end = useChange((api) => api.send('DELETE', `/previews/${identifier}`), ['/previews', '/channels/overview']);
  const params = { projectId: project.identifier, channelId: channel.identifier };
  return (
    <>
      <ChannelSign sign={PREVIEW_SIGN} isLarge isOff={build === undefined} />
      <div className="tw-channels-name">
        <h3>
          <Link to="/projects/$projectId/channels/$channelId" params={params} className="tw-cover-link">
            {channel.name}
          </Link>
        </h3>
        <small>
          <TimeInText text={t.opened} at={opened_at} />
        </small>
      </div>
      {build === undefined ? (
        <p className="tw-quiet tw-channels-build">{texts.channels.nothingReleased}</p>
      ) : (
        <div className="tw-channels-build">
          <b>{formatBuild(build)}</b>
          <StatusLine build={build} count={count} />
        </div>
      )}
      <p className="tw-quiet tw-channels-expiry">
        {t.ends} <RelativeTime at={ends_at} />
      </p>
      <div className="tw-channels-end">
        {mayInProject(project, 'channel.edit') && (
          <Button
            className="tw-above"
            size="compact-sm"
            variant="default"
            aria-label={t.endNamed(channel.name)}
            onClick={() => setEnding(true)}
          >
            {t.end}
          </Button>
        )}
      </div>
      <ConfirmDialog
        isOpen={isEnding}
        title={t.endNamed(channel.name)}
        action={t.end}
        onConfirm={() => end.mutateAsync(undefined)}
        onClose={() => setEnding(false)}
      >
        {t.endText}
      </ConfirmDialog>
    </>
  );
}
