// Emails about builds: releases, and builds that expire or will be deleted.
import { DAY, HOUR } from '../../lib/clock.ts';
import { countOf } from '../../lib/count.ts';
import { englishLifetime, OPEN_LINK_MS } from '../../lib/lifetimes.ts';
import { type Platform, platformFacts } from '../../platforms.ts';
import { composeMail, type MailContent } from '../letter.ts';
import { formatMailDay, formatMailTime } from './dates.ts';
import { quoteName, quoteVersion } from './names.ts';

/** Tells a tester about a new release. The names, the version and the notes were chosen by users. */
export function releaseMail(about: {
  projectName: string;
  organizationName: string;
  channelName: string;
  versionName: string;
  /** As shown to people. */
  buildNumber: string;
  isMandatory: boolean;
  notes: string | null;
  installUrl: string;
  muteUrl: string;
}): MailContent {
  const project = quoteName(about.projectName);
  const version = `${quoteVersion(about.versionName)} (${quoteVersion(about.buildNumber)})`;
  return composeMail({
    subject: `New test build: ${project} ${version}`,
    organizationName: about.organizationName,
    paragraphs: [
      `${project} ${version} of ${quoteName(about.organizationName)} is available on the channel ${quoteName(about.channelName)}.`,
      ...(about.isMandatory ? ['This update is required.'] : []),
      `Open the link on your test device. The link is personal and expires in ${englishLifetime(OPEN_LINK_MS)}.`,
    ],
    notes: about.notes,
    button: { label: 'Install', url: about.installUrl },
    unsubscribe: { label: 'Unsubscribe from emails about this channel', url: about.muteUrl },
  });
}

/** Tells the owner of devices that waited for a build that one includes them. The names were chosen by users. */
export function deviceReadyMail(about: {
  projectName: string;
  organizationName: string;
  channelName: string;
  versionName: string;
  /** As shown to people. */
  buildNumber: string;
  deviceNames: readonly string[];
  installUrl: string;
  /** Null for people who can't unsubscribe from the channel. */
  muteUrl: string | null;
}): MailContent {
  const project = quoteName(about.projectName);
  const version = `${quoteVersion(about.versionName)} (${quoteVersion(about.buildNumber)})`;
  const [first = '', ...others] = about.deviceNames;
  const devices = others.length === 0 ? quoteName(first) : `${quoteName(first)} and ${others.length} more`;
  const waited = others.length === 0 ? 'which was waiting' : 'which were waiting';
  return composeMail({
    subject: `Ready to install: ${project} ${version}`,
    organizationName: about.organizationName,
    paragraphs: [
      `${project} ${version} of ${quoteName(about.organizationName)} includes ${devices}, ${waited} for a build on the channel ${quoteName(about.channelName)}.`,
      'Open the link on the device and tap Install.',
    ],
    button: { label: 'Install', url: about.installUrl },
    ...(about.muteUrl === null
      ? {}
      : { unsubscribe: { label: 'Unsubscribe from emails about this channel', url: about.muteUrl } }),
  });
}

/** Builds that retention will delete, for the maintainers of their projects. */
export interface RetentionNotice {
  organizationName: string;
  /** How long the plan keeps builds; null if only the rules of channels end them. */
  days: number | null;
  /** Earliest time at which one of them can be deleted. */
  deletedFrom: number;
  /** Number of builds affected, including those that aren't listed. */
  total: number;
  projects: readonly { projectId: string; name: string; versions: readonly string[]; more: number }[];
  /** Number of projects that aren't listed. */
  moreProjects: number;
}

/** Announces the builds that will be deleted in a week because neither the plan nor the rules of their channels keep them. */
export function buildRetentionMail(baseUrl: string, notice: RetentionNotice): MailContent {
  const organization = quoteName(notice.organizationName);
  const builds = notice.total === 1 ? 'One build' : `${notice.total} builds`;
  const reason =
    notice.days === null
      ? 'The rules of their channels no longer keep them.'
      : `Builds are kept for ${countOf(notice.days, 'day')}.`;
  const [only, second] = notice.projects;
  const page = only !== undefined && second === undefined ? `/projects/${only.projectId}/builds` : '';
  return composeMail({
    subject: `${builds} of ${organization} will be deleted`,
    organizationName: notice.organizationName,
    paragraphs: [
      `${builds} of ${organization} at ${baseUrl} will be deleted starting ${formatMailDay(notice.deletedFrom)}. ${reason}`,
      ...notice.projects.map(({ name, versions, more }) => {
        const listed = versions.map(quoteVersion).join(', ');
        return `Project ${quoteName(name)}: ${listed}${more === 0 ? '' : ` and ${more} more`}.`;
      }),
      ...(notice.moreProjects === 0
        ? []
        : [
            notice.moreProjects === 1
              ? 'One more project has such builds.'
              : `${notice.moreProjects} more projects have such builds.`,
          ]),
    ],
    button: { label: page === '' ? 'Open Taxiway' : 'Show builds', url: `${baseUrl}${page}` },
    closing: "To keep a build, pin it on its page. Builds that are pinned or live on a channel aren't deleted.",
  });
}

/**
 * A profile or certificate that will expire, and the current releases that stop working then. The names were chosen by
 * users.
 */
export interface ExpiryWarning {
  kind: 'profile' | 'certificate';
  name: string | null;
  platform: Platform;
  organizationName: string;
  /** Milliseconds since the epoch, as `now`. */
  expiresAt: number;
  now: number;
  places: readonly { projectName: string; channelName: string; versionName: string; buildNumber: string }[];
}

const MAX_PLACES = 20;

/** Warns the maintainers of a project that the profile or certificate of its current releases will expire. */
export function expiryWarningMail(baseUrl: string, warning: ExpiryWarning): MailContent {
  const { kind, name, platform, places } = warning;
  // Whole days, as in the web app. A warning of 60 days is written a few minutes late.
  const days = Math.floor((warning.expiresAt - warning.now + HOUR) / DAY);
  const when = days < 1 ? 'in less than a day' : days === 1 ? 'in 1 day' : `in ${days} days`;
  const what =
    kind === 'profile'
      ? `provisioning profile${name === null ? '' : ` ${quoteName(name)}`}`
      : `${platformFacts[platform].name} signing certificate`;
  const effect =
    kind === 'profile'
      ? "After that iOS can't install or open builds that contain it."
      : platformFacts[platform].certificateExpiry;
  const more = places.length - MAX_PLACES;
  return composeMail({
    subject: `The ${what} expires ${when}`,
    organizationName: warning.organizationName,
    paragraphs: [
      `The ${what} of ${quoteName(warning.organizationName)} at ${baseUrl} expires ${when}, on ${formatMailTime(warning.expiresAt)}. ${effect}`,
      ...places
        .slice(0, MAX_PLACES)
        .map(
          (place) =>
            `${quoteName(place.projectName)} ${quoteVersion(place.versionName)} (${quoteVersion(place.buildNumber)}) is live on the channel ${quoteName(place.channelName)}.`,
        ),
      ...(more > 0 ? [`And ${more} more.`] : []),
    ],
    button: { label: 'Show what expires', url: `${baseUrl}/expiring` },
    closing: `Renew it, create a build with it, and release that build on ${places.length === 1 ? 'this channel' : 'these channels'}.`,
  });
}
