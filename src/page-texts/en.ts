// All texts of the server's pages in English.
import { captcha } from './en/captcha.ts';
import { checkout } from './en/checkout.ts';
import { cli } from './en/cli.ts';
import { enrollment } from './en/enrollment.ts';
import { errors } from './en/errors.ts';
import { feedback } from './en/feedback.ts';
import { install } from './en/install.ts';
import { join } from './en/join.ts';
import { links } from './en/links.ts';
import { mute } from './en/mute.ts';
import { share } from './en/share.ts';
import { sso } from './en/sso.ts';
import { trust } from './en/trust.ts';
import type { PageTexts } from './texts.ts';

export const en: PageTexts = {
  captcha,
  checkout,
  cli,
  enrollment,
  errors,
  feedback,
  install,
  join,
  links,
  mute,
  share,
  sso,
  trust,
};
