// English texts of the pages of links in emails about accounts.
import type { LinkTexts } from '../link-texts.ts';

export const links: LinkTexts = {
  pages: {
    verify_email: {
      title: 'Confirm your email address',
      text: 'Confirm that this address is yours and that you created the account.',
      button: 'Confirm email address',
      done: { title: 'Email address confirmed', text: 'You can now use your account and close this page.' },
    },
    password_reset: {
      title: 'Set new password',
      text: 'Your old password will be replaced, and you will be signed out on all devices.',
      button: 'Set password',
      done: { title: 'Password changed', text: 'Sign in with your new password. You can close this page.' },
    },
    change_email: {
      title: 'Confirm your new email address',
      text: 'From now on you sign in with this address instead of the old one.',
      button: 'Confirm email address',
      done: { title: 'Email address changed', text: 'Sign in with your new address. You can close this page.' },
    },
    cancel_deletion: {
      title: 'Keep your account',
      text: 'Your account is locked and scheduled for deletion. You can cancel the deletion.',
      button: 'Keep account',
      done: { title: 'Deletion canceled', text: 'You can sign in again and close this page.' },
    },
  },
  dead: {
    title: 'This link doesn’t work',
    text: 'It was already used or replaced, or it has expired or is incomplete. Request a new one.',
  },
  newPassword: 'New password',
  passwordHint: (minimum) => `At least ${minimum} characters`,
  passwordProblem: (message) => message.replace(/^(?:Input|String) should/, 'Must'),
  signIn: 'Sign in',
  review: {
    passwordSet: 'Your password is set',
    removed: 'Removed',
    kinds: {
      totp: 'Authenticator app',
      recovery_codes: 'Recovery codes',
      passkey: 'Passkey',
      personal_access_token: 'Personal access token',
    },
    text: (isOne) =>
      `${isOne ? 'This was' : 'These were'} added to your account since the last sign-in we know was yours. Remove anything you didn't add. It can be used to sign in to your account.`,
    named: (kind, name) => `${kind} “${name}”`,
    added: (what, moment) => `${what}, added ${moment} UTC`,
    remove: (kind, name) => `Remove ${name === null ? kind.toLowerCase() : `“${name}”`}`,
    removeAll: 'Remove all',
    keep: (isOne) => (isOne ? 'Keep' : 'Keep all'),
    done: { title: 'Review complete', text: 'Sign in with your new password. You can close this page.' },
    expired: {
      title: 'This page has expired',
      text: 'The list has changed or expired. Reset your password again to see the current list.',
    },
  },
};
