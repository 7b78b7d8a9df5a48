// Words about projects, builds, channels and uploads.

import { packageFindings } from '../../../inspection/package-findings.ts';
import type { Platform } from '../../../platforms.ts';
import type { RefusalReason } from '../../upload/recognise.ts';

type Contents = Record<'builds' | 'releases' | 'channels' | 'pending_uploads', number>;

/** Numbers of project contents are counted up to this (`GET /projects/{project_id}/contents`). */
const MOST_COUNTED = 10_000;

function count(number: number, one: string, many: string): string {
  const shown = number.toLocaleString('en');
  if (number >= MOST_COUNTED) return `${shown} or more ${many}`;
  return `${shown} ${number === 1 ? one : many}`;
}

export const projects = {
  title: 'Projects',
  create: 'New project',
  name: 'Name',
  platform: 'Platform',
  platformHint: 'A project holds one app on one platform. That cannot be changed later.',
  description: 'Description',
  emptyTitle: 'No projects yet',
  emptyText: 'A project holds the builds of one app on one platform. Make one, then drop an .ipa or .apk on it.',
  emptyMember: 'Ask an administrator to let you into a project.',
  newestRelease: 'Newest release',
  lastUpload: 'Last upload',
  tabs: { channels: 'Channels', builds: 'Builds', settings: 'Settings' },
  general: 'General',
  icon: 'Icon',
  iconHint: 'PNG, JPEG or WebP of up to 1 MB. Builds bring icons of their own.',
  bundleHint: 'Builds with another identifier are marked.',
  deleteSection: 'Delete',
  deleteHint: 'Deletes the project with all its builds.',
  delete: 'Delete project',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteEffect: ({ builds, releases, channels, pending_uploads: uploads }: Contents) => {
    const named = [
      count(builds, 'build', 'builds'),
      count(releases, 'release', 'releases'),
      count(channels, 'channel', 'channels'),
      ...(uploads === 0 ? [] : [count(uploads, 'unfinished upload', 'unfinished uploads')]),
    ];
    return `This deletes ${named.join(', ')}, and all testers, tokens and links of the project. Nobody can install from it anymore. This cannot be undone.`;
  },
  deleteWith: (builds: number) =>
    builds === 0 ? 'Delete project' : `Delete with its ${count(builds, 'build', 'builds')}`,
  deleted: (name: string) => `${name} deleted`,
};

export const builds = {
  title: 'Builds',
  status: 'Which builds',
  statuses: { active: 'Active', revoked: 'Revoked', all: 'All' },
  version: 'Version',
  size: 'Size',
  notes: 'Release notes',
  channels: 'Serving on',
  uploaded: 'Uploaded',
  revoked: 'Revoked',
  revokedText: 'Nobody can install this build any more. Revoked',
  unreadable: 'Unreadable',
  emptyTitle: 'No builds yet',
  emptyText: (ending: string) => `Drop an ${ending} anywhere on this page. Name and version are read from it.`,
  noneRevoked: 'No revoked builds',
  noneRevokedText: 'A revoked build can no longer be installed and is kept for the record.',
  noNotes: 'None. Notes tell testers what changed.',
  editNotes: 'Edit release notes',
  download: 'Download',
  onChannels: 'Serving on',
  onNoChannel: 'No channel serves this build now.',
  details: 'Details',
  bundleIdentifier: 'Bundle identifier',
  file: 'File',
  sha256: 'SHA-256',
  id: 'Build id',
  revoke: 'Revoke',
  revokeTitle: (name: string) => `Revoke ${name}?`,
  /** The channels that serve it; undefined while that is not known. */
  revokeEffect: (channels: readonly string[] | undefined) => {
    const serving =
      channels === undefined
        ? 'channels that serve it go back to what they served before'
        : channels.length === 0
          ? 'no channel serves it now'
          : `${channels.join(', ')} ${channels.length === 1 ? 'goes' : 'go'} back to what was served there before`;
    return `Nobody can install it any more; ${serving}. This cannot be undone; the build stays listed.`;
  },
  delete: 'Delete for good',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteEffect: 'The package and its releases are removed for good.',
  deleted: (name: string) => `${name} is deleted`,
  inspection: {
    title: 'What the package says',
    unreadable: 'This package could not be read',
    unreadableText: 'It is kept and can be released, but nobody can say beforehand whether it installs.',
    mismatch: 'Something does not fit',
    mismatchText: (field: string, declared: string, found: string) =>
      `${field}: expected ${declared}, the package says ${found}.`,
    mismatchFields: {
      bundle_identifier: 'Bundle identifier',
      version_name: 'Version',
      build_number: 'Build number',
      project_bundle_identifier: 'Bundle identifier of the project',
    } as Record<string, string>,
    application: 'Name',
    minimumOs: 'Needs at least',
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
      'app-store': 'App Store: cannot be installed over the air',
    },
    team: 'Team',
    profile: 'Provisioning profile',
    expires: 'Expires',
    provisioned: 'Provisioned devices',
    allDevices: 'all',
    deviceCount: (count: number) => (count === 1 ? '1 device' : `${count} devices`),
    verified: 'verified',
    notVerified: 'The signature does not verify: Android will refuse it',
    certificate: 'Certificate',
  },
};

export const channels = {
  title: 'Channels',
  create: 'New channel',
  name: 'Name',
  description: 'Description',
  publicSwitch: 'Public',
  publicHint: 'Anybody with the link can install, without signing in.',
  autoSwitch: 'Release every upload',
  autoHint: 'Each new build goes onto this channel by itself.',
  notifySwitch: 'Tell testers by mail',
  notifyHint: {
    mailed: 'One email for each new release.',
    unmailed: "This server doesn't send email. The choice applies once it does.",
  },
  emptyTitle: 'No channels yet',
  emptyText:
    'A channel is what testers follow, such as "beta" or "nightly". Release builds onto it, and send its link around.',
  isPublic: 'Public',
  mandatory: 'Mandatory',
  nothingReleased: 'Nothing released yet',
  nothingReleasedText: 'Release a build onto this channel, or drop a package here.',
  qr: 'QR code',
  qrLabel: (channel: string) => `QR code of the install page of ${channel}`,
  qrHint: 'Point the camera of a phone at it, or send the link.',
  publicLink: 'Install link',
  notPublic: 'This channel is not public: only its testers can install.',
  makePublic: 'Make it public',
  openLink: 'Open the install page',
  print: 'Print',
  release: 'Release',
  releaseBuild: 'Release a build',
  releaseOnto: (channel: string) => `Release onto ${channel}`,
  ontoChannel: 'Onto the channel',
  whichBuild: 'Build',
  noOtherChannel: 'There is no other channel. Make one first.',
  releaseNotes: 'What changed',
  releaseNotesHint: 'Testers read this before they install.',
  mandatorySwitch: 'Mandatory',
  mandatoryHint: 'Apps that update themselves do not let testers skip it.',
  current: 'Current release',
  released: 'Released',
  promote: 'Promote',
  promoteTitle: (build: string) => `Promote ${build}`,
  rollBack: 'Roll back',
  nothingBefore: 'There is nothing before it to go back to.',
  rollBackTitle: (channel: string) => `Roll back ${channel}?`,
  rollBackTo: (build: string) => `Roll back to ${build}`,
  rollBackEffect: (testers: number | undefined, downloads: number | undefined, from: string, to: string) => {
    const have =
      testers === undefined || downloads === undefined
        ? ''
        : downloads === 0
          ? ' Nobody has installed it yet.'
          : ` ${testers === 1 ? '1 tester has' : `${testers} testers have`} it, ${downloads === 1 ? '1 download' : `${downloads} downloads`} in total.`;
    return `The channel goes back from ${from} to ${to}.${have} ${from} stays rolled back; a newer release takes its place.`;
  },
  rolledBack: (build: string) => `The channel serves ${build} again`,
  disable: 'Disable',
  enable: 'Enable',
  disableTitle: (build: string) => `Disable ${build}?`,
  disableEffect: (to: string) => `The channel serves ${to} until you enable it again.`,
  disableToNothing: 'The channel serves nothing until you enable it again.',
  history: 'History',
  states: { active: 'Earlier', disabled: 'Disabled', rolled_back: 'Rolled back' },
  buildRevoked: 'Build revoked',
  delete: 'Delete channel',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteEffect: 'Its releases, links and testers go with it; builds stay. This cannot be undone.',
  deleted: (name: string) => `${name} is deleted`,
  card: {
    testers: (count: number) => (count === 1 ? '1 tester' : `${count} testers`),
    adoption: (have: number, all: number) => `${have} of ${all} testers have it`,
    adoptionLabel: 'Testers who have the current release',
    downloads: (count: number) => (count === 1 ? '1 download' : `${count} downloads`),
  },
  numbers: {
    title: 'Usage',
    currentDownloads: 'Downloads of the current release',
    currentTesters: 'Testers who downloaded the current release',
    allDownloads: 'Total downloads',
    allTesters: 'Testers who ever downloaded',
    last: 'Last download',
  },
};

const refusals: Record<RefusalReason, (platform: Platform) => string> = {
  not_a_package: () => packageFindings.not_a_package,
  damaged: () => packageFindings.damaged,
  bundle: () => packageFindings.bundle,
  no_app: () => 'There is no app in this archive.',
  unreadable: () => "This file can't be read.",
  wrong_platform: (platform) => packageFindings.wrong_platform[platform],
  too_large: () => 'This file is larger than the server takes.',
};

export const upload = {
  title: 'Uploads',
  choose: 'Upload a build',
  dropAnywhere: 'Drop to upload',
  whichProject: (identifier: string | undefined, platform: string) =>
    identifier === undefined
      ? `The package doesn't name its app. Which ${platform} project is it for?`
      : `No single project has the identifier ${identifier}. Which ${platform} project is it for?`,
  noProject: (platform: string) => `You can't upload to any ${platform} project here. Create one first.`,
  dropHere: (project: string) => `Drop to upload into ${project}`,
  recognising: 'Reading the package …',
  starting: 'Starting …',
  completing: 'Checking the package …',
  perSecond: (size: string) => `${size}/s`,
  left: (time: string) => `${time} left`,
  cancel: 'Cancel the upload',
  dismiss: 'Close',
  retry: 'Try again',
  lost: 'The connection was lost. It goes on by itself once it is back.',
  storageRefused: (status: number) => `The storage refused the bytes (${status}).`,
  diskFull: 'The server is low on disk space.',
  diskFullText: 'Ask its operator to free some space, then try again.',
  storageBusy: "The storage can't take this upload right now. Try again in a moment.",
  linkEnded: 'Its link may have ended. Trying again gets a fresh one.',
  held: 'The number is kept for an upload that was begun',
  heldText: 'Its link has ended. The server gives version and number free within some minutes; then try again.',
  refusedTitle: 'Nothing was sent',
  refusals,
  ask: 'The package does not say all of this. Fill it in:',
  taken: 'This version and build number exist already, or are being uploaded. Change one of them:',
  version: 'Version',
  buildNumber: 'Build number',
  wholeNumber: 'A whole number',
  start: 'Start upload',
  done: 'Uploaded.',
  doneUnreadable: 'Uploaded, but the package could not be read.',
  open: 'Open the build',
  channel: 'Channel',
  pickChannel: 'Release onto …',
  noChannels: 'Make a channel to release it onto.',
  toChannels: 'To the channels',
  release: 'Release',
  willRelease: (channel: string) => `Goes onto ${channel} as soon as it is there.`,
  releasing: 'Releasing …',
  released: (channel: string) => `Released onto ${channel}.`,
  openChannel: 'Open the channel',
};
