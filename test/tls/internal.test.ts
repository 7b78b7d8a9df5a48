// https with the server's own authority: with openssl, curl and fetch, over time, and with slow clients.
import { X509Certificate } from 'node:crypto';
import { connect, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { loadAuthority } from '../../src/certificates/authority.ts';
import { DAY } from '../../src/lib/clock.ts';
import { createServer } from '../../src/server.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { withoutDeadlines } from '../support/deadlines.ts';
import { curl, inspectServer } from './clients.ts';

let fixture: Fixture;
let root: string;
let port: number;

beforeEach(async () => {
  fixture = await startFixture({ config: { server: { tls: { mode: 'internal' } } } });
  root = (await loadAuthority(fixture.app)).certificate;
  port = fixture.config.server.port;
});

afterEach(() => fixture.stop());

describe('a server with tls.mode "internal"', () => {
  it('is trusted by fetch, curl and openssl with its authority', async () => {
    expect(fixture.url).toBe(`https://127.0.0.1:${port}`);
    expect(fixture.config.server.base_url).toBe(`https://localhost:${port}`);
    expect(await (await fetch(`${fixture.url}/health/live`)).json()).toEqual({ status: 'ok' });
    const got = await curl(root, ['-i', `https://localhost:${port}/health/live`]);
    expect(got.stdout).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(got.stdout).toMatch(/\{"status":"ok"\}$/);
    // Not every phone knows the authority, so that browsers must not be told to insist.
    expect(got.stdout.toLowerCase()).not.toContain('strict-transport-security');
    expect((await inspectServer(port, 'localhost', root)).verification).toBe('0 (ok)');
  });

  it('is rejected by curl without its authority', async () => {
    const other = await startFixture({ config: { server: { tls: { mode: 'internal' } } } });
    const otherRoot = (await loadAuthority(other.app)).certificate;
    await other.stop();
    const { code, stderr } = await curl(otherRoot, [`https://localhost:${port}/`]);
    expect(code).toBe(60);
    expect(stderr).toContain('SSL certificate problem');
  });

  it.each([
    ['-tls1', undefined],
    ['-tls1_1', undefined],
    ['-tls1_2', 'TLSv1.2'],
    ['-tls1_3', 'TLSv1.3'],
  ])('supports TLS 1.2 and newer: %s', async (version, protocol) => {
    const { text } = await inspectServer(port, 'localhost', root, [version, '-cipher', 'ALL:@SECLEVEL=0']);
    expect(/^New, (TLSv1\.[23]), Cipher is (?!\(NONE)/m.exec(text)?.[1]).toBe(protocol);
  });

  it('creates https links, and cookies for https only', async () => {
    const response = await fetch(`${fixture.url}/api/v1/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: `https://localhost:${port}` },
      body: JSON.stringify({ email: fixture.admin.email, password: fixture.admin.password, cookies: true }),
    });
    expect(response.status).toBe(200);
    expect(response.headers.getSetCookie()).toHaveLength(2);
    for (const cookie of response.headers.getSetCookie()) expect(cookie).toMatch(/; Secure$/);
  });

  it('renews its certificate 60 days before it expires, without interruption and with the same authority', async () => {
    const before = await inspectServer(port, 'localhost', root);
    fixture.clock.advance(336 * DAY);
    await fixture.sweep('certificates');
    expect((await inspectServer(port, 'localhost', root)).certificate).toBe(before.certificate);
    const held = connectTls({
      port,
      host: '127.0.0.1',
      servername: 'localhost',
      ca: root,
      ALPNProtocols: ['http/1.1'],
    });
    await new Promise((resolve) => held.once('secureConnect', resolve));

    fixture.clock.advance(2 * DAY);
    await fixture.sweep('certificates');

    const after = await inspectServer(port, 'localhost', root, ['-no_check_time']);
    expect(after.verification).toBe('0 (ok)');
    expect(after.certificate).not.toBe(before.certificate);
    expect(new X509Certificate(after.certificate ?? '').validToDate.getTime()).toBeGreaterThan(
      fixture.clock.now().getTime() + 390 * DAY,
    );
    // A connection that was open continues.
    held.write('GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n');
    const answer = await new Promise((resolve) => held.once('data', resolve));
    expect(String(answer)).toMatch(/^HTTP\/1\.1 200 OK/);
    held.destroy();
  });

  it('keeps its authority after a restart', async () => {
    const { config } = fixture;
    await fixture.app.https?.renew();
    const before = await inspectServer(port, 'localhost', root);
    const folder = config.server.data_dir;
    // The folder goes with the fixture, so the second server comes while the first one still holds nothing but its files.
    const { cp, rm } = await import('node:fs/promises');
    await cp(folder, `${folder}-kept`, { recursive: true });
    await fixture.stop();
    const server = { ...config.server, data_dir: `${folder}-kept` };
    const database = { ...config.database, file: `${folder}-kept/taxiway.db` };
    const local = { directory: `${folder}-kept/blobs` };
    const again = await createServer({ ...config, server, database, storage: { ...config.storage, local } });
    await again.start();
    try {
      const after = await inspectServer(port, 'localhost', root);
      expect(after.verification).toBe('0 (ok)');
      expect(after.certificate).toBe(before.certificate);
    } finally {
      await again.stop();
      await rm(`${folder}-kept`, { recursive: true });
    }
  });

  it('does not respond to plain http on its port', async () => {
    const { code } = await curl(root, [`http://localhost:${port}/health/live`]);
    expect(code).toBe(52);
  });
});

describe('a client with an unfinished handshake', () => {
  const openSocket = () =>
    new Promise<Socket>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(socket));
      socket.on('error', () => undefined);
    });

  it('is disconnected after 10 seconds, even if it keeps sending', async () => {
    const { setTimeout: limitSilence } = Socket.prototype;
    // A tenth of the limit, which is asserted below.
    const limits = vi.spyOn(Socket.prototype, 'setTimeout').mockImplementation(function (
      this: Socket,
      milliseconds,
      callback,
    ) {
      return limitSilence.call(this, milliseconds === 10_000 ? 1_000 : milliseconds, callback);
    });
    const socket = await openSocket();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    // The beginning of a record that promises 500 bytes, then one byte after the other, which would take 50 seconds.
    socket.write(Buffer.from([0x16, 0x03, 0x01, 0x01, 0xf4]));
    let sent = 0;
    const drip = setInterval(() => {
      socket.write(Buffer.from([0x01]));
      sent += 1;
    }, 100);
    await closed;
    clearInterval(drip);
    expect(sent).toBeGreaterThan(0);
    expect(limits.mock.calls.map(([milliseconds]) => milliseconds)).toContain(10_000);
    limits.mockRestore();
  });

  it('delays neither others nor a stop of the server', async () => {
    await withoutDeadlines(async () => {
      const sockets = await Promise.all(Array.from({ length: 50 }, openSocket));
      expect((await fetch(`${fixture.url}/health/live`)).status).toBe(200);
      await sleep(50);
      await fixture.stop();
      for (const socket of sockets) socket.destroy();
    });
  });
});
