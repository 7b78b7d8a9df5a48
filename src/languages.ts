// The supported languages, and the choice of one for a browser.

/** The languages by tag, with the name of each in the language itself. */
export const languageNames = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof languageNames;

export const languages = Object.keys(languageNames) as readonly Language[];

/**
 * Returns the best supported language for an `Accept-Language` header (RFC 9110, 12.5.4); English if none matches. The header is
 * untrusted: only its first 512 characters are read. Responses that depend on it need `Vary: Accept-Language`.
 */
export function chooseLanguage(header: string | null | undefined): Language {
  let best: Language = 'en';
  let bestWeight = 0;
  for (const item of (header ?? '').slice(0, 512).split(',')) {
    const [range = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const weight = readWeight(parameters);
    const locale =
      range === '*' ? 'en' : languages.find((candidate) => range === candidate || range.startsWith(`${candidate}-`));
    if (locale !== undefined && weight > bestWeight) {
      best = locale;
      bestWeight = weight;
    }
  }
  return best;
}

/** Returns the supported language of a language tag such as `de-AT` (BCP 47), or undefined. */
export function languageOfTag(tag: string): Language | undefined {
  const [primary] = tag.toLowerCase().split('-');
  return languages.find((language) => language === primary);
}

function readWeight(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  if (weight === undefined) return 1;
  return /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight.slice(2)) : 0;
}
