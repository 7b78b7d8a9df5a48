// All texts of the pages that the server renders. Each language is a value of this type, so a missing text is a type error.
import type { CaptchaTexts } from './captcha-texts.ts';
import type { CheckoutTexts } from './checkout-texts.ts';
import type { CliTexts } from './cli-texts.ts';
import type { EnrollmentTexts } from './enrollment-texts.ts';
import type { ErrorTexts } from './error-texts.ts';
import type { FeedbackTexts } from './feedback-texts.ts';
import type { InstallTexts } from './install-texts.ts';
import type { JoinTexts } from './join-texts.ts';
import type { LinkTexts } from './link-texts.ts';
import type { MuteTexts } from './mute-texts.ts';
import type { ShareTexts } from './share-texts.ts';
import type { SsoTexts } from './sso-texts.ts';
import type { TrustTexts } from './trust-texts.ts';

export interface PageTexts {
  captcha: CaptchaTexts;
  checkout: CheckoutTexts;
  cli: CliTexts;
  enrollment: EnrollmentTexts;
  errors: ErrorTexts;
  feedback: FeedbackTexts;
  install: InstallTexts;
  join: JoinTexts;
  links: LinkTexts;
  mute: MuteTexts;
  share: ShareTexts;
  sso: SsoTexts;
  trust: TrustTexts;
}
