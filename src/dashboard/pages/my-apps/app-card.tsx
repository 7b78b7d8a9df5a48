// A channel as testers see it: the current release with an install button, email switch, and all versions.

import { Badge, Button, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { nameMinimumVersion } from '../../../compatibility/os-version.ts';
import type { InstallLink } from '../../../install/schema.ts';
import { formatBytes } from '../../../lib/formats.ts';
import { platformFacts } from '../../../platforms.ts';
import type { TesterChannel, TesterProject, TesterRelease } from '../../../testers/view/schema.ts';
import { useChange, useReadPages } from '../../api/hooks.ts';
import { AppIcon } from '../../components/app-icon.tsx';
import { formatBuild } from '../../components/build-name.ts';
import { useEmailText } from '../../components/email-texts.ts';
import { ErrorAlert } from '../../components/errors.tsx';
import { FeedsButton } from '../../components/feeds.tsx';
import { explainLock } from '../../components/lock-errors.ts';
import { RowsSkeleton } from '../../components/page.tsx';
import { PagedList } from '../../components/paged-list.tsx';
import { detectPlatform, isForOtherPlatform } from '../../components/phone-platform.ts';
import { ReleaseEmailSwitch } from '../../components/release-email-switch.tsx';
import { ReleaseNotes } from '../../components/release-notes.tsx';
import { RelativeTime } from '../../components/time.tsx';
import { useServerInfo } from '../../shell/server-info.ts';
import { useLocale, useTexts } from '../../texts/locale.ts';

interface Part {
  project: TesterProject;
  channel: TesterChannel;
}

/** `parts`: the channel of each platform of an app. That of this phone comes first. */
export function AppCard({ parts }: { parts: readonly Part[] }) {
  const t = useTexts().myApps;
  const ordered = parts.toSorted(
    (one, other) =>
      Number(isForOtherPlatform(one.project.platform)) - Number(isForOtherPlatform(other.project.platform)),
  );
  const [first] = ordered;
  if (first === undefined) return null;
  const { project, channel } = first;
  const icon = ordered.find(({ channel: { current_release: release } }) => release?.icon_url)?.channel.current_release;
  const isMandatory = ordered.some((part) => part.channel.current_release?.mandatory === true);
  return (
    <article className="tw-card tw-app-card" aria-label={`${project.name} \u00b7 ${channel.name}`}>
      <div className="tw-row">
        <AppIcon src={icon?.icon_url ?? null} name={project.name} size={52} />
        <div className="tw-grow">
          <h3 className="tw-card-title">{project.name}</h3>
          <Text size="sm" c="dimmed" component="div">
            {[channel.name, ...ordered.map((part) => platformFacts[part.project.platform].name)].join(' \u00b7 ')}
          </Text>
        </div>
        {isMandatory && <Badge color="orange">{t.mandatory}</Badge>}
      </div>
      {ordered.map((part) => (
        <PlatformPart key={part.channel.identifier} part={part} isAlone={ordered.length === 1} />
      ))}
    </article>
  );
}

function PlatformPart({ part: { project, channel }, isAlone }: { part: Part; isAlone: boolean }) {
  const emailText = useEmailText();
  const t = useTexts().myApps;
  const { base } = useServerInfo();
  const [isAll, setAll] = useState(false);
  const { current_release: release } = channel;
  const platform = platformFacts[project.platform].name;
  const title = `${project.name} \u00b7 ${channel.name}${isAlone ? '' : ` \u00b7 ${platform}`}`;
  return (
    <>
      {!isAlone && <h4 className="tw-app-platform-name">{platform}</h4>}
      {release === null ? (
        <Text size="sm" c="dimmed">
          {emailText(t.nothingReleased)}
        </Text>
      ) : (
        <CurrentRelease release={release} app={project.name} />
      )}
      <div className="tw-app-foot">
        <Button
          component="a"
          href={`${base}/install/channels/${channel.identifier}/feedback?from=my-apps`}
          variant="subtle"
          size="compact-sm"
        >
          {t.sendFeedback}
        </Button>
        <ReleaseEmailSwitch channel={channel} label={t.releaseEmails} name={t.releaseEmailsOf(title)} />
        <FeedsButton channel={channel} isCompact />
        {release !== null && (
          <Button variant="subtle" size="compact-sm" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? t.hideVersions : t.showVersions}
          </Button>
        )}
      </div>
      {isAll && <AllReleases channel={channel} app={project.name} />}
    </>
  );
}

function CurrentRelease({ release, app }: { release: TesterRelease; app: string }) {
  const t = useTexts().myApps;
  const { language } = useLocale();
  const system = nameMinimumVersion(release.platform, release.min_os_version);
  return (
    <>
      <div>
        <Text fw={600}>{formatBuild(release)}</Text>
        <Text size="sm" c="dimmed" component="div">
          <RelativeTime at={release.created_at} /> · {formatBytes(release.size_bytes, language)}
          {system !== null && ` · ${t.requiresSystem(system)}`}
        </Text>
      </div>
      {release.release_notes !== null && release.release_notes !== '' && (
        <div>
          <Text size="sm" fw={600}>
            {t.releaseNotes}
          </Text>
          <ReleaseNotes notes={release.release_notes} />
        </div>
      )}
      <InstallButton release={release} app={app} isLarge />
    </>
  );
}

/** Requests a personal install link and opens its page, which shows what this device can install. */
function InstallButton({ release, app, isLarge = false }: { release: TesterRelease; app: string; isLarge?: boolean }) {
  const t = useTexts().myApps;
  const { language } = useLocale();
  const isElsewhere = isForOtherPlatform(release.platform);
  const mint = useChange(
    (api) => api.send<InstallLink>('POST', `/testers/me/releases/${release.identifier}/install-link`),
    [],
  );
  if (isElsewhere)
    return (
      <Badge variant="default">
        {t.forDevices(new Intl.ListFormat(language).format(platformFacts[release.platform].devices))}
      </Badge>
    );
  return (
    <>
      <Button
        // On a computer the button only leads to the page with the QR code.
        {...(isLarge ? { fullWidth: true } : { size: 'compact-sm' })}
        variant={isLarge && detectPlatform() !== undefined ? 'filled' : 'default'}
        leftSection={<IconDownload size={18} aria-hidden />}
        aria-label={t.installNamed(app, formatBuild(release))}
        loading={mint.isPending}
        onClick={() => mint.mutate(undefined, { onSuccess: ({ install_url: page }) => location.assign(page) })}
      >
        {t.install}
      </Button>
      {mint.error !== null && <ErrorAlert error={explainLock(mint.error, t.paused)} />}
    </>
  );
}

function AllReleases({ channel, app }: { channel: TesterChannel; app: string }) {
  const t = useTexts().myApps;
  const list = useReadPages<TesterRelease>(`/testers/me/channels/${channel.identifier}/releases`);
  return (
    <PagedList list={list} loading={<RowsSkeleton rows={2} picture={0} />}>
      {(release) => (
        <li key={release.identifier}>
          <div className="tw-grow">
            <div className="tw-strong">{formatBuild(release)}</div>
            <div className="tw-small">
              <RelativeTime at={release.created_at} />
            </div>
          </div>
          {release.is_current && <Badge color="green">{t.current}</Badge>}
          <InstallButton release={release} app={app} />
        </li>
      )}
    </PagedList>
  );
}
