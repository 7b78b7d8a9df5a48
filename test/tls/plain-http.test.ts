// Plain http next to https: redirects, exceptions, and Strict-Transport-Security.
import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../../scripts/lib/ports.ts';
import { configFrom } from '../../src/config.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { chooseHsts } from '../../src/tls/hsts.ts';
import { trustPaths } from '../../src/trust/paths.ts';

let fixture: Fixture;
let httpPort: number;
let baseUrl: string;

beforeAll(async () => {
  httpPort = await findFreePort();
  fixture = await startFixture({ config: { server: { tls: { mode: 'internal', http_port: httpPort } } } });
  baseUrl = fixture.config.server.base_url;
});

afterAll(() => fixture.stop());

interface Answer {
  status: number;
  location: string | undefined;
  headers: Record<string, unknown>;
  body: Buffer;
}

function ask(path: string, method = 'GET', headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { port: httpPort, host: '127.0.0.1', path, method, headers, agent: false };
    const asked = request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          location: response.headers.location,
          headers: response.headers,
          body: Buffer.concat(chunks),
        }),
      );
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** What comes back for these bytes, until the other side closes. */
function send(bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(httpPort, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text));
    socket.on('error', () => undefined);
  });
}

describe('a request over plain http', () => {
  it.each([
    ['GET', '/', 301, '/'],
    ['GET', '/install/channels/x?y=1&z=%20', 301, '/install/channels/x?y=1&z=%20'],
    ['HEAD', '/api/v1/service', 301, '/api/v1/service'],
    ['POST', '/api/v1/login', 308, '/api/v1/login'],
    ['PUT', '/storage/x', 308, '/storage/x'],
    ['DELETE', '/x', 308, '/x'],
    ['GET', '//elsewhere.example.net/x', 301, '//elsewhere.example.net/x'],
    ['GET', 'http://elsewhere.example.net/x', 301, '/x'],
    ['GET', 'http://elsewhere.example.net', 301, '/'],
    ['GET', 'http://elsewhere.example.net?q', 301, '/?q'],
    ['OPTIONS', '*', 308, '/'],
    ['GET', '/.well-known/acme-challenge/', 301, '/.well-known/acme-challenge/'],
    ['GET', '/trust/../x', 301, '/trust/../x'],
    ['POST', '/trust', 308, '/trust'],
  ])('%s %s is redirected with %i to base_url', async (method, path, status, target) => {
    const answer = await ask(path, method, { host: 'elsewhere.example.net', 'x-forwarded-host': 'evil.example.net' });
    expect(answer.status).toBe(status);
    expect(answer.location).toBe(`${baseUrl}${target}`);
    expect(answer.body).toHaveLength(0);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers).not.toHaveProperty('strict-transport-security');
  });

  it.each(Object.values(trustPaths))('returns %s, which is needed before https is trusted', async (path) => {
    expect((await ask(path)).status).toBe(200);
  });

  it('gets the trust page also with a slash at the end', async () => {
    const page = await ask('/trust/');
    expect(page.status).toBe(200);
    expect(page.body).toEqual((await ask('/trust')).body);
    expect(await ask('/trust/?x')).toMatchObject({ status: 200, body: page.body });
  });
  it('gets the files of the trust page', async () => {
    const page = String((await ask('/trust')).body);
    const assets = [...page.matchAll(/(?:href)="(\/[^"]+\.(?:css|svg|woff2))"/g)].map(([, path = '']) => path);
    expect(assets).toHaveLength(3);
    for (const path of assets) expect((await ask(path)).status).toBe(200);
  });

  it('gets an error if no challenge is open', async () => {
    expect(await ask('/.well-known/acme-challenge/abc')).toMatchObject({ status: 404, location: undefined });
  });

  it.each([
    ['without a host', 'GET /x HTTP/1.0\r\n\r\n', /^HTTP\/1\.1 301 /],
    ['that is not HTTP', 'nonsense\r\n\r\n', /^HTTP\/1\.1 400 /],
    [
      'with a header that is far too long',
      `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`,
      /^HTTP\/1\.1 431 /,
    ],
    [
      'with a line break smuggled in',
      'GET /x%0d%0aset-cookie:a=b HTTP/1.0\r\n\r\n',
      /location: \S+\/x%0d%0aset-cookie:a=b\r\n/,
    ],
  ])('%s gets a response and is closed', async (_, bytes, answer) => {
    expect(await send(bytes)).toMatch(answer);
  });
});

describe('Strict-Transport-Security', () => {
  const yes = 'max-age=2592000';

  it.each([
    ['https://builds.example.com', 443, 'files', true, yes],
    ['https://builds.example.com', 443, 'acme', true, yes],
    // An authority that not everyone knows: no way around an error of the certificate.
    ['https://builds.example.com', 443, 'files', false, undefined],
    ['https://builds.example.com', 443, 'acme', false, undefined],
    ['https://builds.example.com', 443, 'internal', false, undefined],
    // Other services of the host may speak http at other ports.
    ['https://builds.example.com:8443', 8443, 'files', true, undefined],
    ['https://192.0.2.1', 443, 'files', true, undefined],
    ['https://[2001:db8::1]', 443, 'files', true, undefined],
    ['https://localhost', 443, 'files', true, undefined],
    ['https://builds.localhost', 443, 'files', true, undefined],
    ['https://builds', 443, 'files', true, undefined],
    ['https://builds.local', 443, 'files', true, undefined],
    ['https://builds.home.arpa', 443, 'files', true, undefined],
    // With a proxy in front it is the proxy's to say.
    ['https://builds.example.com', 443, 'off', true, undefined],
  ] as const)(
    'for %s on port %i with mode %s and a public certificate (%s) is %s',
    (address, port, mode, isPublic, value) => {
      const files = mode === 'files' ? { cert_file: 'c', key_file: 'k' } : {};
      const domains = mode === 'acme' ? ['builds.example.com'] : [];
      const tls = { mode, ...files, acme_domains: domains };
      const config = configFrom({ server: { port, base_url: address, tls } });
      expect(chooseHsts(config, { isPublic })).toBe(value);
    },
  );
});
