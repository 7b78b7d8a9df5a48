// The texts of the enrollment pages in the browser's language.
import { chooseLocale, type Locale } from '../../languages.ts';
import { german } from './de.ts';
import { english } from './en.ts';
import type { DeviceTexts } from './texts.ts';

const catalogues = { en: english, de: german } satisfies Record<Locale, DeviceTexts>;

/** Returns the texts for an `Accept-Language` header, chosen in the same way as for the install pages. */
export function deviceTextsFor(acceptLanguage: string | null): DeviceTexts {
  return catalogues[chooseLocale(acceptLanguage)];
}
