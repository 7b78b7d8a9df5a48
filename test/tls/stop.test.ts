// Stopping a server with idle connections in every state.
import { once } from 'node:events';
import { connect as openTcp, type Socket } from 'node:net';
import { connect as openTls } from 'node:tls';
import { afterEach, describe, it } from 'vitest';
import { findFreePort } from '../../scripts/lib/ports.ts';
import { makeChallengeCertificate } from '../../src/certificates/x509.ts';
import { DAY } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { createSecureServer } from '../../src/tls/secure-server.ts';
import { withoutDeadlines } from '../support/deadlines.ts';

const LOOPBACK = '127.0.0.1';
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

function keep(socket: Socket): Socket {
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

async function tcp(port: number, bytes?: string | Buffer): Promise<void> {
  const socket = keep(openTcp(port, LOOPBACK));
  await once(socket, 'connect');
  if (bytes !== undefined) socket.write(bytes);
}

async function tls(port: number, request?: string): Promise<void> {
  const socket = keep(openTls({ port, host: LOOPBACK, rejectUnauthorized: false }));
  await once(socket, 'secureConnect');
  if (request === undefined) return;
  socket.write(request);
  await once(socket, 'data');
}

const HELLO_BEGUN = Buffer.from([0x16, 3, 1, 2, 0, 1]);
const REQUEST = 'GET /api/v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n';

/** Waits until what was sent has arrived, then stops. No deadline ends a connection for which the stop would wait. */
async function stopAfter(fixture: Fixture): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 200));
  await fixture.stop();
}

describe('a stopping server', () => {
  it.each([
    ['was opened', (port: number) => tcp(port)],
    ['is in its handshake', (port: number) => tcp(port, HELLO_BEGUN)],
    ['has asked for nothing yet', (port: number) => tls(port)],
    ['was answered', (port: number) => tls(port, REQUEST)],
    ['was opened at the port for plain http', (_port: number, plainPort: number) => tcp(plainPort)],
  ])('does not wait for a connection over https that %s', async (_stage, open) => {
    const plainPort = await findFreePort();
    const fixture = await startFixture({ config: { server: { tls: { mode: 'internal', http_port: plainPort } } } });
    await withoutDeadlines(async () => {
      await open(fixture.config.server.port, plainPort);
      await stopAfter(fixture);
    });
  });

  it('does not wait for an idle connection over http', async () => {
    const fixture = await startFixture();
    await withoutDeadlines(async () => {
      await tcp(fixture.config.server.port);
      await stopAfter(fixture);
    });
  });

  it('drops connections during the first message while a challenge is open', async () => {
    const secure = createSecureServer({});
    const now = Date.now();
    const validity = { notBefore: new Date(now - DAY), notAfter: new Date(now + DAY) };
    const certificate = await makeChallengeCertificate('builds.example.com', Buffer.alloc(32), validity);
    const withdraw = secure.answerAlpn('builds.example.com', certificate);
    secure.server.listen(0, LOOPBACK);
    await once(secure.server, 'listening');
    const address = secure.server.address();
    await withoutDeadlines(async () => {
      const arrived = once(secure.server, 'connection');
      const socket = keep(openTcp(typeof address === 'object' && address !== null ? address.port : 0, LOOPBACK));
      await Promise.all([once(socket, 'connect'), arrived]);
      socket.write(HELLO_BEGUN);
      const closed = once(secure.server, 'close');
      secure.server.close();
      secure.dropHandshakes();
      await closed;
    });
    withdraw();
  });
});
