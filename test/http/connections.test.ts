// Connections of unresponsive clients are closed, others stay open.
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { watchConnections } from '../../src/http/connections.ts';
import { makeCertifiedKey } from '../../src/sso/certified-key.ts';
import { until } from '../support/until.ts';

const UNREAD_BODY_MS = 1_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Starts a server and connects a client to it. Returns both sides of the connection. */
async function open(http: Server) {
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  const accepted = once(http, 'connection') as Promise<[Socket]>;
  const client = connect((http.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void client.destroy());
  const [connection] = await accepted;
  return { client, connection };
}

/** Sends pieces, each when the server has the one before, until as many responses are sent. Answers whether the server closed the connection in the end. */
async function send(pieces: string[], responses: number): Promise<boolean> {
  const http = createServer();
  watchConnections(http, { unreadBodyMs: UNREAD_BODY_MS });
  let sent = 0;
  http.on('request', (_request, response) => {
    response.once('finish', () => {
      sent += 1;
    });
    response.end('answer');
  });
  const { client, connection } = await open(http);
  for (const [index, piece] of pieces.entries()) {
    client.write(piece);
    await until(() => connection.bytesRead === pieces.slice(0, index + 1).join('').length);
  }
  await until(() => sent === responses);
  vi.advanceTimersByTime(UNREAD_BODY_MS - 1);
  expect(connection.destroyed).toBe(false);
  vi.advanceTimersByTime(UNREAD_BODY_MS);
  return connection.destroyed;
}

const head = (method: string, length: number) => `${method} / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;

describe('a client that has got its response', () => {
  it.each(['GET', 'POST'])('is disconnected if it never finishes the body of a %s', async (method) => {
    expect(await send([head(method, 100), 'a', 'b'], 1)).toBe(true);
  });

  it('keeps its connection if it sends the rest of the body, and can send another request', async () => {
    expect(await send([head('POST', 4), 'ab', 'cd', head('POST', 2), 'ab'], 2)).toBe(false);
  });

  it('keeps its connection without a body', async () => {
    expect(await send(['GET / HTTP/1.1\r\nHost: x\r\n\r\n'], 1)).toBe(false);
  });
});

describe('a client that reads nothing', () => {
  /** Sends requests and lets two seconds pass; answers whether the server closed the connection. */
  async function waitUnread(requests: number, bytes: number, leastBytesPerSecond: number): Promise<boolean> {
    const http = createServer();
    watchConnections(http, { unreadResponseMs: 50, leastBytesPerSecond });
    const responses: ServerResponse[] = [];
    http.on('request', (_request, response) => {
      responses.push(response);
      response.end(Buffer.alloc(bytes));
    });
    const { client, connection } = await open(http);
    client.pause().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(requests));
    await until(() => responses.length === requests);
    if (bytes !== large) await until(() => responses.every((one) => one.writableFinished));
    vi.advanceTimersByTime(2_000);
    return connection.destroyed;
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
    const impatient = createServer({ headersTimeout: 0, requestTimeout: 0, connectionsCheckingInterval: 50 });
    const connections = watchConnections(impatient);
    const given = new Promise<boolean>((resolve) => {
      impatient.on('clientError', (error: NodeJS.ErrnoException, socket) => {
        expect(error.code).toBe('ERR_HTTP_REQUEST_TIMEOUT');
        resolve(connections.isUnused(socket));
        socket.destroy();
      });
    });
    const { client, connection } = await open(impatient);
    client.write(sent);
    await until(() => connection.bytesRead === sent.length);
    // From now on it is late.
    impatient.headersTimeout = 1;
    expect(await given).toBe(isUnused);
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
