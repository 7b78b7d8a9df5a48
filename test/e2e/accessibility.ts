// Accessibility of pages, judged by axe. What the run has judged before isn't judged again: that is most of what pages consist of.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { JSHandle, Page } from 'playwright-core';
import { expect } from 'vitest';
import { describePage } from './page-traits.ts';

/** Rules of axe that depend on the colors of a page, not on its structure or its size. */
const colorRules = ['color-contrast', 'link-in-text-block'];

/** What axe looks at: everything, only what a color scheme changes, or only what the size of the screen changes. */
export type AxeScope = 'everything' | 'colors' | 'layout';

/** WCAG 2.2, 2.5.8: targets of 24 px or with room around them. axe leaves it out unless it is named. */
const targetSize = { 'target-size': { enabled: true } };
const layoutRules = {
  rules: { ...targetSize, ...Object.fromEntries(colorRules.map((rule) => [rule, { enabled: false }])) },
};

const axeSource = `${readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')}
  globalThis.judge = async (context, options) => {
    const { violations, passes } = await axe.run(context, { preload: false, elementRef: true, ...options });
    // What a modal dialog lies over can't be clicked until it is closed.
    const dialog = [...document.querySelectorAll('[aria-modal="true"]')].find((one) => one.checkVisibility());
    const isBehind = ({ target }) => dialog !== undefined && document.querySelector(target[0])?.closest('[aria-modal="true"]') === null;
    const found = violations.flatMap(({ id, help, nodes }) =>
      nodes.filter((node) => id !== 'target-size' || !isBehind(node)).map((node) => id + ': ' + help + ': ' + node.failureSummary + ': ' + node.html));
    return { found, passed: new Set(passes.flatMap(({ nodes }) => nodes.map(({ element }) => element))) };
  };`;

interface Verdict {
  found: string[];
  passed: Set<unknown>;
}

declare const judge: (context: unknown, options: object) => Promise<Verdict>;

/** What this process has found to be accessible: the structures of whole pages, and how often each coloring was judged. */
const accepted = { structures: new Set<string>(), colorings: new Set<string>(), undecided: new Map<string, number>() };

/** How often axe is asked about a coloring of which it says that it can't tell, such as that of a single letter. */
const MAX_UNDECIDED = 3;

/**
 * Asserts that axe finds nothing in anybody's way, on the page or within a list of its elements. Needs a context that may run scripts.
 * Only what concerns a scope is looked at: a page that comes in several schemes and sizes is looked at once in all respects,
 * then only for what the scheme or the size changes.
 */
export async function expectAccessible(
  page: Page,
  scope: AxeScope = 'everything',
  within: JSHandle<unknown> | null = null,
): Promise<void> {
  const found: string[] = [];
  if (within === null) {
    const { structure, colorings } = await describePage(page);
    if (scope !== 'colors') found.push(...(await judgeStructure(page, structure)));
    if (scope !== 'layout') found.push(...(await judgeColors(page, colorings.filter(isFresh))));
  } else {
    await provideAxe(page);
    const options = { resultTypes: ['violations'], ...(scope === 'colors' ? { runOnly: colorRules } : layoutRules) };
    found.push(...(await within.evaluate(async (elements, wishes) => (await judge(elements, wishes)).found, options)));
  }
  // Reports of a run keep the message alone, not what was compared.
  expect(found, found.join('\n')).toEqual([]);
}

async function provideAxe(page: Page): Promise<void> {
  if (await page.evaluate<boolean>("typeof axe === 'undefined'")) await page.evaluate(axeSource);
}

/** Judges all but the colors, unless a page of the same structure, at the same places, was accepted. */
async function judgeStructure(page: Page, structure: string): Promise<string[]> {
  if (accepted.structures.has(structure)) return [];
  await provideAxe(page);
  const options = { resultTypes: ['violations'], ...layoutRules };
  // Code consists of thousands of pieces, which only have colors.
  const context = { exclude: ['code > span'] };
  const found = await page.evaluate(async ({ context, wishes }) => (await judge(context, wishes)).found, {
    context,
    wishes: options,
  });
  if (found.length === 0) accepted.structures.add(structure);
  return found;
}

/** Judges the colors of texts that are colored unlike all that were accepted. */
async function judgeColors(page: Page, fresh: readonly string[]): Promise<string[]> {
  if (fresh.length === 0) return [];
  await provideAxe(page);
  const options = { resultTypes: ['violations', 'passes'], runOnly: colorRules };
  const { found, passed } = await page.evaluate(
    async ({ names, wishes }) => {
      const { elementsOf } = globalThis as unknown as { elementsOf: Map<string, unknown[]> };
      const { found, passed } = await judge(
        names.flatMap((name) => elementsOf.get(name) ?? []),
        wishes,
      );
      return { found, passed: names.filter((name) => elementsOf.get(name)?.some((one) => passed.has(one))) };
    },
    { names: [...fresh], wishes: options },
  );
  for (const name of passed) accepted.colorings.add(name);
  for (const name of fresh) accepted.undecided.set(name, (accepted.undecided.get(name) ?? 0) + 1);
  return found;
}

function isFresh(coloring: string): boolean {
  return !accepted.colorings.has(coloring) && (accepted.undecided.get(coloring) ?? 0) < MAX_UNDECIDED;
}

/** Whether the page has colors to judge in a scheme that the theme chooses by an attribute. Shows the page in it only to its style sheets. */
export async function hasNewColors(page: Page, scheme: 'light' | 'dark'): Promise<boolean> {
  return (await describePage(page, scheme)).colorings.some(isFresh);
}
