// The language of the app: the one selected in this browser, otherwise the browser's preferred one.
import { type Language, languages } from '../../languages.ts';

const KEY = 'taxiway.language';

/** Returns the selected language, otherwise the first supported one of the browser. */
export function chooseLanguage(browserLanguages: readonly string[] = navigator.languages): Language {
  const chosen = readChoice();
  const preferred = [...(chosen === null ? [] : [chosen]), ...browserLanguages].map((tag) =>
    tag.slice(0, 2).toLowerCase(),
  );
  return (
    languages.find((language) => language === preferred.find((tag) => languages.some((one) => one === tag))) ?? 'en'
  );
}

function readChoice(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** Stores the selected language in this browser. */
export function saveLanguage(language: Language): void {
  try {
    localStorage.setItem(KEY, language);
  } catch {
    // Without storage, the selection is lost on the next visit.
  }
}
