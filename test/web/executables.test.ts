// Downloads of executables whose clients stop reading.
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { createExecutableHandler } from '../../src/web/executables.ts';

const PATH = '/cli/executables/taxiway-9.9.9-linux-x64';
const PLACES = 32;

let fixture: Fixture;
let http: Server;
let sockets: Socket[];

beforeEach(async () => {
  const executables = join(tmpdir(), `taxiway-executables-${crypto.randomUUID()}`);
  mkdirSync(executables);
  const file = join(executables, 'taxiway-9.9.9-linux-x64');
  writeFileSync(file, '');
  // More than fits into the buffers of a connection.
  truncateSync(file, 64_000_000);
  fixture = await startFixture({ config: { cli: { executables } } });
  sockets = [];
  const handle = createExecutableHandler(fixture.app, 300);
  http = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  http.closeAllConnections();
  http.close();
  await fixture.stop();
});

/** Starts a download that is never read. Returns the status line. */
async function startDownload(): Promise<string> {
  const socket = connect((http.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  socket.write(`GET ${PATH} HTTP/1.1\r\nHost: x\r\n\r\n`);
  const head = await new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(String(chunk))));
  socket.pause();
  return head.slice(0, 12);
}

it('frees the place of a client that stops reading', async () => {
  for (let count = 0; count < PLACES; count += 1) expect(await startDownload()).toBe('HTTP/1.1 200');
  await expect.poll(startDownload, { timeout: 10_000 }).toBe('HTTP/1.1 200');
});

it('sends the whole file to a client that reads', async () => {
  const response = await fetch(`http://127.0.0.1:${(http.address() as AddressInfo).port}${PATH}`);
  expect((await response.arrayBuffer()).byteLength).toBe(64_000_000);
});
