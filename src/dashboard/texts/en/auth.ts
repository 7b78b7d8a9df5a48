// Texts about setup, sign-in, sign-up, password resets and invitations.
import { EMAIL_CODE_MS, englishLifetime, RESET_LINK_MS, SETUP_LINK_LIFETIME_MS } from '../../../lib/lifetimes.ts';

export const auth = {
  unsentEmail: 'The operator can read the message on the server with',
  email: 'Email address',
  password: 'Password',
  newPassword: 'New password',
  displayName: 'Your name',
  organizationName: 'Organization',
  passkeyCanceled: 'No passkey was used. Try again.',
  atLeast: (characters: number) => `At least ${characters} characters`,
  signIn: {
    title: 'Sign in',
    submit: 'Sign in',
    incorrect: 'Incorrect email address or password.',
    passkey: 'Sign in with a passkey',
    passkeyFailed: "We couldn't sign you in with a passkey. Try again, or use your password.",
    sso: 'Continue to your identity provider',
    ssoHint: 'Your organization uses single sign-on.',
    ssoTabHint:
      'Your organization uses single sign-on. It opens in a new tab; this page continues when you have signed in there.',
    byEmail: 'Email me a code',
    forgot: 'Forgot your password?',
    accountDeleted: {
      mailed: 'Your account is locked and will be deleted. To keep it, open the link that we emailed you.',
      unmailed:
        "Your account is locked and will be deleted. This server doesn't send email: ask its operator for the link to keep your account.",
    },
    noAccount: 'No account yet?',
    signUp: 'Sign up',
    or: 'or',
  },
  emailCode: {
    title: 'Check your email',
    text: (email: string) =>
      `If ${email} has an account or an invitation here, we sent a code. It expires in ${englishLifetime(EMAIL_CODE_MS)}. You can also open the link in the email in this browser.`,
    code: 'Code from the email',
    submit: 'Sign in',
    incorrect: 'Incorrect code.',
    dead: 'This code no longer works. Start over to get a new one.',
    startOver: 'Start over',
  },
  emailLink: {
    text: 'Sign in with the link from your email.',
    otherBrowser:
      'This link works in the browser where you asked for it. Open it there, or enter the code from the email there.',
    dead: "This link doesn't work: it was already used, has expired or is incomplete.",
    startOver: 'Back to sign-in',
  },
  twoFactor: {
    title: 'Two-factor authentication',
    totp: 'Code from your authenticator app',
    recovery: 'Recovery code',
    submit: 'Continue',
    usePasskey: 'Use a passkey',
    useTotp: 'Use the authenticator app',
    useRecovery: 'Use a recovery code',
    incorrect: 'Incorrect code, or already used.',
    startOver: 'Start over',
  },
  signUp: {
    title: 'Sign up',
    submit: 'Create account',
    haveAccount: 'Already have an account?',
    invitedOnly: 'Sign-up is by invitation only. Use the email address that was invited.',
    closed: 'Sign-up is disabled. Ask an admin for an account.',
  },
  captcha: {
    title: 'Verify that you are human',
    waiting: 'Complete the challenge above to continue.',
    solved: 'Verified.',
  },
  verify: {
    title: { mailed: 'Check your email', unmailed: 'Verify your email address' },
    text: {
      mailed: (email: string) => `We sent a link to ${email}. Open it to verify the address, then sign in.`,
      unmailed: (email: string) => `This server doesn't send email. Ask its operator for the link to verify ${email}.`,
    },
    resend: { mailed: 'Resend email', unmailed: 'Create new link' },
    resent: {
      mailed: "If the address isn't verified yet, we sent a new link. We send at most one every few minutes.",
      unmailed:
        "If the address isn't verified yet, the operator can read a new link. We create at most one every few minutes.",
    },
    signIn: 'Back to sign-in',
    useAnotherAddress: 'Use another address',
  },
  reset: {
    title: 'Reset password',
    text: {
      mailed: "We'll email you a link to choose a new password.",
      unmailed: "This server doesn't send email. Its operator can read the link to choose a new password.",
    },
    submit: { mailed: 'Send link', unmailed: 'Create link' },
    sentTitle: { mailed: 'Check your email', unmailed: 'Ask the operator' },
    sent: {
      mailed: (email: string) =>
        `If ${email} has an account here, we sent a link. It expires in ${englishLifetime(RESET_LINK_MS)}.`,
      unmailed: (email: string) =>
        `If ${email} has an account here, the server's operator can read a link to choose a new password. It expires in ${englishLifetime(RESET_LINK_MS)}.`,
    },
    signIn: 'Back to sign-in',
  },
  setup: {
    title: 'Set up Taxiway',
    text: 'Create the first admin account and an organization for your builds.',
    submit: 'Create and sign in',
    createdTitle: 'Your account was created',
    created: 'Sign in to continue.',
    organizationHint: 'Named after you if you leave this empty. You can change it later.',
    invalidTitle: 'This setup link no longer works',
    invalid:
      'It was used, expired, or was replaced by a newer one. If the server is set up, sign in. Otherwise, print a new link: run “taxiway setup-link” on the server.',
    pendingTitle: "This server isn't set up yet",
    pending: `Open the setup link in the server's output, in the terminal or in the service log. The link expires after ${englishLifetime(SETUP_LINK_LIFETIME_MS)}. To print a new one, run this on the server:`,
  },
};
