// Signed downloads: ranges, conditions, slow clients and rejected requests.
import { randomBytes } from 'node:crypto';
import { promises, readdirSync, readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { nodeFiles } from '../../src/storage/local/files.ts';
import { parseRange } from '../../src/storage/local/ranges.ts';
import { CHUNK_BYTES } from '../../src/storage/send-chunks.ts';
import { anyText } from '../support/any-text.ts';
import { leastCpu } from '../support/cpu.ts';
import { eventually, HOUR, readRefusal, type StorageWorld, startStorage } from './storage-harness.ts';

const KEY = 'builds/1/package.ipa';
const CONTENT = randomBytes(700_000);

let world: StorageWorld;
let url: string;
let etag: string;
let modified: string;
beforeEach(async () => {
  world = await startStorage();
  ({ etag } = await world.storage.put(KEY, CONTENT));
  modified = world.clock.now().toUTCString();
  url = await world.getUrl(KEY, { fileName: 'Example 1.0.ipa', contentType: 'application/octet-stream' });
});
afterEach(() => {
  vi.useRealTimers();
  return world.stop();
});

async function bytesOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

/** Files of this world that the process holds open. */
function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${fd}`);
      return target.startsWith(world.directory) ? [target] : [];
    } catch {
      return [];
    }
  });
}

describe('GET', () => {
  it('returns the object as an attachment that cannot run', async () => {
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache, no-transform',
      'content-disposition': 'attachment; filename="Example 1.0.ipa"',
      'content-length': '700000',
      'content-security-policy': "sandbox; default-src 'none'",
      'content-type': 'application/octet-stream',
      etag,
      'last-modified': modified,
      'x-content-type-options': 'nosniff',
      'x-request-id': 'request-1',
    });
    expect(await bytesOf(response)).toEqual(CONTENT);
    await eventually(() => expect(openFiles()).toEqual([]));
  });

  it('returns the same headers to HEAD, without the bytes', async () => {
    const response = await fetch(url, { method: 'HEAD', headers: { range: 'bytes=0-9' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-length')).toBe('700000');
    expect(response.headers.get('etag')).toBe(etag);
    expect(await bytesOf(response)).toHaveLength(0);
  });

  it('returns an empty object', async () => {
    await world.storage.put('icons/empty.png', Buffer.alloc(0));
    const response = await fetch(await world.getUrl('icons/empty.png'), { headers: { range: 'bytes=-5' } });
    expect([response.status, response.headers.get('content-length')]).toEqual([200, '0']);
  });

  it('returns 404 for an unknown object', async () => {
    const response = await fetch(await world.getUrl('builds/2/package.ipa', { fileName: 'a.ipa' }));
    expect([response.status, await readRefusal(response)]).toEqual([404, 'BlobNotFound']);
    expect(response.headers.get('content-disposition')).toBeNull();
  });

  it('returns 404 for a folder', async () => {
    expect((await fetch(await world.getUrl('builds/1'))).status).toBe(404);
  });

  it.each(['text/html\r\nX-Evil: 1', 'no type', `a/${'b'.repeat(200)}`])(
    'sends plain bytes if %j is accepted',
    async (contentType) => {
      const response = await fetch(await world.getUrl(KEY, { contentType }));
      expect(response.headers.get('content-type')).toBe('application/octet-stream');
      expect(response.headers.get('x-evil')).toBeNull();
      await response.body?.cancel();
    },
  );

  it('sends the old content of an object that is replaced at the same time', async () => {
    const large = Buffer.alloc(8_000_000, 1);
    await world.storage.put(KEY, large);
    const response = await fetch(url);
    await world.storage.put(KEY, Buffer.alloc(8_000_000, 2));
    expect((await bytesOf(response)).equals(large)).toBe(true);
  });

  it('redirects to nginx if that is configured', async () => {
    await world.stop();
    world = await startStorage({ accelRedirect: '/internal-objects/' });
    await world.storage.put(KEY, CONTENT);
    const response = await fetch(await world.getUrl(KEY, { fileName: 'a.ipa', contentType: 'application/x-thing' }));
    expect(response.status).toBe(200);
    expect(response.headers.get('x-accel-redirect')).toBe(`/internal-objects/${KEY}`);
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="a.ipa"');
    expect(response.headers.get('content-type')).toBe('application/x-thing');
    expect(await bytesOf(response)).toHaveLength(0);
    const missing = await fetch(await world.getUrl('builds/2/package.ipa'));
    expect([missing.status, missing.headers.get('x-accel-redirect')]).toEqual([404, null]);
  });
});

describe('ranges', () => {
  it.each<[string, number, string | null, number, number]>([
    ['bytes=0-0', 206, 'bytes 0-0/700000', 0, 1],
    ['bytes=100-299999', 206, 'bytes 100-299999/700000', 100, 300_000],
    ['bytes=699999-', 206, 'bytes 699999-699999/700000', 699_999, 700_000],
    ['bytes=-10', 206, 'bytes 699990-699999/700000', 699_990, 700_000],
    ['bytes=-9000000', 206, 'bytes 0-699999/700000', 0, 700_000],
    ['bytes=5-99999999999999999999', 206, 'bytes 5-699999/700000', 5, 700_000],
    ['bytes=5-2', 200, null, 0, 700_000],
    ['bytes=0-1,5-6', 200, null, 0, 700_000],
    ['lines=0-1', 200, null, 0, 700_000],
    ['bytes=a-b', 200, null, 0, 700_000],
    ['bytes=-', 200, null, 0, 700_000],
  ])('%s returns %d', async (range, status, contentRange, first, end) => {
    const response = await fetch(url, { headers: { range } });
    expect([response.status, response.headers.get('content-range')]).toEqual([status, contentRange]);
    expect((await bytesOf(response)).equals(CONTENT.subarray(first, end))).toBe(true);
  });

  it.each(['bytes=700000-', 'bytes=700000-700001', 'bytes=-0'])('%s is out of range', async (range) => {
    const response = await fetch(url, { headers: { range } });
    expect([response.status, response.headers.get('content-range')]).toEqual([416, 'bytes */700000']);
    expect(await readRefusal(response)).toBe('InvalidRange');
  });

  it('only apply while If-Range matches the object', async () => {
    const statusWith = async (ifRange: string): Promise<number> => {
      const response = await fetch(url, { headers: { range: 'bytes=1-2', 'if-range': ifRange } });
      await response.body?.cancel();
      return response.status;
    };
    expect(await statusWith(etag)).toBe(206);
    expect(await statusWith(modified)).toBe(206);
    expect(await statusWith(`W/${etag}`)).toBe(200);
    expect(await statusWith('"other"')).toBe(200);
    expect(await statusWith(new Date(0).toUTCString())).toBe(200);
    expect(await statusWith('nonsense')).toBe(200);
  });

  it('are always within the object', () => {
    const number = fc.oneof(fc.nat(200), fc.constant(''));
    fc.assert(
      fc.property(number, number, fc.nat(100), (first, last, size) => {
        const range = parseRange(`bytes=${first}-${last}`, size);
        const wanted = Array.from({ length: size }, (_, index) => index).filter((index) =>
          first === '' ? last !== '' && index >= size - last : index >= first && (last === '' || index <= last),
        );
        if (range.kind === 'part') {
          expect(range.first).toBe(wanted[0]);
          expect(range.last).toBe(wanted.at(-1));
        } else if (range.kind === 'unsatisfiable') expect(wanted).toEqual([]);
        else expect(first === '' ? last === '' || size === 0 : last !== '' && last < first).toBe(true);
      }),
    );
  });

  it('accept spaces, but not many of them slowly', async () => {
    expect(parseRange(' BYTES = 1 - 2 ', 10)).toEqual({ kind: 'part', first: 1, last: 2 });
    expect(parseRange('bytes= - 3', 10)).toEqual({ kind: 'part', first: 7, last: 9 });
    const spaces = ' '.repeat(700);
    for (const text of [`bytes=${spaces}-${spaces}x`, `bytes=1${spaces}-2${spaces}x`, `bytes${spaces}=${spaces}x`]) {
      expect(await leastCpu(20, () => expect(parseRange(text, 10)).toEqual({ kind: 'whole' }), 2)).toBeLessThan(20);
    }
  });

  it('accept any header', () => {
    fc.assert(
      fc.property(anyText(), fc.nat(1000), (text, size) => {
        expect(['whole', 'part', 'unsatisfiable']).toContain(parseRange(text, size).kind);
      }),
    );
  });
});

describe('conditions', () => {
  const past = new Date(Date.parse('2026-01-31T11:00:00Z')).toUTCString();
  const future = new Date(Date.parse('2026-01-31T13:00:00Z')).toUTCString();

  it.each<[string, () => Record<string, string>, number]>([
    ['if-none-match with the same tag', () => ({ 'if-none-match': etag }), 304],
    ['if-none-match with the same tag among others, weak', () => ({ 'if-none-match': `"a", W/${etag}` }), 304],
    ['if-none-match with any tag', () => ({ 'if-none-match': '*' }), 304],
    ['if-none-match with another tag', () => ({ 'if-none-match': '"a"', 'if-modified-since': future }), 200],
    ['if-modified-since, not modified', () => ({ 'if-modified-since': modified }), 304],
    ['if-modified-since, modified', () => ({ 'if-modified-since': past }), 200],
    ['if-modified-since with an invalid date', () => ({ 'if-modified-since': 'soon' }), 200],
    ['if-match with this tag', () => ({ 'if-match': etag }), 200],
    ['if-match with another tag', () => ({ 'if-match': '"a"' }), 412],
    ['if-unmodified-since, not modified', () => ({ 'if-unmodified-since': future }), 200],
    ['if-unmodified-since, modified', () => ({ 'if-unmodified-since': past }), 412],
  ])('are applied: %s', async (_, headers, status) => {
    const response = await fetch(url, { headers: headers(), cache: 'no-store' });
    expect(response.status).toBe(status);
    if (status === 304) {
      expect(response.headers.get('etag')).toBe(etag);
      expect(await bytesOf(response)).toHaveLength(0);
    } else await response.body?.cancel();
  });
});

describe('a downloading client', () => {
  async function startReading(): Promise<{ socket: ReturnType<StorageWorld['dial']> }> {
    await world.storage.put('builds/large/package.ipa', Buffer.alloc(30_000_000));
    const { pathname, search } = new URL(await world.getUrl('builds/large/package.ipa'));
    const socket = world.dial();
    socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await new Promise((resolve) => socket.once('data', resolve));
    socket.pause();
    return { socket };
  }

  it('that disconnects has its file closed', async () => {
    const { socket } = await startReading();
    expect(openFiles()).toHaveLength(1);
    socket.destroy();
    await eventually(() => expect(openFiles()).toEqual([]));
  });

  it('that reads nothing for a minute is disconnected after that minute', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let connection: Socket | undefined;
    world.server.on('connection', (socket: Socket) => {
      connection = socket;
    });
    const { socket } = await startReading();
    // Until the buffers between the two are full: nothing is accepted anymore, also on a busy machine.
    for (let before = -1, same = 0; same < 5; await wait(100)) {
      const written = connection?.bytesWritten ?? 0;
      same = written === before ? same + 1 : 0;
      before = written;
    }
    vi.advanceTimersByTime(59_000);
    await wait(50);
    expect(openFiles()).toHaveLength(1);
    vi.advanceTimersByTime(1_500);
    vi.useRealTimers();
    await eventually(() => expect(openFiles()).toEqual([]));
    socket.destroy();
  });

  it('that reads slowly is not disconnected', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      let connection: Socket | undefined;
      world.server.on('connection', (one: Socket) => {
        connection = one;
      });
      const { socket } = await startReading();
      const isFull = async () => {
        for (let before = -1; before !== connection?.bytesWritten; await wait(50))
          before = connection?.bytesWritten ?? 0;
      };
      await isFull();
      // Some chunks a minute are enough.
      for (let minute = 0; minute < 3; minute += 1) {
        vi.advanceTimersByTime(59_000);
        const before = connection?.bytesWritten ?? 0;
        while ((connection?.bytesWritten ?? 0) < before + 4 * CHUNK_BYTES) {
          socket.read(100_000);
          await wait(5);
        }
        await isFull();
      }
      expect(openFiles()).toHaveLength(1);
      socket.destroy();
    } finally {
      vi.useRealTimers();
    }
  });

  it('is counted in the metrics, by object and bytes', async () => {
    const events: object[] = [];
    await world.stop();
    world = await startStorage({
      events: {
        onDownloadStarted: (event) => events.push(event),
        onFinished: ({ requestId: _, ...event }) => events.push(event),
      },
    });
    await world.put('pending/1', CONTENT);
    await bytesOf(await fetch(await world.getUrl('pending/1'), { headers: { range: 'bytes=5-9' } }));
    const { socket } = await startReading();
    socket.destroy();
    await eventually(() => expect(events).toHaveLength(5));
    expect(events.slice(0, 4)).toEqual([
      { method: 'PUT', key: 'pending/1', status: 201, bytes: 700_000, isComplete: true },
      { key: 'pending/1', subject: 'developer-1', size: 700_000, first: 5 },
      { method: 'GET', key: 'pending/1', status: 206, bytes: 5, isComplete: true },
      { key: 'builds/large/package.ipa', subject: 'developer-1', size: 30_000_000, first: 0 },
    ]);
    expect(events[4]).toMatchObject({ method: 'GET', isComplete: false });
  });

  it('is disconnected if the disk fails in the middle, and gets no incomplete file', async () => {
    await world.stop();
    const trouble = Object.assign(new Error('EIO: bad sector'), { code: 'EIO' });
    world = await startStorage({
      files: {
        ...nodeFiles,
        async open(path, flags, mode) {
          const handle = await promises.open(path, flags, mode);
          const read = handle.read.bind(handle) as (...values: unknown[]) => Promise<never>;
          handle.read = ((bytes: Buffer, offset: number, length: number, position: number) =>
            position > 0 ? Promise.reject(trouble) : read(bytes, offset, length, position)) as typeof handle.read;
          return handle;
        },
      },
    });
    await world.storage.put(KEY, CONTENT);
    const response = await fetch(await world.getUrl(KEY));
    await expect(response.arrayBuffer()).rejects.toThrow();
    expect(world.logged).toEqual([
      { fields: { request_id: 'request-1', method: 'GET', key: KEY, err: trouble }, message: 'storage request failed' },
    ]);
  });
});

describe('rejected requests', () => {
  it.each(['POST', 'DELETE', 'PATCH', 'OPTIONS'])('%s is not supported', async (method) => {
    const response = await fetch(url, { method });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, PUT']);
    expect(await readRefusal(response)).toBe('UnsupportedHttpVerb');
  });

  it.each<[string, (signed: string) => string, number, string]>([
    ['no signature', (signed) => signed.replace(/&sig=.*/, ''), 403, 'AuthenticationFailed'],
    ['no query', (signed) => signed.replace(/\?.*/, ''), 403, 'AuthenticationFailed'],
    ['another operation', (signed) => signed.replace('op=get', 'op=list'), 400, 'InvalidQueryParameterValue'],
    ['the operation of another method', (signed) => signed.replace('op=get', 'op=put'), 403, 'AuthenticationFailed'],
    ['a field twice', (signed) => `${signed}&sub=developer-2`, 403, 'AuthenticationFailed'],
    ['another key', (signed) => signed.replace('builds/1', 'builds/2'), 403, 'AuthenticationFailed'],
    ['a longer life', (signed) => signed.replace(/exp=\d/, 'exp=9'), 403, 'AuthenticationFailed'],
    ['another name', (signed) => signed.replace('name=Example', 'name=Other'), 403, 'AuthenticationFailed'],
    ['an unknown key id', (signed) => signed.replace('sig=k1', 'sig=k2'), 403, 'AuthenticationFailed'],
    ['an endless query', (signed) => `${signed}&x=${'x'.repeat(9000)}`, 403, 'AuthenticationFailed'],
    ['a broken escape', (signed) => signed.replace('builds', 'bui%ZZlds'), 400, 'InvalidUri'],
    ['an escaped slash', (signed) => signed.replace('builds/', 'builds%2F'), 400, 'InvalidUri'],
    ['no key', (signed) => signed.replace(KEY, ''), 400, 'InvalidUri'],
  ])('include a URL with %s', async (_, alter, status, code) => {
    const response = await fetch(alter(url));
    expect([response.status, await readRefusal(response)]).toEqual([status, code]);
  });

  it.each([
    '/storage/v1/../../etc/passwd',
    '/storage/v1/builds/../../../etc/passwd',
    '/storage/v1/builds/%2e%2e/x',
    '/storage/v1/builds\\..\\x',
    '/storage/v1/builds//x',
    '/storage/v1/builds/x%00.ipa',
    '/storage/v1/%FF',
    `/storage/v1/${'a/'.repeat(300)}a`,
  ])('include the path %s', async (path) => {
    const socket = world.dial();
    socket.write(`GET ${path}?op=get HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    let answer = '';
    socket.on('data', (chunk) => {
      answer += String(chunk);
    });
    await new Promise((resolve) => socket.once('close', resolve));
    expect(answer).toMatch(/^HTTP\/1\.1 400 .*<Code>InvalidUri</s);
  });

  it('a URL for downloading cannot upload, and the reverse', async () => {
    const upload = await fetch(url, { method: 'PUT', body: 'x', headers: { 'x-ms-blob-type': 'BlockBlob' } });
    expect([upload.status, await readRefusal(upload)]).toEqual([403, 'AuthenticationFailed']);
    for (const method of ['GET', 'HEAD']) expect((await fetch(await world.putUrl(KEY), { method })).status).toBe(403);
    expect(await world.storage.read(KEY, 0, 700_000)).toEqual(CONTENT);
  });

  it('an expired URL', async () => {
    const put = await world.putUrl('pending/1');
    world.clock.advance(HOUR - 1_000);
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    world.clock.advance(1_000);
    const download = await fetch(url);
    expect([download.status, await readRefusal(download)]).toEqual([403, 'AuthenticationFailed']);
    const upload = await fetch(put, { method: 'PUT', body: 'x', headers: { 'x-ms-blob-type': 'BlockBlob' } });
    expect([upload.status, await readRefusal(upload)]).toEqual([403, 'AuthenticationFailed']);
    expect(await world.files()).toEqual([`objects/${KEY}`]);
  });
});
