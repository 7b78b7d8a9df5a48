// What accessibility depends on, of a page in a browser: the structure of the page, and the colors of its texts.
import type { Page } from 'playwright-core';

export interface PageTraits {
  /** A fingerprint of the page's elements, attributes and places, without its words. */
  structure: string;
  /** Fingerprints of the ways that texts are colored. `elementsOf`, a global of the page, has elements of each. */
  colorings: string[];
}

/** Describes a page as it is, or as it would be in a color scheme that the theme chooses by an attribute. Nothing is drawn for that. */
export function describePage(page: Page, scheme: 'light' | 'dark' | null = null): Promise<PageTraits> {
  return page.evaluate<PageTraits>(`(${source})(${JSON.stringify(scheme)})`);
}

/**
 * Runs in the page. Two pages have the same structure if axe can't tell them apart by anything but colors and words: what words are needed
 * for is whether there are any. Two texts have the same coloring if they look the same on the same backgrounds.
 */
const source = `(scheme) => {
  const root = document.documentElement;
  const own = root.dataset.mantineColorScheme;
  if (scheme !== null) root.dataset.mantineColorScheme = scheme;
  const hash = (text) => {
    let high = 5381;
    let low = 52711;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      high = Math.imul(high ^ code, 2654435761);
      low = Math.imul(low ^ code, 1597334677);
    }
    return (high >>> 0).toString(36) + (low >>> 0).toString(36);
  };
  const references = new Set(['for', 'aria-labelledby', 'aria-describedby', 'aria-controls', 'aria-owns', 'aria-activedescendant']);
  const addresses = new Set(['href', 'src', 'action', 'd', 'datetime', 'value', 'style', 'content']);
  const withoutNumbers = (text) => text.replaceAll(/mantine-\\w+|_r_\\w+_|[0-9a-f]{4,}(?:-[0-9a-f]{4,})*|\\d+/g, '0');
  const describe = ({ name, value }, one) => {
    if (name === 'id') return 'id=' + (document.getElementById(value) === one);
    // Landmarks must not have the same name.
    if (references.has(name)) return name + '=' + value.split(' ').map((id) => withoutNumbers(document.getElementById(id)?.textContent ?? '?')).join();
    if (value[0] === '#') return name + '=#' + (document.getElementById(value.slice(1)) !== null);
    return name + '=' + (addresses.has(name) ? value !== '' : withoutNumbers(value));
  };
  const isTarget = 'a, button, input, select, textarea, summary, [role], [tabindex]';
  const parts = [innerWidth + 'x' + innerHeight, document.title === ''];
  const elementsOf = new Map();
  const look = (one, behind, above, isOff, isWithinHidden) => {
    const style = getComputedStyle(one);
    const isHidden = isWithinHidden || style.display === 'none';
    const isVisible = !isHidden && style.visibility === 'visible';
    const words = [...one.childNodes].filter((node) => node.nodeType === 3 && node.nodeValue.trim() !== '').map((node) => node.nodeValue.trim()).join(' ');
    parts.push(one.tagName, isVisible ? 'v' : 'h', words === '' ? '' : 't');
    for (const attribute of one.attributes) parts.push(describe(attribute, one));
    const box = one.getBoundingClientRect();
    if (isVisible && one.matches(isTarget)) parts.push([box.x, box.y, box.width, box.height].map(Math.round).join());
    if (isVisible && (one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight)) parts.push('overflow ' + style.overflow);
    if (one.tagName === 'svg') return;
    const off = isOff || one.disabled === true || one.getAttribute('aria-disabled') === 'true';
    const isPainted = style.backgroundColor !== 'rgba(0, 0, 0, 0)' || style.backgroundImage !== 'none' || style.opacity !== '1' || style.filter !== 'none';
    const place = style.position === 'static' ? '' : style.position + one.className;
    const ground = isPainted || place !== ''
      ? hash([behind, style.backgroundColor, style.backgroundImage, style.opacity, style.filter, style.mixBlendMode, place].join())
      : behind;
    const isField = ['INPUT', 'SELECT', 'TEXTAREA'].includes(one.tagName);
    if (isVisible && style.opacity !== '0' && (words !== '' || isField) && box.width > 1 && box.height > 1) {
      const type = [style.color, style.fontSize, style.fontWeight, style.textShadow, style.textDecorationLine, one.tagName === 'A', one.type];
      const key = hash([ground, type, above.color, above.fontWeight, off, words.length === 1].join());
      const known = elementsOf.get(key) ?? [];
      elementsOf.set(key, known);
      if (known.length < 5) known.push(one);
    }
    // Code consists of thousands of pieces, which look the same if they have the same class.
    const children = one.tagName === 'CODE' ? new Map([...one.children].map((child) => [child.className, child])).values() : one.children;
    for (const child of children) look(child, ground, style, off, isHidden);
  };
  look(root, '', { color: '', fontWeight: '' }, false, false);
  globalThis.elementsOf = elementsOf;
  if (scheme !== null) {
    if (own === undefined) delete root.dataset.mantineColorScheme;
    else root.dataset.mantineColorScheme = own;
  }
  return { structure: hash(parts.join('|')), colorings: [...elementsOf.keys()] };
}`;
