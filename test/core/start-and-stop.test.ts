// The order in which a program that contains a server may call start and stop.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createServer, type Server } from '../../src/server.ts';
import { isFolderLost } from '../../src/storage/open.ts';
import { startFixture } from '../../src/testing/fixture.ts';
import { addBuild } from '../sweeps/scenario.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'taxiway-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const create = (port = 0): Promise<Server> =>
  createServer({ server: { port, data_dir: folder }, log: { level: 'silent' } });

/** Holds a free port until it's released. */
async function holdPort(): Promise<{ port: number; release: () => Promise<void> }> {
  const holder = createTcpServer();
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
  const address = holder.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: address.port, release: () => new Promise((resolve) => holder.close(() => resolve())) };
}

const ready = async (server: Server) => (await fetch(`${server.url}/health/ready`)).status;

describe('a start', () => {
  it('runs jobs once, regardless of the number of calls', async () => {
    await using server = await create();
    await Promise.all([server.start(), server.start()]);
    const schedules = vi.spyOn(globalThis, 'setInterval');
    await server.start();
    expect(schedules).not.toHaveBeenCalled();
    expect(await ready(server)).toBe(200);
  });

  it('after a stop is rejected, and nothing listens', async () => {
    const server = await create();
    await server.start();
    await server.stop();
    await expect(server.start()).rejects.toThrow('the server was stopped');
    await expect(fetch(server.url)).rejects.toThrow('fetch failed');
  });

  it('can be repeated after it failed', async () => {
    const { port, release } = await holdPort();
    await using server = await create(port);
    await expect(server.start()).rejects.toThrow('EADDRINUSE');
    await release();
    await server.start();
    expect(await ready(server)).toBe(200);
  });
});

describe('a start without the folder of packages', () => {
  it('leaves packages unavailable until it is back, and creates nothing in its place', async () => {
    const blobs = join(folder, 'blobs');
    const objects = join(blobs, 'objects');
    const mounted = join(folder, 'mounted');
    {
      await using fixture = await startFixture({ config: { server: { data_dir: folder } } });
      await addBuild(fixture, 1, 0);
    }
    renameSync(blobs, mounted);
    {
      await using server = await create();
      await server.start();
      expect(await ready(server)).toBe(503);
      expect(existsSync(objects)).toBe(false);
      const { config, db } = server.app;
      // Beside a bucket, a missing folder isn't opened, so nothing could create it.
      const inBucket = { ...config, storage: { ...config.storage, backend: 's3' as const } };
      expect([config, inBucket].map((one) => isFolderLost(one, db.$client))).toEqual([true, false]);
      rmSync(blobs, { recursive: true });
      renameSync(mounted, blobs);
      await expect.poll(() => ready(server)).toBe(200);
    }
    // On purpose.
    rmSync(blobs, { recursive: true });
    mkdirSync(objects, { recursive: true });
    await using server = await create();
    await server.start();
    expect(await ready(server)).toBe(200);
  });
});

describe('a start without builds', () => {
  it('creates the folder of packages again', async () => {
    const blobs = join(folder, 'blobs');
    {
      await using server = await create();
      await server.start();
    }
    rmSync(blobs, { recursive: true });
    await using server = await create();
    await server.start();
    expect(await ready(server)).toBe(200);
    expect(readdirSync(blobs)).toContain('objects');
  });
});

describe('a stop', () => {
  it('during a start waits for it, and closes what it opened', async () => {
    const { port, release } = await holdPort();
    await release();
    const server = await create(port);
    const started = server.start();
    await server.stop();
    await started;
    await expect(fetch(server.url)).rejects.toThrow('fetch failed');
    await using next = await create(port);
    await next.start();
    expect(await ready(next)).toBe(200);
  });
});

describe('a fixture that cannot start', () => {
  beforeEach(() => {
    mkdirSync(join(folder, 'temporary'));
    vi.stubEnv('TMPDIR', join(folder, 'temporary'));
  });
  afterEach(() => vi.unstubAllEnvs());

  const left = () => readdirSync(join(folder, 'temporary'));

  it('leaves no folder behind', async () => {
    await expect(startFixture({ config: { server: { port: -1 } } })).rejects.toThrow('server.port');
    expect(left()).toEqual([]);
  });

  it('closes its server', async () => {
    const { port, release } = await holdPort();
    // The server's own folder is still there, and another server can use it.
    const config = { server: { port, data_dir: join(folder, 'data') } };
    await expect(startFixture({ config })).rejects.toThrow('EADDRINUSE');
    await release();
    await using next = await startFixture({ config });
    expect(left()).toHaveLength(1);
    expect((await fetch(`${next.url}/health/ready`)).status).toBe(200);
  });
});
