// Texts about builds.
import { MAX_LABEL_LENGTH, MAX_LABELS } from '../../../builds/label-limits.ts';
import { MAX_COUNTED } from '../../../projects/contents-limit.ts';

// Not shared by the catalogs, because a first visit would load one more file.
function count(number: number, one: string, many: string): string {
  const shown = number.toLocaleString('en');
  if (number >= MAX_COUNTED) return `${shown} or more ${many}`;
  return `${shown} ${number === 1 ? one : many}`;
}

/** What happens on channels where a build that goes away is live. */
function returning(channels: readonly string[]): string {
  return `${channels.join(', ')} ${channels.length === 1 ? 'returns to its previous release, if it has one.' : 'return to their previous releases, if they have any.'}`;
}

/** Said while it isn't known on which channels they are live. */
function returningUnknown(builds: number): string {
  return `Channels where ${builds === 1 ? 'it is' : 'they are'} live return to their previous release, if they have one.`;
}

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
    nothingYet: 'No match yet',
    searchedTo: (day: string) => `Searched builds back to ${day}.`,
    searchedSome: 'Not all builds have been searched.',
    searchFurther: 'Search further',
    stopSearch: 'Stop',
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
    /** `live` are the channels on which they are live; undefined while they are loading. */
    revokeEffect: (builds: number, live: readonly string[] | undefined) => {
      const channels =
        live === undefined
          ? returningUnknown(builds)
          : live.length === 0
            ? `${builds === 1 ? "It isn't" : "They aren't"} live on any channel.`
            : returning(live);
      return `Nobody can install ${builds === 1 ? 'it' : 'them'} anymore. ${channels} This can't be undone. Revoked builds stay listed.`;
    },
    deleteEffect: (builds: number, live: readonly string[] | undefined) => {
      const channels =
        live === undefined ? ` ${returningUnknown(builds)}` : live.length === 0 ? '' : ` ${returning(live)}`;
      return `This permanently deletes ${count(builds, 'package', 'packages')} with ${builds === 1 ? 'its' : 'their'} releases.${channels}`;
    },
    addLabels: 'Add labels',
    addLabelsHint: 'Separate labels with commas.',
    removeLabels: 'Remove labels',
    progress: (finished: number, builds: number) => `${finished} of ${count(builds, 'build', 'builds')}`,
    failed: (builds: number, changed: number) =>
      `${count(builds, 'build', 'builds')} couldn't be changed.${changed === 0 ? '' : ' All others were.'}`,
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
        ? returningUnknown(1)
        : channels.length === 0
          ? "It isn't live on any channel."
          : returning(channels);
    return `Nobody can install it anymore. ${rolledBack} This can't be undone. The build stays listed.`;
  },
  delete: 'Delete permanently',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteEffect: (channels: readonly string[] | undefined) => {
    const live =
      channels === undefined ? ` ${returningUnknown(1)}` : channels.length === 0 ? '' : ` ${returning(channels)}`;
    return `This permanently deletes the package and its releases.${live}`;
  },
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
