// English texts of the pages about rejected messages of an identity provider. The API returns them too.
import type { SsoTexts } from '../sso-texts.ts';

export const sso: SsoTexts = {
  login: {
    title: 'Sign-in failed',
    text: 'The response of the identity provider was rejected. Sign in again.',
  },
  logout: {
    title: 'Sign-out failed',
    text: 'The logout message of the identity provider was rejected. Check whether you are still signed in.',
  },
  reasons: {
    denied: 'The identity provider denied access. Ask its administrator to assign you to this application.',
    not_signed_in: 'The identity provider needs you to sign in there first. Sign in again.',
    later: "The identity provider isn't available. Try again later.",
    misconfigured:
      "The identity provider rejected this server's request. Ask an admin of your organization to check single sign-on.",
    locked:
      "You aren't a member of this organization yet, and nobody can join it while it's locked. Ask one of its admins.",
  },
  help: 'If this happens again, ask an admin of your organization, who can see the reason.',
  signIn: 'Sign in again',
};
