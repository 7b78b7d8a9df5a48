// Texts about projects, builds, channels and uploads.

import { packageFindings } from '../../../inspection/package-findings.ts';
import type { Platform } from '../../../platforms.ts';
import type { RejectionReason } from '../../upload/read-package.ts';

type Contents = Record<'builds' | 'releases' | 'channels' | 'pending_uploads', number>;

/** Project contents are counted up to this number (`GET /projects/{project_id}/contents`). */
const MAX_COUNTED = 10_000;

function count(number: number, one: string, many: string): string {
  const shown = number.toLocaleString('en');
  if (number >= MAX_COUNTED) return `${shown} or more ${many}`;
  return `${shown} ${number === 1 ? one : many}`;
}

export const projects = {
  title: 'Projects',
  create: 'New project',
  name: 'Name',
  platform: 'Platform',
  platformHint: "A project is for one app on one platform. You can't change this later.",
  description: 'Description',
  emptyTitle: 'No projects yet',
  emptyText: 'A project contains the builds of one app on one platform.',
  emptyReadOnly: 'Ask an admin to invite you to a project.',
  tabs: { channels: 'Channels', builds: 'Builds', settings: 'Settings' },
  general: 'General',
  icon: 'Icon',
  iconHint: 'PNG, JPEG or WebP, up to 1 MB. Builds have their own icons.',
  bundleHint: 'Builds with another identifier are flagged.',
  deleteSection: 'Delete',
  deleteHint: 'Deletes the project and all its builds.',
  delete: 'Delete project',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteEffect: ({ builds, releases, channels, pending_uploads: uploads }: Contents) => {
    const named = [
      count(builds, 'build', 'builds'),
      count(releases, 'release', 'releases'),
      count(channels, 'channel', 'channels'),
      ...(uploads === 0 ? [] : [count(uploads, 'unfinished upload', 'unfinished uploads')]),
    ];
    return `This deletes ${named.join(', ')}, and all testers, tokens and links of the project. Nobody can install from it anymore. This can't be undone.`;
  },
  deleteAction: (builds: number) =>
    builds === 0 ? 'Delete project' : `Delete project and ${count(builds, 'build', 'builds')}`,
  deleted: (name: string) => `${name} deleted`,
};

export const builds = {
  title: 'Builds',
  status: 'Status',
  statuses: { active: 'Active', revoked: 'Revoked', all: 'All' },
  version: 'Version',
  size: 'Size',
  notes: 'Release notes',
  channels: 'Live on',
  uploaded: 'Uploaded',
  revoked: 'Revoked',
  revokedText: "This build can't be installed anymore. Revoked",
  unreadable: 'Unreadable',
  emptyTitle: 'No builds yet',
  emptyText: (ending: string) => `Drop an ${ending} anywhere on this page. We read the name and version from it.`,
  noneRevoked: 'No revoked builds',
  noneRevokedText: "Revoked builds stay listed but can't be installed.",
  noNotes: 'No release notes. Use them to tell testers what changed.',
  editNotes: 'Edit release notes',
  download: 'Download',
  liveOn: 'Live on',
  notLive: "This build isn't live on any channel.",
  details: 'Details',
  bundleIdentifier: 'Bundle identifier',
  file: 'File',
  sha256: 'SHA-256',
  id: 'Build ID',
  revoke: 'Revoke',
  revokeTitle: (name: string) => `Revoke ${name}?`,
  /** `channels` are those on which it is live; undefined while they are loading. */
  revokeEffect: (channels: readonly string[] | undefined) => {
    const rolledBack =
      channels === undefined
        ? 'Channels where it is live return to their previous release.'
        : channels.length === 0
          ? "It isn't live on any channel."
          : `${channels.join(', ')} ${channels.length === 1 ? 'returns to its' : 'return to their'} previous release.`;
    return `Nobody can install it anymore. ${rolledBack} This can't be undone. The build stays listed.`;
  },
  delete: 'Delete permanently',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteEffect: 'This permanently deletes the package and its releases.',
  deleted: (name: string) => `${name} deleted`,
  inspection: {
    title: 'Package details',
    unreadable: "We couldn't read this package",
    unreadableText: "You can still release it, but we can't tell whether it installs.",
    mismatch: 'Package mismatch',
    mismatchText: (field: string, declared: string, found: string) =>
      `${field}: the package's is ${found}, expected ${declared}.`,
    mismatchFields: {
      bundle_identifier: 'Bundle identifier',
      version_name: 'Version',
      build_number: 'Build number',
      project_bundle_identifier: "The project's bundle identifier",
    } as Record<string, string>,
    application: 'Name',
    minimumOs: 'Requires',
    devices: 'Devices',
    processors: 'Processors',
    debuggable: 'Debuggable',
    yes: 'yes',
    permissions: (count: number) => (count === 1 ? '1 permission' : `${count} permissions`),
    signing: 'Signing',
    kinds: {
      development: 'Development',
      'ad-hoc': 'Ad hoc',
      enterprise: 'In-house',
      'app-store': "App Store: can't be installed over the air",
    },
    team: 'Team',
    profile: 'Provisioning profile',
    expires: 'Expires',
    provisioned: 'Provisioned devices',
    allDevices: 'all',
    deviceCount: (count: number) => (count === 1 ? '1 device' : `${count} devices`),
    verified: 'verified',
    notVerified: 'Signature verification failed: Android will reject it',
    certificate: 'Certificate',
  },
};

export const channels = {
  title: 'Channels',
  create: 'New channel',
  name: 'Name',
  description: 'Description',
  publicSwitch: 'Public',
  publicHint: 'Anyone with the link can install without signing in.',
  autoSwitch: 'Release every upload',
  autoHint: 'Each new build is released onto this channel automatically.',
  notifySwitch: 'Notify testers by email',
  notifyHint: {
    mailed: 'One email for each new release.',
    unmailed: "This server doesn't send email. The choice applies once it does.",
  },
  emptyTitle: 'No channels yet',
  emptyText: 'Testers follow a channel, such as "beta" or "nightly". Release builds onto it and share its link.',
  isPublic: 'Public',
  mandatory: 'Mandatory',
  nothingReleased: 'No releases yet',
  nothingReleasedText: 'Release a build onto this channel, or drop a package here.',
  qr: 'QR code',
  qrLabel: (channel: string) => `QR code of the install page of ${channel}`,
  qrHint: 'Scan it with a phone, or send the link.',
  publicLink: 'Install link',
  notPublic: "This channel isn't public: only its testers can install.",
  makePublic: 'Make channel public',
  openLink: 'Open install page',
  print: 'Print',
  release: 'Release',
  releaseBuild: 'Release build',
  releaseOnto: (channel: string) => `Release onto ${channel}`,
  channelField: 'Channel',
  buildField: 'Build',
  noOtherChannel: 'There is no other channel. Create one first.',
  releaseNotes: 'What changed',
  releaseNotesHint: 'Shown to testers before they install.',
  mandatorySwitch: 'Mandatory',
  mandatoryHint: "Testers can't skip this update in apps with in-app updates.",
  current: 'Current release',
  released: 'Released',
  promote: 'Promote',
  promoteTitle: (build: string) => `Promote ${build}`,
  rollBack: 'Roll back',
  noEarlierRelease: 'There is no earlier release to roll back to.',
  rollBackTitle: (channel: string) => `Roll back ${channel}?`,
  rollBackTo: (build: string) => `Roll back to ${build}`,
  rollBackEffect: (testers: number | undefined, downloads: number | undefined, from: string, to: string) => {
    const have =
      testers === undefined || downloads === undefined
        ? ''
        : downloads === 0
          ? ' Nobody has installed it yet.'
          : ` ${testers === 1 ? '1 tester has' : `${testers} testers have`} it, ${downloads === 1 ? '1 download' : `${downloads} downloads`} in total.`;
    return `The channel returns from ${from} to ${to}.${have} ${from} stays rolled back until you release a newer build.`;
  },
  rolledBack: (build: string) => `${build} is live again`,
  disable: 'Disable',
  enable: 'Enable',
  disableTitle: (build: string) => `Disable ${build}?`,
  disableEffect: (to: string) => `${to} is live on the channel until you enable this release again.`,
  disableOnlyEffect: 'Nothing is live on the channel until you enable this release again.',
  history: 'History',
  states: { active: 'Earlier', disabled: 'Disabled', rolled_back: 'Rolled back' },
  buildRevoked: 'Build revoked',
  delete: 'Delete channel',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteEffect: "This also deletes its releases, links and testers. Builds stay. This can't be undone.",
  deleted: (name: string) => `${name} deleted`,
  card: {
    testers: (count: number) => (count === 1 ? '1 tester' : `${count} testers`),
    adoption: (have: number, all: number) => `${have} of ${all} testers have it`,
    adoptionLabel: 'Testers who have the current release',
    downloads: (count: number) => (count === 1 ? '1 download' : `${count} downloads`),
  },
  usage: {
    title: 'Usage',
    currentDownloads: 'Downloads of the current release',
    currentTesters: 'Testers who downloaded the current release',
    totalDownloads: 'Total downloads',
    totalTesters: 'Testers with at least one download',
    lastDownload: 'Last download',
  },
};

const rejections: Record<RejectionReason, (platform: Platform, found: Platform) => string> = {
  not_a_package: () => packageFindings.not_a_package,
  damaged: () => packageFindings.damaged,
  bundle: () => packageFindings.bundle,
  no_app: () => 'This archive contains no app.',
  unreadable: () => "This file can't be read.",
  wrong_platform: packageFindings.wrong_platform,
  too_large: () => 'This file exceeds the size limit of the server.',
};

export const upload = {
  title: 'Uploads',
  choose: 'Upload build',
  dropAnywhere: 'Drop to upload',
  chooseProject: (identifier: string | undefined, platform: string) =>
    identifier === undefined
      ? `The package doesn't name its app. Which ${platform} project is it for?`
      : `No single project has the identifier ${identifier}. Which ${platform} project is it for?`,
  noProject: (platform: string) => `You can't upload to any ${platform} project here. Create one first.`,
  dropInto: (project: string) => `Drop to upload into ${project}`,
  readingPackage: 'Reading the package…',
  starting: 'Starting…',
  checkingPackage: 'Checking the package…',
  perSecond: (size: string) => `${size}/s`,
  timeLeft: (time: string) => `${time} left`,
  cancel: 'Cancel upload',
  dismiss: 'Close',
  retry: 'Try again',
  connectionLost: "Connection lost. The upload continues automatically when it's back.",
  storageRejected: (status: number) => `The storage rejected the upload (HTTP ${status}).`,
  diskFull: 'The server is low on disk space.',
  diskFullText: 'Ask its operator to free some space, then try again.',
  storageBusy: "The storage can't take this upload right now. Try again in a moment.",
  linkExpired: 'The upload link may have expired. Try again to get a new one.',
  numberReserved: 'This build number is reserved for another upload',
  numberReservedText:
    'That upload expired. The server will release the version and build number within a few minutes. Then try again.',
  rejectedTitle: 'Not uploaded',
  refusals: rejections,
  incompleteHint: "We couldn't read everything from the package. Fill in the rest:",
  numberTaken: 'This version and build number already exist or are being uploaded. Change one of them:',
  version: 'Version',
  buildNumber: 'Build number',
  wholeNumber: 'Enter a whole number',
  start: 'Start upload',
  done: 'Uploaded',
  doneUnreadable: "Uploaded, but we couldn't read the package.",
  open: 'Open build',
  channel: 'Channel',
  pickChannel: 'Release onto…',
  noChannels: 'Create a channel to release it.',
  toChannels: 'Go to channels',
  release: 'Release',
  willRelease: (channel: string) => `Will be released onto ${channel} when the upload completes.`,
  releasing: 'Releasing…',
  released: (channel: string) => `Released onto ${channel}.`,
  openChannel: 'Open channel',
};
