// A server that runs out of open files rejects transfers with 503 and still serves small requests.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findFreePort } from '../../scripts/lib/ports.ts';
import { createServer, type Server } from '../../src/server.ts';
import { createSampleData } from '../../src/testing/sample-data.ts';
import type { SampleData } from '../../src/testing/types.ts';
import { eventually, rawPut } from '../storage/storage-harness.ts';

const RESERVE = 48;
/** Handles for transfers: each is a connection and a file. */
const FOR_TRANSFERS = 24;

let folder: string;
let server: Server;
let sampleData: SampleData;
let sockets: Socket[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'taxiway-files-'));
  sockets = [];
  server = await createServer(
    { server: { port: 0, data_dir: folder }, log: { level: 'silent' }, rate_limits: { enabled: false } },
    { isScheduleOff: true, openFilesLimit: readdirSync('/proc/self/fd').length + RESERVE + FOR_TRANSFERS + 20 },
  );
  await server.start();
  sampleData = await createSampleData(server);
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

function dial(port = Number(new URL(server.url).port)): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

/** An address of 30 MB that nobody reads to its end. */
async function signLargeObject(): Promise<URL> {
  const { storage } = server.app;
  await storage.put('icons/large', Buffer.alloc(30_000_000));
  const expiresAt = new Date(Date.now() + 600_000);
  return new URL((await storage.signGet({ key: 'icons/large', expiresAt, subject: 'test' })).url);
}

async function startReading({ pathname, search }: URL): Promise<string> {
  const socket = dial();
  socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: x\r\n\r\n`);
  const head = await new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(String(chunk))));
  socket.pause();
  return head;
}

/** Answers how a PUT is refused that never sends its body; '' when it is not refused within 200 ms. */
async function startWriting(): Promise<string> {
  const { storage } = server.app;
  const key = `pending/${sockets.length}`;
  const { url } = await storage.signPut({ key, expiresAt: new Date(Date.now() + 60_000), subject: 'test' });
  const socket = dial();
  socket.write(rawPut(url, { 'Content-Length': 100 }));
  return Promise.race([
    new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(String(chunk)))),
    wait(200).then(() => ''),
  ]);
}

/** Small requests, each over a connection of its own. */
async function expectSmallRequestsToWork(): Promise<void> {
  const { access_token: token, email, password } = sampleData.admin;
  const ask = async (path: string, init: RequestInit = {}) =>
    (await fetch(`${server.url}${path}`, { ...init, headers: { connection: 'close', ...init.headers } })).status;
  expect(await ask('/health/live')).toBe(200);
  const headers = { 'content-type': 'application/json' };
  expect(await ask('/api/v1/login', { method: 'POST', body: JSON.stringify({ email, password }), headers })).toBe(200);
  const query = `organization_id=${sampleData.organization_id}&project_id=${sampleData.android_project_id}`;
  expect(await ask(`/api/v1/builds?${query}`, { headers: { authorization: `Bearer ${token}` } })).toBe(200);
}

// Only Linux tells a process its limit and what it has open.
describe.runIf(process.platform === 'linux')('a server that runs out of open files', () => {
  it('rejects further transfers with 503 and Retry-After, and serves small requests', async () => {
    const url = await signLargeObject();
    const heads: string[] = [];
    while (heads.length < 40 && !heads.at(-1)?.includes(' 503 ')) heads.push(await startReading(url));
    expect(heads.at(-1)).toMatch(/^HTTP\/1\.1 503 .*Retry-After: 5\r\n.*<Code>ServerBusy</s);
    expect(heads.length).toBeGreaterThan(FOR_TRANSFERS / 4);
    await expect.poll(startWriting).toMatch(/^HTTP\/1\.1 503 .*Retry-After: 5\r\n.*<Code>ServerBusy</s);
    await expectSmallRequestsToWork();
    for (const socket of sockets) socket.destroy();
    await eventually(async () => expect(await startReading(url)).toMatch(/^HTTP\/1\.1 200 /));
  });

  it('closes idle connections, oldest first, for new ones', async () => {
    let closed = 0;
    for (let count = 0; count < 300; count += 1) {
      const socket = dial();
      socket.once('close', () => {
        closed += 1;
      });
      socket.resume();
      await new Promise((resolve) => socket.once('connect', resolve));
    }
    await eventually(() => expect(closed).toBeGreaterThan(200));
    await expectSmallRequestsToWork();
    expect(sockets[0]?.destroyed).toBe(true);
    expect(sockets.at(-1)?.destroyed).toBe(false);
  });
});

describe.runIf(process.platform === 'linux')('the plain http listener', () => {
  it('has a share of the connections, and closes idle ones for new ones', async () => {
    const httpPort = await findFreePort();
    const data = join(folder, 'secure');
    const openFilesLimit = readdirSync('/proc/self/fd').length + 400;
    const secure = await createServer(
      {
        server: { port: 0, data_dir: data, tls: { mode: 'internal', http_port: httpPort } },
        log: { level: 'silent' },
      },
      { isScheduleOff: true, openFilesLimit },
    );
    await secure.start();
    try {
      let open = 0;
      for (let count = 0; count < 300; count += 1) {
        const socket = dial(httpPort);
        socket.resume();
        await new Promise((resolve) => socket.once('connect', resolve));
        open += 1;
        socket.once('close', () => {
          open -= 1;
        });
      }
      // An eighth of at most 400.
      await eventually(() => expect(open).toBeLessThanOrEqual(50));
      const answer = await fetch(`http://127.0.0.1:${httpPort}/x`, { redirect: 'manual' });
      expect(answer.status).toBe(301);
    } finally {
      await secure.stop();
    }
  });
});
