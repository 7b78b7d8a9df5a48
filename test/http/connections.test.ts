// Connections of unresponsive clients are closed, others stay open.
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { watchConnections } from '../../src/http/connections.ts';
import { makeCertifiedKey } from '../../src/sso/certified-key.ts';

/** Far more than the pieces of a body are apart, also on a busy machine. */
const UNREAD_BODY_MS = 1_000;

let http: Server;
beforeAll(async () => {
  http = createServer();
  watchConnections(http, { unreadBodyMs: UNREAD_BODY_MS });
  http.on('request', (_request, response) => response.end('answer'));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  http.closeAllConnections();
  http.close();
});

/** Sends pieces 50 ms apart and watches for longer than a body may stay unread; answers what came back and whether the server closed the connection. */
async function send(pieces: string[]): Promise<{ answers: number; isCut: boolean }> {
  const socket = connect((http.address() as AddressInfo).port, '127.0.0.1');
  let received = '';
  let isCut = false;
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isCut = true;
  });
  for (const piece of pieces) {
    if (!isCut) socket.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const giveUpAt = Date.now() + 2 * UNREAD_BODY_MS;
  while (!isCut && Date.now() < giveUpAt) await new Promise((resolve) => setTimeout(resolve, 50));
  const seen = { answers: received.split('answer').length - 1, isCut };
  socket.destroy();
  return seen;
}

const head = (method: string, length: number) => `${method} / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;

// Each of them waits, so they run together.
describe.concurrent('a client that has got its response', () => {
  it.each(['GET', 'POST'])('is disconnected if it never finishes the body of a %s', async (method) => {
    expect(await send([head(method, 100), 'a', 'b'])).toEqual({ answers: 1, isCut: true });
  });

  it('keeps its connection if it sends the rest of the body, and can send another request', async () => {
    expect(await send([head('POST', 4), 'ab', 'cd', head('POST', 2), 'ab'])).toEqual({ answers: 2, isCut: false });
  });

  it('keeps its connection without a body', async () => {
    expect(await send(['GET / HTTP/1.1\r\nHost: x\r\n\r\n'])).toEqual({ answers: 1, isCut: false });
  });
});

describe.concurrent('a client that reads nothing', () => {
  /** Sends requests and waits two seconds; answers whether the server closed the connection. */
  async function waitUnread(requests: number, bytes: number, leastBytesPerSecond: number): Promise<boolean> {
    const server = createServer();
    watchConnections(server, { unreadResponseMs: 50, leastBytesPerSecond });
    server.on('request', (_request, response) => response.end(Buffer.alloc(bytes)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const closed = new Promise<boolean>((resolve) => {
      server.once('connection', (connection) => connection.once('close', () => resolve(true)));
    });
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    socket.pause().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(requests));
    const isCut = await Promise.race([
      closed,
      new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 2_000)),
    ]);
    socket.destroy();
    server.closeAllConnections();
    server.close();
    return isCut;
  }
  /** More than the buffers of both sides. */
  const large = 64 * 1024 * 1024;

  it.each([1, 2])('is disconnected after %i requests', async (requests) => {
    expect(await waitUnread(requests, large, Number.POSITIVE_INFINITY)).toBe(true);
  });

  it('has the time that a slow one takes', async () => {
    expect(await waitUnread(1, large, 1024 * 1024)).toBe(false);
  });

  it('keeps its connection if the system took the response', async () => {
    expect(await waitUnread(1, 100, Number.POSITIVE_INFINITY)).toBe(false);
  });
});

describe('a connection that Node closes because no request arrived in time', () => {
  it.each([
    { sent: '', isUnused: true },
    { sent: 'GET / HTTP/1.1\r\n', isUnused: false },
  ])('is unused after "$sent": $isUnused', async ({ sent, isUnused }) => {
    const impatient = createServer({ headersTimeout: 100, requestTimeout: 0, connectionsCheckingInterval: 50 });
    const connections = watchConnections(impatient);
    const given = new Promise<boolean>((resolve) => {
      impatient.on('clientError', (error: NodeJS.ErrnoException, socket) => {
        expect(error.code).toBe('ERR_HTTP_REQUEST_TIMEOUT');
        resolve(connections.isUnused(socket));
        socket.destroy();
      });
    });
    await new Promise<void>((resolve) => impatient.listen(0, '127.0.0.1', resolve));
    const socket = connect((impatient.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    socket.write(sent);
    expect(await given).toBe(isUnused);
    socket.destroy();
    impatient.close();
  });

  it('is unused after the handshake of TLS alone', async () => {
    const { certificate: cert, privateKey: key } = await makeCertifiedKey(new Date());
    const impatient = createSecureServer({
      cert,
      key,
      headersTimeout: 100,
      requestTimeout: 0,
      connectionsCheckingInterval: 50,
    });
    const connections = watchConnections(impatient, { isSecure: true });
    const given = new Promise<boolean>((resolve) => {
      impatient.on('clientError', (_error, socket) => {
        resolve(connections.isUnused(socket));
        socket.destroy();
      });
    });
    await new Promise<void>((resolve) => impatient.listen(0, '127.0.0.1', resolve));
    const { port } = impatient.address() as AddressInfo;
    const socket = connectSecurely({ port, host: '127.0.0.1', rejectUnauthorized: false }).on('error', () => undefined);
    expect(await given).toBe(true);
    socket.destroy();
    impatient.close();
  });
});
