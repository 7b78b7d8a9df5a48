// What killed commands leave beside the database is removed by the next start of a server.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { acquireLocks } from '../../src/runtime/lock.ts';
import { configFrom, createServer } from '../../src/server.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'left-behind-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const inside = (name: string) => join(folder, name);

async function startAndStop(): Promise<void> {
  const config = configFrom({
    server: { data_dir: folder, base_url: 'http://localhost', host: '127.0.0.1', port: 0 },
    log: { level: 'silent' },
    database: { synchronous: 'normal' },
  });
  const server = await createServer(config);
  await server.stop();
}

it('removes a trial of an upgrade and a restore from a replica', async () => {
  await startAndStop();
  mkdirSync(inside('.replica-taxiway.db-Ab12Cd'));
  writeFileSync(inside('.replica-taxiway.db-Ab12Cd/database'), 'half');
  for (const suffix of ['', '-wal', '-shm', '.lock']) writeFileSync(inside(`taxiway.db.rehearsal${suffix}`), '');
  writeFileSync(inside('taxiway.db.before-0006_icon_colors'), 'kept');
  await startAndStop();
  expect(readdirSync(folder).filter((name) => /replica|rehearsal/.test(name))).toEqual([]);
  expect(existsSync(inside('taxiway.db.before-0006_icon_colors'))).toBe(true);
});

it('leaves restores of other databases in the same folder', async () => {
  await startAndStop();
  const others = ['.replica-other.db-Ab12Cd', '.replica-taxiway.db-copy-Ab12Cd'];
  for (const name of others) mkdirSync(inside(name));
  await startAndStop();
  expect(readdirSync(folder).filter((name) => name.startsWith('.replica'))).toEqual(others);
});

it('leaves the trial of an upgrade that is running', async () => {
  await startAndStop();
  writeFileSync(inside('taxiway.db.rehearsal'), 'copy');
  const release = acquireLocks([{ lockFile: inside('taxiway.db.rehearsal.lock'), name: 'trial' }]);
  await startAndStop();
  expect(existsSync(inside('taxiway.db.rehearsal'))).toBe(true);
  release();
});
