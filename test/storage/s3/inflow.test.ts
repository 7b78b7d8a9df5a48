// Responses that are passed on to clients: every byte in order, and failures that aren't mistaken for the end.
import { randomBytes } from 'node:crypto';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { issueLeaf, makeAuthority } from '../../../src/certificates/x509.ts';
import { DAY } from '../../../src/lib/clock.ts';
import { type Inflow, receive } from '../../../src/storage/s3/inflow.ts';

const SILENCE = { silenceMs: 20_000 };

let server: Server | undefined;
afterEach(async () => {
  await new Promise((done) => (server === undefined ? done(undefined) : server.close(done)));
  server = undefined;
});

/** Starts a server that answers each connection with `serve` once a request has arrived. Returns its URL. */
async function start(serve: (socket: Socket, request: string) => void): Promise<URL> {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (request) => serve(socket, request.toString('latin1')));
  });
  await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done));
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/bucket/key?a=b%20c`);
}

const headOf = (length: number, more = '') => `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n${more}\r\n`;

/** Reads everything like a client that holds one chunk while the next one is read. */
async function readAll(inflow: Inflow, limit: number): Promise<Buffer> {
  const copies: Buffer[] = [];
  let held: Buffer | undefined;
  for (;;) {
    const chunk = await inflow.next(limit);
    // Copied as late as it may be read.
    if (held !== undefined) copies.push(Buffer.from(held));
    if (chunk.length === 0) return Buffer.concat(copies);
    held = chunk;
  }
}

describe('a response', () => {
  it('is received completely, however its bytes arrive and are taken', async () => {
    const body = randomBytes(3_000_000);
    for (const [piece, limit] of [
      [1_000, 256 * 1024],
      [70_000, 16 * 1024],
      [3_000_000, 100_000],
      [3_000_000, 256 * 1024],
    ] as const) {
      const url = await start((socket) => {
        socket.write(headOf(body.length, 'ETag: "1"\r\nX-Two: a\r\nx-two:b \r\n'));
        for (let at = 0; at < body.length; at += piece) socket.write(body.subarray(at, at + piece));
      });
      const inflow = await receive({ url, headers: { range: 'bytes=0-' } }, SILENCE);
      expect([inflow?.status, inflow?.length, inflow?.headers.etag]).toEqual([200, body.length, '"1"']);
      expect(inflow?.headers['x-two']).toBe('a, b');
      if (inflow === undefined) continue;
      expect((await readAll(inflow, limit)).equals(body), `${piece} ${limit}`).toBe(true);
      await new Promise((done) => server?.close(done));
    }
  });

  it('is received over TLS', async () => {
    const validity = { notBefore: new Date(Date.now() - DAY), notAfter: new Date(Date.now() + DAY) };
    const root = await makeAuthority('Storage test', ['localhost'], validity);
    const names = ['localhost'];
    const leaf = await issueLeaf(root, { commonName: 'x', use: 'server', names, keyKind: 'ecdsa', validity });
    const body = randomBytes(2_000_000);
    const secure = createTlsServer({ key: leaf.privateKey, cert: leaf.certificate }, (socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.write(Buffer.concat([Buffer.from(headOf(body.length)), body])));
    });
    server = secure;
    await new Promise<void>((done) => secure.listen(0, '127.0.0.1', done));
    const url = new URL(`https://localhost:${(secure.address() as AddressInfo).port}/key`);
    await expect(receive({ url, headers: {} }, SILENCE)).rejects.toThrow('certificate');
    const known = getCACertificates('default');
    setDefaultCACertificates([...known, root.certificate]);
    try {
      const inflow = await receive({ url, headers: {} }, SILENCE);
      expect(inflow && (await readAll(inflow, 100_000)).equals(body)).toBe(true);
    } finally {
      setDefaultCACertificates(known);
    }
  });

  it('follows several interim ones, however they arrive', async () => {
    const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n';
    for (const pieces of [[`${interim}${headOf(2)}ok`], [interim.slice(0, 30), interim.slice(30), headOf(2), 'ok']]) {
      const url = await start((socket) => {
        socket.setNoDelay();
        const send = (): void => {
          const piece = pieces.shift();
          if (piece !== undefined) socket.write(piece, () => setImmediate(send));
        };
        send();
      });
      const inflow = await receive({ url, headers: {} }, SILENCE);
      expect([inflow?.status, inflow && String(await readAll(inflow, 100))]).toEqual([200, 'ok']);
      await new Promise((done) => server?.close(done));
    }
  });

  it('keeps the spaces within a header and loses those around it', async () => {
    const spaces = ' \t'.repeat(25_000);
    const url = await start((socket) => socket.write(headOf(2, `x-spaces:${spaces.slice(0, 9)}a${spaces}b \t\r\n`)));
    const inflow = await receive({ url, headers: {} }, SILENCE);
    expect(inflow?.headers['x-spaces']).toBe(`a${spaces}b`);
    inflow?.close();
  });

  it('follows an interim one, and is requested as signed', async () => {
    const requests: string[] = [];
    const url = await start((socket, request) => {
      requests.push(request);
      socket.write(`HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n${headOf(2)}ok`);
    });
    const inflow = await receive({ url, headers: { 'if-match': '"x"' } }, SILENCE);
    expect(String(await inflow?.next(100))).toBe('ok');
    expect(requests).toEqual([
      `GET /bucket/key?a=b%20c HTTP/1.1\r\nhost: ${url.host}\r\nif-match: "x"\r\nconnection: close\r\n\r\n`,
    ]);
  });

  it('without an object has no body', async () => {
    const url = await start((socket) => socket.write('HTTP/1.1 412 Failed\r\nContent-Length: 9\r\n\r\nsome text'));
    const inflow = await receive({ url, headers: {} }, SILENCE);
    expect([inflow?.status, inflow?.length, (await inflow?.next(100))?.length]).toEqual([412, 0, 0]);
  });

  it.each([
    ['in chunks', 'Transfer-Encoding: chunked\r\n'],
    ['in chunks with a length', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'],
    ['with two lengths', 'Content-Length: 5\r\nContent-Length: 6\r\n'],
    ['without a length', ''],
  ])('%s is left to another client', async (_name, headers) => {
    const url = await start((socket) => socket.write(`HTTP/1.1 200 OK\r\n${headers}\r\n5\r\nhello\r\n0\r\n\r\n`));
    expect(await receive({ url, headers: {} }, SILENCE)).toBeUndefined();
  });

  it('stops arriving while nobody takes it', async () => {
    const length = 64 * 1024 * 1024;
    let sent = 0;
    const url = await start((socket) => {
      socket.write(headOf(length));
      const block = Buffer.alloc(1024 * 1024);
      const send = (): void => {
        if (sent >= length) return;
        sent += block.length;
        socket.write(block, send);
      };
      send();
    });
    const inflow = await receive({ url, headers: {} }, SILENCE);
    const before = process.memoryUsage().arrayBuffers;
    expect((await inflow?.next(1_000))?.length).toBe(1_000);
    // The rest waits in the buffers of the kernel, until the connection is closed.
    let last = -1;
    const isSteady = (): boolean => {
      const isSame = sent === last;
      last = sent;
      return isSame;
    };
    await expect.poll(isSteady, { interval: 100 }).toBe(true);
    expect(sent).toBeLessThan(length / 2);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * 1024 * 1024);
    inflow?.close();
    await expect((async () => inflow && readAll(inflow, 1_000_000))()).rejects.toThrow('closed within');
  });
});

describe('a failure', () => {
  it.each([
    ['a response that is cut short', `${headOf(10)}12345`],
    ['a head that is cut short', 'HTTP/1.1 200 OK\r\nContent-'],
    ['something else than HTTP', 'SSH-2.0-server\r\n\r\n'],
    ['an invalid header', 'HTTP/1.1 200 OK\r\nno colon\r\n\r\n'],
    ['a header with a line break', 'HTTP/1.1 200 OK\r\nx: a\nb\r\n\r\n'],
    ['many spaces before a line break', `HTTP/1.1 200 OK\r\nx:${' '.repeat(60_000)}\nb\r\n\r\n`],
    ['a folded header', 'HTTP/1.1 200 OK\r\nx: a\r\n b\r\n\r\n'],
    ['a space before the colon', 'HTTP/1.1 200 OK\r\nContent-Length : 5\r\n\r\nhello'],
    ['another protocol for the client', 'HTTP/1.1 101 Switching Protocols\r\n\r\n'],
    ['interim responses without an end', 'HTTP/1.1 103 Early Hints\r\nx: y\r\n\r\n'.repeat(10_000)],
    ['a head without an end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`],
  ])('is reported for %s', async (_name, response) => {
    const url = await start((socket) => socket.end(response));
    const all = async () => {
      const inflow = await receive({ url, headers: {} }, SILENCE);
      return inflow && readAll(inflow, 100);
    };
    await expect(all()).rejects.toThrow(/closed within|not one of HTTP|invalid header|too long/);
  });

  it('is reported for silence, an aborted request and a closed port', async () => {
    const url = await start((socket) => socket.write('HTTP/1.1 200 OK\r\n'));
    await expect(receive({ url, headers: {} }, { silenceMs: 50 })).rejects.toThrow('no response for 0.05 s');
    const abort = new AbortController();
    const asked = receive({ url, headers: {} }, { ...SILENCE, signal: abort.signal });
    abort.abort(new Error('the client is gone'));
    await expect(asked).rejects.toThrow('the client is gone');
    const closed = new URL('http://127.0.0.1:1/');
    await expect(receive({ url: closed, headers: {} }, SILENCE)).rejects.toThrow('ECONNREFUSED');
  });
});
