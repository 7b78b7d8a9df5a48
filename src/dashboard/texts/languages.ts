// Which languages there are, and which one somebody reads.
import { createContext, useContext } from 'react';
import type { Texts } from './en.ts';

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];
export const languageNames: Record<Language, string> = { en: 'English', de: 'Deutsch' };

const KEY = 'taxiway.language';

/** Texts of a language; only one is loaded. */
export async function loadTexts(language: Language): Promise<Texts> {
  if (language === 'de') return (await import('./de.ts')).de;
  return (await import('./en.ts')).en;
}

/** The language that was chosen here, else the first of the browser's that there is. */
export function chooseLanguage(wishes: readonly string[] = navigator.languages): Language {
  const chosen = readChoice();
  const wanted = [...(chosen === null ? [] : [chosen]), ...wishes].map((tag) => tag.slice(0, 2).toLowerCase());
  return languages.find((language) => language === wanted.find((tag) => languages.some((one) => one === tag))) ?? 'en';
}

function readChoice(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** Keeps a choice for this browser. */
export function keepLanguage(language: Language): void {
  try {
    localStorage.setItem(KEY, language);
  } catch {
    // A browser that keeps nothing asks again at the next visit.
  }
}

export interface Speech {
  language: Language;
  texts: Texts;
  setLanguage(language: Language): void;
}

const SpeechContext = createContext<Speech | undefined>(undefined);
export const SpeechProvider = SpeechContext.Provider;

/** Language and texts. */
export function useSpeech(): Speech {
  const speech = useContext(SpeechContext);
  if (speech === undefined) throw new Error('There are no texts around this component');
  return speech;
}

/** The texts of the language that is read. */
export function useTexts(): Texts {
  return useSpeech().texts;
}
