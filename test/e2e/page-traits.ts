// What accessibility depends on, of a page in a browser: its elements, the places of what can be clicked, and the colors of its texts.
import { hash } from 'node:crypto';
import type { Page } from 'playwright-core';

/** What axe looks at: everything, only what a color scheme changes, or only what the size of the screen changes. */
export type AxeScope = 'everything' | 'colors' | 'layout';

/** An element of a page, by fingerprints of its traits, which are the same on all pages. */
export interface ElementTraits {
  /** All that axe judges except for colors and places: the element itself, what it contains and what it is in. Without its words. */
  structure: string | null;
  /** Of what can be clicked: its size, if it is small, and what is so near that it's hard to hit. */
  target: string | null;
  /** Of a text: its looks and those of what is behind it. */
  coloring: string | null;
}

/**
 * Describes what of the elements of a page concerns a scope, or what it would be in a color scheme that the theme chooses by an attribute.
 * Nothing is drawn for that.
 */
export async function describePage(
  page: Page,
  scope: AxeScope,
  scheme: 'light' | 'dark' | null = null,
): Promise<ElementTraits[]> {
  const words = [scope, scheme].map((word) => JSON.stringify(word));
  const reading: Reading = JSON.parse(await page.evaluate<string>(`(${source})(${words.join()})`));
  return scope === 'colors' ? describeColors(reading) : describeElements(reading);
}

interface Reading {
  /** Texts that rows name by their index. */
  texts: string[];
  rows: Row[];
  /** Whether a modal dialog is visible. */
  isModal: boolean;
}

type Row = [
  parent: number,
  /** The tag and the attributes. */
  own: number,
  /** The part of them that what's within the element depends on. */
  context: number,
  /** How much is visible: 0 nothing, 1 the element, 2 also its text. */
  visibility: number,
  /** How many letters its own texts have: 0, 1 or 2 for more. */
  letters: number,
  paint: number | null,
  ink: number | null,
  box: [x: number, y: number, width: number, height: number] | null,
  /** Of a target: whether and how it is reached. */
  reach: string | null,
];

/** Fingerprints of all traits that this process has seen. */
const fingerprints = new Map<string, string>();

function fingerprintOf(trait: string): string {
  const known = fingerprints.get(trait);
  if (known !== undefined) return known;
  const fingerprint = hash('sha1', trait, 'base64url');
  fingerprints.set(trait, fingerprint);
  return fingerprint;
}

/** Ids, counts and generated names, which axe doesn't judge. */
const varying = /mantine-\w+|_r_\w+_|[0-9a-f]{4,}(?:-[0-9a-f]{4,})*|\d+/g;

function describeColors({ texts, rows }: Reading): ElementTraits[] {
  const grounds: string[] = [];
  return rows.map(([parent, , , , , paint, ink]) => {
    const behind = grounds[parent] ?? '';
    const ground = paint === null ? behind : fingerprintOf(`on ${behind} ${texts[paint]}`);
    grounds.push(ground);
    return {
      structure: null,
      target: null,
      coloring: ink === null ? null : fingerprintOf(`color ${ground} ${texts[ink]}`),
    };
  });
}

function describeElements(reading: Reading): ElementTraits[] {
  const { texts, rows, isModal } = reading;
  const plain = texts.map((text) => text.replaceAll(varying, '0'));
  const contexts: string[] = [];
  for (const [parent, , context] of rows)
    contexts.push(fingerprintOf(`in ${contexts[parent] ?? ''} ${plain[context]}`));
  const targets = describeTargets(rows);
  const within = rows.map((): string[] => []);
  const traits = describeColors(reading);
  // Elements follow those that they are in.
  for (let at = rows.length - 1; at >= 0; at -= 1) {
    const row = rows[at];
    if (row === undefined) continue;
    const [parent, own, context, visibility, letters, , , box] = row;
    const isOutside = box !== null && (box[0] + box[2] <= 0 || box[1] + box[3] <= 0);
    const isHidden = plain[context]?.includes('aria-hidden=true') === true && isModal;
    const children = within[at]?.toReversed() ?? [];
    // Whether two or more equal elements follow each other doesn't matter.
    const distinct = children.filter((child, index) => child !== children[index - 1] || child !== children[index - 2]);
    const self = fingerprintOf(`${plain[own]} ${visibility}${letters}${isOutside}${isHidden} ${distinct.join()}`);
    within[parent]?.push(self);
    const structure = fingerprintOf(`as ${contexts[parent] ?? ''} ${self}`);
    traits[at] = { structure, target: targets.get(at) ?? null, coloring: traits[at]?.coloring ?? null };
  }
  return traits;
}

/** WCAG 2.2, 2.5.8: the least size of a target. */
const LEAST_PX = 24;

type Box = readonly [x: number, y: number, width: number, height: number];

interface Target {
  at: number;
  box: Box;
  sides: Sides;
  reach: string;
}

function describeTargets(rows: readonly Row[]): Map<number, string> {
  const found = rows.flatMap(([, , , , , , , box, reach], at): Target[] =>
    box === null || reach === null || box[2] === 0 || box[3] === 0 ? [] : [{ at, box, sides: sidesOf(box), reach }],
  );
  const isIn = (inner: number, outer: number): boolean => {
    let at = inner;
    while (at > outer) at = rows[at]?.[0] ?? -1;
    return at === outer;
  };
  const describeNear = (one: Target, other: Target): string | null => {
    const relation = isIn(other.at, one.at) ? 'within' : isIn(one.at, other.at) ? 'around' : 'beside';
    if (isNear(one.sides, other.sides, 0)) {
      // What a target is in doesn't cover it.
      if (relation === 'around') return `around ${other.reach}`;
      const [left, top, right, bottom] = one.sides;
      const [otherLeft, otherTop, otherRight, otherBottom] = other.sides;
      const covered = [otherLeft - left, otherTop - top, right - otherRight, bottom - otherBottom];
      return `${relation} ${other.reach} at ${covered.map((side) => Math.max(0, Math.round(side))).join()}`;
    }
    const distance = Math.floor(distanceBetween(one.box, other.box));
    return distance < LEAST_PX ? `${relation} ${other.reach} after ${distance}` : null;
  };
  const describe = (one: Target): string => {
    // A link in a text may be small.
    const isInText = (rows[rows[one.at]?.[0] ?? -1]?.[4] ?? 0) > 0;
    if (isInText && one.reach.endsWith('inline')) return `target ${one.reach} in text`;
    const isSmall = isSmallBox(one.box);
    const near = new Set<string>();
    let isCovered = false;
    for (const other of found) {
      if (other === one || !isNear(one.sides, other.sides, isSmall ? LEAST_PX : 0)) continue;
      const description = describeNear(one, other);
      if (description === null) continue;
      near.add(description);
      isCovered ||= description.includes(' at ');
    }
    const size = isCovered ? one.box.slice(2).map(Math.round).join('x') : isSmall ? 'small' : 'large';
    return `target ${one.reach} ${size} ${[...near].sort().join(' ')}`;
  };
  const targets = found.filter(({ reach }) => reach.startsWith('widget'));
  return new Map(targets.map((target) => [target.at, fingerprintOf(describe(target))]));
}

type Sides = readonly [left: number, top: number, right: number, bottom: number];

function isNear(
  [left, top, right, bottom]: Sides,
  [otherLeft, otherTop, otherRight, otherBottom]: Sides,
  margin: number,
) {
  return (
    otherLeft < right + margin && otherRight > left - margin && otherTop < bottom + margin && otherBottom > top - margin
  );
}

function sidesOf([x, y, width, height]: Box): Sides {
  return [x, y, x + width, y + height];
}

function isSmallBox([, , width, height]: Box): boolean {
  return width < LEAST_PX || height < LEAST_PX;
}

/** From the center of a small target to that of another small one, or to the nearest point of a large one, less half of the least size. */
function distanceBetween(small: Box, other: Box): number {
  const [x, y] = centerOf(small);
  const [left, top, right, bottom] = sidesOf(other);
  if (isSmallBox(other)) return Math.hypot(x - centerOf(other)[0], y - centerOf(other)[1]);
  const across = Math.max(left - x, 0, x - right);
  const down = Math.max(top - y, 0, y - bottom);
  return Math.hypot(across, down) + LEAST_PX / 2;
}

function centerOf([x, y, width, height]: Box): [x: number, y: number] {
  return [x + width / 2, y + height / 2];
}

/**
 * Runs in the page; `elements`, a global of the page, are what its rows describe. What attributes refer to is described in their place: axe
 * needs words only to know whether there are any.
 */
const source = `(scope, scheme) => {
  const hasColors = scope !== 'layout';
  const hasLayout = scope !== 'colors';
  const root = document.documentElement;
  const own = root.dataset.mantineColorScheme;
  if (scheme !== null) root.dataset.mantineColorScheme = scheme;
  const references = new Set(['for', 'aria-labelledby', 'aria-describedby', 'aria-controls', 'aria-owns', 'aria-activedescendant']);
  const addresses = new Set(['href', 'src', 'action', 'd', 'datetime', 'value', 'style', 'content']);
  const isContext = /^(?:role|aria-.*|hidden|inert|lang|disabled|tabindex|open|contenteditable)$/;
  const target = 'a, button, input, select, textarea, summary, [role], [tabindex]';
  const widget = ':is(a, button, input, select, textarea, summary, [role]):not(' +
    ['group', 'img', 'list', 'radiogroup', 'region', 'search', 'status'].map((role) => '[role="' + role + '"]') + ')';
  const fields = new Set(['INPUT', 'SELECT', 'TEXTAREA']);
  const texts = [];
  const indexes = new Map();
  const indexOf = (text) => {
    let index = indexes.get(text);
    if (index === undefined) {
      index = texts.push(text) - 1;
      indexes.set(text, index);
    }
    return index;
  };
  // Numbers that matter, other than those of ids.
  const inLetters = (text) => text.replaceAll(/\\d/g, (digit) => 'i'.repeat(digit));
  const describe = (one, name, value) => {
    if (name === 'id') return document.getElementById(value) === one;
    // Landmarks must not have the same name.
    if (references.has(name)) return value.split(' ').map((id) => document.getElementById(id)?.textContent ?? '?').join();
    if (value[0] === '#') return '#' + (document.getElementById(value.slice(1)) !== null);
    if (name === 'aria-level') return inLetters(value);
    if (name === 'tabindex') return value > 0 ? 'positive' : value < 0 ? 'negative' : 'zero';
    return addresses.has(name) ? value !== '' : value;
  };
  const isModal = [...document.querySelectorAll('[aria-modal="true"]')].some((one) => one.checkVisibility());
  const rows = [];
  const elements = [];
  const look = (one, parent, above, isOff, isWithinHidden) => {
    const tag = one.tagName;
    let attributes = inLetters(tag);
    let context = attributes;
    for (const name of hasLayout ? one.getAttributeNames() : []) {
      const part = ' ' + name + '=' + describe(one, name, one.getAttribute(name));
      attributes += part;
      if (isContext.test(name)) context += part;
    }
    const isField = fields.has(tag);
    if (hasLayout && isField) for (const label of one.labels ?? []) attributes += ' label ' + (label.textContent.trim() !== '') + label.checkVisibility();
    let letters = 0;
    for (let node = one.firstChild; node !== null; node = node.nextSibling) {
      if (node.nodeType === 3) letters += node.nodeValue.trim().length;
    }
    const style = isWithinHidden ? undefined : getComputedStyle(one);
    const isHidden = isWithinHidden || style.display === 'none';
    const isVisible = !isHidden && style.visibility === 'visible';
    const off = isOff || one.disabled === true || one.getAttribute('aria-disabled') === 'true';
    const at = rows.length;
    let paint = null;
    let ink = null;
    let box = null;
    let reach = null;
    if (isVisible) {
      if (hasLayout && style.overflow !== 'visible' && (one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight)) attributes += ' overflow ' + style.overflow;
      const isTarget = hasLayout && one.matches(target);
      const isText = hasColors && (letters > 0 || isField);
      if (isTarget || isText) {
        const { x, y, width, height } = one.getBoundingClientRect();
        if (isTarget) {
          box = [x, y, width, height];
          const isBehind = isModal && one.closest('[aria-modal="true"]') === null;
          reach = [one.matches(widget) ? 'widget' : 'other', tag, one.getAttribute('role'), one.type, one.tabIndex, off, isBehind, style.pointerEvents, style.position, style.zIndex, style.display].join();
        }
        if (isText && style.opacity !== '0' && width > 1 && height > 1) {
          const around = tag === 'A' ? [above.color, above.fontWeight, style.textDecorationLine] : [];
          ink = indexOf([style.color, style.fontSize, style.fontWeight, style.textShadow, one.type, off, letters === 1, ...around].join());
        }
      }
    }
    if (hasColors && !isHidden) {
      const isPainted = style.backgroundColor !== 'rgba(0, 0, 0, 0)' || style.backgroundImage !== 'none' || style.opacity !== '1' || style.filter !== 'none';
      const isInPlace = style.position === 'static' || (style.position === 'relative' && style.top === '0px' && style.left === '0px');
      const place = isInPlace ? '' : style.position + one.className;
      if (isPainted || place !== '') paint = indexOf([style.backgroundColor, style.backgroundImage, style.opacity, style.filter, style.mixBlendMode, place].join());
    }
    rows.push([parent, indexOf(attributes), indexOf(context), isVisible ? 2 : isHidden ? 0 : 1, Math.min(letters, 2), paint, ink, box, reach]);
    elements.push(one);
    // Drawings have no meaning unless something in them has one.
    if (tag === 'svg' && one.querySelector('a, title, text, [role], [tabindex], [aria-label]') === null) return;
    // Code consists of thousands of pieces, which look the same if they have the same class.
    const children = tag === 'CODE' ? new Map([...one.children].map((child) => [child.className, child])).values() : one.children;
    for (const child of children) look(child, at, style ?? above, off, isHidden);
  };
  look(root, -1, { color: '', fontWeight: '' }, false, false);
  globalThis.elements = elements;
  if (scheme !== null) {
    if (own === undefined) delete root.dataset.mantineColorScheme;
    else root.dataset.mantineColorScheme = own;
  }
  return JSON.stringify({ texts, rows, isModal });
}`;
