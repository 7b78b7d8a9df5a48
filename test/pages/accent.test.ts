// The accent color of a page: readable in both color schemes, for any color of the icon.
import { describe, expect, it } from 'vitest';
import { accentIn, accentStylesheet, contrast, findAccentStylesheet } from '../../src/pages/accent.ts';
import { darkPalette, lightPalette } from '../../src/pages/styles.ts';

/** Colors that are the same in every run: a generator of numbers with a fixed start. */
function colors(count: number): string[] {
  let state = 20_260_310;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return `#${(state >>> 8).toString(16).padStart(6, '0')}`;
  });
}

describe.each([
  ['light', lightPalette],
  ['dark', darkPalette],
] as const)('an accent color in the %s scheme', (_name, palette) => {
  it('of 200 colors is readable on every background', () => {
    for (const color of [...colors(200), '#000000', '#ffffff', '#ffff00', '#0000ff', '#808080']) {
      const { accent, tint, wash } = accentIn(palette, color);
      for (const ground of [palette.ground, palette.card, tint, wash]) {
        expect(contrast(accent, ground), `${color} on ${ground}`).toBeGreaterThanOrEqual(4.5);
      }
      // A sign in the color of the page on the accent.
      expect(contrast(palette.ground, accent)).toBeGreaterThanOrEqual(4.5);
    }
  });

  it('keeps text on it readable', () => {
    for (const color of [...colors(200), '#000000', '#ffffff', '#ffff00', '#0000ff']) {
      const { tint, wash } = accentIn(palette, color);
      for (const text of [palette.text, palette.quiet, palette.link, palette.good]) {
        expect(contrast(text, wash), `${text} on ${wash}, of ${color}`).toBeGreaterThanOrEqual(4.5);
      }
      expect(contrast(palette.sheetText, tint)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(palette.sheetQuiet, tint)).toBeGreaterThanOrEqual(4.5);
    }
  });
});

describe('the default colors', () => {
  it.each([lightPalette, darkPalette])('are as readable as those of an app', (palette) => {
    const { accent, tint, wash, text, quiet, link, good, ground } = palette;
    for (const background of [ground, tint, wash]) {
      for (const front of [accent, text, quiet, link, good]) {
        expect(contrast(front, background), `${front} on ${background}`).toBeGreaterThanOrEqual(4.5);
      }
    }
    expect(contrast('#ffffff', palette.action)).toBeGreaterThanOrEqual(4);
    expect(contrast(palette.actionText, palette.sheet)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(palette.sheetQuiet, palette.sheet)).toBeGreaterThanOrEqual(4.5);
  });
});

describe('the stylesheet of an accent color', () => {
  it('is named after its color and only contains colors', () => {
    const sheet = accentStylesheet('#0b5f57');
    expect(sheet.path).toBe('/install/assets/accent-0b5f57.css');
    expect(sheet.content).toMatch(
      /^:root\{--accent:#0b5f57;--tint:#[0-9a-f]{6};--wash:#[0-9a-f]{6}\}@media \(prefers-color-scheme:dark\)\{:root\{--accent:#[0-9a-f]{6};--tint:#[0-9a-f]{6};--wash:#[0-9a-f]{6}\}\}\n$/,
    );
    expect(findAccentStylesheet('accent-0b5f57.css')).toEqual(sheet);
  });

  it.each([
    'accent-0E7C72.css',
    'accent-0e7c7.css',
    'accent-0e7c72;x.css',
    'accent-.css',
    '0e7c72.css',
    'accent-red.css',
  ])('is not found with %s', (name) => {
    expect(findAccentStylesheet(name)).toBeUndefined();
  });
});
