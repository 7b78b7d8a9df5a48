// Accessibility of pages, judged by axe. What the run has judged before isn't judged again: that is most of what pages consist of.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { CDPSession, Page } from 'playwright-core';
import { expect } from 'vitest';
import { accept, accepted, readAccepted } from './accepted.ts';
import { type AxeScope, describePage, type ElementTraits } from './page-traits.ts';

/** Rules of axe that depend on the colors of a page, not on its structure or its size. */
const colorRules = ['color-contrast', 'link-in-text-block'];

/** WCAG 2.2, 2.5.8: targets of 24 px or with room around them. axe leaves it out unless it is named. */
const targetRule = 'target-size';

/** Rules that compare elements of the whole page with each other. */
const pageRules = [
  'accesskeys',
  'heading-order',
  'landmark-no-duplicate-banner',
  'landmark-no-duplicate-contentinfo',
  'landmark-no-duplicate-main',
  'landmark-unique',
];

/** Elements to judge, by their index in `elements`, a global of the page. */
interface Fresh {
  structure: number[];
  targets: number[];
  colors: number[];
}

interface Verdict {
  found: string[];
  /** Targets and texts of which axe can say nothing, or nothing that holds for equal ones. */
  undecided: number[];
}

/**
 * Axe, and `judge`, which runs it on the whole page but hands each rule only the elements that are to be judged. axe's own way of leaving
 * elements out compares each element with each of them, and leaves them out for all rules.
 */
const axeSource = `${readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')}
{
  const lists = {};
  for (const rule of axe._audit.rules) {
    const { gather, excludeHidden } = rule;
    const list = ${JSON.stringify(colorRules)}.includes(rule.id) ? 'colors' : rule.id === '${targetRule}' ? 'targets' : 'structure';
    if (${JSON.stringify(pageRules)}.includes(rule.id)) continue;
    rule.excludeHidden = false;
    rule.gather = (...words) => gather.apply(rule, words).filter((one) =>
      lists[list].has(one.actualNode) && (!excludeHidden || axe.commons.dom.isVisibleToScreenReaders(one)));
  }
  globalThis.judge = async (fresh) => {
    for (const list of Object.keys(fresh)) lists[list] = new Set(fresh[list].map((index) => elements[index]));
    const own = [...${JSON.stringify(colorRules)}, '${targetRule}'];
    const chosen = [...(fresh.colors.length > 0 ? ${JSON.stringify(colorRules)} : []), ...(fresh.targets.length > 0 ? ['${targetRule}'] : [])];
    const rules = Object.fromEntries(own.map((rule) => [rule, { enabled: chosen.includes(rule) }]));
    const options = { preload: false, ...(fresh.structure.length > 0 ? { rules } : { runOnly: chosen }) };
    const results = await axe.run(document, { ...options, reporter: (all) => all });
    // What a modal dialog lies over can't be clicked until it is closed.
    const dialog = [...document.querySelectorAll('[aria-modal="true"]')].find((one) => one.checkVisibility());
    const isBehind = ({ element }) => dialog !== undefined && element.closest('[aria-modal="true"]') === null;
    const isWrong = ({ id, violations }) => violations.some(({ node }) => id !== '${targetRule}' || !isBehind(node));
    // A target that is covered passes, uncovered it may not.
    const isCovered = ({ any }) => any.some(({ data }) => data?.messageKey === 'obscured');
    const undecided = new Set(results.filter(({ id }) => own.includes(id)).flatMap(({ incomplete, passes }) =>
      [...incomplete, ...passes.filter(isCovered)].map(({ node }) => node.element)));
    const found = [];
    if (results.some(isWrong)) {
      const { violations } = await axe.run(document, { ...options, elementRef: true, resultTypes: ['violations'] });
      found.push(...violations.flatMap(({ id, help, nodes }) =>
        nodes.filter((node) => id !== '${targetRule}' || !isBehind(node)).map((node) => id + ': ' + help + ': ' + node.failureSummary + ': ' + node.html)));
    }
    return { found, undecided: [...fresh.colors, ...fresh.targets].filter((index) => undecided.has(elements[index])) };
  };
}`;

declare const judge: (fresh: Fresh) => Promise<Verdict>;

/** How often axe couldn't decide about traits. */
const undecided = new Map<string, number>();

/** How often axe is asked about traits of which it says that it can't tell, such as the color of a single letter. */
const MAX_UNDECIDED = 3;

/** How many elements of the same coloring axe is asked about. */
const MAX_EQUAL = 5;

/**
 * Asserts that axe finds nothing in anybody's way on the page. Needs a context that may run scripts. Only what concerns a scope is looked
 * at: a page that comes in several schemes and sizes is looked at once in all respects, then only for what the scheme or the size changes.
 */
export async function expectAccessible(page: Page, scope: AxeScope = 'everything'): Promise<void> {
  const traits = await describePage(page, scope);
  readAccepted();
  const fresh: Fresh = {
    structure: indexesOf(traits, ({ structure }) => isFresh(structure)),
    targets: indexesOf(traits, ({ target }) => isFresh(target)),
    colors: chooseColors(traits),
  };
  if (Object.values(fresh).every((list) => list.length === 0)) return;
  await provideAxe(page);
  const verdict = await page.evaluate((wishes) => judge(wishes), fresh);
  // Reports of a run keep the message alone, not what was compared.
  expect(verdict.found, verdict.found.join('\n')).toEqual([]);
  const open = new Set(verdict.undecided);
  const judged = [
    ...fresh.structure.map((index) => ({ index, trait: traits[index]?.structure, isCounted: false })),
    ...fresh.targets.map((index) => ({ index, trait: traits[index]?.target, isCounted: true })),
    ...fresh.colors.map((index) => ({ index, trait: traits[index]?.coloring, isCounted: true })),
  ];
  accept(judged.flatMap(({ index, trait, isCounted }) => (isCounted && open.has(index) ? [] : [trait])));
  for (const trait of new Set(judged.flatMap((one) => (one.isCounted ? [one.trait] : [])))) {
    if (trait !== undefined && trait !== null) undecided.set(trait, (undecided.get(trait) ?? 0) + 1);
  }
}

function isFresh(trait: string | null): boolean {
  return trait !== null && !accepted.has(trait) && (undecided.get(trait) ?? 0) < MAX_UNDECIDED;
}

function indexesOf(traits: readonly ElementTraits[], isWanted: (traits: ElementTraits) => boolean): number[] {
  return traits.flatMap((one, index) => (isWanted(one) ? [index] : []));
}

/** Returns some elements of each coloring that is to be judged. */
function chooseColors(traits: readonly ElementTraits[]): number[] {
  const counts = new Map<string | null, number>();
  return indexesOf(traits, ({ coloring }) => {
    if (!isFresh(coloring)) return false;
    const count = (counts.get(coloring) ?? 0) + 1;
    counts.set(coloring, count);
    return count <= MAX_EQUAL;
  });
}

const sessions = new WeakMap<Page, CDPSession>();

/** Loads axe into the page. The protocol of the browser compiles it once for all pages, which evaluating it in a page doesn't. */
async function provideAxe(page: Page): Promise<void> {
  if (await page.evaluate<boolean>("typeof axe !== 'undefined'")) return;
  const session = sessions.get(page) ?? (await page.context().newCDPSession(page));
  sessions.set(page, session);
  const { exceptionDetails } = await session.send('Runtime.evaluate', { expression: axeSource });
  if (exceptionDetails !== undefined) throw new Error(`axe can't be loaded: ${exceptionDetails.text}`);
}

/** Whether the page has colors to judge in a scheme that the theme chooses by an attribute. Shows the page in it only to its style sheets. */
export async function hasNewColors(page: Page, scheme: 'light' | 'dark'): Promise<boolean> {
  return (await describePage(page, 'colors', scheme)).some(({ coloring }) => isFresh(coloring));
}
