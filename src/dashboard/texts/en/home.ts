// Texts of the home page.

const plural = (count: number, one: string, many: string): string => (count === 1 ? `1 ${one}` : `${count} ${many}`);

export const home = {
  title: 'Home',
  /** `isAll` is false if only the newest releases were counted. */
  releasesToday: (count: number, isAll: boolean) =>
    isAll ? `${plural(count, 'release', 'releases')} today` : `${count}+ releases today`,
  needAttention: (count: number) => plural(count, 'item needs attention', 'items need attention'),
  releases: {
    title: 'Recent releases',
    noNotes: 'No release notes',
    of: (total: number) => `of ${total}`,
    adoption: (have: number, all: number) => `${have} of ${plural(all, 'tester', 'testers')} downloaded it`,
    downloads: (count: number) => plural(count, 'download', 'downloads'),
    more: (count: number) => `Show ${count} more`,
  },
  attention: {
    title: 'Needs attention',
    showAll: (count: number) => `Show all ${count}`,
    showWorst: (count: number) => `Show the ${count} most urgent`,
    worst: (shown: number, total: number) =>
      `The ${shown} most urgent of ${total}. Others appear when these are resolved.`,
    open: 'Open',
    review: 'Review',
    uninstallable: (project: string) => `Nobody can install ${project}`,
    newestUninstallable: (project: string) => `Nobody can install the newest ${project}`,
    expires: {
      profile: (days: number) =>
        days === 0 ? 'Profile expires today' : `Profile expires in ${plural(days, 'day', 'days')}`,
      certificate: (days: number) =>
        days === 0 ? 'Certificate expires today' : `Certificate expires in ${plural(days, 'day', 'days')}`,
    },
    certificateExpired: 'Certificate expired',
    profileExpired: (day: string) => `Profile expired ${day}`,
    devicesWaiting: (count: number) =>
      plural(count, 'device is waiting for a build', 'devices are waiting for a build'),
    devicesSince: (day: string) => `Not in any live profile, since ${day}`,
    channelAwaited: (count: number) =>
      count >= 1000
        ? '1,000 or more phones are waiting for a build'
        : plural(count, 'phone is waiting for a build', 'phones are waiting for a build'),
    accessRequested: (count: number) => plural(count, 'person is asking for access', 'people are asking for access'),
    requestedFor: (project: string, channel: string, day: string) => `${project}, ${channel}, since ${day}`,
    webhookFailing: (count: number) =>
      count >= 100
        ? '100 or more deliveries are failing'
        : plural(count, 'delivery is failing', 'deliveries are failing'),
    webhookDisabled: (count: number) =>
      count >= 100 ? '100 or more deliveries wait' : plural(count, 'delivery waits', 'deliveries wait'),
    isDisabled: (webhook: string) => `${webhook} is disabled`,
    webhook: 'Webhook',
    status: (code: number) => `HTTP ${code}`,
  },
  apps: {
    title: 'Apps',
    view: 'View',
    views: { rows: 'Rows', cards: 'Cards' },
    search: 'Find an app',
    noMatches: 'No matching apps.',
    app: 'App',
    channels: 'Channels',
    newestBuild: 'Newest build',
    buildsInWeek: 'Builds, 7 days',
    lastUpload: 'Last upload',
    buildCount: (count: number) => (count >= 1000 ? '1,000+' : String(count)),
    noBuilds: 'No builds yet',
    noRelease: 'no releases',
    more: (count: number) => `+${count}`,
    moreNames: (names: readonly string[]) => names.join(', '),
  },
};
