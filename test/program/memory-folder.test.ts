// The folder in memory that scripts/test gives to tests, if this machine has one.
import { existsSync, mkdtempSync, statSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { makeMemoryFolder } from '../../scripts/lib/memory-folder.ts';

const first = makeMemoryFolder();
afterAll(() => first?.remove());

describe.skipIf(first === undefined)('the folder in memory for tests', () => {
  it('is private, and replaces those of runs that were killed, but not those of others', () => {
    const left = mkdtempSync('/dev/shm/taxiway-tests-');
    const second = makeMemoryFolder();
    const paths = [first?.path, second?.path].map(String);
    expect(new Set([...paths, left]).size).toBe(3);
    expect(paths.map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o700]);
    expect(existsSync(left)).toBe(false);
    second?.remove();
    expect(paths.map((path) => existsSync(path))).toEqual([true, false]);
  });
});
