// A fixture that can't start.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { migratedDatabase, startFixture } from '../../src/testing/fixture.ts';

/** The longest path of the system, with the byte that ends it. */
const MAX_PATH = process.platform === 'darwin' ? 1024 : 4096;

let base: string;
let folder: string;
beforeAll(() => {
  // It is created once for each process, in a temporary folder.
  migratedDatabase();
  base = mkdtempSync(join(tmpdir(), 'taxiway-start-'));
  // The fixture's folder fits below it; the files in it don't.
  folder = base;
  const length = MAX_PATH - '/taxiway-XXXXXX/'.length;
  while (folder.length < length)
    folder = join(folder, 'a'.repeat(Math.min(200, Math.max(1, length - folder.length - 1))));
  mkdirSync(folder, { recursive: true });
  vi.stubEnv('TMPDIR', folder);
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(base, { recursive: true });
});

it('leaves no folder behind', async () => {
  await expect(startFixture()).rejects.toThrow('ENAMETOOLONG');
  expect(readdirSync(folder)).toEqual([]);
});
