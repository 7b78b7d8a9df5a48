// Words of charts, and of who took a release.

const people = (count: number) => (count === 1 ? '1 tester' : `${count} testers`);
const installs = (count: number) => (count === 1 ? '1 install' : `${count} installs`);

export const charts = {
  span: 'How far back',
  days: (count: number) => `${count} days`,
  table: 'As a table',
  day: 'Day',
  keys: 'Left and right move through the days.',
  utc: 'Days are those of UTC.',
  use: 'Downloads and installs per day',
  downloads: 'Downloads',
  installs: 'Installs',
  installsHint: 'Installs are those of apps that update themselves and said that they run it.',
  /** Without installs where none can be. */
  inAll: (downloads: number, installed: number | undefined, days: number) =>
    `${downloads === 1 ? '1 download' : `${downloads} downloads`}${installed === undefined ? '' : ` and ${installs(installed)}`} in ${days} days`,
  adoption: 'Who has the current release',
  testers: 'Testers',
  apps: 'Apps that update themselves',
  /** Of all who could have it. */
  adoptionText: (have: number, all: number) => `${have} of ${people(all)}`,
  appsText: (have: number, all: number) => `${have} of ${installs(all)}`,
  nobody: 'This channel has no testers yet, and no app that updates itself.',
  nothingServed: 'The channel serves nothing now.',
};

export const takers = {
  show: 'Who has it',
  title: (build: string) => `Who took ${build}`,
  hint: 'Everybody who downloaded it from this channel, and apps that updated themselves to it, the newest first.',
  none: 'Nobody yet.',
  link: 'Somebody with the public link',
  app: 'An app that updates itself',
  states: { downloaded: 'Downloaded', installed: 'Installed', launched: 'Launched', failed: 'Failed' },
  holders: (testers: number, downloads: number) =>
    downloads === 0
      ? 'Nobody has downloaded it yet.'
      : `It stays where it is installed: ${people(testers)} and ${downloads === 1 ? '1 download' : `${downloads} downloads`} so far.`,
  disableEarlierEffect:
    'The channel goes on with what it serves; a roll back passes over this release until it is enabled again.',
  editNotes: 'Edit what changed',
  notesSaved: 'What changed is saved',
  delete: 'Delete release',
  deleteTitle: (build: string) => `Delete the release of ${build}?`,
  deleteEffect:
    'It goes from this list, with who took it. The build stays; downloads stay counted on the channel. This cannot be undone.',
  deleteCurrent: (to: string) => `The channel serves ${to} from then on.`,
  deleteLast: 'The channel serves nothing from then on.',
  deleted: (build: string) => `The release of ${build} is deleted`,
};
