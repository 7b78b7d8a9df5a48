// The client commands behind a proxy, as processes: the proxy applies to all requests of a process.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { provideClient } from '../../scripts/lib/client-bundle.ts';
import { readProxiesFor } from '../../src/commands/client/proxy.ts';
import { gatherOutput } from '../support/child.ts';
import { buildApk } from '../support/fixtures.ts';
import { type FakeServer, PROJECT, startFakeServer, TOKEN } from './fake-server.ts';
import { openWorkshop, type Workshop } from './test-host.ts';

/** Only the proxy knows it. */
const URL_BEHIND = 'http://builds.example';

/** Bundled, because it starts ten times faster than from its sources. */
let client: string;
let workshop: Workshop;
let fake: FakeServer;
let proxy: Server;
let proxyAddress: string;
/** The hosts that were asked for. */
let asked: Set<string>;

beforeAll(async () => {
  client = await provideClient();
});
beforeEach(async () => {
  workshop = openWorkshop();
  fake = await startFakeServer();
  asked = new Set();
  const { port } = new URL(fake.url);
  // Everything ends at the fake server.
  proxy = createServer((incoming, response) => {
    const { host, pathname, search } = new URL(incoming.url ?? '');
    asked.add(host);
    const { method, headers } = incoming;
    const outgoing = request({ port, path: pathname + search, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(outgoing);
  });
  proxy.on('connect', (incoming, client, head) => {
    asked.add(incoming.url ?? '');
    const server = connect(Number(port), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      server.write(head);
      server.pipe(client).pipe(server);
    });
    for (const socket of [server, client]) socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  proxyAddress = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await fake[Symbol.asyncDispose]();
  proxy.closeAllConnections();
  await new Promise((resolve) => proxy.close(resolve));
  workshop[Symbol.dispose]();
});

async function run(words: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [client, ...words], {
    cwd: workshop.folder,
    env: { TAXIWAY_TOKEN: TOKEN, ...env },
  });
  const output = gatherOutput(child);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, ...output };
}

describe('a proxy of the environment', () => {
  it.each([
    ['HTTP_PROXY', 'http://'],
    ['http_proxy', ''],
  ])('gets requests and packages: %s', async (name, scheme) => {
    writeFileSync(join(workshop.folder, 'app.apk'), buildApk());
    const env = { TAXIWAY_URL: URL_BEHIND, [name]: `${scheme}${proxyAddress}` };
    const { code, stderr } = await run(['upload', 'app.apk', '--project', PROJECT], env);
    expect(code, stderr).toBe(0);
    expect(fake.stored).toHaveLength(1);
    expect([...asked].sort()).toEqual([new URL(fake.url).host, 'builds.example:80']);
  });

  it.each(['127.0.0.1', ' 127.0.0.0/8 ', 'a.example 127.0.0.1', '*'])(
    'gets neither requests nor packages for hosts of NO_PROXY: %s',
    async (list) => {
      writeFileSync(join(workshop.folder, 'app.apk'), buildApk());
      const env = { TAXIWAY_URL: fake.url, HTTP_PROXY: `http://${proxyAddress}`, no_proxy: '', NO_PROXY: list };
      const { code, stderr } = await run(['upload', 'app.apk', '--project', PROJECT], env);
      expect(code, stderr).toBe(0);
      expect([...asked]).toEqual([]);
    },
  );

  it.each([
    ['example.com', 'https://builds.example.com', true],
    ['.example.com', 'https://builds.example.com', true],
    ['*.Example.com.', 'https://example.com', true],
    ['example.com:8443', 'https://builds.example.com:8443', true],
    ['example.com:443', 'https://builds.example.com', true],
    ['example.com:8443', 'https://builds.example.com', false],
    ['example.com', 'https://badexample.com', false],
    ['builds.example.com', 'https://example.com', false],
    ['::1', 'http://[::1]:8080', true],
    ['[::1]:8080', 'http://[::1]:8080', true],
    ['fd00::/8', 'http://[fd12::1]', true],
    ['10.0.0.0/8,192.168.1.0/24', 'http://192.168.1.7', true],
    ['10.0.0.0/8', 'http://11.0.0.1', false],
    ['10.0.0.0/33', 'http://10.0.0.1', false],
    ['0.1', 'http://10.0.0.1', false],
    [',, .', 'https://builds.example.com', false],
  ])('is not for hosts of NO_PROXY as curl reads it: %s and %s', (list, url, isDirect) => {
    const env = { HTTPS_PROXY: 'proxy.example', HTTP_PROXY: 'proxy.example', NO_PROXY: list };
    const proxies = { https_proxy: 'http://proxy.example/', http_proxy: 'http://proxy.example/' };
    expect(readProxiesFor({ env }, new URL(url))).toEqual(isDirect ? undefined : proxies);
  });

  it.each([
    [
      405,
      "If the server can be reached without the proxy, add builds.example to NO_PROXY. The shell uploader also works with proxies that don't allow CONNECT.",
    ],
    [407, 'Add user name and password to the address of the proxy: http://USER:PASSWORD@proxy.example.com:3128'],
  ])('that refuses with %d is reported at once, without its password', async (status, hint) => {
    proxy.removeAllListeners('connect');
    proxy.on('connect', (_, client) => client.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`));
    const env = { TAXIWAY_URL: URL_BEHIND, HTTP_PROXY: `http://me:secret@${proxyAddress}` };
    expect(await run(['builds', '--project', PROJECT], env)).toEqual({
      code: 1,
      stdout: '',
      stderr: `taxiway: cannot reach ${URL_BEHIND}: the proxy returned ${status} instead of a connection\ntaxiway: ${hint}\n`,
    });
  });

  it('must be an address, and the message contains no password', async () => {
    const env = { TAXIWAY_URL: fake.url, TAXIWAY_TOKEN: TOKEN, HTTPS_PROXY: 'socks5://me:secret@proxy.example' };
    const { code, stderr } = await workshop.run(['builds', '--project', PROJECT], { env });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'taxiway: HTTPS_PROXY must be the address of an http or https proxy, such as http://proxy.example.com:3128\n',
    });
  });

  it('is named once if this version of Node.js ignores it and the server is out of reach', async () => {
    const env = { TAXIWAY_URL: fake.url, TAXIWAY_TOKEN: TOKEN, HTTPS_PROXY: 'http://proxy.example' };
    fake.failNext(`GET /projects/${PROJECT}`, 'break', 'break');
    const { code, stderr } = await workshop.run(['builds', '--project', PROJECT], { env, useProxies: () => false });
    expect(code, stderr).toBe(0);
    expect(stderr.split('Use Node.js 24.14 or newer, or the shell uploader.')).toHaveLength(2);
  });
});
