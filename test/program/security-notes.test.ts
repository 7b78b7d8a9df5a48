// The tests that SECURITY.md names exist and contain cases.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const notes = readFileSync(join(root, 'SECURITY.md'), 'utf8');
/** Rows of its tables below the header: threat, what prevents it, test. */
const rows = notes.split('\n').filter((line) => /^\| (?!---)/.test(line));
const named = [...new Set(notes.match(/test\/[\w/.-]+\.test\.ts/g))];

/** Cases that run: neither skipped nor left to be written. */
const casesIn = (file: string) =>
  existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8').match(/^\s*it(\.each|\.runIf)?\(/gm) : null;

it('names tests', () => {
  expect(named.length).toBeGreaterThan(40);
});

it.each(named)('%s has cases', (file) => {
  expect(casesIn(file)?.length ?? 0).toBeGreaterThan(0);
});

it('names a test in every row', () => {
  const headers = new Set(['Threat', 'Test']);
  const threats = rows.filter((row) => !headers.has(row.split('|')[1]?.trim() ?? ''));
  expect(threats.filter((row) => !/test\/[\w/.-]+\.test\.ts/.test(row))).toEqual([]);
});
