// German texts of the pages of share links.
import type { ShareTexts } from '../share-texts.ts';

export const share: ShareTexts = {
  language: 'de',
  dead: {
    title: 'Dieser Link funktioniert nicht',
    text: 'Er ist möglicherweise falsch, abgelaufen oder aufgebraucht, oder das Team hat ihn widerrufen. Fragen Sie die Person, die ihn geschickt hat, nach einem neuen.',
  },
  enterPassword: {
    title: 'Passwort eingeben',
    text: 'Die Person, die Ihnen den Link geschickt hat, kennt das Passwort.',
  },
  password: 'Passwort',
  incorrect: 'Falsches Passwort',
  tooManyAttempts: (when) => `Es wurde zu oft ein falsches Passwort eingegeben. Versuchen Sie es ${when} erneut.`,
  go: 'Weiter',
};
