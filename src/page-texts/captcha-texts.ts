// The texts of the captcha page.
import type { Heading } from './install-texts.ts';

export interface CaptchaTexts {
  title: string;
  /** While the browser solves the challenge, and for a challenge that the person solves. */
  checking: string;
  challenge: string;
  solved: string;
  /** For a page that stands alone, from which the token is copied. */
  solvedAlone: string;
  token: string;
  noScript: string;
  notRequired: Heading;
}
