// A missing object of the local backend is told from a folder that can't be used.
import { rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type StorageWorld, startStorage } from './storage-harness.ts';

let world: StorageWorld;
beforeEach(async () => {
  world = await startStorage();
  await world.storage.put('pending/1', Buffer.from('x'));
});
afterEach(() => world.stop());

const inObjects = (...path: string[]) => join(world.directory, 'objects', ...path);

describe('an object of the local backend', () => {
  it.each([
    [
      'a file is in the place of its folder',
      async () => {
        await rm(inObjects('pending'), { recursive: true });
        await writeFile(inObjects('pending'), '');
      },
    ],
    [
      'its folder is a loop of links',
      async () => {
        await rm(inObjects('pending'), { recursive: true });
        await symlink('pending', inObjects('pending'));
      },
    ],
    ['the folder of all objects is missing', () => rename(inObjects(), join(world.directory, 'elsewhere'))],
    [
      'a file is in the place of the folder of all objects',
      async () => {
        await rm(inObjects(), { recursive: true });
        await writeFile(inObjects(), '');
      },
    ],
  ])('is unavailable instead of missing if %s', async (_name, damage) => {
    await damage();
    const unavailable = { code: 'unavailable' };
    await expect(world.storage.head('pending/1')).rejects.toMatchObject(unavailable);
    await expect(world.storage.get('pending/1')).rejects.toMatchObject(unavailable);
    await expect(world.storage.read('pending/1', 0, 1)).rejects.toMatchObject(unavailable);
    await expect(world.storage.move('pending/1', 'builds/1')).rejects.toMatchObject(unavailable);
    expect((await fetch(await world.getUrl('pending/1'))).status).toBe(503);
  });

  it('is missing if only the object or its folder is', async () => {
    await rm(inObjects('pending'), { recursive: true });
    expect(await world.storage.head('pending/1')).toBeUndefined();
    expect(await world.storage.head('pending/2')).toBeUndefined();
    expect((await fetch(await world.getUrl('pending/1'))).status).toBe(404);
  });
});
