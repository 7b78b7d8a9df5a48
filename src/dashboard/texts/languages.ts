// The texts of the languages that there are, inside React.
import { createContext, useContext } from 'react';
import type { Language } from '../../languages.ts';
import type { Texts } from './en.ts';

/** Texts of a language; only one is loaded. */
export async function loadTexts(language: Language): Promise<Texts> {
  if (language === 'de') return (await import('./de.ts')).de;
  return (await import('./en.ts')).en;
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
