// The current language and its texts in React.
import { createContext, useContext } from 'react';
import type { Language } from '../../languages.ts';
import type { Texts } from './en.ts';

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
