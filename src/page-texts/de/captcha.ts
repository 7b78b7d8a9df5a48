// German texts of the captcha page.
import type { CaptchaTexts } from '../captcha-texts.ts';

export const captcha: CaptchaTexts = {
  title: 'Bestätigen Sie, dass Sie ein Mensch sind',
  checking: 'Ihr Browser wird geprüft. Das dauert einige Sekunden.',
  challenge: 'Lösen Sie die Aufgabe.',
  solved: 'Gelöst.',
  solvedAlone: 'Gelöst. Das Token gilt einmal.',
  token: 'Token',
  noScript: 'Das Captcha erfordert JavaScript.',
  notRequired: { title: 'Kein Captcha', text: 'Dieser Server verlangt kein Captcha.' },
};
