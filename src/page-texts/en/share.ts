// English texts of the pages of share links.
import type { ShareTexts } from '../share-texts.ts';

export const share: ShareTexts = {
  language: 'en',
  dead: {
    title: 'This link doesn’t work',
    text: 'It may be wrong, expired or used up, or its team has revoked it. Ask the person who sent it for a new one.',
  },
  enterPassword: {
    title: 'Enter the password',
    text: 'The person who sent you this link can tell you its password.',
  },
  password: 'Password',
  incorrect: 'Incorrect password',
  tooManyAttempts: (when) => `There were too many incorrect passwords. Try again ${when}.`,
  go: 'Continue',
};
