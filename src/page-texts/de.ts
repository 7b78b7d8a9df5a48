// All texts of the server's pages in German.
import { captcha } from './de/captcha.ts';
import { checkout } from './de/checkout.ts';
import { cli } from './de/cli.ts';
import { enrollment } from './de/enrollment.ts';
import { errors } from './de/errors.ts';
import { feedback } from './de/feedback.ts';
import { install } from './de/install.ts';
import { join } from './de/join.ts';
import { links } from './de/links.ts';
import { mute } from './de/mute.ts';
import { share } from './de/share.ts';
import { sso } from './de/sso.ts';
import { trust } from './de/trust.ts';
import type { PageTexts } from './texts.ts';

export const de: PageTexts = {
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
