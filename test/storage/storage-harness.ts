// A local storage with its handler on a real socket, a clock to move, and a look at what lies on the disk.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Keyring } from '../../src/runtime/signing.ts';
import { type LocalStorage, openLocalStorage } from '../../src/storage/local/backend.ts';
import type { FileOperations } from '../../src/storage/local/files.ts';
import type { Reserve } from '../../src/storage/local/free-space.ts';
import { createStorageHandler, type StorageHandlerOptions } from '../../src/storage/local/handler.ts';

export const keyring: Keyring = { current: { id: 'k1', key: Buffer.alloc(32, 1) }, previous: [] };

export const HOUR = 3_600_000;

export type StorageWorld = {
  directory: string;
  storage: LocalStorage;
  clock: { now(): Date; advance(milliseconds: number): void };
  port: number;
  server: Server;
  logged: { fields: object; message: string }[];
  /** A signed URL that lives for an hour. */
  putUrl(key: string): Promise<string>;
  getUrl(key: string, more?: { fileName?: string; contentType?: string; subject?: string }): Promise<string>;
  put(key: string, body: string | Buffer<ArrayBuffer>, headers?: Record<string, string>): Promise<Response>;
  /** Every file below the directory, sorted. */
  files(): Promise<string[]>;
  /** A bare connection to the server. */
  dial(): Socket;
  reopen(): LocalStorage;
  stop(): Promise<void>;
};

export async function startStorage(
  options: Partial<StorageHandlerOptions> & { files?: FileOperations; reserve?: Reserve } = {},
): Promise<StorageWorld> {
  const directory = await mkdtemp(join(tmpdir(), 'taxiway-storage-'));
  let time = Date.parse('2026-01-31T12:00:00.250Z');
  const clock = {
    now: () => new Date(time),
    advance(milliseconds: number) {
      time += milliseconds;
    },
  };
  let port = 0;
  const { files: operations, reserve, ...rest } = options;
  const reopen = (): LocalStorage =>
    openLocalStorage({
      directory,
      baseUrl: () => `http://127.0.0.1:${port}`,
      keyring,
      clock,
      ...(operations ? { files: operations } : {}),
      ...(reserve ? { reserve } : {}),
    });
  const storage = reopen();
  const logged: StorageWorld['logged'] = [];
  let ids = 0;
  const handler = createStorageHandler({
    storage,
    ids: { next: () => `request-${++ids}` },
    maxBodyBytes: 1_000_000,
    log: { error: (fields, message) => logged.push({ fields, message }) },
    ...rest,
  });
  const server = createServer({ requestTimeout: 0 }, (req, res) => void handler(req, res));
  server.on('checkContinue', (req, res) => void handler(req, res));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
  const sockets: Socket[] = [];
  const expiresAt = (): Date => new Date(time + HOUR);

  const world: StorageWorld = {
    directory,
    storage,
    clock,
    port,
    server,
    logged,
    putUrl: async (key) => (await storage.signPut({ key, expiresAt: expiresAt(), subject: 'developer-1' })).url,
    getUrl: async (key, more = {}) =>
      (await storage.signGet({ key, expiresAt: expiresAt(), subject: 'developer-1', ...more })).url,
    put: async (key, body, headers = {}) =>
      fetch(await world.putUrl(key), { method: 'PUT', body, headers: { 'x-ms-blob-type': 'BlockBlob', ...headers } }),
    async files() {
      const entries = await readdir(directory, { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => !entry.isDirectory())
        .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
        .sort();
    },
    dial() {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      sockets.push(socket);
      return socket;
    },
    reopen,
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(directory, { recursive: true, force: true });
    },
  };
  return world;
}

/** The head of a PUT request, to be followed by any bytes at all. */
export function rawPut(url: string, headers: Record<string, string | number>): string {
  const { pathname, search, host } = new URL(url);
  const lines = Object.entries({ Host: host, 'x-ms-blob-type': 'BlockBlob', ...headers });
  return `PUT ${pathname}${search} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}

/** Everything the other side says until it closes. */
export async function readToEnd(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => socket.once('close', resolve));
  return Buffer.concat(chunks).toString('latin1');
}

/** Returns a function that waits until the newest connection has received as many bytes as needed, and some time to take them. */
export function watchBytes(server: Server): (isEnough: (bytes: number) => boolean) => Promise<number> {
  let connection: Socket | undefined;
  server.on('connection', (socket: Socket) => {
    connection = socket;
  });
  return async (isEnough) => {
    while (connection === undefined || !isEnough(connection.bytesRead)) await wait(5);
    await wait(20);
    return connection.bytesRead;
  };
}

/** Waits until the claim holds; the failure of the last look is the failure of the test. */
export async function eventually(claim: () => Promise<void> | void): Promise<void> {
  const end = performance.now() + 50_000;
  for (;;) {
    try {
      await claim();
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** Code of a refusal, after checking that it has the provider's form throughout. */
export async function readRefusal(response: Response): Promise<string> {
  const body = await response.text();
  const match =
    /^<\?xml version="1\.0" encoding="utf-8"\?><Error><Code>(\w+)<\/Code><Message>[^<]+<\/Message><\/Error>$/.exec(
      body,
    );
  const code = match?.[1] ?? `no XML error: ${body}`;
  const isWhole =
    response.headers.get('content-type') === 'application/xml' &&
    response.headers.get('x-ms-error-code') === code &&
    response.headers.get('x-ms-request-id') === response.headers.get('x-request-id');
  return isWhole ? code : `${code}, with wrong headers`;
}
