// Which rows of a long list are rendered while it is scrolled.
import { expect, it } from 'vitest';
import { findRange, GROUP } from '../../src/dashboard/pages/builds/visible-rows.ts';

const HEIGHT = 60;
const WINDOW = 900;

it('renders the rows of the window and some before and after them', () => {
  for (let above = 0; above < 20_000; above += 7) {
    const { first, end } = findRange(above, WINDOW, HEIGHT);
    expect(first).toBeLessThanOrEqual(Math.max(0, Math.floor(above / HEIGHT) - 8));
    expect(end).toBeGreaterThanOrEqual(Math.ceil((above + WINDOW) / HEIGHT) + 8);
    expect(end - first).toBeLessThanOrEqual(15 + 2 * 8 + GROUP);
  }
});

it('changes the first and the last row together, once for each group of rows', () => {
  const seen = new Set<string>();
  const start = 13 * GROUP * HEIGHT;
  for (let above = start; above < start + 10 * GROUP * HEIGHT; above += 1) {
    const { first, end } = findRange(above, WINDOW, HEIGHT);
    seen.add(`${first}-${end}`);
  }
  expect(seen.size).toBe(10);
});

it('renders nothing before the first row, and the first rows if the list begins below the top of the window', () => {
  expect(findRange(-400, WINDOW, HEIGHT)).toEqual({ first: 0, end: 23 });
  expect(findRange(-100_000, WINDOW, HEIGHT)).toEqual({ first: 0, end: 0 });
});
