// The real Litestream beside a server: what the server and commands do leaves the replica whole, and it can be restored.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findFreePort } from '../../scripts/lib/ports.ts';
import { checkReplication } from '../../src/checks/replication.ts';
import { configFrom } from '../../src/config.ts';
import { developers } from '../../src/data/tables/tables.ts';
import { SECOND } from '../../src/lib/clock.ts';
import { litestreamFolderOf } from '../../src/replication/position.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { openWorkshop, type Workshop } from '../commands/test-host.ts';
import { api } from '../support/harness.ts';
import { litestreamProgram, type RunningLitestream, startLitestream, whyNoLitestream } from '../support/litestream.ts';
import { addPerson } from '../support/people.ts';

const missing = whyNoLitestream();
if (missing !== undefined) process.stdout.write(`replication by Litestream skipped: ${missing}\n`);

describe.skipIf(missing !== undefined)('a replica', () => {
  let workshop: Workshop;
  let fixture: Fixture;
  let litestream: RunningLitestream;
  let env: Record<string, string>;
  let file: string;

  beforeEach(async () => {
    workshop = openWorkshop();
    const replication = {
      target: join(workshop.folder, 'replica'),
      interval_ms: 200,
      metrics_address: `127.0.0.1:${await findFreePort()}`,
      program: litestreamProgram,
    };
    fixture = await startFixture({ config: { replication } });
    file = fixture.config.database.file;
    env = {
      XDG_CONFIG_HOME: workshop.folder,
      TAXIWAY_LOG__LEVEL: 'silent',
      TAXIWAY_SERVER__DATA_DIR: fixture.config.server.data_dir,
      TAXIWAY_REPLICATION__TARGET: replication.target,
      TAXIWAY_REPLICATION__INTERVAL_MS: '200',
      TAXIWAY_REPLICATION__METRICS_ADDRESS: replication.metrics_address,
      TAXIWAY_REPLICATION__PROGRAM: litestreamProgram,
    };
    expect((await run('replication', 'configure')).code).toBe(0);
    litestream = start();
    await describeProject('The first description');
    await replicated();
    // Litestream has checkpointed before its first copy. From the next change on, SQLite keeps the log for it.
    await describeProject('The second description');
    await replicated();
  });
  afterEach(async () => {
    litestream?.[Symbol.dispose]();
    await fixture?.stop();
    workshop?.[Symbol.dispose]();
  });

  const run = (...words: string[]) => workshop.run(words, { env });
  const start = () => startLitestream(join(workshop.folder, 'litestream.yml'));
  const readGeneration = () => readFileSync(join(litestreamFolderOf(file), 'generation'), 'utf8').trim();

  async function describeProject(description: string): Promise<void> {
    const { status } = await api(fixture).patch(`/api/v1/projects/${fixture.android_project_id}`, { description });
    expect(status).toBe(200);
  }

  /** Waits until the replica has everything, also what the server writes later, such as when a session was last used. */
  async function replicated(): Promise<void> {
    if (fixture.app.db.$client.open) fixture.app.credentialUse.flush();
    const config = configFrom({ ...fixture.config });
    await expect
      .poll(async () => (await checkReplication(config, undefined))[0]?.code, { interval: 50 })
      .toBe('replication_current');
  }

  /** Restores into a folder of its own, with the secret key. Returns the database. */
  async function restore(name: string, ...words: string[]): Promise<{ database: string; newest: string }> {
    const folder = join(workshop.folder, name);
    mkdirSync(folder);
    cpSync(join(fixture.config.server.data_dir, 'secret.key'), join(folder, 'secret.key'));
    const { code, stdout, stderr } = await workshop.run(['restore', '--from-replica', '--json', ...words], {
      env: { ...env, TAXIWAY_SERVER__DATA_DIR: folder },
    });
    expect(code, stderr).toBe(0);
    const { database, bytes, newest_event_at: newest } = JSON.parse(stdout);
    expect(statSync(database)).toMatchObject({ size: bytes });
    expect(statSync(database).mode & 0o077).toBe(0);
    return { database, newest };
  }

  it('has everything after deletions, cleanup jobs, a backup and operator commands, in one generation', async () => {
    const generation = readGeneration();
    const { id } = await addPerson(fixture);
    fixture.app.db.update(developers).set({ deletionDueAt: 1 }).where(eq(developers.id, id)).run();
    expect(await fixture.sweep('account-deletions')).toBe(1);
    await fixture.sweep('sessions');
    for (const words of [
      ['backup', join(workshop.folder, 'backups')],
      ['backup', join(workshop.folder, 'backups'), '--drill'],
      ['sweep', 'sessions'],
      ['flag', 'set', 'beta_dashboard', 'on'],
      ['verify'],
      ['setup-link'],
    ]) {
      const { code, stderr } = await run(...words);
      if (words[0] !== 'setup-link') expect({ words, code, stderr }).toMatchObject({ code: 0 });
    }
    for (let number = 0; number < 30; number += 1) {
      await describeProject(`Description ${number}`);
      fixture.clock.advance(4 * SECOND);
      await api(fixture, null).get('/health/ready');
    }
    await replicated();
    expect(readGeneration()).toBe(generation);
    const { database } = await restore('restored');
    expect(digest(database)).toEqual(digest(file));
  });

  it('continues where it was after Litestream was killed, and the server has grown its log', async () => {
    const generation = readGeneration();
    await litestream.end('SIGKILL');
    await describeProject('Written without Litestream');
    litestream = start();
    await replicated();
    expect(readGeneration()).toBe(generation);
    const { database } = await restore('restored');
    expect(digest(database)).toEqual(digest(file));
  });

  it('begins a new generation if the server closed its database without Litestream, and loses nothing', async () => {
    const generation = readGeneration();
    await litestream.end('SIGKILL');
    // As the last connection of a server that stops.
    const { db } = fixture.app;
    db.$client.exec("UPDATE projects SET description = 'Written before the stop'");
    const expected = digest(file);
    db.$client.close();
    litestream = start();
    await expect.poll(() => readGeneration() === generation, { interval: 50 }).toBe(false);
    const other = new Sqlite(file);
    other.pragma('wal_autocheckpoint = 0');
    other.pragma('user_version = 7');
    await replicated();
    const { database } = await restore('restored');
    expect(digest(database)).toEqual(expected);
    other.close();
  });

  it('is restored as it was at a moment', async () => {
    await describeProject('Before the moment');
    await replicated();
    const moment = new Date();
    await describeProject('After the moment');
    await replicated();
    const description = (database: string) => {
      const client = new Sqlite(database, { readonly: true });
      const found = client
        .prepare('SELECT description FROM projects WHERE id = ?')
        .pluck()
        .get(fixture.android_project_id);
      client.close();
      return found;
    };
    const earlier = await restore('earlier', '--timestamp', moment.toISOString());
    expect(description(earlier.database)).toBe('Before the moment');
    expect(description((await restore('newest')).database)).toBe('After the moment');
    const folder = join(workshop.folder, 'too-early');
    mkdirSync(folder);
    cpSync(join(fixture.config.server.data_dir, 'secret.key'), join(folder, 'secret.key'));
    const refused = await workshop.run(['restore', '--from-replica', '--timestamp', '2020-01-01T00:00:00Z'], {
      env: { ...env, TAXIWAY_SERVER__DATA_DIR: folder },
    });
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(
      `Litestream can't restore ${fixture.config.replication.target}: no matching backups`,
    );
  });

  it('of a newer version is not restored', async () => {
    fixture.app.db.$client.exec("INSERT INTO schema_migrations VALUES ('9999_later', 1)");
    await replicated();
    const folder = join(workshop.folder, 'restored');
    mkdirSync(folder);
    cpSync(join(fixture.config.server.data_dir, 'secret.key'), join(folder, 'secret.key'));
    const { code, stderr } = await workshop.run(['restore', '--from-replica'], {
      env: { ...env, TAXIWAY_SERVER__DATA_DIR: folder },
    });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'taxiway: the replica was written by a newer version of Taxiway (it has 9999_later): install that version\n',
    });
  });

  it('does not stop an upgrade: the tables of Litestream are not taken for a damaged schema', async () => {
    const { database } = await restore('restored');
    const client = new Sqlite(database);
    const names = client
      .prepare<[], string>("SELECT name FROM sqlite_master WHERE name LIKE '\\_litestream%' ESCAPE '\\'")
      .pluck();
    expect(names.all().sort()).toEqual(['_litestream_lock', '_litestream_seq']);
    client.close();
    const checked = await workshop.run(['check', '--json'], {
      env: { ...env, TAXIWAY_SERVER__DATA_DIR: join(workshop.folder, 'restored') },
    });
    const findings: { name: string; status: string }[] = JSON.parse(checked.stdout);
    expect(findings.filter(({ name }) => ['database', 'migrations', 'secret key'].includes(name))).toEqual([
      expect.objectContaining({ name: 'database', status: 'ok' }),
      expect.objectContaining({ name: 'migrations', status: 'ok' }),
      expect.objectContaining({ name: 'secret key', status: 'ok' }),
    ]);
  });
});

/** The rows of every table, except Litestream's own and what a probe changes. */
function digest(database: string): Record<string, string> {
  const client = new Sqlite(database, { readonly: true });
  const tables = client
    .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    .pluck()
    .all()
    .filter((name) => !/^(?:_litestream|sqlite_)/.test(name));
  const digests = tables.map((name) => {
    const rows = JSON.stringify(client.prepare(`SELECT * FROM "${name}"`).raw().all());
    return [name, createHash('sha256').update(rows).digest('hex')];
  });
  client.close();
  return Object.fromEntries(digests);
}
