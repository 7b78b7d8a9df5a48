// A full database disk: 503 with Retry-After, other requests work, and writes work again when there is space.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { App } from '../../src/core/context.ts';
import { createServer } from '../../src/server.ts';
import { createSampleData } from '../../src/testing/sample-data.ts';
import { mountDisk } from '../support/memory-disk.ts';
import { connect } from './client.ts';
import { makePackage } from './payloads.ts';
import { createRandom } from './random.ts';

/** A data folder whose database can be left without room. */
interface Tight extends Disposable {
  folder: string;
  fill(app: App): void;
  makeRoom(app: App): void;
}

/** SQLite's own limit of pages gives the very error of a full disk, on every machine. */
function limitPages(): Tight {
  const folder = mkdtempSync(join(tmpdir(), 'taxiway-full-'));
  return {
    folder,
    fill: ({ db }) => void db.$client.pragma(`max_page_count = ${db.$client.pragma('page_count', { simple: true })}`),
    makeRoom: ({ db }) => void db.$client.pragma('max_page_count = 1000000'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function runOutOfRoom(tight: Tight): Promise<void> {
  mkdirSync(tight.folder, { recursive: true });
  const server = await createServer(
    {
      server: { port: 0, data_dir: join(tight.folder, 'data') },
      log: { level: 'silent' },
      rate_limits: { enabled: false },
      limits: { pending_uploads_per_project: 100_000 },
    },
    { isScheduleOff: true },
  );
  try {
    await server.start();
    const sampleData = await createSampleData(server);
    const client = connect(server.url);
    const { access_token: token, email, password } = sampleData.admin;
    const inProject = `organization_id=${sampleData.organization_id}&project_id=${sampleData.android_project_id}`;
    let count = 0;
    const initiate = () => {
      count += 1;
      // Long notes, so that pages run out soon.
      const json = { version_name: `1.${count}`, build_number: count, release_notes: 'n'.repeat(4_000) };
      return client.ask<Record<string, string>>('POST', `/api/v1/builds/initiate?${inProject}`, { token, json });
    };
    const begun = await initiate();
    expect(begun.status).toBe(201);

    tight.fill(server.app);
    let refused = await initiate();
    for (let tries = 0; tries < 2_000 && refused.status === 201; tries += 1) refused = await initiate();
    expect(refused.status).toBe(503);
    expect(refused.body).toEqual({ error: 'storage_backend_unavailable', message: 'The disk is full', details: {} });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    // What only reads goes on, and a refused write takes nothing with it.
    for (let tries = 0; tries < 3; tries += 1) {
      expect((await client.ask('GET', `/api/v1/builds?${inProject}`, { token })).status).toBe(200);
      expect((await initiate()).status).toBe(503);
    }
    // The last uses of credentials are written once a second.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect((await client.ask('GET', '/health/live')).status).toBe(200);

    tight.makeRoom(server.app);
    expect((await client.ask('POST', '/api/v1/login', { json: { email, password } })).status).toBe(200);
    const { bytes, sha256 } = makePackage(createRandom(1));
    const { pending_upload_id: id, upload_url: url = '' } = begun.body;
    const put = await client.ask('PUT', url, { bytes, headers: { 'x-ms-blob-type': 'BlockBlob' } });
    expect(put.status).toBe(201);
    const path = `/api/v1/builds/${id}/complete?${inProject}`;
    expect((await client.ask('POST', path, { token, json: { sha256 } })).status).toBe(201);
    expect((await initiate()).status).toBe(201);
    await server.app.jobs.drain();
    expect(server.app.db.$client.pragma('integrity_check', { simple: true })).toBe('ok');
    client.close();
  } finally {
    await server.stop();
  }
}

describe('a database without room', () => {
  it('returns 503 until space is available: with its own limit', { timeout: 60_000 }, async () => {
    using limited = limitPages();
    await runOutOfRoom(limited);
  });

  it('returns 503 until space is available: on a full disk', { timeout: 60_000 }, async ({ skip }) => {
    const disk = mountDisk(8 * 1024);
    if (typeof disk === 'string') return skip(disk);
    using mounted = disk;
    await runOutOfRoom(mounted);
  });
});
