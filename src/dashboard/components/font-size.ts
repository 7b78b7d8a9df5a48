// Lengths that components compute. Those of the stylesheets follow the font size that is set in the browser, so these do too.

const DEFAULT_FONT_SIZE = 16;

/** Converts a length in pixels of the default font size. */
export function inRem(pixels: number): string {
  return `${pixels / DEFAULT_FONT_SIZE}rem`;
}

/** Returns how much larger than by default the font size is; 1 by default. */
export function fontScale(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / DEFAULT_FONT_SIZE;
}
