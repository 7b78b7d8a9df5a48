// The texts of an enrollment's pages in the language that a browser asks for.
import { chooseLocale, type Locale } from '../../languages.ts';
import { german } from './de.ts';
import { english } from './en.ts';
import type { DeviceTexts } from './texts.ts';

const catalogues = { en: english, de: german } satisfies Record<Locale, DeviceTexts>;

/** Texts for an `Accept-Language` header, chosen as for the install pages. */
export function deviceTextsFor(acceptLanguage: string | null): DeviceTexts {
  return catalogues[chooseLocale(acceptLanguage)];
}
