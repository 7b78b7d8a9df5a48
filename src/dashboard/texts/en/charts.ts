// Texts of charts and of the installs of a release.

const people = (count: number) => (count === 1 ? '1 tester' : `${count} testers`);
const installs = (count: number) => (count === 1 ? '1 install' : `${count} installs`);

export const charts = {
  period: 'Period',
  days: (count: number) => `${count} days`,
  table: 'Show as table',
  day: 'Day',
  keyboardHint: 'Use the left and right arrow keys to move between days.',
  utc: 'Days are in UTC.',
  activity: 'Downloads and installs per day',
  downloads: 'Downloads',
  installs: 'Installs',
  installsHint: 'Installs are counted for apps with in-app updates only.',
  /** `installed` is undefined for channels without SDK apps. */
  totals: (downloads: number, installed: number | undefined, days: number) =>
    `${downloads === 1 ? '1 download' : `${downloads} downloads`}${installed === undefined ? '' : ` and ${installs(installed)}`} in ${days} days`,
  adoption: 'Adoption of the current release',
  testers: 'Testers',
  apps: 'Apps with in-app updates',
  /** Out of all testers of the channel. */
  adoptionText: (have: number, all: number) => `${have} of ${people(all)}`,
  appsText: (have: number, all: number) => `${have} of ${installs(all)}`,
  noAudience: 'This channel has no testers and no apps with in-app updates yet.',
  nothingLive: 'Nothing is live on the channel.',
};

export const releaseInstalls = {
  show: 'Show installs',
  title: (build: string) => `Installs of ${build}`,
  hint: 'Testers who downloaded it from this channel, and apps with in-app updates, newest first.',
  none: 'No installs yet.',
  publicLink: 'Public link',
  app: 'App with in-app updates',
  retainedEffect: (testers: number, downloads: number) =>
    downloads === 0
      ? 'Nobody has downloaded it yet.'
      : `It stays installed where it is: ${people(testers)} and ${downloads === 1 ? '1 download' : `${downloads} downloads`} so far.`,
  disableEarlierEffect: 'The current release stays live. Rolling back skips this release until you enable it again.',
  editNotes: 'Edit release notes',
  notesSaved: 'Release notes saved',
  delete: 'Delete release',
  deleteTitle: (build: string) => `Delete the release of ${build}?`,
  deleteEffect:
    "This also deletes its list of installs. The build stays, and the channel's download count doesn't change. This can't be undone.",
  deleteCurrentEffect: (to: string) => `${to} becomes live on the channel.`,
  deleteOnlyEffect: 'Nothing will be live on the channel.',
  deleteUnknownEffect: 'An earlier release becomes live on the channel, if there is one.',
  deleted: (build: string) => `Release of ${build} deleted`,
};
