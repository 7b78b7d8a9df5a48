// taxiway backup, restore and verify PLACE, against a server that runs.
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { manifestName, readManifest } from '../../src/backup/format.ts';
import { backupLock } from '../../src/backup/lock.ts';
import { openPlaceForReading } from '../../src/backup/open-place.ts';
import { restoreBackup } from '../../src/backup/restore.ts';
import { findBuild } from '../../src/builds/store.ts';
import type { Config } from '../../src/config.ts';
import { formatBytes } from '../../src/lib/formats.ts';
import { acquireLocks, InUseError } from '../../src/runtime/lock.ts';
import { createServer } from '../../src/server.ts';
import { type Build, type BuildScenario, startBuildScenario, uploadAnswer } from '../builds/scenario.ts';
import { openWorkshop, type Workshop } from '../commands/test-host.ts';
import { CRASH_KILLS } from '../crash/random.ts';
import { buildApk } from '../support/fixtures.ts';
import { mountDisk } from '../support/memory-disk.ts';

const bytes = buildApk();
let scenario: BuildScenario;
let workshop: Workshop;
let place: string;
let build: Build;
let key: string;
beforeEach(async () => {
  scenario = await startBuildScenario();
  const { config, app } = scenario.fixture;
  workshop = openWorkshop({ TAXIWAY_SERVER__DATA_DIR: config.server.data_dir, TAXIWAY_LOG__LEVEL: 'silent' });
  place = join(workshop.folder, 'backups');
  build = await uploadAnswer(scenario.ci, scenario.android, bytes);
  key = findBuild(app, build.identifier)?.objectKey ?? '';
});
afterEach(async () => {
  workshop[Symbol.dispose]();
  await scenario[Symbol.asyncDispose]();
});

async function backUp(...words: string[]) {
  const { code, stdout, stderr } = await workshop.run(['backup', place, '--json', ...words]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

/** Runs a command for another, empty installation. */
function elsewhere(words: string[], env: Record<string, string> = {}) {
  const folder = join(workshop.folder, 'restored');
  return workshop.run(words, {
    env: { TAXIWAY_SERVER__DATA_DIR: folder, TAXIWAY_LOG__LEVEL: 'silent', XDG_CONFIG_HOME: workshop.folder, ...env },
  });
}

/** The configuration of what runs elsewhere(). */
function restoredConfig(): Config {
  const folder = join(workshop.folder, 'restored');
  const { config } = scenario.fixture;
  return {
    ...config,
    server: { ...config.server, data_dir: folder },
    database: { ...config.database, file: join(folder, 'taxiway.db') },
    storage: { ...config.storage, local: { ...config.storage.local, directory: join(folder, 'blobs') } },
  };
}

/** Leaves the marks of a restore that was killed, in the data folder and in that of the packages. */
function markRestoring(folder: string, begun: { database: string; objects: string }): void {
  writeFileSync(join(folder, '.restoring'), JSON.stringify({ ...begun, hasKey: false, token: 'the token' }));
  mkdirSync(begun.objects, { recursive: true });
  writeFileSync(join(begun.objects, '.restoring'), 'the token');
}

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .toSorted();
const contentsOf = (): string[] =>
  existsSync(join(place, 'objects/contents')) ? listFiles(join(place, 'objects/contents')) : [];

describe('a backup', () => {
  it('has the database, every object and the secret key, and a second one writes only what is new', async () => {
    const first = await backUp();
    expect(first).toMatchObject({ missing: 0, elsewhere: 0, has_secret_key: true, deleted: 0, warnings: [] });
    const before = contentsOf();
    expect(before.length).toBeGreaterThanOrEqual(2);
    const second = await backUp();
    expect(second.objects).toBe(first.objects);
    expect(contentsOf()).toEqual(before);
    expect(second.added_bytes).toBeLessThan(first.added_bytes);
    const other = buildApk({ versionCode: 7 });
    await uploadAnswer(scenario.ci, scenario.android, other);
    const third = await backUp();
    expect(third.objects).toBeGreaterThan(first.objects);
    expect(third.added_bytes).toBeGreaterThanOrEqual(other.length);
    const { stdout } = await workshop.run(['backup', place, '--list', '--json']);
    expect(JSON.parse(stdout).map((one: { backup: string; state: string }) => [one.backup, one.state])).toEqual(
      [first, second, third].map(({ backup }) => [backup, 'complete']),
    );
    expect(existsSync(join(scenario.fixture.config.server.data_dir, 'secret.key'))).toBe(true);
  });

  it('can be verified, tried and restored, and a server continues with it', async () => {
    const { backup: id, objects, total_bytes: size } = await backUp();
    const verified = await workshop.run(['verify', place, '--json']);
    expect(verified.code).toBe(0);
    expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, problems: [] });
    const drill = await workshop.run(['backup', place, '--drill', '--json']);
    expect(JSON.parse(drill.stdout)).toMatchObject({ objects, bytes: size });
    const shown = `${objects} objects, ${formatBytes(size, 'en')}`;
    const listed = await workshop.run(['backup', place, '--list']);
    expect(listed.stdout).toBe(`${id}  complete  ${shown}\n`);
    const tried = await workshop.run(['backup', place, '--drill']);
    expect(tried.stdout).toBe(`backup ${id} restored into a temporary folder, compared and deleted: ${shown}\n`);
    const { data_dir: dataDir } = scenario.fixture.config.server;
    expect(readdirSync(dataDir).filter((name) => name.startsWith('.drill') || name.startsWith('.taxiway'))).toEqual([]);
    const restored = await elsewhere(['restore', place, '--json']);
    expect(restored.code).toBe(0);
    expect(JSON.parse(restored.stdout)).toMatchObject({ objects, bytes: size });
    const folder = join(workshop.folder, 'restored');
    expect(readdirSync(folder).filter((name) => !name.endsWith('.audit-heads'))).toEqual([
      'backup.lock',
      'blobs',
      'secret.key',
      'taxiway.db',
      'taxiway.db.lock',
    ]);
    expect(readFileSync(join(folder, 'blobs/objects', key))).toEqual(bytes);
    const server = await createServer({ server: { data_dir: folder, port: 0 }, log: { level: 'silent' } });
    try {
      await server.start();
      const { email, password } = scenario.fixture.admin;
      const signedIn = await fetch(`${server.url}/api/v1/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password }),
      });
      expect(signedIn.status).toBe(200);
      const { access_token: token } = (await signedIn.json()) as { access_token: string };
      const answer = await fetch(`${server.url}/api/v1/builds/${build.identifier}/download`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(answer.status).toBe(200);
    } finally {
      await server.stop();
    }
    const check = await elsewhere(['verify', '--json']);
    expect(JSON.parse(check.stdout)).toMatchObject({ packages: { checked: 1, problems: [] } });
  });

  it('is only restored into an empty folder', async () => {
    await backUp();
    const folder = join(workshop.folder, 'restored');
    mkdirSync(folder);
    writeFileSync(join(folder, 'notes.txt'), '');
    const refused = await elsewhere(['restore', place]);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(`it contains ${join(folder, 'notes.txt')}`);
    rmSync(join(folder, 'notes.txt'));
    writeFileSync(join(folder, 'secret.key'), 'x');
    expect((await elsewhere(['restore', place])).stderr).toContain('the backup has the secret key, and there is');
    rmSync(join(folder, 'secret.key'));
    expect((await elsewhere(['restore', place])).code).toBe(0);
    expect((await elsewhere(['restore', place])).code).toBe(1);
  });

  it('is restored with database and packages in folders of their own, but not beside anything else there', async () => {
    await backUp();
    const folder = join(workshop.folder, 'restored');
    const file = join(folder, 'database/taxiway.db');
    const env = { TAXIWAY_DATABASE__FILE: file, TAXIWAY_STORAGE__LOCAL__DIRECTORY: 'files/blobs' };
    mkdirSync(join(folder, 'database'), { recursive: true });
    for (const name of ['database/taxiway.db.audit-heads', 'database/notes.txt', 'files/notes.txt', 'files/blobs/x']) {
      mkdirSync(join(folder, 'files/blobs'), { recursive: true });
      writeFileSync(join(folder, name), '');
      const { code, stderr } = await elsewhere(['restore', place], env);
      expect([code, stderr]).toEqual([1, expect.stringContaining(join(folder, name.replace('/x', '')))]);
      rmSync(join(folder, name));
    }
    // An interrupted one starts over.
    writeFileSync(join(folder, 'files/blobs/half'), 'x');
    markRestoring(folder, { database: file, objects: join(folder, 'files/blobs') });
    expect((await elsewhere(['restore', place], env)).code).toBe(0);
    expect(readdirSync(join(folder, 'database')).filter((name) => !name.includes('.lock'))).toEqual(['taxiway.db']);
    expect(readFileSync(join(folder, 'files/blobs/objects', key))).toEqual(bytes);
    expect((await elsewhere(['verify', '--json'], env)).code).toBe(0);
  });

  it('is restored with the database on another disk than the packages, but not beside parts of another one', async () => {
    const cache = join(import.meta.dirname, '../../.cache');
    mkdirSync(cache, { recursive: true });
    const otherDisk = mkdtempSync(join(cache, 'restored-'));
    onTestFinished(() => rmSync(otherDisk, { recursive: true, force: true }));
    if (statSync(otherDisk).dev === statSync(workshop.folder).dev)
      process.stdout.write('restore onto another disk: it is the disk of the temporary folder\n');
    await backUp();
    const file = join(otherDisk, 'taxiway.db');
    const env = { TAXIWAY_DATABASE__FILE: file };
    for (const part of [`${file}-wal`, `${file}.audit-heads`]) {
      writeFileSync(part, '');
      const { code, stderr } = await elsewhere(['restore', place], env);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`it contains ${part}`)]);
      rmSync(part);
    }
    expect((await elsewhere(['restore', place], env)).code).toBe(0);
    expect(readdirSync(otherDisk).filter((name) => !name.includes('.lock'))).toEqual(['taxiway.db']);
    expect((await elsewhere(['verify', '--json'], env)).code).toBe(0);
  });

  it('is only restored where the database and the packages have space, each on its disk', async ({ skip }) => {
    // Only together larger than the small disk.
    for (const versionCode of [11, 12])
      await uploadAnswer(
        scenario.ci,
        scenario.android,
        buildApk({
          versionCode,
          parts: [{ name: 'assets/filler', data: Buffer.alloc(300_000, versionCode), isStored: true }],
        }),
      );
    const { backup: id } = await backUp();
    const { database, objects } = readManifest(id, readFileSync(join(place, 'objects', manifestName(id))));
    const mounted = mountDisk(512);
    if (typeof mounted === 'string') return skip(mounted);
    using disk = mounted;
    const folder = join(workshop.folder, 'restored');
    for (const { env, bytes: needed, at } of [
      { env: { TAXIWAY_STORAGE__LOCAL__DIRECTORY: disk.folder }, bytes: objects.bytes, at: '' },
      // The nearest folder that exists.
      { env: { TAXIWAY_STORAGE__LOCAL__DIRECTORY: join(disk.folder, 'packages/here') }, bytes: objects.bytes, at: '' },
      {
        env: { TAXIWAY_DATABASE__FILE: join(disk.folder, 'database/taxiway.db') },
        bytes: database.plain_size,
        at: '/database',
      },
    ]) {
      const { code, stderr } = await elsewhere(['restore', place], env);
      const reason = `the backup needs ${Math.ceil(needed / 1e6)} MB of free space in ${disk.folder}${at}`;
      expect([code, stderr]).toEqual([1, `taxiway: ${reason}\n`]);
      expect(existsSync(join(folder, '.restoring'))).toBe(false);
      expect(listFiles(disk.folder).filter((name) => !name.includes('.lock'))).toEqual([]);
      rmSync(folder, { recursive: true });
    }
    rmSync(join(disk.folder, 'database'), { recursive: true });
    disk.resize(20_000);
    const env = { TAXIWAY_STORAGE__LOCAL__DIRECTORY: disk.folder };
    expect(await elsewhere(['restore', place], env)).toMatchObject({ code: 0 });
    expect(readFileSync(join(disk.folder, 'objects', key))).toEqual(bytes);
  });

  it.each([
    {
      place: 'into a data folder',
      more: ['--from-replica'],
      createsFolder: false,
      // From the start, in which it reads the backup.
      isLocked: () => true,
      other: (folder: string) => ({ TAXIWAY_SERVER__DATA_DIR: folder }),
      reason: (folder: string) =>
        `a backup, a drill or another restore uses ${folder}: set another server.data_dir, or try again when it has ended`,
    },
    {
      place: 'into a folder of packages',
      more: [],
      createsFolder: true,
      // When it writes the database, before the first package.
      isLocked: (folder: string) => existsSync(join(folder, '.restoring')),
      other: (folder: string) => ({
        TAXIWAY_SERVER__DATA_DIR: join(workshop.folder, 'second'),
        TAXIWAY_STORAGE__LOCAL__DIRECTORY: join(folder, 'blobs'),
      }),
      reason: (folder: string) =>
        `another server or restore uses the storage folder ${join(folder, 'blobs')}; stop it, or set another storage.local.directory`,
    },
  ])('is restored by one command at a time $place', async ({ isLocked, other, reason, more, createsFolder }) => {
    await backUp();
    const sources = [place, ...more];
    const replica = { TAXIWAY_REPLICATION__TARGET: 'replica', TAXIWAY_REPLICATION__PROGRAM: '/bin/false' };
    const files = {
      first: join(workshop.folder, 'first/taxiway.db'),
      second: join(workshop.folder, 'second/taxiway.db'),
    };
    const config = { ...restoredConfig(), database: { ...restoredConfig().database, file: files.first } };
    const { data_dir: folder } = config.server;
    const opened = await openPlaceForReading(place, config, workshop.folder);
    const refused: unknown[] = [];
    const restored = await restoreBackup({
      config,
      place: {
        ...opened,
        async read(...words) {
          const env = { ...other(folder), TAXIWAY_DATABASE__FILE: files.second };
          if (isLocked(folder) && refused.length === 0) {
            for (const source of sources) refused.push(await elsewhere(['restore', source], { ...replica, ...env }));
          }
          return opened.read(...words);
        },
      },
      id: undefined,
      unseal: undefined,
      nativeBinding: undefined,
    });
    const refusal = { code: 1, stdout: '', stderr: `taxiway: ${reason(folder)}\n` };
    expect(refused).toMatchObject(sources.map(() => refusal));
    expect(existsSync(files.second)).toBe(false);
    expect(existsSync(dirname(files.second))).toBe(createsFolder);
    expect(restored.manifest.objects.count).toBe(restored.objects);
    const { stdout } = await elsewhere(['verify', '--json'], { TAXIWAY_DATABASE__FILE: files.first });
    expect(JSON.parse(stdout)).toMatchObject({ ok: true });
  });

  it('is restored over an interrupted one only if no server uses the packages', async () => {
    await backUp();
    const folder = join(workshop.folder, 'restored');
    const packages = join(workshop.folder, 'packages');
    mkdirSync(folder);
    mkdirSync(packages);
    writeFileSync(join(packages, 'package'), 'x');
    markRestoring(folder, { database: join(folder, 'taxiway.db'), objects: packages });
    const env = { TAXIWAY_STORAGE__LOCAL__DIRECTORY: packages };
    const release = acquireLocks([{ lockFile: join(packages, 'server.lock'), name: 'a server' }]);
    const refused = await elsewhere(['restore', place], env);
    release();
    const reason = `another server or restore uses the storage folder ${packages}; stop it, or set another storage.local.directory`;
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: `taxiway: ${reason}\n` });
    expect(readFileSync(join(packages, 'package'), 'utf8')).toBe('x');
    expect((await elsewhere(['restore', place], env)).code).toBe(0);
    expect(existsSync(join(packages, 'package'))).toBe(false);
    expect(existsSync(join(packages, '.restoring'))).toBe(false);
  });

  it('is restored after one that was killed while it marked the packages', async () => {
    await backUp();
    const folder = join(workshop.folder, 'restored');
    const objects = join(folder, 'blobs');
    mkdirSync(folder);
    markRestoring(folder, { database: join(folder, 'taxiway.db'), objects });
    rmSync(join(objects, '.restoring'));
    writeFileSync(join(objects, '.restoring.0f3a.part'), 'the tok');
    expect((await elsewhere(['restore', place])).code).toBe(0);
    expect(readdirSync(objects).filter((name) => name.startsWith('.restoring'))).toEqual([]);
  });

  it('is not restored over packages of another installation, put where an interrupted restore had written', async () => {
    await backUp();
    const folder = join(workshop.folder, 'restored');
    const packages = join(workshop.folder, 'packages');
    mkdirSync(folder);
    markRestoring(folder, { database: join(folder, 'taxiway.db'), objects: packages });
    writeFileSync(join(packages, '.restoring'), 'the token of another restore');
    writeFileSync(join(packages, 'package'), 'x');
    const refused = await elsewhere(['restore', place], { TAXIWAY_STORAGE__LOCAL__DIRECTORY: packages });
    const reason = `the data folder must be empty, but it contains ${packages}: move it away, or set another server.data_dir`;
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: `taxiway: ${reason}\n` });
    expect(readFileSync(join(packages, 'package'), 'utf8')).toBe('x');
  });

  it('refuses a server that would use the packages while it writes them', async () => {
    await backUp();
    const config = restoredConfig();
    const { data_dir: folder } = config.server;
    const opened = await openPlaceForReading(place, config, workshop.folder);
    const settings = {
      server: { data_dir: join(workshop.folder, 'second'), port: 0 },
      storage: { local: { directory: join(folder, 'blobs') } },
      log: { level: 'silent' as const },
    };
    let refusal: unknown;
    await restoreBackup({
      config,
      place: {
        ...opened,
        async read(...words) {
          if (existsSync(join(folder, '.restoring'))) refusal ??= await createServer(settings).catch((error) => error);
          return opened.read(...words);
        },
      },
      id: undefined,
      unseal: undefined,
      nativeBinding: undefined,
    });
    const reason = `another server or restore uses the storage folder ${join(folder, 'blobs')}; stop it, or set another storage.local.directory`;
    expect(refusal).toEqual(new InUseError(reason));
  });

  it('is not restored over what was written while it was verified', async () => {
    await backUp();
    const config = restoredConfig();
    const folder = config.server.data_dir;
    const written = join(folder, 'blobs/objects/another');
    const restoring = restoreBackup({
      config,
      place: await openPlaceForReading(place, config, workshop.folder),
      id: undefined,
      unseal: undefined,
      nativeBinding: undefined,
      onProgress(step) {
        expect(step).toBe('verify');
        mkdirSync(dirname(written), { recursive: true });
        writeFileSync(written, 'x');
      },
    });
    await expect(restoring).rejects.toThrow(`it contains ${join(folder, 'blobs')}: move it away`);
    expect(readFileSync(written, 'utf8')).toBe('x');
    expect(readdirSync(folder).sort()).toEqual(['backup.lock', 'blobs', 'taxiway.db.lock']);
  });

  it('without the secret key is only restored beside it', async () => {
    const env = { TAXIWAY_BACKUP__INCLUDE_SECRET_KEY: 'false' };
    const dataDir = scenario.fixture.config.server.data_dir;
    const created = await workshop.run(['backup', place, '--json'], {
      env: { TAXIWAY_SERVER__DATA_DIR: dataDir, TAXIWAY_LOG__LEVEL: 'silent', ...env },
    });
    expect(JSON.parse(created.stdout)).toMatchObject({ has_secret_key: false });
    expect(listFiles(place).filter((name) => name.includes('secret'))).toEqual([]);
    const refused = await elsewhere(['restore', place]);
    expect(refused.stderr).toContain('the backup has no secret key');
    expect(existsSync(join(workshop.folder, 'restored/taxiway.db'))).toBe(false);
    cpSync(join(dataDir, 'secret.key'), join(workshop.folder, 'restored/secret.key'));
    expect((await elsewhere(['restore', place])).code).toBe(0);
  });

  it('reports objects that are missing or damaged on the server, and has everything else', async () => {
    const { config } = scenario.fixture;
    const file = join(config.storage.local.directory, 'objects', key);
    rmSync(file);
    const missing = await workshop.run(['backup', place, '--json']);
    expect(missing).toMatchObject({ code: 0, stderr: `package ${key} is missing on the server\n` });
    expect(JSON.parse(missing.stdout)).toMatchObject({ missing: 1 });
    writeFileSync(file, Buffer.alloc(bytes.length, 7));
    const damaged = await workshop.run(['backup', place, '--json']);
    expect(damaged.stderr).toBe(`package ${key} is damaged on the server; the backup has it as it is\n`);
    expect((await workshop.run(['verify', place])).code).toBe(0);
    expect((await workshop.run(['backup', place, '--drill'])).code).toBe(0);
  });

  it('keeps the newest ones, and deletes contents that no backup needs after two days', async () => {
    const env = {
      TAXIWAY_SERVER__DATA_DIR: scenario.fixture.config.server.data_dir,
      TAXIWAY_LOG__LEVEL: 'silent',
      TAXIWAY_BACKUP__KEEP: '2',
    };
    const day = 86_400_000;
    const at = (days: number) => ({ env, now: () => Date.now() + days * day });
    await workshop.run(['backup', place], at(0));
    const first = contentsOf();
    expect((await scenario.admin.delete(`/api/v1/builds/${build.identifier}`)).status).toBe(204);
    await workshop.run(['backup', place], at(1));
    const third = JSON.parse((await workshop.run(['backup', place, '--json'], at(1.5))).stdout);
    expect(third.deleted).toBe(1);
    expect(contentsOf()).toEqual(first);
    await workshop.run(['backup', place], at(5));
    expect(contentsOf().length).toBeLessThan(first.length);
    const { stdout } = await workshop.run(['backup', place, '--list', '--json'], at(5));
    expect(JSON.parse(stdout)).toHaveLength(2);
    expect((await workshop.run(['verify', place])).code).toBe(0);
  });

  it('is never deleted by another server that uses the same place', async () => {
    const { backup: first } = await backUp();
    await elsewhere(['migrate']);
    const other = async () => {
      const { stdout } = await elsewhere(['backup', place, '--json'], { TAXIWAY_BACKUP__KEEP: '1' });
      return JSON.parse(stdout);
    };
    const warnings = ["the place has backups of other servers, which weren't deleted: 1"];
    expect(await other()).toMatchObject({ deleted: 0, warnings });
    expect(await other()).toMatchObject({ deleted: 1, warnings });
    const { stdout } = await workshop.run(['backup', place, '--list', '--json']);
    expect(JSON.parse(stdout).map(({ backup }: { backup: string }) => backup)).toContain(first);
    expect((await workshop.run(['verify', place, '--backup', first])).code).toBe(0);
  });

  it('runs alone, and never into the folder of the packages', async () => {
    const { config } = scenario.fixture;
    const release = acquireLocks([backupLock(config)]);
    const refused = await workshop.run(['backup', place]);
    release();
    expect(refused).toMatchObject({
      code: 1,
      stderr: `taxiway: another backup, a drill or a restore uses ${config.server.data_dir}: try again when it has ended\n`,
    });
    const inside = await workshop.run(['backup', join(config.storage.local.directory, 'backups')]);
    expect(inside.code).toBe(1);
    expect(inside.stderr).toContain("can't have backups");
    expect((await workshop.run(['backup', join(workshop.folder, 'none'), '--list'])).stderr).toContain(
      'has no backups',
    );
    expect((await workshop.run(['verify', place, '--backup', '../x'])).code).toBe(1);
  });
});

describe('the files of a backup', () => {
  it('are readable by their owner only, also in a folder that others can read', async () => {
    mkdirSync(place, { mode: 0o755 });
    await backUp();
    expect(statSync(join(place, 'objects')).mode & 0o777).toBe(0o700);
    place = join(workshop.folder, 'all.backup');
    await backUp();
    expect(statSync(place).mode & 0o777).toBe(0o600);
    place = join(workshop.folder, 'new');
    await backUp();
    expect(statSync(place).mode & 0o777).toBe(0o700);
  });

  it('name nothing outside of the place', async () => {
    const { backup } = await backUp();
    const file = join(place, 'objects/backups', backup, 'manifest');
    const [json = ''] = readFileSync(file, 'utf8').split(/\n[0-9a-f]{64}\n$/);
    for (const name of ['../../../secret.key', '/etc/passwd', 'a/../../b']) {
      const altered = json.replace(`backups/${backup}/database`, name);
      const sum = createHash('sha256').update(altered).digest('hex');
      rmSync(file);
      writeFileSync(file, `${altered}\n${sum}\n`);
      const { code, stderr } = await workshop.run(['verify', place]);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `taxiway: the manifest of the backup ${backup} can't be read by this version\n`,
      });
    }
  });
});

describe('a backup in one file', () => {
  it('is created, extended, verified and restored like one in a folder', async () => {
    place = join(workshop.folder, 'all.backup');
    const first = await backUp();
    const second = await backUp();
    expect(second.added_bytes).toBeLessThan(first.added_bytes);
    expect(statSync(place).isFile()).toBe(true);
    expect((await workshop.run(['verify', place])).code).toBe(0);
    expect((await elsewhere(['restore', place])).code).toBe(0);
    expect(readFileSync(join(workshop.folder, 'restored/blobs/objects', key))).toEqual(bytes);
    const original = readFileSync(place);
    for (const text of ['AndroidManifest', '"format"']) {
      const altered = Buffer.from(original);
      // Also in the unused space of pages.
      for (let at = altered.indexOf(text); at >= 0; at = altered.indexOf(text)) altered[at] = 0x21;
      writeFileSync(place, altered);
      const codes = [first, second].map(
        async ({ backup }) => (await workshop.run(['verify', place, '--backup', backup])).code,
      );
      expect(await Promise.all(codes), text).toEqual([1, 1]);
    }
  });

  it('is rejected if the file is of another kind', async () => {
    place = join(workshop.folder, 'notes.txt');
    writeFileSync(place, 'notes');
    const { code, stderr } = await workshop.run(['backup', place]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `taxiway: ${place} isn't an archive of backups: file is not a database\n`,
    });
    expect(readFileSync(place, 'utf8')).toBe('notes');
  });
});

describe('an encrypted backup', () => {
  let identityFile: string;
  let env: Record<string, string>;
  beforeEach(async () => {
    const identity = await generateX25519Identity();
    identityFile = join(workshop.folder, 'key.txt');
    writeFileSync(identityFile, `# created: today\n${identity}\n`);
    env = {
      TAXIWAY_SERVER__DATA_DIR: scenario.fixture.config.server.data_dir,
      TAXIWAY_LOG__LEVEL: 'silent',
      TAXIWAY_BACKUP__RECIPIENTS: await identityToRecipient(identity),
    };
    const created = await workshop.run(['backup', place], { env });
    expect(created).toMatchObject({ code: 0, stderr: '' });
  });

  it('has nothing in the clear but names, sizes and checksums, and is read with the secret key alone', async () => {
    const secret = readFileSync(join(scenario.fixture.config.server.data_dir, 'secret.key'), 'utf8').trim();
    const zstd = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
    for (const file of listFiles(join(place, 'objects'))) {
      const content = readFileSync(join(place, 'objects', file));
      expect(content.includes(secret)).toBe(false);
      expect(content.subarray(0, 4).equals(zstd) || content.includes('AndroidManifest')).toBe(file.endsWith('/files'));
    }
    const before = contentsOf();
    await workshop.run(['backup', place], { env });
    expect(contentsOf()).toEqual(before);
    const sealed = await workshop.run(['verify', place, '--json']);
    expect(JSON.parse(sealed.stdout)).toMatchObject({ ok: true, is_decrypted: false });
    const opened = await workshop.run(['verify', place, '--identity', identityFile, '--json']);
    expect(JSON.parse(opened.stdout)).toMatchObject({ ok: true, is_decrypted: true });
    const refused = await elsewhere(['restore', place]);
    expect(refused.stderr).toContain('name the file of the secret key with --identity');
    const other = join(workshop.folder, 'other.txt');
    writeFileSync(other, await generateX25519Identity());
    expect((await elsewhere(['restore', place, '--identity', other])).stderr).toContain('encrypted to other keys');
    expect(existsSync(join(workshop.folder, 'restored/taxiway.db'))).toBe(false);
    expect((await elsewhere(['restore', place, '--identity', identityFile])).code).toBe(0);
    expect(readFileSync(join(workshop.folder, 'restored/blobs/objects', key))).toEqual(bytes);
  });
});

describe('a damaged backup', () => {
  it('is refused wherever one byte of a file is altered: the first, the last and some others', async () => {
    await backUp();
    const folder = join(place, 'objects');
    // A fixed sequence (MINSTD), so that a failure can be repeated.
    let state = 20_260_301;
    const random = (limit: number) => {
      state = (state * 48_271) % 2_147_483_647;
      return state % limit;
    };
    for (const name of listFiles(folder).filter((one) => !one.startsWith('check'))) {
      const file = join(folder, name);
      const original = readFileSync(file);
      // With `scripts/test --crash`, more than 500 in all.
      const others = Array.from({ length: CRASH_KILLS }, () => random(original.length));
      for (const position of [...others, 0, original.length - 1]) {
        const altered = Buffer.from(original);
        altered[position] = (altered[position] ?? 0) ^ (1 + random(255));
        replace(file, altered);
        expect((await workshop.run(['verify', place])).code, `${file} at ${position}`).toBe(1);
      }
      expect((await elsewhere(['restore', place])).code).toBe(1);
      expect(existsSync(join(workshop.folder, 'restored/taxiway.db'))).toBe(false);
      replace(file, original);
    }
    expect((await workshop.run(['verify', place])).code).toBe(0);
  });

  it('is refused with a file missing, truncated, or longer', async () => {
    await backUp();
    const folder = join(place, 'objects');
    for (const name of listFiles(folder)) {
      const file = join(folder, name);
      const original = readFileSync(file);
      for (const altered of [undefined, original.subarray(1), Buffer.concat([original, Buffer.from('x')])]) {
        if (altered === undefined) rmSync(file);
        else replace(file, altered);
        expect((await workshop.run(['verify', place])).code, name).toBe(1);
      }
      replace(file, original);
    }
  });

  function replace(file: string, content: Buffer): void {
    rmSync(file, { force: true });
    writeFileSync(file, content);
  }
});

describe('a hostile backup', () => {
  it('is refused if its manifest is too large for memory, or is not a manifest', async () => {
    const { backup } = await backUp();
    const file = join(place, 'objects/backups', backup, 'manifest');
    const manifest = JSON.parse(readFileSync(file, 'utf8').split('\n').slice(0, -2).join('\n'));
    const huge = { ...manifest.secret_key, plain_size: 2 ** 40 };
    for (const json of ['{"format": 1', JSON.stringify({ ...manifest, secret_key: huge })]) {
      const text = json.endsWith('}') ? json : `${json}}}`;
      writeFileSync(file, `${text}\n${createHash('sha256').update(text).digest('hex')}\n`);
      for (const words of [
        ['verify', place],
        ['restore', place],
      ]) {
        const refused = await elsewhere(words);
        expect(refused.code).toBe(1);
        expect(refused.stderr + refused.stdout).toContain("can't be read by this version");
      }
    }
  });
});

describe('an interrupted restore', () => {
  it('is no installation, and the next one starts over', async () => {
    await backUp();
    const folder = join(workshop.folder, 'restored');
    mkdirSync(join(folder, 'blobs/objects/half'), { recursive: true });
    writeFileSync(join(folder, 'blobs/objects/half/done'), 'x');
    const begun = { database: join(folder, 'taxiway.db'), objects: join(folder, 'blobs') };
    // With other folders, these may be anyone's.
    for (const other of [
      { ...begun, objects: '/elsewhere' },
      { ...begun, database: '/elsewhere/taxiway.db' },
    ]) {
      markRestoring(folder, other);
      const { code, stderr } = await elsewhere(['restore', place]);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`wrote to ${other.database} and ${other.objects}:`)]);
    }
    for (const unknown of ['', 'null', '{"database":1}']) {
      writeFileSync(join(folder, '.restoring'), unknown);
      expect((await elsewhere(['restore', place])).stderr).toContain('wrote to other folders:');
    }
    expect(existsSync(join(folder, 'blobs/objects/half/done'))).toBe(true);
    markRestoring(folder, begun);
    expect((await elsewhere(['restore', place])).code).toBe(0);
    expect(existsSync(join(folder, 'blobs/objects/half'))).toBe(false);
    expect(existsSync(join(folder, '.restoring'))).toBe(false);
    // The mark of a restore that was complete deletes nothing, and what opens the database for writing removes it.
    for (const command of [['sweep', 'reservations'], ['backup', join(workshop.folder, 'another')], ['migrate']]) {
      writeFileSync(join(folder, '.restoring'), '');
      expect((await elsewhere(['restore', place])).code).toBe(1);
      expect(readFileSync(join(folder, 'blobs/objects', key))).toEqual(bytes);
      expect((await elsewhere(command)).code).toBe(0);
      expect(existsSync(join(folder, '.restoring')), command.join(' ')).toBe(false);
    }
  });
});

describe('an interrupted restore into a folder of packages that is', () => {
  /** Restores over what an interrupted one left there, and expects the folder to have nothing else. */
  async function restoreAgain(folder: string): Promise<void> {
    await backUp();
    const dataDir = join(workshop.folder, 'restored');
    mkdirSync(join(folder, 'objects/half'), { recursive: true });
    writeFileSync(join(folder, 'objects/half/done'), 'x');
    mkdirSync(dataDir);
    markRestoring(dataDir, { database: join(dataDir, 'taxiway.db'), objects: folder });
    const env = { TAXIWAY_STORAGE__LOCAL__DIRECTORY: folder };
    expect(await elsewhere(['restore', place], env)).toMatchObject({ code: 0 });
    expect(existsSync(join(folder, 'objects/half'))).toBe(false);
    expect(readFileSync(join(folder, 'objects', key))).toEqual(bytes);
  }

  it('a link leaves the link', async () => {
    const target = join(workshop.folder, 'target');
    const link = join(workshop.folder, 'link');
    mkdirSync(target);
    symlinkSync(target, link);
    await restoreAgain(link);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(target, 'objects', key))).toEqual(bytes);
  });

  it('a disk of its own leaves what belongs to the file system', async ({ skip }) => {
    const mounted = mountDisk(20_000);
    if (typeof mounted === 'string') return skip(mounted);
    using disk = mounted;
    mkdirSync(join(disk.folder, 'lost+found'));
    await restoreAgain(disk.folder);
    expect(existsSync(join(disk.folder, 'lost+found'))).toBe(true);
  });
});

describe('the database in a backup', () => {
  it('is that of one moment while the server writes', async () => {
    let isDone = false;
    const writing = (async () => {
      for (let count = 0; !isDone; count += 1) {
        await scenario.admin.patch(`/api/v1/projects/${scenario.android.project_id}`, { name: `Name ${count}` });
      }
    })();
    for (let round = 0; round < 3; round += 1) await backUp();
    isDone = true;
    await writing;
    expect((await elsewhere(['restore', place])).code).toBe(0);
    const client = new Sqlite(join(workshop.folder, 'restored/taxiway.db'), { readonly: true });
    expect(client.pragma('integrity_check', { simple: true })).toBe('ok');
    const verdict = await elsewhere(['verify', '--json']);
    expect(JSON.parse(verdict.stdout)).toMatchObject({ ok: true });
    client.close();
  });
});
