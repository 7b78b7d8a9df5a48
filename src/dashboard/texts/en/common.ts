// Words of the frame, of problems, and of parts that every page uses.

export const common = {
  copy: 'Copy',
  copied: 'Copied',
  copyThing: (what: string) => `Copy ${what}`,
  commandLine: 'Command line',
  orByCommand: 'Or do the same from a terminal:',
  loading: 'Loading …',
  loadMore: 'Load more',
  cancel: 'Cancel',
  save: 'Save',
  saved: 'Saved',
  create: 'Create',
  close: 'Close',
  remove: 'Remove',
  chooseIcon: 'Choose a picture',
  done: 'Done',
  secretOnce: 'This is shown once. It cannot be read again later.',
  secretKept: 'I have put it where it belongs',
  edit: 'Edit',
  back: 'Back',
  none: 'None',
  never: 'Never',
  optional: 'optional',
  localLink: 'This address works on this machine only. For phones, start the server with one that they can reach:',
  unsentMail: 'The operator can read the message on the server with',
  qrCodeOf: (thing: string) => `QR code: ${thing}`,
  showQrCode: 'Show QR code',
  hideQrCode: 'Hide QR code',
  more: 'More',
  typeToConfirm: (text: string) => `Type "${text}" to go on`,
  platforms: { ios: 'iOS', android: 'Android' },
};

export const problems = {
  requestId: 'Request id',
  tryAgain: 'Try again',
  back: 'Go back',
  tryAgainIn: (seconds: number) =>
    seconds < 90 ? `Try again in ${seconds} seconds.` : `Try again in ${Math.ceil(seconds / 60)} minutes.`,
  lost: {
    title: 'The server does not answer',
    text: 'What you typed is still here. This page goes on by itself once the connection is back.',
  },
  unexpected: {
    title: 'Something went wrong on this page',
    text: 'Reload it. If that does not help, tell whoever runs this server.',
  },
  server: {
    title: 'Something went wrong on the server',
    text: 'Whoever runs it finds the reason in its log by the request id.',
  },
  refused: { title: 'That was refused', text: '' },
  statuses: {
    400: { title: 'That is not possible', text: '' },
    401: { title: 'You are not signed in', text: 'Sign in again to go on.' },
    402: {
      title: 'The organization has to settle its account first',
      text: 'An administrator can do that. What is there stays readable.',
    },
    403: { title: 'You are not allowed to do that', text: 'Ask an administrator of the organization.' },
    404: { title: 'There is nothing here', text: 'It was removed, or you have no access to it.' },
    409: { title: 'Something is in the way', text: '' },
    413: { title: 'That is too large', text: '' },
    429: { title: 'Too many at once', text: 'Wait a moment.' },
    503: { title: 'A part of the server does not answer', text: 'That mostly passes. Wait a moment.' },
  },
  codes: {
    billing_suspended: {
      title: 'The organization is suspended',
      text: 'Its balance has to be settled before anything new is accepted. An administrator can do that.',
    },
    payment_required: {
      title: 'A payment method is missing',
      text: 'An administrator of the organization can add one.',
    },
    trial_ended: { title: 'The trial has ended', text: 'Uploads and downloads go on once a payment method was added.' },
    insufficient_role: {
      title: 'Your role does not allow that',
      text: 'An administrator of the organization can do it or change your role.',
    },
    email_not_verified: {
      title: 'Confirm your address first',
      text: 'Open the link that confirms it. Until then you can only look around.',
    },
    mfa_enrollment_required: {
      title: 'The organization asks for a second factor',
      text: 'Add a passkey or an authenticator app under "Your account", then come back.',
    },
    already_exists: { title: 'It exists already', text: 'Choose another name.' },
    dependency_exists: { title: 'It is still in use', text: '' },
  } as Record<string, { title: string; text: string }>,
  fieldCodes: {
    already_exists: 'This is taken already',
  } as Record<string, string>,
  fields: {
    missing: 'Please fill this in',
    string_too_short: 'Please fill this in',
    permission_denied: 'Incorrect. Try again.',
  } as Record<string, string>,
};

export const shell = {
  skip: 'Skip to the content',
  menu: 'Menu',
  sidebar: 'Sidebar',
  topbar: 'Top bar',
  mainNavigation: 'Main navigation',
  organization: 'Organization',
  switchOrganization: 'Switch organization',
  newOrganization: 'New organization',
  organizationName: 'Name of the organization',
  search: 'Jump to …',
  searchHint: 'Project, build, channel, person or page',
  account: 'Your account',
  language: 'Language',
  signOut: 'Sign out',
  apiReference: 'API reference',
  lost: 'The connection is lost. This page goes on by itself once it is back.',
  wrongAddress: (address: string) =>
    `This server is set up for ${address}. Signing in works there only: open it there, or set base_url to this address.`,
  ended: 'Your session has ended',
  endedText: 'Sign in again to go on where you were. Nothing you typed is lost.',
  noOrganization: 'You are in no organization yet',
  noOrganizationText: 'Make one for your team, or ask an administrator of an existing one to invite you.',
  unverified: {
    mailed: (email: string) =>
      `Confirm ${email}: open the link that we emailed you. Until then you can only look around.`,
    unmailed: (email: string) =>
      `Confirm ${email}: this server doesn't send email, so ask its operator for the link. Until then you can only look around.`,
  },
  resend: { mailed: 'Send it again', unmailed: 'New link' },
  resent: { mailed: 'We sent a new link', unmailed: "New link created. Ask the server's operator for it." },
  nav: { projects: 'Projects', members: 'Members' },
};
