// A fixture that can't start.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startFixture } from '../../src/testing/fixture.ts';

vi.mock('node:fs/promises', async (load) => ({
  ...(await load<typeof import('node:fs/promises')>()),
  writeFile: () => Promise.reject(new Error('ENOSPC: no space left on device')),
}));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'taxiway-start-'));
  vi.stubEnv('TMPDIR', folder);
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

it('leaves no folder behind', async () => {
  await expect(startFixture()).rejects.toThrow('ENOSPC');
  expect(readdirSync(folder)).toEqual([]);
});
