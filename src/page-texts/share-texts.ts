// The texts of the pages of share links, apart from the install pages.
import type { Heading } from './install-texts.ts';

export interface ShareTexts {
  language: string;
  /** Unknown, expired, revoked and used-up links get the same page. */
  dead: Heading;
  enterPassword: Heading;
  password: string;
  incorrect: string;
  /** `when` as in "in 5 minutes". */
  tooManyAttempts(when: string): string;
  go: string;
}
