// Texts about SDK apps and project access tokens.

const installs = (count: number) => (count === 1 ? '1 install' : `${count} installs`);

export const sdk = {
  tab: 'SDK',
  title: 'SDK apps',
  create: 'New SDK app',
  edit: 'Edit',
  editTitle: (name: string) => `Edit ${name}`,
  emptyTitle: 'No SDK apps yet',
  emptyText: 'Create one and add its key and secret to your app. Your app can then offer updates.',
  emptyReadOnly: 'Ask a maintainer of the project to create one.',
  noChannels: 'An SDK app follows a channel. Create a channel first.',
  toChannels: 'Go to channels',
  name: 'Name',
  nameHint: 'The name that users see in the app.',
  channel: 'Channel',
  channelChangeEffect: (count: number) =>
    count === 0
      ? undefined
      : `Changing the channel moves ${count === 1 ? `${installs(1)} to it at its` : `all ${installs(count)} to it at their`} next update check.`,
  unknownChannel: 'a deleted channel',
  key: 'App key',
  identifier: 'SDK app ID',
  installCount: installs,
  created: 'created',
  createdLabel: 'Created',
  createdBy: 'by',
  rotated: 'Secret rotated',
  revoked: 'Revoked',
  revokedText: "Its installs can't check for updates anymore. Revoked",
  secretTitle: (name: string) => `Secret of ${name}`,
  secretText:
    'Add it to your app together with the key. It lets installs of the app enroll, and gives access only to the releases of this channel.',
  enrollExample: 'To enroll an install:',
  afterEnrollment:
    'With the update token in the response, the app requests and downloads the latest release. All requests are in the',
  rotate: 'Rotate secret',
  rotateTitle: (name: string) => `Rotate the secret of ${name}?`,
  rotateText: (count: number) =>
    count === 0
      ? "Apps with the old secret can't enroll anymore."
      : `Apps with the old secret can't enroll anymore. The ${installs(count)} already enrolled stay enrolled as long as they renew their token.`,
  revoke: 'Revoke',
  revokeTitle: (name: string) => `Revoke ${name}?`,
  revokeText: (count: number) =>
    `${count === 0 ? "Installs of the app can't" : `Its ${installs(count)} can't`} check for updates anymore. This can't be undone.`,
  revokedToast: (name: string) => `${name} revoked`,
  delete: 'Delete',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteText: (count: number) =>
    `${count === 0 ? 'This also deletes its list of installs.' : `Its ${installs(count)} stop updating immediately, and their list is deleted.`} This can't be undone.`,
  deleted: (name: string) => `${name} deleted`,
  installs: {
    title: 'Installs',
    hint: 'Enrolled installs of the app, newest first.',
    none: 'No installs yet. Add the key and secret to your app, then install and open it.',
    noneRevoked: 'No installs.',
    device: 'Device',
    build: 'Build',
    lastSeen: 'Last seen',
    enrolled: 'Enrolled',
    lastReport: 'Last report',
    unknown: 'unknown',
    id: 'install ID',
    noReport: 'none',
  },
  reportStates: { downloaded: 'Downloaded', installed: 'Installed', launched: 'Launched', failed: 'Failed' },
};

export const projectTokens = {
  tab: 'Tokens',
  title: 'Access tokens',
  hint: "For build servers and scripts. Each token works in this project only, with at most its owner's role.",
  create: 'New token',
  emptyTitle: 'No access tokens yet',
  emptyText: 'Create one for your build server, so that it can upload and release.',
  role: 'Role',
  roleHints: {
    read: 'View builds, channels and releases.',
    read_download: 'Also download packages.',
    read_download_upload: 'Also upload builds. Enough for a build server that only uploads.',
    maintainer: 'Also release, roll back, and manage channels and testers: for "taxiway upload --channel".',
    admin: 'Everything in this project, including deleting builds.',
  } as Record<string, string>,
  createdBy: (name: string) => `by ${name}`,
  formerMember: 'a former member',
  created: 'created',
  owner: (name: string) => `owned by ${name}`,
  stopped: 'Stopped',
  limited: (role: string) => `Limited to ${role}`,
  limitedForAdmin:
    "Its owner has lost their role in this project. Take it over to keep builds running. Rotate it too if they know its secret and shouldn't use it.",
  limitedForOthers: 'Its owner has lost their role in this project. A project admin can take it over.',
  takeOver: 'Take over',
  takenOver: (name: string) => `You now own ${name}`,
  secretTitle: 'Your access token',
  secretText: 'Store it as a secret on your build server.',
  command: 'In your CI job:',
  curl: 'The same with curl',
  loginComment: 'TAXIWAY_TOKEN is the access_token that POST /api/v1/login returns',
};
