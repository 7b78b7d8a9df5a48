// Signed uploads are complete or absent after failures of client, disk or process.
import { createHash, randomBytes } from 'node:crypto';
import { constants, promises } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FileOperations, nodeFiles } from '../../src/storage/local/files.ts';
import {
  eventually,
  HOUR,
  rawPut,
  readRefusal,
  readToEnd,
  type StorageWorld,
  startStorage,
  watchBytes,
} from './storage-harness.ts';

let world: StorageWorld;
beforeEach(async () => {
  world = await startStorage();
});
afterEach(() => world.stop());

async function restart(options: Parameters<typeof startStorage>[0]): Promise<void> {
  await world.stop();
  world = await startStorage(options);
}

describe('PUT', () => {
  it('stores the object and returns its ETag', async () => {
    const body = randomBytes(300_000);
    const response = await world.put('pending/1', body);
    expect(response.status).toBe(201);
    expect(await response.text()).toBe('');
    const head = await world.storage.head('pending/1');
    expect(head).toEqual({
      size: 300_000,
      etag: response.headers.get('etag'),
      modifiedAt: world.clock.now(),
      sha256: createHash('sha256').update(body).digest('hex'),
    });
    expect(response.headers.get('x-request-id')).toBe('request-1');
    expect(await world.storage.read('pending/1', 0, 1_000_000)).toEqual(body);
    expect(await world.files()).toEqual(['objects/pending/1']);
  });

  it('stores an empty object', async () => {
    expect((await world.put('pending/1', '')).status).toBe(201);
    expect((await world.storage.head('pending/1'))?.size).toBe(0);
  });

  it('accepts chunks of unknown total length', async () => {
    const socket = world.dial();
    const head = rawPut(await world.putUrl('pending/1'), { 'Transfer-Encoding': 'chunked', Connection: 'close' });
    socket.write(`${head}3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n`);
    expect(await readToEnd(socket)).toMatch(/^HTTP\/1\.1 201 /);
    expect(String(await world.storage.read('pending/1', 0, 99))).toBe('abcdefg');
  });

  it('can be repeated until the URL expires, with an ETag for each content', async () => {
    const tags = new Set<string | null>();
    for (const body of ['one', 'two', 'six', 'ten']) tags.add((await world.put('pending/1', body)).headers.get('etag'));
    expect(tags.size).toBe(4);
    expect(String(await world.storage.read('pending/1', 0, 9))).toBe('ten');
    expect(await world.files()).toEqual(['objects/pending/1']);
  });

  it.each<[string, Record<string, string>, number, string]>([
    ['another blob type', { 'x-ms-blob-type': 'PageBlob' }, 400, 'InvalidHeaderValue'],
    ['a part of an object', { 'content-range': 'bytes 0-4/10' }, 400, 'UnsupportedHeader'],
    ['an MD5 that is none', { 'content-md5': 'abc' }, 400, 'InvalidMd5'],
    ['an MD5 of other bytes', { 'content-md5': 'AAAAAAAAAAAAAAAAAAAAAA==' }, 400, 'Md5Mismatch'],
    ['a condition on an object that is not there', { 'if-match': '"x"' }, 412, 'ConditionNotMet'],
  ])('rejects %s', async (_, headers, status, code) => {
    const response = await world.put('pending/1', 'hello', headers);
    expect([response.status, await readRefusal(response)]).toEqual([status, code]);
    expect(await world.files()).toEqual([]);
  });

  it('rejects a request without the blob type', async () => {
    const response = await fetch(await world.putUrl('pending/1'), { method: 'PUT', body: 'hello' });
    expect([response.status, await readRefusal(response)]).toEqual([400, 'MissingRequiredHeader']);
    expect(await world.files()).toEqual([]);
  });

  it('rejects a request without a body', async () => {
    const socket = world.dial();
    socket.write(rawPut(await world.putUrl('pending/1'), { Connection: 'close' }));
    expect(await readToEnd(socket)).toMatch(/^HTTP\/1\.1 411 .*<Code>MissingContentLengthHeader</s);
  });

  it('accepts a matching MD5', async () => {
    const md5 = createHash('md5').update('hello').digest('base64');
    expect((await world.put('pending/1', 'hello', { 'content-md5': md5 })).status).toBe(201);
  });

  it('keeps the existing object on request', async () => {
    expect((await world.put('pending/1', 'first', { 'if-none-match': '*' })).status).toBe(201);
    const second = await world.put('pending/1', 'second', { 'if-none-match': '*' });
    expect([second.status, await readRefusal(second)]).toEqual([409, 'BlobAlreadyExists']);
    expect(String(await world.storage.read('pending/1', 0, 9))).toBe('first');
    expect(await world.files()).toEqual(['objects/pending/1']);
  });

  it('keeps one complete object of simultaneous requests', async () => {
    const bodies = Array.from({ length: 12 }, (_, index) => Buffer.alloc(200_000 + index, index));
    const answers = await Promise.all(bodies.map((body) => world.put('pending/1', body)));
    // A newer one ends those before it that have not finished.
    const statuses = answers.map((answer) => answer.status);
    expect(statuses.filter((status) => status !== 409 && status !== 201)).toEqual([]);
    const stored = await world.storage.read('pending/1', 0, 1_000_000);
    const winner = bodies.findIndex((body) => body.equals(stored));
    expect(statuses[winner]).toBe(201);
    expect(await world.files()).toEqual(['objects/pending/1']);
  });
});

describe('an incomplete PUT', () => {
  it('leaves nothing when the connection is lost', async () => {
    const socket = world.dial();
    socket.write(rawPut(await world.putUrl('pending/1'), { 'Content-Length': 500_000 }));
    socket.write(Buffer.alloc(100_000));
    await eventually(async () => expect(await world.files()).toHaveLength(1));
    expect((await world.files())[0]).toMatch(/^incoming\//);
    expect(await world.storage.head('pending/1')).toBeUndefined();
    socket.destroy();
    await eventually(async () => expect(await world.files()).toEqual([]));
  });

  it('keeps the earlier object', async () => {
    await world.put('pending/1', 'earlier');
    const socket = world.dial();
    socket.write(`${rawPut(await world.putUrl('pending/1'), { 'Content-Length': 100 })}partly`);
    await eventually(async () => expect(await world.files()).toHaveLength(2));
    socket.destroy();
    await eventually(async () => expect(await world.files()).toEqual(['objects/pending/1']));
    expect(String(await world.storage.read('pending/1', 0, 99))).toBe('earlier');
  });

  it.each([
    ['fewer bytes than announced', { 'Content-Length': 50 }, 'only these'],
    ['more bytes than announced', { 'Content-Length': 5 }, 'hello and much more'],
    ['a chunk that is broken', { 'Transfer-Encoding': 'chunked' }, '5\r\nhello\r\nzz\r\n'],
    ['chunks without an end', { 'Transfer-Encoding': 'chunked' }, '5\r\nhello\r\n'],
  ])('leaves nothing after %s', async (_, headers, body) => {
    const socket = world.dial();
    socket.end(rawPut(await world.putUrl('pending/1'), headers) + body);
    expect(await readToEnd(socket)).not.toMatch(/ 201 /);
    await eventually(async () => expect(await world.files()).toEqual([]));
  });

  it.each([
    ['more bytes than announced', { 'Content-Length': 5 }, 'hello and much more'],
    ['a chunk that is broken', { 'Transfer-Encoding': 'chunked' }, '5\r\nhello\r\nzz\r\n'],
  ])('closes the connection of a client that sends %s and waits', async (_, headers, body) => {
    const socket = world.dial();
    socket.write(rawPut(await world.putUrl('pending/1'), headers) + body);
    expect(await readToEnd(socket)).not.toMatch(/ 201 /);
    await eventually(async () => expect(await world.files()).toEqual([]));
  });

  it('is ended when it stalls', async () => {
    await restart({ idleTimeoutMs: 1_000 });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const socket = world.dial();
    const answer = readToEnd(socket);
    try {
      socket.write(`${rawPut(await world.putUrl('pending/1'), { 'Content-Length': 50 })}slow`);
      await expect.poll(() => world.files()).toHaveLength(1);
      // Repeatedly, because only the time of waiting for the client counts: the bytes may still be on their way to the disk.
      const files = () => {
        vi.advanceTimersByTime(1_000);
        return world.files();
      };
      await expect.poll(files).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
    socket.end();
    expect(await answer).toMatch(/^HTTP\/1\.1 408 .*Connection: close.*<Code>OperationTimedOut</is);
  });

  it('can be slow as long as it continues', async () => {
    await restart({ idleTimeoutMs: 1_000 });
    const received = watchBytes(world.server);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const socket = world.dial();
      socket.write(rawPut(await world.putUrl('pending/1'), { 'Content-Length': 8, Connection: 'close' }));
      const answer = readToEnd(socket);
      await received((bytes) => bytes > 0);
      for (const byte of 'patience') {
        vi.advanceTimersByTime(900);
        const before = await received(() => true);
        socket.write(byte);
        await received((bytes) => bytes > before);
      }
      expect(await answer).toMatch(/^HTTP\/1\.1 201 /);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a PUT that is too large', () => {
  it('is rejected by its announced length before it is sent', async () => {
    const socket = world.dial();
    socket.write(rawPut(await world.putUrl('pending/1'), { 'Content-Length': 1_000_001 }));
    const answer = readToEnd(socket);
    setTimeout(() => socket.end(), 50);
    expect(await answer).toMatch(/^HTTP\/1\.1 413 .*Connection: close.*<Code>RequestBodyTooLarge</is);
    expect(await world.files()).toEqual([]);
  });

  it('gets a response if the client sends all of it first', async () => {
    const response = await world.put('pending/1', Buffer.alloc(5_000_000));
    expect([response.status, await readRefusal(response)]).toEqual([413, 'RequestBodyTooLarge']);
    expect(await world.files()).toEqual([]);
  });

  it('is ended in chunks of unknown total length', async () => {
    const socket = world.dial();
    socket.write(rawPut(await world.putUrl('pending/1'), { 'Transfer-Encoding': 'chunked' }));
    const answer = readToEnd(socket);
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    for (let sent = 0; sent < 20; sent += 1) socket.write(chunk);
    socket.end();
    expect(await answer).toMatch(/^HTTP\/1\.1 413 .*<Code>RequestBodyTooLarge</s);
    expect(await world.files()).toEqual([]);
  });

  it('is accepted at exactly the limit', async () => {
    expect((await world.put('pending/1', Buffer.alloc(1_000_000))).status).toBe(201);
  });
});

describe('a completed object', () => {
  it('rejects a PUT to its old and its new key', async () => {
    const [pendingUrl, finalUrl] = [await world.putUrl('pending/1'), await world.putUrl('builds/1/package.ipa')];
    await world.put('pending/1', 'the build');
    await world.storage.move('pending/1', 'builds/1/package.ipa');
    for (const url of [pendingUrl, finalUrl]) {
      const response = await fetch(url, { method: 'PUT', body: 'other', headers: { 'x-ms-blob-type': 'BlockBlob' } });
      expect([response.status, await readRefusal(response)]).toEqual([409, 'BlobImmutable']);
    }
    expect(String(await world.storage.read('builds/1/package.ipa', 0, 99))).toBe('the build');
    expect(await world.storage.head('pending/1')).toBeUndefined();
  });

  it('rejects a PUT that started before and ends after completion', async () => {
    const url = await world.putUrl('pending/1');
    await world.put('pending/1', 'the build');
    const socket = world.dial();
    socket.write(`${rawPut(url, { 'Content-Length': 5, Connection: 'close' })}oth`);
    await eventually(async () => expect(await world.files()).toHaveLength(2));
    await world.storage.move('pending/1', 'builds/1/package.ipa');
    const answer = readToEnd(socket);
    socket.write('er');
    expect(await answer).toMatch(/^HTTP\/1\.1 409 .*<Code>BlobImmutable</s);
    expect((await world.files()).filter((file) => !file.startsWith('seals/'))).toEqual([
      'objects/builds/1/package.ipa',
    ]);
  });

  it('is protected after a restart, until all URLs have expired', async () => {
    for (let index = 0; index < 5; index += 1) {
      await world.put(`pending/${index}`, 'x');
      await world.storage.move(`pending/${index}`, `builds/${index}/package.ipa`);
    }
    expect(await world.reopen().isSealed('pending/3')).toBe(true);
    world.clock.advance(HOUR);
    expect(await world.reopen().isSealed('pending/3')).toBe(true);
    world.clock.advance(HOUR);
    expect(await world.storage.isSealed('pending/3')).toBe(false);
    await world.put('pending/next', 'x');
    await world.storage.move('pending/next', 'builds/next/package.ipa');
    expect((await world.files()).filter((file) => file.startsWith('seals/'))).toHaveLength(1);
  });

  it('cannot get a URL that outlives the protection', async () => {
    const expiresAt = new Date(world.clock.now().getTime() + HOUR + 1);
    await expect(world.storage.signPut({ key: 'pending/1', expiresAt, subject: 's' })).rejects.toThrow(RangeError);
  });
});

describe('a failing disk', () => {
  function failing(code: string, call: 'write' | 'sync' | 'rename' | 'open'): FileOperations {
    const trouble = Object.assign(new Error(`${code}: no luck, ${call}`), { code });
    let writes = 0;
    return {
      ...nodeFiles,
      rename: (from, to) => (call === 'rename' ? Promise.reject(trouble) : promises.rename(from, to)),
      async open(path, flags, mode) {
        const isIncoming = flags === 'wx';
        if (call === 'open' && isIncoming) throw trouble;
        const handle = await promises.open(path, flags, mode);
        if (!isIncoming) return handle;
        if (call === 'sync') handle.sync = () => Promise.reject(trouble);
        if (call === 'write') {
          const write = handle.write.bind(handle) as (...values: unknown[]) => ReturnType<typeof handle.write>;
          // Half of the second piece still finds room.
          handle.write = ((...[bytes, offset, length]: [Buffer, number, number]) => {
            writes += 1;
            if (writes > 2) return Promise.reject(trouble);
            return write(bytes, offset, writes === 2 ? Math.ceil(length / 2) : length);
          }) as typeof handle.write;
        }
        return handle;
      },
    };
  }

  it.each([
    ['ENOSPC', 'write', 507, 'InsufficientStorage'],
    ['EDQUOT', 'write', 507, 'InsufficientStorage'],
    ['ENOSPC', 'sync', 507, 'InsufficientStorage'],
    ['ENOSPC', 'rename', 507, 'InsufficientStorage'],
    ['ENOSPC', 'open', 507, 'InsufficientStorage'],
    ['EIO', 'write', 503, 'ServerBusy'],
    ['EIO', 'sync', 503, 'ServerBusy'],
    ['EROFS', 'open', 503, 'ServerBusy'],
    ['EMFILE', 'open', 503, 'ServerBusy'],
  ] as const)('%s at %s returns %d and leaves nothing', async (code, call, status, providerCode) => {
    await restart({ files: failing(code, call) });
    const response = await world.put('pending/deep/1', Buffer.alloc(400_000));
    expect([response.status, await readRefusal(response)]).toEqual([status, providerCode]);
    expect(await world.files()).toEqual([]);
    expect(await promises.readdir(join(world.directory, 'objects'))).toEqual([]);
    expect(world.logged).toHaveLength(1);
    expect(JSON.stringify(world.logged)).not.toContain('sig=');
    expect((await world.storage.check()).ok).toBe(false);
    expect(await world.files()).toEqual([]);
  });

  it('without free file handles returns 503 wherever a file is opened, with the time to retry', async () => {
    const trouble = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
    const fail = () => Promise.reject(trouble);
    const url = await world.putUrl('pending/1');
    await world.put('builds/1', 'x');
    const get = await world.getUrl('builds/1');
    for (const call of ['open', 'readdir', 'realpath'] as const) {
      const files = { ...nodeFiles };
      await restart({ files });
      Object.assign(files, { [call]: fail });
      const at = (address: string) => address.replace(/:\d+\//, `:${world.port}/`);
      const answers = [
        await fetch(at(url), { method: 'PUT', body: 'x', headers: { 'x-ms-blob-type': 'BlockBlob' } }),
        ...(call === 'open' ? [await fetch(at(get))] : []),
      ];
      for (const answer of answers) {
        expect([call, answer.status, answer.headers.get('retry-after')]).toEqual([call, 503, '5']);
        expect(await readRefusal(answer)).toBe('ServerBusy');
      }
    }
  });

  it('keeps the pending object for another attempt if it cannot be moved', async () => {
    let isBroken = false;
    const rename: FileOperations['rename'] = (from, to) =>
      isBroken ? Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })) : promises.rename(from, to);
    await restart({ files: { ...nodeFiles, rename } });
    await world.put('pending/1', 'the build');
    isBroken = true;
    await expect(world.storage.move('pending/1', 'builds/1/package.ipa')).rejects.toMatchObject({ code: 'full' });
    isBroken = false;
    expect(await world.files()).toEqual(['objects/pending/1']);
    expect((await world.put('pending/1', 'again')).status).toBe(201);
  });
});

describe('the files of a killed process', () => {
  it('are deleted, except those of running uploads', async () => {
    await writeFile(join(world.directory, 'incoming', '999-1'), 'half');
    await writeFile(join(world.directory, 'incoming', `${process.pid}-1`), 'half');
    const socket = world.dial();
    socket.write(`${rawPut(await world.putUrl('pending/1'), { 'Content-Length': 5, Connection: 'close' })}hel`);
    await eventually(async () => expect(await world.files()).toHaveLength(3));
    const answer = readToEnd(socket);
    expect(await world.storage.sweepTemporary()).toBe(2);
    expect(await world.files()).toHaveLength(1);
    socket.write('lo');
    expect(await answer).toMatch(/ 201 /);
    expect(await world.files()).toEqual(['objects/pending/1']);
  });
});

describe('links on the disk', () => {
  it('are used neither as objects nor as folders', async () => {
    const outside = join(world.directory, 'outside');
    await mkdir(outside);
    await writeFile(join(outside, 'secret'), 'secret');
    await symlink(outside, join(world.directory, 'objects', 'linked'));
    await mkdir(join(world.directory, 'objects', 'plain'));
    await symlink(join(outside, 'secret'), join(world.directory, 'objects', 'plain', 'secret'));
    for (const key of ['linked/secret', 'plain/secret']) {
      expect(await world.storage.head(key)).toBeUndefined();
      await expect(world.storage.read(key, 0, 9)).rejects.toMatchObject({ code: 'not_found' });
      expect((await fetch(await world.getUrl(key))).status).toBe(404);
      await world.storage.delete('linked/secret');
    }
    expect((await world.put('linked/new', 'x')).status).toBe(503);
    expect(await promises.readdir(outside)).toEqual(['secret']);
    expect(String(await readFile(join(outside, 'secret')))).toBe('secret');
    expect(constants.O_NOFOLLOW).toBeGreaterThan(0);
  });
});
