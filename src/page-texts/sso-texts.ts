// The texts of the pages about rejected messages of an identity provider.
import type { Heading } from './install-texts.ts';

export interface SsoTexts {
  login: Heading;
  logout: Heading;
  /** Texts of a failed sign-in whose reason the person may know. */
  reasons: Record<SsoReason, string>;
  /** After the text of a failed sign-in. */
  help: string;
  signIn: string;
}

export type SsoReason = 'denied' | 'not_signed_in' | 'later' | 'misconfigured' | 'locked';
