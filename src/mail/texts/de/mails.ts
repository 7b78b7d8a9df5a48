// All texts of the emails in German.
import type { MailTexts } from '../texts.ts';
import { accounts } from './accounts.ts';
import { builds } from './builds.ts';
import { organizations } from './organizations.ts';
import { signIn } from './sign-in.ts';
import { testers } from './testers.ts';

export const de: MailTexts = {
  accounts,
  builds,
  organizations,
  signIn,
  testers,
  unsubscribe: 'E-Mails über diesen Kanal abbestellen',
};
