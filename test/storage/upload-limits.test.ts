// Limits of uploads: one PUT per URL, bytes per project, minimum rate, expiry, disk reserve.
import { readdirSync, statSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MINIMUM_RATE, readBody } from '../../src/storage/local/body.ts';
import { nodeFiles } from '../../src/storage/local/files.ts';
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
afterEach(() => world.stop());

const incoming = () => readdirSync(join(world.directory, 'incoming'));

/** Sends the head of a PUT and the first bytes of its body. */
async function begin(key: string, length: number, first = 1): Promise<Socket> {
  const socket = world.dial();
  socket.write(rawPut(await world.putUrl(key), { 'Content-Length': length, Connection: 'close' }));
  socket.write(Buffer.alloc(first, 'a'));
  return socket;
}

/** The whole answer to a client that stops sending as soon as it is answered. */
function readAnswer(socket: Socket): Promise<string> {
  socket.once('data', () => socket.end());
  return readToEnd(socket);
}

describe('one upload URL', () => {
  it('accepts one PUT at a time: forty unfinished ones use one file', async () => {
    world = await startStorage();
    const answers = new Map<Socket, string>();
    const sockets: Socket[] = [];
    for (let index = 0; index < 40; index += 1) {
      const socket = await begin('pending/1', 1_000, 500);
      sockets.push(socket);
      void readAnswer(socket).then((answer) => answers.set(socket, answer));
    }
    await eventually(() => expect(answers.size).toBe(39));
    for (const answer of answers.values()) expect(answer).toMatch(/^HTTP\/1\.1 409 .*<Code>UploadSuperseded</s);
    expect(incoming()).toHaveLength(1);
    // The server needn't read the connections in the order in which they were opened.
    const [last] = sockets.filter((socket) => !answers.has(socket)) as [Socket];
    last.write(Buffer.alloc(500, 'b'));
    await eventually(() => expect(answers.get(last) ?? '').toMatch(/^HTTP\/1\.1 201 /));
    expect((await world.storage.head('pending/1'))?.size).toBe(1_000);
    expect(await world.files()).toEqual(['objects/pending/1']);
  });

  it('keeps the running PUT if the newer one has invalid headers', async () => {
    world = await startStorage();
    const older = await begin('pending/1', 10, 5);
    const answer = readToEnd(older);
    await eventually(() => expect(incoming()).toHaveLength(1));
    expect((await world.put('pending/1', 'x', { 'content-md5': 'abc' })).status).toBe(400);
    older.write('bytes');
    expect(await answer).toMatch(/^HTTP\/1\.1 201 /);
  });

  it('does not affect PUTs to other addresses', async () => {
    world = await startStorage();
    const first = await begin('pending/1', 4, 2);
    const answer = readToEnd(first);
    expect((await world.put('pending/2', 'other')).status).toBe(201);
    first.write('bb');
    expect(await answer).toMatch(/^HTTP\/1\.1 201 /);
  });

  it('ends a PUT when it expires, and leaves nothing', async () => {
    world = await startStorage();
    const socket = await begin('pending/1', 100);
    const answer = readAnswer(socket);
    await eventually(() => expect(incoming()).toHaveLength(1));
    world.clock.advance(HOUR);
    socket.write('late');
    expect(await answer).toMatch(/^HTTP\/1\.1 403 .*<Code>AuthenticationFailed<.*expired/s);
    await eventually(async () => expect(await world.files()).toEqual([]));
  });
});

describe('an upload in chunks of one byte', () => {
  it('takes few blocks of memory and is written in as many parts', async () => {
    world = await startStorage();
    const request = Object.assign(new PassThrough(), { complete: true }) as unknown as IncomingMessage & PassThrough;
    const options = { idleTimeoutMs: 20_000, minimumRate: MINIMUM_RATE, superseded: new AbortController().signal };
    const body = readBody(request, options);
    const sizes: number[] = [];
    const first = body.next();
    for (let sent = 0; sent < 10_000; sent += 1) request.write('a');
    request.end();
    sizes.push((await first).value?.length ?? 0);
    for await (const { length } of body) sizes.push(length);
    expect(sizes).toEqual([1, 4_096, 4_096, 1_807]);
  });
});

describe('the rate of an upload', () => {
  it('ends a slow PUT, even if it never pauses', async () => {
    world = await startStorage({ idleTimeoutMs: 20_000, minimumRate: { bytes: 1_000, perMs: 100 } });
    const socket = await begin('pending/1', 500_000);
    const trickle = setInterval(() => socket.writable && socket.write('a'), 10);
    const answer = await readAnswer(socket);
    clearInterval(trickle);
    expect(answer).toMatch(/^HTTP\/1\.1 408 .*<Code>OperationTimedOut<.*too slow/s);
    await eventually(async () => expect(await world.files()).toEqual([]));
  });

  it('is measured in each period, so that a fast start does not help', async () => {
    world = await startStorage({ idleTimeoutMs: 20_000, minimumRate: { bytes: 1_000, perMs: 100 } });
    const socket = await begin('pending/1', 900_000, 600_000);
    const trickle = setInterval(() => socket.writable && socket.write('a'), 10);
    const answer = await readAnswer(socket);
    clearInterval(trickle);
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('does not end a PUT that is fast enough', async () => {
    world = await startStorage({ idleTimeoutMs: 20_000, minimumRate: { bytes: 10, perMs: 100 } });
    const received = watchBytes(world.server);
    // Each wait for the client takes 20 ms, however long it takes.
    let time = performance.now();
    const now = vi.spyOn(performance, 'now').mockImplementation(() => {
      time += 20;
      return time;
    });
    try {
      const socket = await begin('pending/1', 300_001);
      const answer = readToEnd(socket);
      let before = await received((bytes) => bytes > 0);
      for (let sent = 0; sent < 30; sent += 1) {
        socket.write(Buffer.alloc(10_000, 'a'));
        const wanted = before + 10_000;
        before = await received((bytes) => bytes >= wanted);
      }
      expect(await answer).toMatch(/^HTTP\/1\.1 201 /);
    } finally {
      now.mockRestore();
    }
  });
});

describe('the bytes of one project', () => {
  const start = () =>
    startStorage({ bytesPerGroup: 1_500_000, groupOf: (key) => (key.includes('-a') ? 'project a' : 'project b') });

  it('are limited during uploads, by their announced size and before a byte is read', async () => {
    world = await start();
    const first = await begin('pending/1-a', 900_000);
    await eventually(() => expect(incoming()).toHaveLength(1));
    const second = await begin('pending/2-a', 900_000, 0);
    expect(await readAnswer(second)).toMatch(/^HTTP\/1\.1 503 .*Retry-After: \d.*<Code>ServerBusy<.*project/s);
    expect(incoming()).toHaveLength(1);
    expect((await world.put('pending/3-b', Buffer.alloc(900_000))).status).toBe(201);
    first.destroy();
    await eventually(() => expect(incoming()).toEqual([]));
    expect((await world.put('pending/2-a', Buffer.alloc(900_000))).status).toBe(201);
  });

  it('count bytes that a newer PUT to the same address replaces only once', async () => {
    world = await start();
    const older = await begin('pending/1-a', 900_000);
    const answer = readAnswer(older);
    await eventually(() => expect(incoming()).toHaveLength(1));
    expect((await world.put('pending/1-a', Buffer.alloc(900_000))).status).toBe(201);
    expect(await answer).toMatch(/^HTTP\/1\.1 409 /);
  });

  it('are limited also if a PUT does not announce its size', async () => {
    world = await start();
    await begin('pending/1-a', 900_000);
    await eventually(() => expect(incoming()).toHaveLength(1));
    const socket = world.dial();
    const answer = readAnswer(socket);
    socket.write(rawPut(await world.putUrl('pending/2-a'), { 'Transfer-Encoding': 'chunked' }));
    for (let sent = 0; sent < 12; sent += 1) socket.write(`${(60_000).toString(16)}\r\n${'x'.repeat(60_000)}\r\n`);
    expect(await answer).toMatch(/^HTTP\/1\.1 503 .*<Code>ServerBusy</s);
    await eventually(() => expect(incoming()).toHaveLength(1));
  });
});

describe('the reserve of the disk', () => {
  const MIB = 1024 ** 2;
  /** A disk of 1,000 MiB, of which 2 % are kept, with this much free. */
  function onDisk(free: { bytes: number }, reserve = { bytes: 1024 * MIB, percent: 2 }) {
    const used = () =>
      incoming().reduce((sum, name) => sum + statSync(join(world.directory, 'incoming', name)).size, 0);
    const statfs = () => Promise.resolve({ bsize: 1, blocks: 1_000 * MIB, bavail: free.bytes - used() });
    const files = { ...nodeFiles, statfs: statfs as unknown as typeof nodeFiles.statfs };
    return startStorage({ files, reserve, maxBodyBytes: 100 * MIB });
  }

  it('rejects a PUT before its body is read, with the reason', async () => {
    world = await onDisk({ bytes: 21 * MIB });
    const socket = await begin('pending/1', 2 * MIB, 0);
    const answer = await readAnswer(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 507 .*Retry-After: 60.*<Code>InsufficientStorage<.*almost full/s);
    expect(await world.files()).toEqual([]);
    expect((await world.put('pending/1', Buffer.alloc(MIB / 2))).status).toBe(201);
  });

  it('determines whether uploads are accepted', async () => {
    const free = { bytes: 21 * MIB };
    world = await onDisk(free);
    expect(await world.storage.hasRoom()).toBe(true);
    free.bytes = 19 * MIB;
    expect(await world.reopen().hasRoom()).toBe(false);
  });

  it('is the smaller of bytes and percentage', async () => {
    world = await onDisk({ bytes: 6 * MIB }, { bytes: 5 * MIB, percent: 2 });
    expect((await world.put('pending/1', Buffer.alloc(MIB / 2))).status).toBe(201);
  });

  it('ends a PUT of unknown size that would use it, and leaves nothing', async () => {
    world = await onDisk({ bytes: 20 * MIB + 100_000 });
    const socket = world.dial();
    const answer = readAnswer(socket);
    socket.write(rawPut(await world.putUrl('pending/1'), { 'Transfer-Encoding': 'chunked' }));
    for (let sent = 0; sent < 5; sent += 1) socket.write(`${(60_000).toString(16)}\r\n${'x'.repeat(60_000)}\r\n`);
    expect(await answer).toMatch(/^HTTP\/1\.1 507 .*<Code>InsufficientStorage</s);
    await eventually(async () => expect(await world.files()).toEqual([]));
  });

  it('allows uploads again when there is space', async () => {
    const free = { bytes: 10 * MIB };
    world = await onDisk(free);
    expect(await readRefusal(await world.put('pending/1', 'x'))).toBe('InsufficientStorage');
    free.bytes = 100 * MIB;
    expect((await world.put('pending/1', 'x')).status).toBe(201);
  });

  it('does not apply to small objects of the service', async () => {
    world = await onDisk({ bytes: 1_000 });
    expect((await world.storage.put('icons/1', Buffer.from('icon'))).size).toBe(4);
  });

  it('ends storing a large object of the service that would use it, and leaves nothing', async () => {
    world = await onDisk({ bytes: 22 * MIB });
    async function* chunks(count: number) {
      for (let sent = 0; sent < count; sent += 1) yield Buffer.alloc(MIB);
    }
    await expect(world.storage.put('builds/1', chunks(3))).rejects.toMatchObject({ code: 'full' });
    expect(await world.files()).toEqual([]);
    expect((await world.storage.put('builds/1', chunks(1))).size).toBe(MIB);
  });
});

describe('a client with Expect: 100-continue', () => {
  it('continues when its upload is accepted', async () => {
    world = await startStorage();
    const socket = world.dial();
    const answer = readToEnd(socket);
    const headers = { 'Content-Length': 4, Expect: '100-continue', Connection: 'close' };
    socket.write(rawPut(await world.putUrl('pending/1'), headers));
    socket.once('data', () => socket.write('body'));
    expect(await answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
  });

  it('gets the error without continuing', async () => {
    world = await startStorage();
    const socket = world.dial();
    const headers = { 'Content-Length': 2_000_000, Expect: '100-continue', Connection: 'close' };
    socket.write(rawPut(await world.putUrl('pending/1'), headers));
    expect(await readAnswer(socket)).toMatch(/^HTTP\/1\.1 413 /);
  });
});
