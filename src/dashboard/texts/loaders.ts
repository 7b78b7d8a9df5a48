// The text catalogs of the web app by language. Only the one in use is loaded, in two parts.
import type { Language } from '../../languages.ts';
import type { FirstTexts, LaterTexts } from './en.ts';

interface TextLoader {
  first(): Promise<FirstTexts>;
  later(): Promise<LaterTexts>;
}

export const textLoaders: Readonly<Record<Language, TextLoader>> = {
  en: {
    first: async () => (await import('./en/first.ts')).first,
    later: async () => (await import('./en/later.ts')).later,
  },
  de: {
    first: async () => (await import('./de/first.ts')).first,
    later: async () => (await import('./de/later.ts')).later,
  },
};
