// Which language somebody reads: what they chose in this browser, else what the browser wants.
import { type Language, languages } from '../../languages.ts';

const KEY = 'taxiway.language';

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
