// The texts of the phone pages by language.
import type { Catalog } from '../../languages.ts';
import { german } from './locales/de.ts';
import { english } from './locales/en.ts';
import type { Texts } from './locales/texts.ts';

export const installTexts: Catalog<Texts> = { en: english, de: german };
