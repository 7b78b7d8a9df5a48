// The texts of the emails by language.
import type { Language } from '../../languages.ts';
import { de } from './de/mails.ts';
import { en } from './en/mails.ts';
import type { MailTexts } from './texts.ts';

export const mailTexts: Readonly<Record<Language, MailTexts>> = { en, de };
