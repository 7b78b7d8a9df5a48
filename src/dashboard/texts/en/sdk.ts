// Words about SDK apps and about access tokens of a project.

const installs = (count: number) => (count === 1 ? '1 install' : `${count} installs`);

export const sdk = {
  tab: 'SDK',
  title: 'SDK apps',
  hint: 'With one of these inside it, an app on a phone finds the releases of a channel by itself.',
  create: 'New SDK app',
  edit: 'Edit',
  editTitle: (name: string) => `Edit ${name}`,
  emptyTitle: 'No SDK apps yet',
  emptyText: 'Make one, build its key and secret into the app, and the app can offer its own updates.',
  emptyReader: 'A maintainer of the project can make one.',
  noChannels: 'An SDK app follows a channel, and there is none yet. Make one first.',
  toChannels: 'To the channels',
  name: 'Name',
  nameHint: 'What the app calls itself to the people who use it.',
  channel: 'Follows the channel',
  channelMoves: (count: number) =>
    count === 0 ? undefined : `Another channel moves all its ${installs(count)} there with their next question.`,
  unknownChannel: 'a channel that is gone',
  key: 'App key',
  keyHint: 'Public. It ships inside the app and travels in the header X-Svc-App-Key.',
  identifier: 'SDK app id',
  details: 'Details',
  installCount: installs,
  created: 'created',
  createdLabel: 'Created',
  by: 'by',
  rotated: 'Secret renewed',
  revoked: 'Revoked',
  revokedText: 'None of its installs is answered any more. Revoked',
  all: 'All SDK apps',
  secretTitle: (name: string) => `The secret of ${name}`,
  secretText:
    'Build it into the app together with the key. It lets copies of the app enroll, and opens nothing but the releases of the channel.',
  tryIt: 'How an app enrolls:',
  howItGoesOn:
    'With the update token of the answer it asks for the latest release and downloads it. All requests are in the',
  rotate: 'New secret',
  rotateTitle: (name: string) => `Make a new secret for ${name}?`,
  rotateText: (count: number) =>
    count === 0
      ? 'Copies of the app that carry the old secret cannot enroll any more.'
      : `Copies of the app that carry the old secret cannot enroll any more. The ${installs(count)} that are enrolled stay so while they renew their token.`,
  revoke: 'Revoke',
  revokeTitle: (name: string) => `Revoke ${name}?`,
  revokeText: (count: number) =>
    `${count === 0 ? 'No copy of the app' : `None of its ${installs(count)}`} is answered any more, from now on and for good.`,
  revokedToast: (name: string) => `${name} is revoked`,
  delete: 'Delete',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteText: (count: number) =>
    `${count === 0 ? 'It goes' : `Its ${installs(count)} stop at once, and it goes`} with the list of its installs. This cannot be undone.`,
  deleted: (name: string) => `${name} is deleted`,
  installs: {
    title: 'Installs',
    hint: 'Copies of the app that enrolled, the newest first.',
    none: 'No copy of the app has enrolled yet. Build key and secret into it, install it and start it.',
    noneRevoked: 'No copy of the app had enrolled.',
    device: 'Device',
    runs: 'Runs',
    seen: 'Last seen',
    enrolled: 'Enrolled',
    report: 'Last report',
    unknown: 'not said',
    id: 'install id',
    nothing: 'none',
  },
  reportStates: { downloaded: 'Downloaded', installed: 'Installed', launched: 'Launched', failed: 'Failed' },
};

export const projectTokens = {
  tab: 'Tokens',
  title: 'Access tokens',
  hint: 'For build servers and scripts. Each acts in this project alone, whoever comes and goes in the team.',
  create: 'New token',
  emptyTitle: 'No access tokens yet',
  emptyText: 'Make one for your build server, so that it can upload and release.',
  role: 'It may',
  roleHints: {
    read: 'See builds, channels and releases.',
    read_download: 'Also download packages.',
    read_download_upload: 'Also upload builds. Enough for a build server that only uploads.',
    maintainer: 'Also release, roll back, and manage channels and testers: for "taxiway upload --channel".',
    admin: 'Everything in this project, deleting builds included.',
  } as Record<string, string>,
  createdBy: (name: string) => `by ${name}`,
  gone: 'somebody who is gone',
  created: 'made',
  secretTitle: 'The access token',
  secretText: 'Keep it among the secrets of your build server.',
  command: 'In the job of your build server:',
  curl: 'The same with curl alone',
  loginComment: 'TAXIWAY_TOKEN is the access_token that POST /api/v1/login answers',
};
