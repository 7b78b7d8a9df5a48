// The texts of the server's pages by language. The web app has its own in dashboard/texts/.
import type { Language } from '../languages.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import type { PageTexts } from './texts.ts';

export const pageTexts: Readonly<Record<Language, PageTexts>> = { en, de };
