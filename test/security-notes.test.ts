// SECURITY.md names the tests that show what it says: they are there.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');

it('the notes on security name tests that exist', () => {
  const named = readFileSync(join(root, 'SECURITY.md'), 'utf8').match(/test\/[\w/.-]+\.test\.ts/g) ?? [];
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});
