// The texts of the phone pages by language.
import type { Locale } from '../../languages.ts';
import { german } from './locales/de.ts';
import { english } from './locales/en.ts';
import type { Texts } from './locales/texts.ts';

const catalogues = { en: english, de: german } satisfies Record<Locale, Texts>;

export function textsIn(locale: Locale): Texts {
  return catalogues[locale];
}
