// Stylesheets of the web app: a class belongs to one of them, because a second definition would change other pages.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../../src/dashboard/styles');
/** Overrides other stylesheets on narrow screens. */
const OVERRIDES = 'narrow.css';

it('define each class in one stylesheet', () => {
  const owners = new Map<string, Set<string>>();
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.css') && file !== OVERRIDES)) {
    const text = readFileSync(join(folder, name), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
    for (const [, selectors = ''] of text.matchAll(/(?:^|[{}])([^{}@]+)\{/g)) {
      for (const selector of selectors.split(',').map((one) => one.trim())) {
        if (/^\.[\w-]+$/.test(selector)) owners.set(selector, (owners.get(selector) ?? new Set()).add(name));
      }
    }
  }
  expect(owners.size).toBeGreaterThan(100);
  const shared = [...owners].filter(([, names]) => names.size > 1).map(([selector, names]) => [selector, ...names]);
  expect(shared).toEqual([]);
});
