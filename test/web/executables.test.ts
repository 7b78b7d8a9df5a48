// Downloads of executables whose clients stop reading, and checksums without a thread.
import { EventEmitter, once } from 'node:events';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import threads from 'node:worker_threads';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { executablesOf } from '../../src/cli/executables.ts';
import { MINUTE } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { createExecutableHandler } from '../../src/web/executables.ts';
import { until } from '../support/until.ts';

const PATH = '/cli/executables/taxiway-9.9.9-linux-x64';
const PLACES = 32;
const IDLE_MS = 300;

let fixture: Fixture;
let http: Server;
let sockets: Socket[];
/** Called with each response before it is sent. */
let prepare: (response: ServerResponse) => void;

beforeEach(async () => {
  const executables = join(tmpdir(), `taxiway-executables-${crypto.randomUUID()}`);
  mkdirSync(executables);
  const file = join(executables, 'taxiway-9.9.9-linux-x64');
  writeFileSync(file, '');
  // More than fits into the buffers of a connection.
  truncateSync(file, 64_000_000);
  fixture = await startFixture({ config: { cli: { executables } } });
  sockets = [];
  prepare = () => undefined;
  const handle = createExecutableHandler(fixture.app, IDLE_MS);
  http = createServer((request, response) => {
    prepare(response);
    void handle(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});

afterEach(async () => {
  vi.useRealTimers();
  useThreads(Worker);
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

it('frees the places of clients that stop reading', async () => {
  for (let count = 0; count < PLACES; count += 1) expect(await startDownload()).toBe('HTTP/1.1 200');
  vi.advanceTimersByTime(IDLE_MS - 1);
  expect(await startDownload()).toBe('HTTP/1.1 503');
  vi.advanceTimersByTime(IDLE_MS);
  await expect.poll(startDownload).toBe('HTTP/1.1 200');
});

it('sends the whole file to a client that reads, however long it takes', async () => {
  let chunks = 0;
  prepare = (response) => {
    const write = response.write.bind(response) as (chunk: Buffer, done: () => void) => boolean;
    // Nearly the whole idle timeout passes with each chunk.
    response.write = ((chunk: Buffer, done: () => void) => {
      chunks += 1;
      vi.advanceTimersByTime(IDLE_MS - 1);
      return write(chunk, done);
    }) as ServerResponse['write'];
  };
  const request = get({ port: (http.address() as AddressInfo).port, path: PATH });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let bytes = 0;
  for await (const chunk of response) bytes += (chunk as Buffer).length;
  expect(bytes).toBe(64_000_000);
  expect(chunks).toBeGreaterThan(200);
});

it('sends nothing to a client that has the file', async () => {
  const ask = async (headers: Record<string, string>) => {
    const request = get({ port: (http.address() as AddressInfo).port, path: PATH, method: 'HEAD', headers });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    return response;
  };
  const { etag = '' } = (await ask({})).headers;
  const known = await ask({ 'if-none-match': `"other", W/${etag}` });
  expect(known.statusCode).toBe(304);
  expect(known.headers).toMatchObject({ etag, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' });
  expect(known.headers).not.toHaveProperty('content-length');
  expect((await ask({ 'if-none-match': '"other"' })).statusCode).toBe(200);
});

async function addEmptyExecutable() {
  const name = 'taxiway-0.0.1-linux-x64';
  writeFileSync(join(fixture.app.config.cli.executables, name), '');
  const executables = executablesOf(fixture.app);
  const file = await executables.find(name);
  if (file === undefined) throw new Error('the executable is missing');
  return { executables, file };
}

const { Worker } = threads;

/** Replaces the threads of this process until the end of the test. */
function useThreads(worker: unknown): void {
  threads.Worker = worker as typeof Worker;
  syncBuiltinESMExports();
}

it('has no checksum while the system refuses a thread, and computes it later', async () => {
  const { executables, file } = await addEmptyExecutable();
  useThreads(
    class {
      constructor() {
        throw new Error('Worker initialization failure: EAGAIN');
      }
    },
  );
  expect(executables.knownSha256(file)).toBeUndefined();
  expect(await executables.sha256(file)).toBeUndefined();
  useThreads(Worker);
  expect(await executables.sha256(file)).toMatch(/^e3b0c442/);
});

it('waits five minutes for a disk that does not respond, and reads the next file', async () => {
  const { executables, file } = await addEmptyExecutable();
  let started = 0;
  const terminate = vi.fn(async () => 0);
  useThreads(
    class extends EventEmitter {
      terminate = terminate;
      constructor() {
        super();
        started += 1;
      }
    },
  );
  const sum = vi.fn();
  const hanging = executables.sha256(file).then(sum);
  await until(() => started === 1);
  vi.advanceTimersByTime(5 * MINUTE - 1);
  await nextTurn();
  expect(sum).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  await hanging;
  expect(sum).toHaveBeenCalledExactlyOnceWith(undefined);
  expect(terminate).toHaveBeenCalledOnce();
  useThreads(Worker);
  expect(await executables.sha256(file)).toMatch(/^e3b0c442/);
});
