// taxiway health asks the server that the configuration describes, with and without https.
import { rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findFreePort } from '../../scripts/lib/ports.ts';
import { loadConfig } from '../../src/config.ts';
import { createServer } from '../../src/server.ts';
import { openWorkshop, type Workshop } from './test-host.ts';

let workshop: Workshop;
let port: number;
beforeEach(async () => {
  workshop = openWorkshop();
  port = await findFreePort();
});
afterEach(() => workshop[Symbol.dispose]());

/** Writes the configuration for the command, and starts the server that it describes. */
async function startServer(more = ''): Promise<AsyncDisposable> {
  const text = `[server]\nport = ${port}\n${more}\n[log]\nlevel = "silent"\n`;
  writeFileSync(join(workshop.folder, 'config.toml'), text);
  const server = await createServer(loadConfig({ cwd: workshop.folder, env: {} }));
  await server.start();
  return { [Symbol.asyncDispose]: () => server.stop() };
}

describe('the health of a server', () => {
  it.each([
    ['by http', ''],
    ['by https with its own certificate', '[server.tls]\nmode = "internal"'],
    ['on every address', 'host = "0.0.0.0"'],
    ['under a path', 'base_url = "https://example.com/taxiway"'],
  ])('is ready %s', async (_, more) => {
    await using _server = await startServer(more);
    expect(await workshop.run(['health'])).toMatchObject({ code: 0, stdout: 'ready\n', stderr: '' });
    const { stdout } = await workshop.run(['health', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'ready', checks: { database: { ok: true } } });
  });

  it('fails with the reason if the storage is broken', async () => {
    await using _server = await startServer();
    rmSync(join(workshop.folder, 'data/blobs'), { recursive: true });
    writeFileSync(join(workshop.folder, 'data/blobs'), 'a file in the way');
    const { code, stdout, stderr } = await workshop.run(['health']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'not_ready\n' });
    expect(stderr).toMatch(/^taxiway: not ready: storage: /);
  });

  it('fails if nothing listens', async () => {
    writeFileSync(join(workshop.folder, 'config.toml'), `[server]\nport = ${port}\n`);
    const { code, stderr } = await workshop.run(['health']);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `nothing listens on port ${port} of 127.0.0.1; start the server, or name its configuration with --config`,
    );
  });

  it.each([
    ['a page', '<html>'],
    ['other JSON', '{"status":"ready"}'],
    ['a body without end', 'x'.repeat(100_000)],
  ])('fails if another program responds with %s', async (_, body) => {
    const other = createHttpServer((_request, response) => response.end(body)).listen(port, '127.0.0.1');
    writeFileSync(join(workshop.folder, 'config.toml'), `[server]\nport = ${port}\n`);
    const { code, stderr } = await workshop.run(['health']);
    other.closeAllConnections();
    other.close();
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `taxiway: port ${port} of 127.0.0.1 belongs to another program\n`,
    });
  });

  it('requires a fixed port', async () => {
    const { code, stderr } = await workshop.run(['health'], { env: { TAXIWAY_SERVER__PORT: '0' } });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'taxiway: server.port is 0, so the address of the server is unknown\n',
    });
  });
});
