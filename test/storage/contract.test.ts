// The same cases against every storage backend: what the rest of the program relies on.
import { createHash } from 'node:crypto';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Storage } from '../../src/core/storage.ts';
import { createPlaces } from '../../src/storage/places.ts';
import { type Containers, createRouter } from '../../src/storage/router.ts';
import { type AzureFront, startAzureFront } from '../support/azure-front.ts';
import { type Azurite, startAzurite, whyNoAzurite } from '../support/azurite.ts';
import { type Ceph, startCeph, whyNoCeph } from '../support/ceph.ts';
import { createTestContainer } from './azure/container.ts';
import { type Bucket, createBucket } from './s3/bucket.ts';
import { HOUR, type StorageWorld, startStorage } from './storage-harness.ts';

interface Backend {
  name: string;
  missing: string | undefined;
  /** Opens an empty storage with small limits for parts. */
  open(): Promise<{ storage: Storage; close(): Promise<void> | void; now(): number }>;
  stop(): Promise<void>;
}

let ceph: Ceph | undefined;
let azurite: Azurite | undefined;
let front: AzureFront | undefined;

const backends: Backend[] = [
  {
    name: 'local',
    missing: undefined,
    async open() {
      const world: StorageWorld = await startStorage();
      return { storage: world.storage, close: () => world.stop(), now: () => world.clock.now().getTime() };
    },
    stop: async () => undefined,
  },
  {
    name: 's3',
    missing: whyNoCeph(),
    async open() {
      ceph ??= await startCeph();
      const bucket: Bucket = await createBucket(ceph);
      return { storage: bucket.storage, close: () => bucket.close(), now: () => Date.now() };
    },
    stop: async () => ceph?.stop(),
  },
  {
    name: 'azure',
    missing: whyNoAzurite(),
    async open() {
      azurite ??= await startAzurite();
      front ??= await startAzureFront(azurite);
      const container = await createTestContainer(front);
      return { storage: container.storage, close: () => container.close(), now: () => Date.now() };
    },
    async stop() {
      await front?.stop();
      await azurite?.stop();
    },
  },
  {
    name: 'local behind a router',
    missing: undefined,
    async open() {
      const world: StorageWorld = await startStorage();
      const storage = createRouter([world.storage], createPlaces(openPlaces()));
      return { storage, close: () => world.stop(), now: () => world.clock.now().getTime() };
    },
    stop: async () => undefined,
  },
  ...(['local', 's3'] as const).map(
    (home): Backend => ({
      name: `${home} beside another one`,
      missing: whyNoCeph(),
      async open() {
        ceph ??= await startCeph();
        const [world, bucket] = [await startStorage(), await createBucket(ceph)];
        const order = [world.storage, bucket.storage] as const;
        const [first, second] = home === 'local' ? order : order.toReversed();
        const storage = createRouter([first as Storage, second as Storage], createPlaces(openPlaces()));
        const close = async () => {
          bucket.close();
          await world.stop();
        };
        return { storage, close, now: home === 'local' ? () => world.clock.now().getTime() : () => Date.now() };
      },
      stop: async () => ceph?.stop(),
    }),
  ),
];

/** An empty database with the table of places. */
function openPlaces(): Sqlite.Database {
  const client = new Sqlite(':memory:');
  client.exec(
    'CREATE TABLE object_places (object_key TEXT PRIMARY KEY, backend TEXT, left_backend TEXT, left_at INTEGER, left_modified_at INTEGER)',
  );
  return client;
}

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

for (const { name, missing, open, stop } of backends) {
  if (missing !== undefined) process.stdout.write(`storage contract on ${name} skipped: ${missing}\n`);
  describe.skipIf(missing !== undefined)(`storage backend ${name}`, () => {
    let storage: Storage;
    let now: () => number;
    let close: (() => Promise<void> | void) | undefined;
    beforeAll(async () => {
      await (await open()).close();
    });
    beforeEach(async () => {
      const opened = await open();
      ({ storage, now } = opened);
      close = opened.close;
      return () => close?.();
    });
    afterAll(stop);

    const send = async (
      key: string,
      body: string | Buffer<ArrayBuffer>,
      more: { size?: number; contentType?: string } = {},
    ) => {
      const { url, requiredHeaders } = await storage.signPut({
        key,
        expiresAt: new Date(now() + HOUR),
        subject: 'developer-1',
        ...more,
      });
      return fetch(url, { method: 'PUT', body, headers: requiredHeaders });
    };

    describe('objects', () => {
      it('are stored by a signed PUT and replaced by the next one', async () => {
        const before = now();
        expect((await send('pending/1', 'first')).ok).toBe(true);
        const first = await storage.head('pending/1');
        expect((await send('pending/1', 'second')).ok).toBe(true);
        const second = await storage.head('pending/1');
        expect([first?.size, second?.size]).toEqual([5, 6]);
        expect(second?.etag).not.toBe(first?.etag);
        expect(second?.etag).toMatch(/^"[^"]+"$/);
        // The service has a clock of its own, with whole seconds.
        const modifiedAt = second?.modifiedAt.getTime() ?? 0;
        expect(modifiedAt).toBeGreaterThan(before - 2_000);
        expect(modifiedAt).toBeLessThan(now() + 2_000);
      });

      it('are read in ranges, from the expected version only', async () => {
        await storage.put('icons/1.png', Buffer.from('0123456789'));
        const cases: [number, number, string][] = [
          [0, 4, '0123'],
          [4, 100, '456789'],
          [9, 1, '9'],
          [10, 5, ''],
          [50, 5, ''],
          [3, 0, ''],
        ];
        for (const [offset, length, expected] of cases) {
          expect(String(await storage.read('icons/1.png', offset, length)), `${offset} ${length}`).toBe(expected);
        }
        const etag = (await storage.head('icons/1.png'))?.etag;
        expect(String(await storage.read('icons/1.png', 1, 2, { etag }))).toBe('12');
      });

      it('that do not exist are unknown to head and get, and rejected by read and move', async () => {
        expect(await storage.head('icons/1.png')).toBeUndefined();
        expect(await storage.head('icons/1.png', { tailBytes: 100 })).toBeUndefined();
        expect(await storage.get('icons/1.png')).toBeUndefined();
        await expect(storage.read('icons/1.png', 0, 1)).rejects.toMatchObject({ code: 'not_found' });
        await expect(storage.move('pending/1', 'builds/1')).rejects.toMatchObject({ code: 'not_found' });
        const expected = { etag: '"x"', size: 3 };
        await expect(storage.move('pending/1', 'builds/1', expected)).rejects.toMatchObject({ code: 'not_found' });
      });

      it('can be empty', async () => {
        const { size } = await storage.put('icons/empty', Buffer.alloc(0));
        expect(size).toBe(0);
        expect(await storage.head('icons/empty')).toMatchObject({ size: 0 });
        expect(await storage.head('icons/empty', { tailBytes: 100 })).toMatchObject({ size: 0 });
        expect(await storage.get('icons/empty')).toEqual(Buffer.alloc(0));
        expect(await storage.read('icons/empty', 0, 10)).toEqual(Buffer.alloc(0));
      });

      it('of the service are replaced as a whole', async () => {
        await storage.put('icons/1.png', Buffer.from('first'));
        expect(String(await storage.get('icons/1.png'))).toBe('first');
        const { etag } = await storage.put('icons/1.png', Buffer.from('other'));
        expect(String(await storage.get('icons/1.png'))).toBe('other');
        expect(await storage.head('icons/1.png')).toMatchObject({ size: 5, etag });
      });

      it('are stored in chunks, also large ones', async () => {
        for (const size of [0, 10, 20_000_000]) {
          const bytes = Buffer.alloc(size, 'ab');
          expect(await storage.put('exports/1.zip', inChunks(bytes, 3_000_000))).toMatchObject({ size });
          expect((await storage.head('exports/1.zip'))?.size).toBe(size);
          expect(await storage.read('exports/1.zip', Math.max(0, size - 3), 10)).toEqual(
            bytes.subarray(Math.max(0, size - 3), Math.max(0, size - 3) + 10),
          );
        }
      });

      it('are not stored if a chunk fails', async () => {
        async function* broken(): AsyncGenerator<Buffer> {
          yield Buffer.alloc(9_000_000);
          throw new Error('no more');
        }
        await expect(storage.put('exports/1.zip', broken())).rejects.toThrow('no more');
        expect(await storage.head('exports/1.zip')).toBeUndefined();
      });

      it('return their last bytes with their metadata, or none', async () => {
        await storage.put('builds/1', Buffer.from('0123456789'));
        for (const tailBytes of [3, 10, 100]) {
          const head = await storage.head('builds/1', { tailBytes });
          expect(head?.size).toBe(10);
          const expected = Buffer.from('0123456789').subarray(-Math.min(tailBytes, 10));
          if (head?.tail !== undefined) expect(head.tail).toEqual(expected);
          const sha256 = createHash('sha256').update('0123456789').digest('hex');
          expect([undefined, sha256]).toContain(head?.sha256);
        }
      });

      it('are deleted, also twice and many together', async () => {
        const keys = Array.from({ length: 25 }, (_, index) => `builds/${index}/package.ipa`);
        await Promise.all(keys.map((key) => storage.put(key, Buffer.from(key))));
        await storage.delete('builds/0/package.ipa');
        await storage.delete('builds/0/package.ipa');
        expect(await storage.deleteMany([...keys, 'builds/never'])).toEqual([]);
        expect(await storage.deleteMany([])).toEqual([]);
        expect((await storage.list('', { limit: 100 })).items).toEqual([]);
        expect(await storage.get('builds/3/package.ipa')).toBeUndefined();
      });

      it('with invalid keys are rejected', async () => {
        for (const key of ['', '../a', 'a//b', 'a?b', 'a%2fb', 'é']) {
          await expect(async () => storage.head(key)).rejects.toThrow(RangeError);
          await expect(async () => storage.put(key, Buffer.alloc(1))).rejects.toThrow(RangeError);
        }
      });
    });

    describe('signed links', () => {
      const link = async (more: { fileName?: string; contentType?: string; method?: 'GET' | 'HEAD' } = {}) => {
        const expiresAt = new Date(now() + HOUR);
        return (await storage.signGet({ key: 'builds/1', expiresAt, subject: 'x', method: 'GET', ...more })).url;
      };

      it('return the object as a file with a safe name', async () => {
        await storage.put('builds/1', Buffer.from('0123456789'));
        const names: [string, string][] = [
          ['Tides-1.2.ipa', 'attachment; filename="Tides-1.2.ipa"'],
          [
            'a "quoted" + (name) & more.apk',
            'attachment; filename="a _quoted_ + _name_ & more.apk"; filename*=UTF-8\'\'a%20%22quoted%22%20%2B%20%28name%29%20%26%20more.apk',
          ],
          ['Gezeiten ü.apk', 'attachment; filename="Gezeiten _.apk"; filename*=UTF-8\'\'Gezeiten%20%C3%BC.apk'],
          ['a\r\nSet-Cookie: x=1/..\\b', 'attachment; filename="a__Set-Cookie: x=1_.._b"'],
        ];
        for (const [fileName, expected] of names) {
          const answer = await fetch(await link({ fileName, contentType: 'application/octet-stream' }));
          expect(await answer.text()).toBe('0123456789');
          const disposition = answer.headers.get('content-disposition') ?? '';
          if (fileName.includes('"')) expect(disposition).toContain("filename*=UTF-8''a%20%22quoted%22");
          else if (fileName.includes('\r'))
            expect(disposition).toMatch(/^attachment; filename="a__Set-Cookie_? x=1_\.\._b"/);
          else expect(disposition).toBe(expected);
          expect(answer.headers.get('content-type')).toBe('application/octet-stream');
          expect(answer.headers.get('set-cookie')).toBeNull();
        }
      });

      it('allow ranges, conditions and HEAD', async () => {
        await storage.put('builds/1', Buffer.from('0123456789'));
        const part = await fetch(await link(), { headers: { range: 'bytes=2-4' } });
        expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
          206,
          'bytes 2-4/10',
          '234',
        ]);
        const etag = part.headers.get('etag') ?? '';
        expect((await fetch(await link(), { headers: { 'if-none-match': etag } })).status).toBe(304);
        const head = await fetch(await link({ method: 'HEAD' }), { method: 'HEAD' });
        expect([head.status, head.headers.get('content-length')]).toEqual([200, '10']);
      });

      it('reject altered and other methods, and bytes of another object', async () => {
        await storage.put('builds/1', Buffer.from('0123456789'));
        await storage.put('builds/2', Buffer.from('other'));
        const url = await link();
        for (const altered of [url.replace('builds/1', 'builds/2'), url.replace(/(sig(?:nature)?=).../i, '$1abc')]) {
          expect((await fetch(altered)).status).toBe(403);
        }
        const headers = { 'x-ms-blob-type': 'BlockBlob' };
        expect((await fetch(url, { method: 'PUT', body: 'x', headers })).status).toBe(403);
        expect((await fetch(url, { method: 'DELETE' })).ok).toBe(false);
        expect(String(await storage.get('builds/1'))).toBe('0123456789');
      });
    });

    describe('move', () => {
      it('keeps the bytes and can be repeated', async () => {
        await send('pending/1', 'bytes');
        const head = await storage.head('pending/1');
        const moved = await storage.move('pending/1', 'builds/1/package.ipa', head);
        expect(moved).toMatchObject({ size: 5 });
        if (moved.isSourceLeft) await storage.delete('pending/1');
        expect(await storage.move('pending/1', 'builds/1/package.ipa', head)).toMatchObject({ size: 5 });
        expect(await storage.move('pending/1', 'builds/1/package.ipa')).toMatchObject({ size: 5, etag: moved.etag });
        const found = await storage.head('builds/1/package.ipa');
        expect(found).toMatchObject({ size: 5, etag: moved.etag });
        expect(Math.abs((found?.modifiedAt.getTime() ?? 0) - moved.modifiedAt.getTime())).toBeLessThan(1_000);
        expect(await storage.head('pending/1')).toBeUndefined();
        expect(String(await storage.get('builds/1/package.ipa'))).toBe('bytes');
      });

      it('rejects an object that was replaced', async () => {
        await send('pending/1', 'bytes');
        const head = await storage.head('pending/1');
        await send('pending/1', 'other');
        await expect(storage.move('pending/1', 'builds/1', head)).rejects.toMatchObject({ code: 'changed' });
        await expect(storage.move('pending/1', 'builds/1', { etag: head?.etag })).rejects.toMatchObject({
          code: 'changed',
        });
        expect(String(await storage.read('pending/1', 0, 9))).toBe('other');
      });

      it('succeeds for simultaneous requests with one object', async () => {
        await send('pending/1', 'bytes');
        const moves = await Promise.all(Array.from({ length: 8 }, () => storage.move('pending/1', 'builds/1')));
        for (const moved of moves) expect(moved.size).toBe(5);
        expect(String(await storage.get('builds/1'))).toBe('bytes');
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
        ['nothing/', []],
      ])('below %j, page by page, in the order of keys', async (prefix, expected) => {
        const before = now();
        await Promise.all(keys.map((key) => storage.put(key, Buffer.from(key))));
        const sorted = [...expected].sort();
        for (const limit of [1, 2, 3, 100]) {
          const seen: string[] = [];
          let after: string | undefined;
          do {
            const page = await storage.list(prefix, { after, limit });
            expect(page.items.length).toBeLessThanOrEqual(limit);
            for (const item of page.items) {
              expect(item.size).toBe(item.key.length);
              expect(item.modifiedAt.getTime()).toBeGreaterThan(before - 2_000);
              expect(item.modifiedAt.getTime()).toBeLessThan(now() + 2_000);
              seen.push(item.key);
            }
            after = page.next;
          } while (after !== undefined);
          expect(seen).toEqual(sorted);
        }
      });

      it('rejects a prefix outside the storage', async () => {
        await expect(storage.list('../', { limit: 1 })).rejects.toThrow(RangeError);
      });
    });

    it('has room, and its check leaves nothing', async () => {
      expect(await storage.hasRoom()).toBe(true);
      expect(await storage.check()).toMatchObject({ ok: true });
      expect((await storage.list('', { limit: 10 })).items).toEqual([]);
    });

    it('belongs to the first server that claims it, if several can reach it', async () => {
      expect(await storage.claim('one')).toBe(true);
      expect(await storage.claim('one')).toBe(true);
    });
  });
}

it('the place of an object that is stored in a container while it is being deleted stays known', async () => {
  const [home, container] = [await startStorage(), await startStorage()];
  const places = createPlaces(openPlaces());
  const place = 'azure:0197b6a0-3c1e-7c44-9d0b-3a1f2e5d6c7b' as const;
  const containers: Containers = {
    placeForNew: () => place,
    open: () => container.storage,
    probe: async () => undefined,
  };
  const { deleteMany } = home.storage;
  const storage = createRouter([home.storage], places, containers);
  try {
    await container.storage.put('pending/1', Buffer.from('package'));
    places.record('pending/1', place);
    home.storage.deleteMany = async (keys) => {
      const failures = await deleteMany(keys);
      await storage.move('pending/1', 'builds/1/package.apk');
      return failures;
    };
    expect(await storage.deleteMany(['builds/1/package.apk'])).toEqual([]);
    home.storage.deleteMany = deleteMany;
    expect((await storage.head('builds/1/package.apk'))?.size).toBe(7);
    // Queued again, it is deleted there.
    expect(await storage.deleteMany(['builds/1/package.apk'])).toEqual([]);
    expect((await container.storage.list('builds/', { limit: 9 })).items).toEqual([]);
    expect(places.find('builds/1/package.apk')).toBeUndefined();
  } finally {
    await home.stop();
    await container.stop();
  }
});
