// One channel as its tester sees it: what it serves, the button that installs it, its mails, and what it served before.

import { Badge, Button, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import type { InstallLink } from '../../../install/schema.ts';
import { formatBytes } from '../../../lib/formats.ts';
import { platformFacts } from '../../../platforms.ts';
import type { TesterChannel, TesterProject, TesterRelease } from '../../../testers/view/schema.ts';
import { useChange, useReadPages } from '../../api/api-context.ts';
import { AppIcon } from '../../parts/app-icon.tsx';
import { nameBuild } from '../../parts/build-name.ts';
import { LoadMore } from '../../parts/load-more.tsx';
import { useMailTexts } from '../../parts/mail-texts.ts';
import { Loading, Shown } from '../../parts/page.tsx';
import { isForOtherPhones } from '../../parts/phone-platform.ts';
import { Problem } from '../../parts/problem.tsx';
import { ReleaseMails } from '../../parts/release-mails.tsx';
import { Time } from '../../parts/time.tsx';
import { useSpeech, useTexts } from '../../texts/languages.ts';

export function AppCard({ project, channel }: { project: TesterProject; channel: TesterChannel }) {
  const texts = useTexts();
  const say = useMailTexts();
  const t = texts.myApps;
  const [isAll, setAll] = useState(false);
  const { current_release: release } = channel;
  const title = `${project.name} · ${channel.name}`;
  return (
    <article className="tw-card tw-app-card" aria-label={title}>
      <div className="tw-row">
        <AppIcon src={release?.icon_url ?? null} name={project.name} size={52} />
        <div className="tw-grow">
          <h3 className="tw-card-title">{project.name}</h3>
          <Text size="sm" c="dimmed" component="div">
            {channel.name} · {platformFacts[project.platform].name}
          </Text>
        </div>
        {release?.mandatory && <Badge color="orange">{t.mandatory}</Badge>}
      </div>
      {release === null ? (
        <Text size="sm" c="dimmed">
          {say(t.nothingReleased)}
        </Text>
      ) : (
        <CurrentRelease release={release} app={project.name} />
      )}
      <div className="tw-app-foot">
        <ReleaseMails channel={channel} label={t.releaseEmails} name={t.releaseEmailsOf(title)} />
        {release !== null && (
          <Button variant="subtle" size="compact-sm" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? t.hideVersions : t.showVersions}
          </Button>
        )}
      </div>
      {isAll && <AllReleases channel={channel} app={project.name} />}
    </article>
  );
}

function CurrentRelease({ release, app }: { release: TesterRelease; app: string }) {
  const t = useTexts().myApps;
  const { language } = useSpeech();
  const { min_os_version: system } = release;
  return (
    <>
      <div>
        <Text fw={600}>{nameBuild(release)}</Text>
        <Text size="sm" c="dimmed" component="div">
          <Time at={release.created_at} /> · {formatBytes(release.size_bytes, language)}
          {system !== null &&
            ` · ${t.requiresSystem(release.platform === 'ios' ? `iOS ${system}` : `Android API ${system}`)}`}
        </Text>
      </div>
      {release.release_notes !== null && (
        <div>
          <Text size="sm" fw={600}>
            {t.releaseNotes}
          </Text>
          <div className="tw-notes">{release.release_notes}</div>
        </div>
      )}
      <InstallButton release={release} app={app} isLarge />
    </>
  );
}

/** Fetches a link of one's own when it is pressed and goes to its page, which knows what this phone can do. */
function InstallButton({ release, app, isLarge = false }: { release: TesterRelease; app: string; isLarge?: boolean }) {
  const t = useTexts().myApps;
  const isElsewhere = isForOtherPhones(release.platform);
  const mint = useChange(
    (api) => api.send<InstallLink>('POST', `/testers/me/releases/${release.identifier}/install-link`),
    [],
  );
  if (isElsewhere) return <Badge variant="default">{t.forPhones[release.platform]}</Badge>;
  return (
    <>
      <Button
        {...(isLarge ? { size: 'md', fullWidth: true } : { size: 'compact-sm', variant: 'default' })}
        leftSection={<IconDownload size={18} aria-hidden />}
        aria-label={t.installNamed(app, nameBuild(release))}
        loading={mint.isPending}
        onClick={() => mint.mutate(undefined, { onSuccess: ({ install_url: page }) => location.assign(page) })}
      >
        {t.install}
      </Button>
      {mint.error !== null && <Problem error={mint.error} />}
    </>
  );
}

function AllReleases({ channel, app }: { channel: TesterChannel; app: string }) {
  const t = useTexts().myApps;
  const list = useReadPages<TesterRelease>(`/testers/me/channels/${channel.identifier}/releases`);
  return (
    <>
      <Shown read={{ ...list, data: list.rows }} loading={<Loading rows={2} height={44} />}>
        {(rows) => (
          <ul className="tw-list">
            {rows.map((release) => (
              <li key={release.identifier}>
                <div className="tw-grow">
                  <div className="tw-strong">{nameBuild(release)}</div>
                  <div className="tw-small">
                    <Time at={release.created_at} />
                  </div>
                </div>
                {release.is_current && <Badge color="green">{t.current}</Badge>}
                <InstallButton release={release} app={app} />
              </li>
            ))}
          </ul>
        )}
      </Shown>
      <LoadMore list={list} />
    </>
  );
}
