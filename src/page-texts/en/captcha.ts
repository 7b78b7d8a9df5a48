// English texts of the captcha page.
import type { CaptchaTexts } from '../captcha-texts.ts';

export const captcha: CaptchaTexts = {
  title: 'Verify that you are human',
  checking: 'Checking your browser. This takes a few seconds.',
  challenge: 'Complete the challenge.',
  solved: 'Solved.',
  solvedAlone: 'Solved. The token works once.',
  token: 'Token',
  noScript: 'The captcha requires JavaScript.',
  notRequired: { title: 'No captcha', text: 'This server doesn’t require a captcha.' },
};
