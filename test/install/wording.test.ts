// Numbers, times, languages and names in texts.
import { describe, expect, it } from 'vitest';
import { boundName, firstLetter, formatAge, formatAhead } from '../../src/install/page/format.ts';
import { chooseLanguage } from '../../src/languages.ts';
import { formatByteLimit, formatBytes } from '../../src/lib/formats.ts';

const now = new Date('2026-03-10T12:00:00Z');
const day = 24 * 60 * 60 * 1000;

describe('numbers and times', () => {
  it.each([
    [0, 'en', '0 bytes'],
    [812_345, 'en', '812 kB'],
    [48_312_332, 'de', '48,3 MB'],
    [1_234_567_890, 'en', '1.23 GB'],
  ])('%d bytes in %s are %s', (bytes, language, expected) => {
    expect(formatBytes(bytes, language)).toBe(expected);
  });

  it('are limits in whole units, never above the limit', () => {
    const limits = [1_048_576, 4_194_304, 524_288_000, 2_000, 999].map((bytes) => formatByteLimit(bytes, 'en'));
    expect(limits).toEqual(['1 MB', '4 MB', '524 MB', '2 kB', '999 bytes']);
  });

  it.each([
    [30_000, null],
    [-day, null],
    [90_000, '1 minute ago'],
    [5 * 60 * 60_000, '5 hours ago'],
    [day, '1 day ago'],
    [13 * day, '13 days ago'],
    [21 * day, '3 weeks ago'],
    [100 * day, '3 months ago'],
    [800 * day, '2 years ago'],
  ])('%d ms ago is %s', (age, expected) => {
    expect(formatAge(new Date(now.getTime() - age), now, 'en')).toBe(expected);
  });

  it.each([
    [1, 'in 1 minute'],
    [14.9 * 60_000, 'in 14 minutes'],
    [3 * 60 * 60_000, 'in 3 hours'],
    [5.9 * day, 'in 5 days'],
  ])('%d ms ahead is %s', (left, expected) => {
    expect(formatAhead(new Date(now.getTime() + left), now, 'en')).toBe(expected);
  });
});

describe('the language of the page', () => {
  it.each([
    [undefined, 'en'],
    ['', 'en'],
    ['de', 'de'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['en-GB,en;q=0.9,de;q=0.8', 'en'],
    ['fr-FR,fr;q=0.9,de;q=0.5', 'de'],
    ['fr', 'en'],
    ['en;q=0.2, DE;Q=0.7', 'de'],
    ['de;q=0', 'en'],
    ['de;q=zero, *', 'en'],
    ['dedication', 'en'],
  ])('for Accept-Language %j is %s', (header, locale) => {
    expect(chooseLanguage(header)).toBe(locale);
  });

  it('is English for an endless list', () => {
    expect(chooseLanguage(`${'fr,'.repeat(100_000)}de`)).toBe('en');
  });
});

describe('names of other people', () => {
  it.each([
    ['  Two\n\tlines ', 'Two lines'],
    ['abc\u202edef\u2069', 'abcdef'],
    ['x'.repeat(200), `${'x'.repeat(80)}…`],
    ['👨‍👩‍👧‍👦', '👨‍👩‍👧‍👦'],
    [`a${'\u0301'.repeat(5000)}`, '…'],
  ])('are limited: case %#', (name, expected) => {
    expect(boundName(name)).toBe(expected);
  });

  it.each([
    ['harbour', 'H'],
    ['«1st»', '1'],
    ['港湾', '港'],
    ['🚢', '•'],
    ['', '•'],
  ])('%j begins with %s', (name, letter) => {
    expect(firstLetter(name)).toBe(letter);
  });
});
