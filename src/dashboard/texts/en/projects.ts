// Texts about projects, builds, channels and uploads.

import { MAX_LABEL_LENGTH, MAX_LABELS } from '../../../builds/label-limits.ts';
import { packageFindings } from '../../../inspection/package-findings.ts';
import type { Platform } from '../../../platforms.ts';
import { MAX_COUNTED } from '../../../projects/contents-limit.ts';
import type { RejectionReason } from '../../upload/rejected-file.ts';

type Contents = Record<'builds' | 'releases' | 'channels' | 'pending_uploads', number>;

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
  emptyText:
    'Drop an .apk or .ipa file anywhere on this page to create a project and release the build to its first channel.',
  emptyReadOnly: 'Ask an admin to invite you to a project.',
  tabs: { channels: 'Channels', builds: 'Builds', settings: 'Settings' },
  general: 'General',
  icon: 'Icon',
  iconHint: 'Builds have their own icons.',
  screenshots: {
    title: 'Screenshots',
    hint: 'Install pages show them in this order.',
    add: 'Add screenshots',
    limits: (most: number, maxSize: string) => `Up to ${most}. PNG, JPEG or WebP, up to ${maxSize} each.`,
    named: (number: number, count: number) => `Screenshot ${number} of ${count}`,
    moveLeft: (number: number) => `Move screenshot ${number} to the left`,
    moveRight: (number: number) => `Move screenshot ${number} to the right`,
    remove: (number: number) => `Delete screenshot ${number}`,
  },
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
  uploadedBy: 'Uploaded by',
  byToken: 'Access token',
  byFormerMember: 'Former member',
  count: (shown: number, hasMore: boolean) =>
    hasMore ? `More than ${count(shown, 'build', 'builds')}` : count(shown, 'build', 'builds'),
  noSizeChange: 'no change',
  comparedWith: (build: string) => `Compared with ${build}`,
  actions: 'Actions',
  actionsFor: (build: string) => `Actions for ${build}`,
  releaseNamed: (build: string) => `Release ${build}`,
  downloadNamed: (build: string) => `Download ${build}`,
  revoked: 'Revoked',
  revokedText: "This build can't be installed anymore. Revoked",
  unreadable: 'Unreadable',
  emptyTitle: 'No builds yet',
  emptyText: (ending: string) => `Drop an ${ending} file anywhere on this page. We read its name and version.`,
  noneRevoked: 'No revoked builds',
  noneRevokedText: "Revoked builds stay listed but can't be installed.",
  noNotes: 'No release notes. Use them to tell testers what changed.',
  editNotes: 'Edit release notes',
  editLabels: 'Edit labels',
  labels: 'Labels',
  labelsHint: `Separate labels with commas. Up to ${MAX_LABELS}, each up to ${MAX_LABEL_LENGTH} characters.`,
  source: {
    title: 'Source and labels',
    column: 'Changes',
    branch: 'Branch',
    tag: 'Tag',
    commit: 'Commit',
    pullRequest: 'Pull request',
    author: 'Author',
    run: 'CI run',
    withLabel: (label: string) => `Show builds with the label ${label}`,
  },
  filters: {
    title: 'Filters',
    open: 'Filter',
    search: 'Search builds',
    order: 'Order',
    orders: { uploaded_at: 'Newest first', version: 'Highest version first' },
    fields: {
      text: 'Text',
      branch: 'Branch',
      commit: 'Commit',
      pr: 'Pull request',
      label: 'Label',
      bundle: 'Bundle identifier',
      uploader: 'Uploaded by',
      from: 'From',
      until: 'Until',
      installable: 'Installable',
    },
    installables: { yes: 'On some devices', no: 'On no device, or unknown' },
    anyone: 'Anyone',
    any: 'Any',
    wrong: {
      commit: 'Enter 4 to 64 digits of the commit',
      pr: 'Enter a whole number',
      from: 'Enter a date',
      until: 'Enter a date',
    } as Partial<Record<string, string>>,
    wrongOther: 'Enter a shorter text',
    apply: 'Apply',
    clear: 'Clear filters',
    remove: (field: string) => `Remove the filter ${field}`,
    noneTitle: 'No builds match',
    noneText: 'Remove a filter to find more.',
  },
  bulk: {
    title: 'Selected builds',
    select: (build: string) => `Select ${build}`,
    selectAll: 'Select all builds',
    selectFirst: (most: number) => `Select the first ${most} builds`,
    selected: (selected: number, most: number) =>
      selected >= most ? `${most} selected, the maximum` : `${selected} selected`,
    clear: 'Clear selection',
    actions: { release: 'Release', label: 'Label', revoke: 'Revoke', delete: 'Delete' },
    titles: {
      release: (builds: number) => `Release ${count(builds, 'build', 'builds')}`,
      label: (builds: number) => `Labels of ${count(builds, 'build', 'builds')}`,
      revoke: (builds: number) => `Revoke ${count(builds, 'build', 'builds')}?`,
      delete: (builds: number) => `Delete ${count(builds, 'build', 'builds')}?`,
    },
    buttons: {
      release: (builds: number) => `Release ${count(builds, 'build', 'builds')}`,
      label: () => 'Save',
      revoke: (builds: number) => `Revoke ${count(builds, 'build', 'builds')}`,
      delete: (builds: number) => `Delete ${count(builds, 'build', 'builds')} permanently`,
    },
    done: {
      release: (builds: number) => `${count(builds, 'build', 'builds')} released`,
      label: (builds: number) => `Labels of ${count(builds, 'build', 'builds')} changed`,
      revoke: (builds: number) => `${count(builds, 'build', 'builds')} revoked`,
      delete: (builds: number) => `${count(builds, 'build', 'builds')} deleted`,
    },
    leftOut: {
      release: (builds: number) =>
        `${count(builds, 'selected build', 'selected builds')} can't be released: revoked, or not installable on any device.`,
      revoke: (builds: number) => `${count(builds, 'selected build is', 'selected builds are')} already revoked.`,
    },
    releaseEffect: (builds: number, newest: string, channel: string) =>
      builds === 1
        ? `${newest} becomes the current release of ${channel}.`
        : `The builds are released to ${channel} from the oldest to the newest, each with its own notes. ${newest} becomes the current release. Testers are notified of each one.`,
    revokeEffect: (builds: number, live: readonly string[]) => {
      const channels =
        live.length === 0
          ? `${builds === 1 ? "It isn't" : "They aren't"} live on any channel.`
          : `${live.join(', ')} ${live.length === 1 ? 'returns to its' : 'return to their'} previous release.`;
      return `Nobody can install ${builds === 1 ? 'it' : 'them'} anymore. ${channels} This can't be undone. Revoked builds stay listed.`;
    },
    deleteEffect: (builds: number, live: readonly string[]) => {
      const channels =
        live.length === 0
          ? ''
          : ` ${live.join(', ')} ${live.length === 1 ? 'loses its' : 'lose their'} current release.`;
      return `This permanently deletes ${count(builds, 'package', 'packages')} with ${builds === 1 ? 'its' : 'their'} releases.${channels}`;
    },
    addLabels: 'Add labels',
    addLabelsHint: 'Separate labels with commas.',
    removeLabels: 'Remove labels',
    progress: (finished: number, builds: number) => `${finished} of ${count(builds, 'build', 'builds')}`,
    failed: (builds: number) => `${count(builds, 'build', 'builds')} couldn't be changed. All others were.`,
    andMore: (names: string, more: number) => `${names} and ${more} more`,
  },
  download: 'Download',
  route: {
    title: 'Channels',
    live: 'Live',
    released: 'Released',
    rolledBack: 'Rolled back, released',
    otherLive: (build: string) => `${build} is live`,
    nothingLive: 'Nothing is live',
    promoteTo: (channel: string) => `Promote to ${channel}`,
    all: (channels: number) => `All ${channels} channels`,
  },
  details: 'Details',
  bundleIdentifier: 'Bundle identifier',
  file: 'File',
  sha256: 'SHA-256',
  id: 'Build ID',
  pin: 'Pin',
  pinNamed: (build: string) => `Pin ${build}`,
  unpin: 'Unpin',
  pinned: 'Pinned',
  pinTitle: (build: string) => `Pin ${build}?`,
  unpinTitle: (build: string) => `Unpin ${build}?`,
  pinEffect: 'Retention never deletes a pinned build. People still can.',
  unpinEffect: 'If nothing else keeps the build, it is announced, and deleted a week later.',
  leaving: {
    title: (builds: number, hasMore: boolean) =>
      `${hasMore ? `More than ${count(builds, 'build', 'builds')}` : count(builds, 'build', 'builds')} will be deleted within a week`,
    text: 'Neither the plan nor the rules of the channels keep them. Pinned builds stay.',
    show: 'Show',
    from: (day: string, reason: 'plan' | 'channels') =>
      reason === 'plan' ? `from ${day}, because of the plan` : `from ${day}, because of the rules of the channels`,
  },
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
    minimumOs: 'Minimum OS',
    devices: 'Devices',
    families: {
      iphone: 'iPhone',
      ipad: 'iPad',
      'apple-tv': 'Apple TV',
      'apple-watch': 'Apple Watch',
      vision: 'Apple Vision',
    } as Record<string, string>,
    processors: 'Processors',
    debuggable: 'Debuggable',
    debuggableHint: 'Anyone with a cable can read its data.',
    permissions: 'Permissions',
    entitlements: 'Entitlements',
    profileAndCertificate: 'Profile and certificate',
    signature: 'Signature',
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
    expiresAt: 'Expires {time}',
    provisioned: 'Provisioned devices',
    allDevices: 'all',
    deviceCount: (count: number) => (count === 1 ? '1 device' : `${count} devices`),
    certificateExpires: 'Certificate expires',
    schemes: 'Schemes',
    verified: 'Verified',
    notVerified: 'Signature verification failed: Android will reject it',
    certificate: 'Certificate',
  },
};

export const channels = {
  title: 'Channels',
  create: 'New channel',
  name: 'Name',
  description: 'Description',
  slug: 'Short address',
  slugHint: 'Letters from a to z, digits and hyphens. Unique on this server; the former address redirects for a year.',
  keepLast: 'Releases to keep',
  keepDays: 'Days to keep releases',
  keepHint:
    'A build stays as long as one of the two keeps it, or another channel does. Live and pinned builds always stay. Others are deleted a week after an email. Empty: the channel keeps all builds.',
  publicSwitch: 'Public',
  publicHint: 'Anyone with the link can install without signing in.',
  registrationSwitch: 'Anyone can register iPhones',
  registrationHint:
    'Anyone with the link can register their iPhone and wait for a build, up to 100 at a time. A phone counts toward your 100 devices at Apple only after you register it there.',
  autoSwitch: 'Release every upload',
  autoHint: 'Each new build is released to this channel automatically.',
  notifySwitch: 'Notify testers by email',
  notifyHint: {
    mailed: 'One email for each new release.',
    unmailed: "This server doesn't send email. The choice applies once it does.",
  },
  emptyTitle: 'No channels yet',
  emptyText: 'Testers follow a channel, such as "beta" or "nightly". Release builds to it and share its link.',
  isPublic: 'Public',
  isPrivate: 'Private',
  isAutomatic: 'Gets every upload',
  mandatory: 'Mandatory',
  nothingReleased: 'No releases yet',
  nothingReleasedText: 'Release a build to this channel, or drop a package here.',
  qr: 'QR code',
  qrLabel: (channel: string) => `QR code of the install page of ${channel}`,
  qrHint: 'Scan it with a phone, or send the link.',
  publicLink: 'Install link',
  whoAnyone: 'Anyone with the link can install, without an account.',
  whoTesters: 'Testers sign in with this link and install. Other people can ask for access.',
  open: 'Open',
  makePublic: 'Make channel public',
  openLink: 'Open install page',
  print: 'Print',
  release: 'Release',
  releaseBuild: 'Release build',
  releaseOnto: (channel: string) => `Release to ${channel}`,
  channelField: 'Channel',
  buildField: 'Build',
  noOtherChannel: 'There is no other channel. Create one first.',
  releaseNotes: 'What changed',
  releaseNotesHint: 'Shown to testers before they install. Markdown: lists, **bold**, links.',
  mandatorySwitch: 'Mandatory',
  mandatoryHint: "Testers can't skip this update in apps with in-app updates.",
  current: 'Current release',
  currentChip: 'Current',
  showDevices: 'Show devices',
  /** Who did what: the beginning of a line that ends with the time. */
  who: {
    released: (name: string) => `${name} released`,
    promoted: (name: string, from: string) => `${name} promoted from ${from}`,
    automatic: 'Released automatically',
    unknown: 'A deleted account or token',
  },
  promote: 'Promote',
  promoteTo: (channel: string) => `Promote to ${channel}`,
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
  rollBackBetween: (builds: readonly string[]) =>
    `${builds.length === 1 ? 'This also rolls back' : `This also rolls back ${builds.length} releases in between:`} ${builds.join(', ')}.`,
  rollBackToThis: 'Roll back to this',
  rollBackNamed: (build: string) => `Roll back to this: ${build}`,
  rolledBack: (build: string) => `${build} is live again`,
  disable: 'Disable',
  enable: 'Enable',
  disabled: (build: string) => `${build} disabled`,
  disableTitle: (build: string) => `Disable ${build}?`,
  disableEffect: (to: string) => `${to} is live on the channel until you enable this release again.`,
  disableOnlyEffect: 'Nothing is live on the channel until you enable this release again.',
  aside: 'Install link, adoption and testers',
  history: 'History',
  states: { disabled: 'Disabled', rolled_back: 'Rolled back' },
  /** How many testers got a release; downloads without sign-in are counted apart. */
  got: (testers: number, downloads: number, isCurrent: boolean) => {
    if (downloads === 0) return isCurrent ? 'nobody has it yet' : 'nobody had it';
    if (testers === 0) return downloads === 1 ? '1 download' : `${downloads} downloads`;
    return `${testers === 1 ? '1 tester' : `${testers} testers`} ${isCurrent ? (testers === 1 ? 'has' : 'have') : 'had'} it`;
  },
  showOlder: 'Show older',
  buildRevoked: 'Build revoked',
  delete: 'Delete channel',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteEffect: "This also deletes its releases, links and testers. Builds stay. This can't be undone.",
  deleted: (name: string) => `${name} deleted`,
  card: {
    testers: (count: number) => (count === 1 ? '1 tester' : `${count} testers`),
    adoption: (have: number, all: number) => `${have} of ${all} testers have it`,
    adoptionLabel: 'Testers who have the current release',
    noTesters: 'No testers',
    downloads: (count: number) => (count === 1 ? '1 download' : `${count} downloads`),
  },
  usage: {
    title: 'Adoption',
    analytics: 'Analytics',
    analyticsOf: (channel: string) => `Analytics of ${channel}`,
    /** After the number of testers who have the version. */
    testersHave: (all: number, version: string) => `of ${all === 1 ? '1 tester' : `${all} testers`} have ${version}`,
    testersHaveWhole: (have: number, all: number, version: string) =>
      `${have} of ${all === 1 ? '1 tester' : `${all} testers`} have ${version}`,
    have: 'have it',
    can: 'can install',
    notYet: 'not yet',
    cannot: "can't install",
    appsRun: (running: number, all: number, version: string) =>
      `${running} of ${all === 1 ? '1 app' : `${all} apps`} with in-app updates ${running === 1 ? 'runs' : 'run'} ${version}`,
    nobodyDownloaded: (version: string) => `Nobody has downloaded ${version} yet.`,
    downloads: (count: number, version: string) => `${count === 1 ? '1 download' : `${count} downloads`} of ${version}`,
    last: 'last',
    inDays: (downloads: number, days: number) =>
      `${downloads === 1 ? '1 download' : `${downloads} downloads`} in ${days} days`,
    onDay: (downloads: number, day: string) => `${day}: ${downloads === 1 ? '1 download' : `${downloads} downloads`}`,
    today: 'Today',
    sinceRelease: (version: string) => `since ${version}`,
    beforeRelease: 'before',
    downloadsOnly: 'downloads',
    currentDownloads: 'Downloads of the current release',
    currentTesters: 'Testers who downloaded the current release',
    totalDownloads: 'Total downloads',
    totalTesters: 'Testers with at least one download',
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
  count: (count: number) => (count === 1 ? '1 upload' : `${count} uploads`),
  percent: (percent: number) => `${Math.floor(percent)}%`,
  total: 'Total progress',
  failed: 'Failed',
  needsInput: 'Needs input',
  fold: 'Fold uploads',
  unfold: 'Unfold uploads',
  sentOf: (sent: string, total: string) => `${sent} of ${total}`,
  releaseWhenDone: 'Release when done',
  changeRelease: 'Change',
  choose: 'Upload build',
  dropAnywhere: 'Drop to upload',
  dropToCreate: 'Drop to create a project',
  choosePackage: 'Choose package',
  publicSwitch: 'Anyone with the link can install',
  publicHint: "People who have the channel's link install without an account.",
  privateHint: 'Testers sign in to install. Other people can ask for access.',
  newApp: (identifier: string | undefined, platform: string) =>
    identifier === undefined
      ? `The package doesn't name its app. Create an ${platform} project for it?`
      : `No project has the app ${identifier}. Create an ${platform} project for it?`,
  createProject: 'Create project and release',
  existingProject: 'Or upload it to an existing project:',
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
  incompleteHint: "We couldn't read everything from the package. Enter the rest:",
  numberTaken: 'This version and build number already exist or are being uploaded. Change one of them:',
  version: 'Version',
  buildNumber: 'Build number',
  wholeNumber: 'Enter a whole number',
  start: 'Start upload',
  done: 'Uploaded',
  doneUnreadable: "Uploaded, but we couldn't read the package.",
  open: 'Open build',
  channel: 'Channel',
  pickChannel: 'Release to…',
  noChannels: 'Create a channel to release it.',
  toChannels: 'Go to channels',
  release: 'Release',
  willRelease: (channel: string) => `Will be released to ${channel} when the upload is complete.`,
  releasing: 'Releasing…',
  released: (channel: string) => `Released to ${channel}.`,
  openChannel: 'Open channel',
};
