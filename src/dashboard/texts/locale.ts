// The current language and its texts in React.
import { createContext, useContext } from 'react';
import type { Language } from '../../languages.ts';
import type { Texts } from './en.ts';

/** Loads the texts of a language. */
export async function loadTexts(language: Language): Promise<Texts> {
  if (language === 'de') return (await import('./de.ts')).de;
  return (await import('./en.ts')).en;
}

export interface Locale {
  language: Language;
  texts: Texts;
  setLanguage(language: Language): void;
}

const LocaleContext = createContext<Locale | undefined>(undefined);
export const LocaleProvider = LocaleContext.Provider;

/** Returns the language and its texts. */
export function useLocale(): Locale {
  const locale = useContext(LocaleContext);
  if (locale === undefined) throw new Error('There are no texts around this component');
  return locale;
}

/** Returns the texts of the current language. */
export function useTexts(): Texts {
  return useLocale().texts;
}
