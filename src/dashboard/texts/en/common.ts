// Texts of the layout, of errors, and of shared components.
import { formatWait } from '../../../lib/formats.ts';

export const common = {
  notifications: 'Notifications',
  undo: 'Undo',
  undone: 'Undone',
  breadcrumbs: 'Breadcrumbs',
  copy: 'Copy',
  copied: 'Copied',
  copyNamed: (what: string) => `Copy ${what}`,
  commandLine: 'Command line',
  useApi: 'Use the API',
  useProgram: 'Use the command line',
  loading: 'Loading…',
  loadMore: 'Load more',
  cancel: 'Cancel',
  save: 'Save',
  saved: 'Saved',
  create: 'Create',
  close: 'Close',
  showPassword: 'Show password',
  remove: 'Remove',
  done: 'Done',
  edit: 'Edit',
  back: 'Back',
  none: 'None',
  never: 'Never',
  optional: 'optional',
  qrCodeOf: (thing: string) => `QR code: ${thing}`,
  showQrCode: 'Show QR code',
  hideQrCode: 'Hide QR code',
  more: 'More',
  typeToConfirm: (text: string) => `Type "${text}" to confirm`,
};

export const errors = {
  requestId: 'Request ID',
  /** Before what the server wrote, in languages that it doesn't write. */
  serverMessage: 'The server says:',
  openBilling: 'Open billing',
  tryAgain: 'Try again',
  setUpFactor: 'Set up two-factor authentication',
  back: 'Go back',
  home: 'Go to home page',
  tryAgainIn: (seconds: number) => `Try again ${formatWait(seconds, 'en')}.`,
  connection: {
    title: "Can't reach the server",
    text: 'Your input is still here. This page continues automatically when the connection is back.',
    /** For what the user has to send again. */
    again: 'Your input is still here. Try again when the connection is back.',
  },
  passkeyExists: {
    title: 'This device already has a passkey for your account',
    text: 'Sign in with it, or add a passkey on another device.',
  },
  unexpected: {
    title: 'Something went wrong on this page',
    text: "Reload the page. If the problem persists, contact the server's operator.",
  },
  server: {
    title: 'Something went wrong on the server',
    text: 'The operator can find the reason in the log by the request ID.',
  },
  rejected: { title: 'Request rejected', text: '' },
  statuses: {
    400: { title: 'Invalid request', text: '' },
    401: { title: "You're signed out", text: 'Sign in again to continue.' },
    402: {
      title: 'The organization has an unpaid balance',
      text: 'Ask an admin to pay it. Existing content stays readable.',
    },
    403: { title: "You don't have permission to do this", text: 'Ask an admin of the organization.' },
    404: { title: 'Not found', text: "It was removed, or you don't have access to it." },
    409: { title: 'Conflict', text: '' },
    413: { title: 'Too large', text: '' },
    429: { title: 'Too many requests', text: 'Wait a moment.' },
    503: { title: 'Temporarily unavailable', text: 'Wait a moment.' },
  },
  codes: {
    billing_suspended: {
      title: 'The organization is suspended',
      text: 'Uploads, releases and other changes resume when an admin pays the balance, and downloads if they have stopped.',
    },
    payment_required: {
      title: 'Payment method required',
      text: 'An admin of the organization can add one.',
    },
    trial_ended: { title: 'Trial expired', text: 'Add a payment method to continue uploads and downloads.' },
    prepaid_credit_exhausted: {
      title: 'Not enough credit',
      text: 'Uploads and downloads resume when an admin adds credit.',
    },
    spend_cap_exceeded: {
      title: 'The monthly spend cap is reached',
      text: 'Uploads and downloads resume next month, or when the cap is raised.',
    },
    payment_provider_unavailable: {
      title: "The payment provider doesn't respond",
      text: 'Nothing was charged or changed.',
    },
    insufficient_role: {
      title: "Your role doesn't allow this",
      text: 'An admin of the organization can do it or change your role.',
    },
    email_not_verified: {
      title: 'Verify your email address',
      text: 'Open the link in the verification email. Until then, you have read-only access.',
    },
    mfa_enrollment_required: {
      title: 'The organization requires two-factor authentication',
      text: 'Add a passkey or an authenticator app under "Your account", then come back.',
    },
    already_exists: { title: 'Already exists', text: 'Choose another name.' },
    dependency_exists: { title: 'Still in use', text: '' },
    quota_exceeded: { title: 'Limit reached', text: '' },
    operation_not_allowed: { title: "This isn't possible right now", text: '' },
  } as Record<string, { title: string; text: string }>,
  /** Where the server doesn't send email. */
  unmailedCodes: {
    email_not_verified: {
      title: 'Verify your email address',
      text: "Ask the server's operator for the link. Until then, you have read-only access.",
    },
  } as Record<string, { title: string; text: string }>,
  /** Where payments are arranged with the operator. */
  offlineCodes: {
    billing_suspended: {
      title: 'The organization is suspended',
      text: "Uploads, releases and other changes resume when the server's operator unlocks it, and downloads if they have stopped.",
    },
    payment_required: {
      title: 'The organization is locked',
      text: "Uploads, downloads and changes resume when the server's operator unlocks it.",
    },
    trial_ended: {
      title: 'Trial expired',
      text: "Uploads, downloads and changes resume when the server's operator unlocks the organization.",
    },
    prepaid_credit_exhausted: {
      title: 'Not enough credit',
      text: "Uploads and downloads resume when the server's operator adds credit.",
    },
  } as Record<string, { title: string; text: string }>,
  /** Instead of mfa_enrollment_required where passkeys don't satisfy the policy. */
  authenticatorRequired: {
    title: 'The organization requires an authenticator app',
    text: 'It doesn\'t accept passkeys as two-factor authentication. Add an authenticator app under "Your account", then come back.',
  },
  reasons: {
    email_sign_in_not_allowed: {
      title: "This organization doesn't allow signing in by email",
      text: 'Set a password or add a passkey in your account, sign out, and sign in with it.',
    },
  } as Record<string, { title: string; text: string }>,
  /** A reason why a request to a URL failed, as the server sends it. */
  outbound: (reason: string) => reason.charAt(0).toUpperCase() + reason.slice(1),
};

export const shell = {
  skip: 'Skip to content',
  menu: 'Menu',
  sidebar: 'Sidebar',
  expandSidebar: 'Expand sidebar',
  topbar: 'Top bar',
  mainNavigation: 'Main navigation',
  organization: 'Organization',
  switchOrganization: 'Switch organization',
  newOrganization: 'New organization',
  organizationName: 'Organization name',
  search: 'Jump to…',
  searchHint: 'Project, build, channel, person or page',
  account: 'Account menu',
  language: 'Language',
  signOut: 'Sign out',
  signOutFailed: (reason: string) => `Sign-out failed: ${reason}`,
  documentation: 'Documentation',
  apiReference: 'API reference',
  connectionLost: "Connection lost. This page continues automatically when it's back.",
  wrongAddress: (address: string) =>
    `This server's address is ${address}, and sign-in works only there. Open that address, or set base_url to this one.`,
  sessionExpired: 'Session expired',
  sessionExpiredText: 'Sign in again to continue. Your input is still here.',
  noOrganization: 'No organization yet',
  noOrganizationInvited: 'Ask an admin of an organization to invite you.',
  noOrganizationText: 'Create one for your team, or ask an admin of an existing organization to invite you.',
  unverified: {
    mailed: (email: string) =>
      `Verify ${email} with the link that we emailed you. Until then, you have read-only access.`,
    unmailed: (email: string) =>
      `Verify ${email}: this server doesn't send email, so ask its operator for the link. Until then, you have read-only access.`,
  },
  verifyTitle: 'Verify your email address',
  verifyText: {
    mailed: (email: string) => `Open the link that we emailed to ${email}. Your invitations and apps then appear here.`,
    unmailed: (email: string) =>
      `This server doesn't send email. Ask its operator for the link to verify ${email}. Your invitations and apps then appear here.`,
  },
  resend: { mailed: 'Resend email', unmailed: 'Create new link' },
  resent: { mailed: 'New link sent', unmailed: "New link created. Ask the server's operator for it." },
  profile: 'Profile and sign-in',
  theme: 'Theme',
  themes: { auto: 'System', light: 'Light', dark: 'Dark' },
  locked: {
    askAdmin: 'Ask an admin of the organization.',
    reasons: {
      suspended: {
        title: 'The organization is suspended',
        text: 'A payment failed. Uploads and changes are rejected until it is paid. Downloads continue for a limited time at most.',
        action: 'Pay now',
      },
      awaiting_payment: {
        title: 'Payment method required',
        text: 'Uploads, downloads and changes are rejected until a payment method is added.',
        action: 'Add payment method',
      },
      grace: {
        title: 'The trial has expired',
        text: 'Uploads, downloads and changes are rejected until a payment method is added.',
        action: 'Add payment method',
      },
    },
    /** Where payments are arranged with the operator. */
    offline: {
      suspended: {
        title: 'The organization is suspended',
        text: "Uploads and changes are rejected until the server's operator unlocks it. Downloads continue for a limited time at most.",
      },
      awaiting_payment: {
        title: 'The organization is locked',
        text: "Uploads, downloads and changes are rejected until the server's operator unlocks it.",
      },
      grace: {
        title: 'The trial has expired',
        text: "Uploads, downloads and changes are rejected until the server's operator unlocks the organization.",
      },
    },
    unlock: 'Unlock it on the server:',
  },
  nav: {
    home: 'Home',
    apps: 'Apps',
    allApps: (count: number) => `All ${count} apps`,
    people: 'People',
    members: 'Members',
    myApps: 'My apps',
    testers: 'Testers',
    groups: 'Tester groups',
    devices: 'Devices',
    expiring: 'Expiring',
    stores: 'Stores',
    webhooks: 'Webhooks',
    billing: 'Billing',
    audit: 'Audit',
    settings: 'Settings',
    system: 'System',
  },
};
