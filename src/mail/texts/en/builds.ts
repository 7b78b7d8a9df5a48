// English texts of emails about builds: releases, and builds that expire or will be deleted.
import { countOf } from '../../../lib/count.ts';
import { englishLifetime, OPEN_LINK_MS } from '../../../lib/lifetimes.ts';
import { type Platform, platformFacts } from '../../../platforms.ts';
import { formatMailDay, formatMailTime } from '../../dates.ts';
import { quoteName, quoteVersion } from '../../names.ts';
import type { BuildMails } from '../texts.ts';

const buildName = (versionName: string, buildNumber: string) =>
  `${quoteVersion(versionName)} (${quoteVersion(buildNumber)})`;

const certificateExpiry: Record<Platform, string> = {
  ios: 'New builds need a new certificate, and enterprise builds signed with this one stop working.',
  android:
    'If you renew it with the same key, updates still install. With another key, testers must uninstall the app first.',
};

export const builds: BuildMails = {
  release: ({ projectName, organizationName, channelName, versionName, buildNumber, isMandatory }) => {
    const build = `${quoteName(projectName)} ${buildName(versionName, buildNumber)}`;
    return {
      subject: `New test build: ${build}`,
      paragraphs: [
        `${build} of ${quoteName(organizationName)} is available on the channel ${quoteName(channelName)}.`,
        ...(isMandatory ? ['This update is required.'] : []),
        `Open the link on your test device. The link is personal and expires in ${englishLifetime(OPEN_LINK_MS)}.`,
      ],
      button: 'Install',
    };
  },
  deviceReady: ({ projectName, organizationName, channelName, versionName, buildNumber, deviceNames }) => {
    const build = `${quoteName(projectName)} ${buildName(versionName, buildNumber)}`;
    const [first = '', ...others] = deviceNames;
    const devices = others.length === 0 ? quoteName(first) : `${quoteName(first)} and ${others.length} more`;
    const waited = others.length === 0 ? 'which was waiting' : 'which were waiting';
    return {
      subject: `Ready to install: ${build}`,
      paragraphs: [
        `${build} of ${quoteName(organizationName)} includes ${devices}, ${waited} for a build on the channel ${quoteName(channelName)}.`,
        'Open the link on the device and tap Install.',
      ],
      button: 'Install',
    };
  },
  retention: (baseUrl, { organizationName, days, deletedFrom, total, projects, moreProjects }) => {
    const organization = quoteName(organizationName);
    const count = total === 1 ? 'One build' : `${total} builds`;
    const reason =
      days === null
        ? 'The rules of their channels no longer keep them.'
        : `Builds are kept for ${countOf(days, 'day')}.`;
    const others =
      moreProjects === 1 ? 'One more project has such builds.' : `${moreProjects} more projects have such builds.`;
    return {
      subject: `${count} of ${organization} will be deleted`,
      paragraphs: [
        `${count} of ${organization} at ${baseUrl} will be deleted starting ${formatMailDay(deletedFrom)}. ${reason}`,
        ...projects.map(({ name, versions, more }) => {
          const listed = versions.map((version) => quoteVersion(version)).join(', ');
          return `Project ${quoteName(name)}: ${listed}${more === 0 ? '' : ` and ${more} more`}.`;
        }),
        ...(moreProjects === 0 ? [] : [others]),
      ],
      button: projects.length === 1 ? 'Show builds' : 'Open Taxiway',
      closing: "To keep a build, pin it on its page. Builds that are pinned or live on a channel aren't deleted.",
    };
  },
  expiry: (baseUrl, { kind, name, platform, organizationName, expiresAt, places, days, more }) => {
    const when = days < 1 ? 'in less than a day' : `in ${countOf(days, 'day')}`;
    const what =
      kind === 'profile'
        ? `provisioning profile${name === null ? '' : ` ${quoteName(name)}`}`
        : `${platformFacts[platform].name} signing certificate`;
    const effect =
      kind === 'profile' ? "After that iOS can't install or open builds that contain it." : certificateExpiry[platform];
    return {
      subject: `The ${what} expires ${when}`,
      paragraphs: [
        `The ${what} of ${quoteName(organizationName)} at ${baseUrl} expires ${when}, on ${formatMailTime(expiresAt)}. ${effect}`,
        ...places.map(
          ({ projectName, channelName, versionName, buildNumber }) =>
            `${quoteName(projectName)} ${buildName(versionName, buildNumber)} is live on the channel ${quoteName(channelName)}.`,
        ),
        ...(more > 0 ? [`And ${more} more.`] : []),
      ],
      button: 'Show what expires',
      closing: `Renew it, create a build with it, and release that build on ${places.length + more === 1 ? 'this channel' : 'these channels'}.`,
    };
  },
};
