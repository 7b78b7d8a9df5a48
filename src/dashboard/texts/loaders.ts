// The text catalogs of the web app by language. Only the one in use is loaded, in two parts.
import type { Language } from '../../languages.ts';
import type { InitialTexts, LazyTexts } from './en.ts';

interface TextLoader {
  initial(): Promise<InitialTexts>;
  lazy(): Promise<LazyTexts>;
}

export const textLoaders: Readonly<Record<Language, TextLoader>> = {
  en: {
    initial: async () => (await import('./en/initial.ts')).initial,
    lazy: async () => (await import('./en/lazy.ts')).lazy,
  },
  de: {
    initial: async () => (await import('./de/initial.ts')).initial,
    lazy: async () => (await import('./de/lazy.ts')).lazy,
  },
};
