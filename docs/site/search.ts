// Searches the index of the documentation. Words match from their beginning, and every word of a query must match.

/** The link relative to the root of the site, the title of the page, the heading ('' for the page itself), the text below it. */
export type SearchEntry = readonly [link: string, title: string, heading: string, text: string];

export interface Found {
  link: string;
  title: string;
  heading: string;
  /** The text around the first match; every other part is a match. */
  excerpt: string[];
}

/** Characters around a match. */
const BEFORE = 40;
const AFTER = 120;

/** Words are the same with and without apostrophes, such as "Let's Encrypt". */
function wordsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replace(/['’]/g, '')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  );
}

/** Returns how well words match a query word: 2 for a whole word, 1 for its beginning, 0 for none. */
function rate(words: readonly string[], wanted: string): number {
  let best = 0;
  for (const word of words) {
    if (word === wanted) return 2;
    if (word.startsWith(wanted)) best = 1;
  }
  return best;
}

interface Prepared {
  entry: SearchEntry;
  title: string[];
  heading: string[];
  text: string[];
}

/** Prepares the index. Returns a function that returns the best matches of a query. */
export function createSearch(entries: readonly SearchEntry[]): (query: string, limit: number) => Found[] {
  const prepared: Prepared[] = entries.map((entry) => ({
    entry,
    title: wordsOf(entry[1]),
    heading: wordsOf(entry[2]),
    text: wordsOf(`${entry[0].replace(/^.*#/, '')} ${entry[3]}`),
  }));
  return (query, limit) => {
    const wanted = wordsOf(query);
    if (wanted.length === 0) return [];
    const rated = prepared.flatMap(({ entry, title, heading, text }) => {
      let total = 0;
      for (const word of wanted) {
        const score = 8 * rate(heading, word) + 5 * rate(title, word) + rate(text, word);
        if (score === 0) return [];
        total += score;
      }
      // A page whose title matches comes before its sections.
      return [
        { entry, total: total + (entry[2] === '' ? 4 * wanted.filter((word) => rate(title, word) > 0).length : 0) },
      ];
    });
    rated.sort((left, right) => right.total - left.total);
    return rated.slice(0, limit).map(({ entry: [link, title, heading, text] }) => ({
      link,
      title,
      heading,
      excerpt: excerptOf(text, wanted),
    }));
  };
}

function excerptOf(text: string, wanted: readonly string[]): string[] {
  const written = wanted.map((word) => [...word].join("['’]?"));
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${written.join('|')})`, 'giu');
  const first = text.search(pattern);
  const start = first <= BEFORE ? 0 : text.indexOf(' ', first - BEFORE) + 1;
  const end = Math.min(text.length, Math.max(first, 0) + AFTER);
  const shown = `${start > 0 ? '… ' : ''}${text.slice(start, end)}${end < text.length ? ' …' : ''}`;
  return shown.split(pattern);
}
