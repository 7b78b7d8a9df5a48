// The text catalogs of the web app by language. Only the one in use is loaded.
import type { Language } from '../../languages.ts';
import type { Texts } from './en.ts';

export const textLoaders: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
};
