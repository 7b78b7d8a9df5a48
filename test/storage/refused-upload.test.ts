// Uploads that are rejected: when the client leaves in the middle, and when the database can't be read.
import { once } from 'node:events';
import { connect } from 'node:net';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { withoutDeadlines } from '../support/deadlines.ts';
import { api } from '../support/harness.ts';
import { rawPut } from './storage-harness.ts';

let fixture: Fixture;
beforeEach(async () => {
  fixture = await startFixture();
});
afterEach(() => fixture.stop());

it.each([
  ['closes its side', (socket: ReturnType<typeof connect>) => void socket.end()],
  ['is gone', (socket: ReturnType<typeof connect>) => void socket.destroy()],
])('a client that %s does not delay the stop of the server', async (_, leave) => {
  const { storage, clock } = fixture.app;
  const expiresAt = new Date(clock.now().getTime() + 60_000);
  const { url } = await storage.signPut({ key: 'pending/1', expiresAt, subject: 'test' });
  await withoutDeadlines(async () => {
    const socket = connect(Number(new URL(fixture.url).port), '127.0.0.1');
    socket.write(rawPut(url, { 'Content-Length': 100, 'Content-MD5': 'abc' }));
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toMatch(/^HTTP\/1\.1 400 /);
    leave(socket);
    await fixture.stop();
  });
});

it.each(['object_places', 'pending_uploads'])('a link is rejected with 503 while %s cannot be read', async (table) => {
  const { db } = fixture.app;
  const inProject = `organization_id=${fixture.organization_id}&project_id=${fixture.android_project_id}`;
  const build = { version_name: '1.0', build_number: 1 };
  const { upload_url: url } = (
    await api(fixture).post<{ upload_url: string }>(`/api/v1/builds/initiate?${inProject}`, build)
  ).body;
  const statements = Object.getPrototypeOf(db.$client.prepare('SELECT 1')) as Sqlite.Statement<unknown[]>;
  const broken = (['get', 'all'] as const).map((name) => {
    const real = statements[name];
    return vi.spyOn(statements, name).mockImplementation(function (this: Sqlite.Statement, ...values: unknown[]) {
      if (this.source.includes(table)) throw new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR_READ');
      return Reflect.apply(real, this, values) as unknown[];
    });
  });
  const send = () => fetch(url, { method: 'PUT', body: 'x', headers: { 'x-ms-blob-type': 'BlockBlob' } });
  const refused = await send();
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('5');
  expect(refused.headers.get('x-request-id')).not.toBeNull();
  expect(await refused.text()).toContain('<Code>ServerBusy</Code>');
  for (const spy of broken) spy.mockRestore();
  expect((await send()).status).toBe(201);
});
