// Objects in a folder: storing, moving, listing and checking them, and invalid keys.
import { access, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FileOperations, nodeFiles } from '../../src/storage/local/files.ts';
import { assertObjectKey, decodeObjectKey, isKeyPrefix, isObjectKey } from '../../src/storage/object-key.ts';
import { anyText } from '../support/any-text.ts';
import { type StorageWorld, startStorage } from './storage-harness.ts';

let world: StorageWorld;
beforeEach(async () => {
  world = await startStorage();
});
afterEach(() => world.stop());

describe('objects', () => {
  it('are read in ranges', async () => {
    await world.storage.put('icons/1.png', Buffer.from('0123456789'));
    const cases: [number, number, string][] = [
      [0, 4, '0123'],
      [4, 100, '456789'],
      [10, 5, ''],
      [50, 5, ''],
      [3, 0, ''],
    ];
    for (const [offset, length, expected] of cases) {
      expect(String(await world.storage.read('icons/1.png', offset, length))).toBe(expected);
    }
  });

  it('that do not exist are unknown to head and rejected by read', async () => {
    expect(await world.storage.head('icons/1.png')).toBeUndefined();
    await expect(world.storage.read('icons/1.png', 0, 1)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('of the service are replaced as a whole', async () => {
    const first = await world.storage.put('icons/1.png', Buffer.from('first'));
    const second = await world.storage.put('icons/1.png', Buffer.from('other'));
    expect(second.etag).not.toBe(first.etag);
    expect(await world.storage.head('icons/1.png')).toEqual(second);
    expect(await world.files()).toEqual(['objects/icons/1.png']);
  });

  it('are deleted with empty folders, also twice', async () => {
    await world.storage.put('builds/1/package.ipa', Buffer.from('a'));
    await world.storage.put('builds/2/package.ipa', Buffer.from('b'));
    await world.storage.delete('builds/1/package.ipa');
    await world.storage.delete('builds/1/package.ipa');
    await world.storage.delete('builds/never/package.ipa');
    await world.storage.delete('builds');
    expect(await readdir(join(world.directory, 'objects', 'builds'))).toEqual(['2']);
    await world.storage.delete('builds/2/package.ipa');
    expect(await readdir(join(world.directory, 'objects'))).toEqual([]);
  });

  it('are moved even if another deletion removes the folder that must be flushed', async () => {
    await world.stop();
    const open: FileOperations['open'] = async (path, ...rest) => {
      if (String(path) === join(world.directory, 'objects', 'pending')) await world.storage.delete('pending/b/2');
      return nodeFiles.open(path, ...rest);
    };
    let isNext = false;
    world = await startStorage({ files: { ...nodeFiles, open: (...all) => (isNext ? open : nodeFiles.open)(...all) } });
    for (const key of ['pending/a/1', 'pending/b/2']) await world.storage.put(key, Buffer.from(key));
    isNext = true;
    await world.storage.move('pending/a/1', 'builds/1');
    expect(await world.files()).toContain('objects/builds/1');
    expect(await readdir(join(world.directory, 'objects'))).toEqual(['builds']);
  });

  it("are stored without the calls that Node's permission model forbids", async () => {
    await world.stop();
    const forbid = () => Promise.reject(Object.assign(new Error('disabled'), { code: 'ERR_ACCESS_DENIED' }));
    const open: FileOperations['open'] = async (...all) =>
      Object.assign(await nodeFiles.open(...all), { utimes: forbid, chmod: forbid, chown: forbid });
    world = await startStorage({ files: { ...nodeFiles, open } });
    await world.storage.put('pending/1', Buffer.from('a'));
    await world.storage.move('pending/1', 'builds/1');
    expect((await world.storage.head('builds/1'))?.modifiedAt).toEqual(world.clock.now());
    expect((await world.storage.check()).ok).toBe(true);
  });

  it('are in folders that were flushed before the object is renamed, also in those of others', async () => {
    await world.stop();
    const events: string[] = [];
    const nameOf = (path: unknown) => String(path).slice(world.directory.length + 1);
    world = await startStorage({
      files: {
        ...nodeFiles,
        async open(path, ...rest) {
          const handle = await nodeFiles.open(path, ...rest);
          const isFolder = (await handle.stat()).isDirectory();
          const sync = handle.sync.bind(handle);
          handle.sync = async () => {
            await sync();
            if (isFolder) events.push(`flush ${nameOf(path)}`);
          };
          return handle;
        },
        async rename(from, to) {
          await nodeFiles.rename(from, to);
          events.push(`rename to ${nameOf(to)}`);
        },
      },
    });
    // As an upload does that was killed, or runs at the same time, before it flushes them.
    await mkdir(join(world.directory, 'objects/builds/1'), { recursive: true });
    await world.storage.put('builds/1/package.ipa', Buffer.from('a'));
    expect(events.slice(0, 4)).toEqual([
      'flush objects/builds',
      'flush objects',
      'rename to objects/builds/1/package.ipa',
      'flush objects/builds/1',
    ]);
  });

  it('are created and deleted simultaneously in one folder', async () => {
    await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const key = `builds/${index % 3}/${index}`;
        await world.storage.put(key, Buffer.from('x'));
        await world.storage.delete(key);
      }),
    );
    expect(await readdir(join(world.directory, 'objects'))).toEqual([]);
  });

  it('cannot be changed after they have their final key', async () => {
    await world.storage.put('pending/1', Buffer.from('x'));
    await world.storage.move('pending/1', 'builds/1/package.ipa');
    await expect(world.storage.put('builds/1/package.ipa', Buffer.from('y'))).rejects.toMatchObject({
      code: 'immutable',
    });
    await world.storage.delete('builds/1/package.ipa');
    expect(await world.storage.head('builds/1/package.ipa')).toBeUndefined();
  });
});

describe('move', () => {
  it('keeps bytes and ETag, and can be repeated', async () => {
    const { etag } = await world.storage.put('pending/1', Buffer.from('x'));
    await world.storage.move('pending/1', 'builds/1/package.ipa', { etag });
    await world.storage.move('pending/1', 'builds/1/package.ipa', { etag });
    expect(await world.storage.head('builds/1/package.ipa')).toMatchObject({ size: 1, etag });
    expect(await readdir(join(world.directory, 'objects'))).toEqual(['builds']);
  });

  it('succeeds for simultaneous requests with one object', async () => {
    await world.storage.put('pending/1', Buffer.from('x'));
    await Promise.all(Array.from({ length: 10 }, () => world.storage.move('pending/1', 'builds/1/package.ipa')));
    expect((await world.storage.list('', { limit: 10 })).items.map((item) => item.key)).toEqual([
      'builds/1/package.ipa',
    ]);
  });

  it('rejects an object that has changed', async () => {
    const { etag } = await world.storage.put('pending/1', Buffer.from('x'));
    await world.storage.put('pending/1', Buffer.from('y'));
    const moved = world.storage.move('pending/1', 'builds/1/package.ipa', { etag });
    await expect(moved).rejects.toMatchObject({ code: 'changed' });
    expect(String(await world.storage.read('pending/1', 0, 9))).toBe('y');
    expect(await world.storage.isSealed('pending/1')).toBe(false);
  });

  it('rejects an unknown object', async () => {
    const moved = world.storage.move('pending/1', 'builds/1/package.ipa');
    await expect(moved).rejects.toMatchObject({ code: 'not_found' });
    expect(await world.files()).toEqual([]);
  });
});

describe('list', () => {
  const keys = [
    'a',
    'builds/1/package.ipa',
    'builds/1-b/x',
    'builds/1.c',
    'builds/2/package.apk',
    'icons/1.png',
    'icons/A',
  ];

  it.each([
    ['', keys],
    ['builds/', keys.filter((key) => key.startsWith('builds/'))],
    ['builds/1', keys.filter((key) => key.startsWith('builds/1'))],
    ['builds/1/', ['builds/1/package.ipa']],
    ['icons/1.png', ['icons/1.png']],
    ['nothing/', []],
    ['builds/1/package.ipa/', []],
  ])('below %j, page by page, in the order of keys', async (prefix, expected) => {
    for (const key of keys) await world.storage.put(key, Buffer.from(key));
    const sorted = [...expected].sort();
    for (const limit of [1, 2, 3, 100]) {
      const seen: string[] = [];
      let after: string | undefined;
      do {
        const page = await world.storage.list(prefix, { after, limit });
        expect(page.items.length).toBeLessThanOrEqual(limit);
        for (const item of page.items) {
          expect(item).toEqual({ key: item.key, size: item.key.length, modifiedAt: world.clock.now() });
          seen.push(item.key);
        }
        after = page.next;
      } while (after !== undefined);
      expect(seen).toEqual(sorted);
    }
  });

  it('rejects a prefix outside the storage', async () => {
    await expect(world.storage.list('../', { limit: 1 })).rejects.toThrow(RangeError);
  });
});

describe('check', () => {
  it('returns the free space and leaves nothing, also simultaneously', async () => {
    const checks = await Promise.all(Array.from({ length: 8 }, () => world.storage.check()));
    for (const check of checks) {
      expect(check.ok).toBe(true);
      expect(check.freeBytes).toBeGreaterThan(0);
    }
    expect(await world.files()).toEqual([]);
  });

  it('reports errors', async () => {
    await world.stop();
    const trouble = Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' });
    world = await startStorage({ files: { ...nodeFiles, rename: () => Promise.reject(trouble) } });
    expect(await world.storage.check()).toMatchObject({
      ok: false,
      detail: 'the storage is unavailable: EROFS: read-only file system',
    });
    expect(await world.files()).toEqual([]);
  });
});

describe('an incomplete object that cannot be deleted', () => {
  it('does not hide why it is incomplete, and is deleted by a sweep', async () => {
    await world.stop();
    const fail = () => Promise.reject(Object.assign(new Error('EIO: i/o error'), { code: 'EIO' }));
    let isBroken = true;
    const rm: FileOperations['rm'] = (...all) => (isBroken ? fail() : nodeFiles.rm(...all));
    world = await startStorage({ files: { ...nodeFiles, rename: fail, rm } });
    await expect(world.storage.put('pending/1', Buffer.from('x'))).rejects.toMatchObject({ code: 'unavailable' });
    isBroken = false;
    expect(await world.storage.sweepTemporary()).toBe(1);
    expect(await world.files()).toEqual([]);
  });
});

describe('object keys', () => {
  it.each(['builds/0198c0de-0000-7000-8000-000000000000/package.ipa', 'pending/1', 'a', 'a.b-c_d', '-', 'A/9'])(
    '%j is valid',
    (key) => {
      expect(isObjectKey(key)).toBe(true);
      expect(decodeObjectKey(key)).toBe(key);
      expect(assertObjectKey(key)).toBe(key);
    },
  );

  it.each(['', '/', 'a/', '/a', 'a//b', '.', '..', 'a/..', '../a', '.a', 'a.', 'a\\b', 'a\0', 'a b', 'é', 'a%', 'a:b'])(
    '%j is invalid',
    async (key) => {
      expect(isObjectKey(key)).toBe(false);
      expect(() => assertObjectKey(key)).toThrow(RangeError);
      await expect(async () => world.storage.head(key)).rejects.toThrow(RangeError);
      await expect(async () => world.storage.put(key, Buffer.alloc(1))).rejects.toThrow(RangeError);
    },
  );

  it.each([
    ['a'.repeat(101), false],
    ['a'.repeat(100), true],
    [`${'a/'.repeat(7)}a`, true],
    [`${'a/'.repeat(8)}a`, false],
  ])('have limits', (key, isKey) => expect(isObjectKey(key)).toBe(isKey));

  it('never leave their folder, in any notation', () => {
    const piece = fc.constantFrom('.', '..', '/', '\\', '%2e', '%2F', '%5c', '%00', '%', 'a', 'Z', '~', ':', ' ', 'é');
    const text = fc.oneof(
      anyText({ maxLength: 40 }),
      fc.array(piece).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(text, (path) => {
        const key = decodeObjectKey(path);
        if (key === undefined) return;
        expect(key).toMatch(/^[A-Za-z0-9._/-]+$/);
        expect(join('/root', key)).toBe(`/root/${key}`);
        expect(isKeyPrefix(key)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('can be escaped', () => {
    const segment = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/);
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 5 }), (segments) => {
        const key = segments.join('/');
        const escaped = segments.map((text) => [...text].map((c) => `%${c.charCodeAt(0).toString(16)}`).join(''));
        expect(decodeObjectKey(escaped.join('/'))).toBe(key);
      }),
    );
  });
});

describe('the folder', () => {
  it('is created if it is missing', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'taxiway-storage-'));
    const { openLocalStorage } = await import('../../src/storage/local/backend.ts');
    const { keyring } = await import('./storage-harness.ts');
    openLocalStorage({ directory: join(parent, 'a', 'blobs'), baseUrl: 'http://x/', keyring, clock: world.clock });
    await access(join(parent, 'a', 'blobs', 'objects'));
    await rm(parent, { recursive: true });
  });
});
