// Words of the ways in: setup, signing in and up, new passwords, invitations.

export const entry = {
  email: 'E-mail address',
  password: 'Password',
  newPassword: 'New password',
  displayName: 'Your name',
  organizationName: 'Organization',
  atLeast: (characters: number) => `At least ${characters} characters`,
  signIn: {
    title: 'Sign in',
    submit: 'Sign in',
    wrong: 'The address or the password is wrong.',
    passkey: 'Sign in with a passkey',
    passkeyFailed: 'No passkey was used. Try again, or sign in with your password.',
    sso: 'Continue to your identity provider',
    ssoHint: 'Your organization signs in through its identity provider.',
    forgot: 'Forgot your password?',
    left: {
      mailed: 'The account is locked and will be deleted. To keep it, open the link that we emailed you.',
      unmailed:
        "The account is locked and will be deleted. To keep it, ask the server's operator for the link: this server doesn't send email.",
    },
    noAccount: 'No account yet?',
    signUp: 'Sign up',
    or: 'or',
  },
  second: {
    title: 'One more step',
    totp: 'Code from your authenticator app',
    recovery: 'Recovery code',
    submit: 'Continue',
    usePasskey: 'Use a passkey',
    useTotp: 'Use the authenticator app',
    useRecovery: 'Use a recovery code',
    wrong: 'This code is wrong or was used already.',
    startOver: 'Start over',
  },
  signUp: {
    title: 'Sign up',
    submit: 'Create account',
    haveAccount: 'You have an account?',
    invitedOnly: 'Only people who were invited can sign up here. Use the address that the invitation was sent to.',
    closed: 'Nobody can sign up here. Ask an administrator for an account.',
  },
  captcha: { title: 'Are you human?', waiting: 'Solve the puzzle below first.', solved: 'Solved, thank you.' },
  verify: {
    title: { mailed: 'Check your email', unmailed: 'Confirm your address' },
    text: {
      mailed: (email: string) => `We sent a link to ${email}. Open it to confirm the address. Then you can sign in.`,
      unmailed: (email: string) =>
        `This server doesn't send email. Ask its operator for the link that confirms ${email}.`,
    },
    resend: { mailed: 'Send it again', unmailed: 'New link' },
    resent: {
      mailed: "If the address isn't confirmed yet, we sent a new link. We send one every 5 minutes at most.",
      unmailed: "If the address isn't confirmed yet, the operator can read a new link, every 5 minutes at most.",
    },
    signIn: 'Go to sign-in',
    wrongAddress: 'Use another address',
  },
  reset: {
    title: 'New password',
    text: {
      mailed: "We'll email you a link to choose a new password.",
      unmailed: "This server doesn't send email. Its operator can read the link to choose a new password.",
    },
    submit: { mailed: 'Send link', unmailed: 'Create link' },
    sentTitle: { mailed: 'Check your email', unmailed: 'Ask the operator' },
    sent: {
      mailed: (email: string) => `If ${email} has an account here, we sent a link. It works for an hour.`,
      unmailed: (email: string) =>
        `If ${email} has an account here, the server's operator can read a link to choose a new password. It works for an hour.`,
    },
    signIn: 'Back to sign-in',
  },
  setup: {
    title: 'Set up Taxiway',
    text: 'Create the first administrator and the organization that builds belong to.',
    submit: 'Create and sign in',
    deadTitle: 'This setup link does not work',
    dead: 'It was used, has expired or was replaced by a newer one. To print a new link, run “taxiway setup-link” on the server.',
    pendingTitle: "This server isn't set up yet",
    pending:
      'Nobody can sign up before its administrator has set it up. Open the setup link in the output of the server, in the terminal or in the log of the service. A link works for 30 minutes. To print a new one, run this on the server:',
  },
  invitation: {
    title: (organization: string) => `Join ${organization}`,
    toOrganization: (inviter: string | null, organization: string) =>
      `${inviter ?? 'Somebody'} invites you into the organization ${organization}.`,
    toProject: (inviter: string | null, project: string, organization: string) =>
      `${inviter ?? 'Somebody'} invites you into the project ${project} of ${organization}.`,
    toChannel: (channel: string, project: string) => `You are invited to test ${project} on the channel ${channel}.`,
    role: 'Your role',
    until: 'Valid until',
    accept: 'Accept',
    signedInAs: (email: string) => `You are signed in as ${email}.`,
    another: 'Use another account',
    needsAccount: 'Sign in with the address that the invitation was sent to, or sign up with it.',
    signIn: 'Sign in to accept',
    signUp: 'Sign up to accept',
    deadTitle: 'This invitation does not work',
    dead: 'It was used, taken back, has expired or is not complete. Ask for a new one.',
    accepted: 'You are in.',
    testerDone: {
      mailed: "You can test now. We'll email you about new releases; open the link on your phone.",
      unmailed: 'You can test now. Open this page on your phone to install.',
    },
  },
};

export const roles = {
  organization: { member: 'Member', manager: 'Manager', admin: 'Administrator' } as Record<string, string>,
  organizationHints: {
    member: 'Sees the projects they are invited to',
    manager: 'Works in every project, invites people, manages testers',
    admin: 'Everything, sign-in policy and audit included',
  } as Record<string, string>,
  project: {
    read: 'Read',
    read_download: 'Read + download',
    read_download_upload: 'Read + download + upload',
    maintainer: 'Maintainer',
    admin: 'Admin',
  } as Record<string, string>,
};
