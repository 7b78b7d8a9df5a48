// All texts of the emails in English.
import type { MailTexts } from '../texts.ts';
import { accounts } from './accounts.ts';
import { builds } from './builds.ts';
import { organizations } from './organizations.ts';
import { signIn } from './sign-in.ts';
import { testers } from './testers.ts';

export const en: MailTexts = {
  accounts,
  builds,
  organizations,
  signIn,
  testers,
  unsubscribe: 'Unsubscribe from emails about this channel',
};
