// Stylesheets of the web app: a class belongs to one of them, because a second definition would change other pages, and no
// selector makes scrolling slow.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../../src/dashboard/styles');
/** Overrides other stylesheets on narrow screens. */
const OVERRIDES = 'narrow.css';

/** Returns the selectors of a stylesheet. */
function readSelectors(name: string): string[] {
  const text = readFileSync(join(folder, name), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  const rules = [...text.matchAll(/(?:^|[{}])([^{}@]+)\{/g)];
  return rules.flatMap(([, selectors = '']) => selectors.split(',').map((one) => one.trim()));
}

const sheets = readdirSync(folder).filter((file) => file.endsWith('.css'));

it('define each class in one stylesheet', () => {
  const owners = new Map<string, Set<string>>();
  for (const name of sheets.filter((file) => file !== OVERRIDES)) {
    for (const selector of readSelectors(name)) {
      if (/^\.[\w-]+$/.test(selector)) owners.set(selector, (owners.get(selector) ?? new Set()).add(name));
    }
  }
  expect(owners.size).toBeGreaterThan(100);
  const shared = [...owners].filter(([, names]) => names.size > 1).map(([selector, names]) => [selector, ...names]);
  expect(shared).toEqual([]);
});

it('have no universal selector before a sibling combinator', () => {
  // Of `* + x` and `:has(…) ~ x`, browsers know only that any element can be on the left: each row that a table adds or removes
  // makes them recalculate the style of all its rows.
  const unnamed = /(?:^|[\s>+~(])(?:\*|:[\w-]+(?:\([^)]*\))?)+\s*[+~]/;
  expect(['.a > * + *', '.a > :has([b]) ~ *', ':hover + .a'].filter((one) => unnamed.test(one))).toHaveLength(3);
  expect(['.a:has([b]) ~ *', '.a + *', '.a > .b:hover + .c'].filter((one) => unnamed.test(one))).toEqual([]);
  expect(sheets.flatMap(readSelectors).filter((selector) => unnamed.test(selector))).toEqual([]);
});
