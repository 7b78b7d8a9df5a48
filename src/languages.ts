// The languages that the program speaks, and which of them a browser asks for.

export const locales = ['en', 'de'] as const;

export type Locale = (typeof locales)[number];

/**
 * The best of the languages there are for an `Accept-Language` header (RFC 9110, 12.5.4); English when none fits. The header is
 * untrusted: its first 512 characters count. An answer that depends on it carries `Vary: Accept-Language`.
 */
export function chooseLocale(header: string | null | undefined): Locale {
  let best: Locale = 'en';
  let bestWeight = 0;
  for (const item of (header ?? '').slice(0, 512).split(',')) {
    const [range = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const weight = readWeight(parameters);
    const locale =
      range === '*' ? 'en' : locales.find((candidate) => range === candidate || range.startsWith(`${candidate}-`));
    if (locale !== undefined && weight > bestWeight) {
      best = locale;
      bestWeight = weight;
    }
  }
  return best;
}

function readWeight(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  if (weight === undefined) return 1;
  return /^q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight.slice(2)) : 0;
}
