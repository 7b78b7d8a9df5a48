// Texts about channels.
export const channels = {
  title: 'Channels',
  create: 'New channel',
  name: 'Name',
  description: 'Description',
  slug: 'Short address',
  slugHint: 'Letters from a to z, digits and hyphens. Unique on this server; the former address redirects for a year.',
  keepLast: 'Releases to keep',
  keepDays: 'Days to keep releases',
  keepByAdmins: 'These rules delete builds, so only admins of the project can change them.',
  keepHint:
    'A build stays as long as one of the two keeps it, or another channel does. Live and pinned builds always stay. Others are deleted a week after an email. Empty: the channel keeps all builds.',
  publicSwitch: 'Public',
  publicHint: 'Anyone with the link can install without signing in.',
  registrationSwitch: 'Anyone can register iPhones',
  registrationHint:
    'Anyone with the link can register their iPhone and wait for a build, up to 100 at a time. A phone counts toward your 100 devices at Apple once it is registered there: by you, or immediately if new devices are registered automatically.',
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
  promote: 'Promote',
  promoteTo: (channel: string) => `Promote to ${channel}`,
  promoteTitle: (build: string) => `Promote ${build}`,
  rollBack: 'Roll back',
  noEarlierRelease: 'There is no earlier release to roll back to.',
  olderNotLoaded: 'Load older releases in the history first.',
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
  disableUnknownEffect:
    'An earlier release, if there is one, is live on the channel until you enable this release again.',
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
  deleteEffect:
    "This also deletes its releases, links, testers and SDK apps; apps that use them no longer get updates. Builds stay. This can't be undone.",
  deleted: (name: string) => `${name} deleted`,
  card: {
    testers: (count: number) => (count === 1 ? '1 tester' : `${count} testers`),
    adoption: (have: number, all: number) =>
      `${have} of ${all === 1 ? '1 tester' : `${all} testers`} ${have === 1 || all === 1 ? 'has' : 'have'} it`,
    adoptionLabel: 'Testers who have the current release',
    noTesters: 'No testers',
    downloads: (count: number) => (count === 1 ? '1 download' : `${count} downloads`),
  },
  usage: {
    title: 'Adoption',
    analytics: 'Analytics',
    analyticsOf: (channel: string) => `Analytics of ${channel}`,
    /** After the number of testers who have the version. */
    testersHave: (have: number, all: number, version: string) =>
      `of ${all === 1 ? '1 tester' : `${all} testers`} ${have === 1 || all === 1 ? 'has' : 'have'} ${version}`,
    have: (count: number): string => (count === 1 ? 'has it' : 'have it'),
    can: (_count: number): string => 'can install',
    notYet: 'not yet',
    cannot: (_count: number): string => "can't install",
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
