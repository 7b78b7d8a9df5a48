// taxiway restore PLACE: where a backup is restored, and what is refused.
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
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { manifestName, readManifest } from '../../src/backup/format.ts';
import { openPlaceForReading } from '../../src/backup/open-place.ts';
import { restoreBackup } from '../../src/backup/restore.ts';
import { acquireLocks, InUseError } from '../../src/runtime/lock.ts';
import { createServer } from '../../src/server.ts';
import { uploadAnswer } from '../builds/scenario.ts';
import { buildApk } from '../support/fixtures.ts';
import { mountDisk } from '../support/memory-disk.ts';
import { type BackupScenario, listFiles, startBackupScenario } from './scenario.ts';

let scenario: BackupScenario;
beforeEach(async () => {
  scenario = await startBackupScenario();
});
afterEach(() => scenario[Symbol.asyncDispose]());

/** Leaves the marks of a restore that was killed, in the data folder and in that of the packages. */
function markRestoring(folder: string, begun: { database: string; objects: string }): void {
  writeFileSync(join(folder, '.restoring'), JSON.stringify({ ...begun, hasKey: false, token: 'the token' }));
  mkdirSync(begun.objects, { recursive: true });
  writeFileSync(join(begun.objects, '.restoring'), 'the token');
}

describe('a backup', () => {
  it('is only restored into an empty folder', async () => {
    await scenario.backUp();
    const folder = join(scenario.workshop.folder, 'restored');
    mkdirSync(folder);
    writeFileSync(join(folder, 'notes.txt'), '');
    const refused = await scenario.elsewhere(['restore', scenario.place]);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(`it contains ${join(folder, 'notes.txt')}`);
    rmSync(join(folder, 'notes.txt'));
    writeFileSync(join(folder, 'secret.key'), 'x');
    expect((await scenario.elsewhere(['restore', scenario.place])).stderr).toContain(
      'the backup has the secret key, and there is',
    );
    rmSync(join(folder, 'secret.key'));
    expect((await scenario.elsewhere(['restore', scenario.place])).code).toBe(0);
    expect((await scenario.elsewhere(['restore', scenario.place])).code).toBe(1);
  });

  it('is restored without damaged packages if that is asked for, but not without its database', async () => {
    const { backup } = await scenario.backUp();
    const folder = join(scenario.workshop.folder, 'restored');
    const objects = join(scenario.place, 'objects');
    const damage = (name: string) => {
      const file = join(objects, name);
      const altered = readFileSync(file);
      altered[0] = (altered[0] ?? 0) ^ 1;
      rmSync(file);
      writeFileSync(file, altered);
    };
    const [content = ''] = listFiles(objects).filter((name) => name.startsWith('contents'));
    damage(content);
    const refused = await scenario.elsewhere(['restore', scenario.place]);
    expect(refused).toMatchObject({
      code: 1,
      stderr: `taxiway: nothing was restored: ${content} was modified; "taxiway restore --leave-out-damaged" restores everything else\n`,
    });
    const restored = await scenario.elsewhere(['restore', scenario.place, '--leave-out-damaged', '--json']);
    expect(JSON.parse(restored.stdout)).toMatchObject({ backup, left_out: 1 });
    expect(restored.stderr).toContain('1 object damaged in the backup and not restored');
    expect(existsSync(join(folder, 'blobs/objects', scenario.key))).toBe(false);
    const { code, stdout } = await scenario.elsewhere(['verify', '--json']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('missing') });
    expect(existsSync(join(folder, 'taxiway.db'))).toBe(true);

    rmSync(folder, { recursive: true });
    damage(`backups/${backup}/database`);
    const hopeless = await scenario.elsewhere(['restore', scenario.place, '--leave-out-damaged']);
    expect(hopeless.stderr).toMatch(/^taxiway: nothing was restored: backups\/\S+\/database was modified\n$/);
    expect(existsSync(join(folder, 'taxiway.db'))).toBe(false);
    expect(await scenario.elsewhere(['restore', '--from-replica', '--leave-out-damaged'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--leave-out-damaged is for a backup, not for a replica'),
    });
  });

  it('is refused by an installation that is stopped without a lock file in it', async () => {
    await scenario.backUp();
    const folder = join(scenario.workshop.folder, 'restored');
    mkdirSync(folder);
    for (const name of ['taxiway.db', 'taxiway.db.lock', 'secret.key']) writeFileSync(join(folder, name), '');
    for (const words of [[scenario.place], ['--from-replica']]) {
      const env = {
        TAXIWAY_REPLICATION__TARGET: join(folder, 'replica'),
        TAXIWAY_REPLICATION__PROGRAM: process.execPath,
      };
      const refused = await scenario.elsewhere(['restore', ...words], env);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('the data folder must be empty') });
    }
    expect(readdirSync(folder).sort()).toEqual(['secret.key', 'taxiway.db', 'taxiway.db.lock']);
  });

  it('is restored with database and packages in folders of their own, but not beside anything else there', async () => {
    await scenario.backUp();
    const folder = join(scenario.workshop.folder, 'restored');
    const file = join(folder, 'database/taxiway.db');
    const env = { TAXIWAY_DATABASE__FILE: file, TAXIWAY_STORAGE__LOCAL__DIRECTORY: 'files/blobs' };
    mkdirSync(join(folder, 'database'), { recursive: true });
    for (const name of ['database/taxiway.db.audit-heads', 'database/notes.txt', 'files/notes.txt', 'files/blobs/x']) {
      mkdirSync(join(folder, 'files/blobs'), { recursive: true });
      writeFileSync(join(folder, name), '');
      const { code, stderr } = await scenario.elsewhere(['restore', scenario.place], env);
      expect([code, stderr]).toEqual([1, expect.stringContaining(join(folder, name.replace('/x', '')))]);
      rmSync(join(folder, name));
    }
    // An interrupted one starts over.
    writeFileSync(join(folder, 'files/blobs/half'), 'x');
    markRestoring(folder, { database: file, objects: join(folder, 'files/blobs') });
    expect((await scenario.elsewhere(['restore', scenario.place], env)).code).toBe(0);
    expect(readdirSync(join(folder, 'database')).filter((name) => !name.includes('.lock'))).toEqual(['taxiway.db']);
    expect(readFileSync(join(folder, 'files/blobs/objects', scenario.key))).toEqual(scenario.bytes);
    expect((await scenario.elsewhere(['verify', '--json'], env)).code).toBe(0);
  });

  it('is restored after a check, which leaves empty folders', async () => {
    await scenario.backUp();
    const folder = join(scenario.workshop.folder, 'restored');
    mkdirSync(folder);
    await scenario.elsewhere(['check']);
    expect(existsSync(join(folder, 'blobs/objects'))).toBe(true);
    expect(await scenario.elsewhere(['restore', scenario.place])).toMatchObject({ code: 0 });
    expect(readFileSync(join(folder, 'blobs/objects', scenario.key))).toEqual(scenario.bytes);
  });

  it('is restored with the database on another disk than the packages, but not beside parts of another one', async () => {
    const cache = join(import.meta.dirname, '../../.cache');
    mkdirSync(cache, { recursive: true });
    const otherDisk = mkdtempSync(join(cache, 'restored-'));
    onTestFinished(() => rmSync(otherDisk, { recursive: true, force: true }));
    if (statSync(otherDisk).dev === statSync(scenario.workshop.folder).dev)
      process.stdout.write('restore onto another disk: it is the disk of the temporary folder\n');
    await scenario.backUp();
    const file = join(otherDisk, 'taxiway.db');
    const env = { TAXIWAY_DATABASE__FILE: file };
    for (const part of [`${file}-wal`, `${file}.audit-heads`]) {
      writeFileSync(part, '');
      const { code, stderr } = await scenario.elsewhere(['restore', scenario.place], env);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`it contains ${part}`)]);
      rmSync(part);
    }
    expect((await scenario.elsewhere(['restore', scenario.place], env)).code).toBe(0);
    expect(readdirSync(otherDisk).filter((name) => !name.includes('.lock'))).toEqual(['taxiway.db']);
    expect((await scenario.elsewhere(['verify', '--json'], env)).code).toBe(0);
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
    const { backup: id } = await scenario.backUp();
    const { database, objects } = readManifest(id, readFileSync(join(scenario.place, 'objects', manifestName(id))));
    const mounted = mountDisk(512);
    if (typeof mounted === 'string') return skip(mounted);
    using disk = mounted;
    const folder = join(scenario.workshop.folder, 'restored');
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
      const { code, stderr } = await scenario.elsewhere(['restore', scenario.place], env);
      const reason = `the backup needs ${Math.ceil(needed / 1e6)} MB of free space in ${disk.folder}${at}`;
      expect([code, stderr]).toEqual([1, `taxiway: ${reason}\n`]);
      expect(existsSync(join(folder, '.restoring'))).toBe(false);
      expect(listFiles(disk.folder).filter((name) => !name.includes('.lock'))).toEqual([]);
      rmSync(folder, { recursive: true });
    }
    rmSync(join(disk.folder, 'database'), { recursive: true });
    disk.resize(20_000);
    const env = { TAXIWAY_STORAGE__LOCAL__DIRECTORY: disk.folder };
    expect(await scenario.elsewhere(['restore', scenario.place], env)).toMatchObject({ code: 0 });
    expect(readFileSync(join(disk.folder, 'objects', scenario.key))).toEqual(scenario.bytes);
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
        TAXIWAY_SERVER__DATA_DIR: join(scenario.workshop.folder, 'second'),
        TAXIWAY_STORAGE__LOCAL__DIRECTORY: join(folder, 'blobs'),
      }),
      reason: (folder: string) =>
        `another server or restore uses the storage folder ${join(folder, 'blobs')}; stop it, or set another storage.local.directory`,
    },
  ])('is restored by one command at a time $place', async ({ isLocked, other, reason, more, createsFolder }) => {
    await scenario.backUp();
    const sources = [scenario.place, ...more];
    const replica = { TAXIWAY_REPLICATION__TARGET: 'replica', TAXIWAY_REPLICATION__PROGRAM: '/bin/false' };
    const files = {
      first: join(scenario.workshop.folder, 'first/taxiway.db'),
      second: join(scenario.workshop.folder, 'second/taxiway.db'),
    };
    const config = {
      ...scenario.restoredConfig(),
      database: { ...scenario.restoredConfig().database, file: files.first },
    };
    const { data_dir: folder } = config.server;
    const opened = await openPlaceForReading(scenario.place, config, scenario.workshop.folder);
    const refused: unknown[] = [];
    const restored = await restoreBackup({
      config,
      place: {
        ...opened,
        async read(...words) {
          const env = { ...other(folder), TAXIWAY_DATABASE__FILE: files.second };
          if (isLocked(folder) && refused.length === 0) {
            for (const source of sources)
              refused.push(await scenario.elsewhere(['restore', source], { ...replica, ...env }));
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
    const { stdout } = await scenario.elsewhere(['verify', '--json'], { TAXIWAY_DATABASE__FILE: files.first });
    expect(JSON.parse(stdout)).toMatchObject({ ok: true });
  });

  it('is restored over an interrupted one only if no server uses the packages', async () => {
    await scenario.backUp();
    const folder = join(scenario.workshop.folder, 'restored');
    const packages = join(scenario.workshop.folder, 'packages');
    mkdirSync(folder);
    mkdirSync(packages);
    writeFileSync(join(packages, 'package'), 'x');
    markRestoring(folder, { database: join(folder, 'taxiway.db'), objects: packages });
    const env = { TAXIWAY_STORAGE__LOCAL__DIRECTORY: packages };
    const release = acquireLocks([{ lockFile: join(packages, 'server.lock'), name: 'a server' }]);
    const refused = await scenario.elsewhere(['restore', scenario.place], env);
    release();
    const reason = `another server or restore uses the storage folder ${packages}; stop it, or set another storage.local.directory`;
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: `taxiway: ${reason}\n` });
    expect(readFileSync(join(packages, 'package'), 'utf8')).toBe('x');
    expect((await scenario.elsewhere(['restore', scenario.place], env)).code).toBe(0);
    expect(existsSync(join(packages, 'package'))).toBe(false);
    expect(existsSync(join(packages, '.restoring'))).toBe(false);
  });

  it('is restored after one that was killed while it marked the packages', async () => {
    await scenario.backUp();
    const folder = join(scenario.workshop.folder, 'restored');
    const objects = join(folder, 'blobs');
    mkdirSync(folder);
    markRestoring(folder, { database: join(folder, 'taxiway.db'), objects });
    rmSync(join(objects, '.restoring'));
    writeFileSync(join(objects, '.restoring.0f3a.part'), 'the tok');
    expect((await scenario.elsewhere(['restore', scenario.place])).code).toBe(0);
    expect(readdirSync(objects).filter((name) => name.startsWith('.restoring'))).toEqual([]);
  });

  it('is not restored over packages of another installation, put where an interrupted restore had written', async () => {
    await scenario.backUp();
    const folder = join(scenario.workshop.folder, 'restored');
    const packages = join(scenario.workshop.folder, 'packages');
    mkdirSync(folder);
    markRestoring(folder, { database: join(folder, 'taxiway.db'), objects: packages });
    writeFileSync(join(packages, '.restoring'), 'the token of another restore');
    writeFileSync(join(packages, 'package'), 'x');
    const refused = await scenario.elsewhere(['restore', scenario.place], {
      TAXIWAY_STORAGE__LOCAL__DIRECTORY: packages,
    });
    const reason = `the data folder must be empty, but it contains ${packages}: move it away, or set another server.data_dir`;
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: `taxiway: ${reason}\n` });
    expect(readFileSync(join(packages, 'package'), 'utf8')).toBe('x');
  });

  it('refuses a server that would use the packages while it writes them', async () => {
    await scenario.backUp();
    const config = scenario.restoredConfig();
    const { data_dir: folder } = config.server;
    const opened = await openPlaceForReading(scenario.place, config, scenario.workshop.folder);
    const settings = {
      server: { data_dir: join(scenario.workshop.folder, 'second'), port: 0 },
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
    await scenario.backUp();
    const config = scenario.restoredConfig();
    const folder = config.server.data_dir;
    const written = join(folder, 'blobs/objects/another');
    const restoring = restoreBackup({
      config,
      place: await openPlaceForReading(scenario.place, config, scenario.workshop.folder),
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
    const created = await scenario.workshop.run(['backup', scenario.place, '--json'], {
      env: { TAXIWAY_SERVER__DATA_DIR: dataDir, TAXIWAY_LOG__LEVEL: 'silent', ...env },
    });
    expect(JSON.parse(created.stdout)).toMatchObject({ has_secret_key: false });
    expect(listFiles(scenario.place).filter((name) => name.includes('secret'))).toEqual([]);
    const refused = await scenario.elsewhere(['restore', scenario.place]);
    expect(refused.stderr).toContain('the backup has no secret key');
    expect(existsSync(join(scenario.workshop.folder, 'restored/taxiway.db'))).toBe(false);
    cpSync(join(dataDir, 'secret.key'), join(scenario.workshop.folder, 'restored/secret.key'));
    expect((await scenario.elsewhere(['restore', scenario.place])).code).toBe(0);
  });
});

describe('an interrupted restore', () => {
  it('is no installation, and the next one starts over', async () => {
    await scenario.backUp();
    const folder = join(scenario.workshop.folder, 'restored');
    mkdirSync(join(folder, 'blobs/objects/half'), { recursive: true });
    writeFileSync(join(folder, 'blobs/objects/half/done'), 'x');
    const begun = { database: join(folder, 'taxiway.db'), objects: join(folder, 'blobs') };
    // With other folders, these may be anyone's.
    for (const other of [
      { ...begun, objects: '/elsewhere' },
      { ...begun, database: '/elsewhere/taxiway.db' },
    ]) {
      markRestoring(folder, other);
      const { code, stderr } = await scenario.elsewhere(['restore', scenario.place]);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`wrote to ${other.database} and ${other.objects}:`)]);
    }
    for (const unknown of ['', 'null', '{"database":1}']) {
      writeFileSync(join(folder, '.restoring'), unknown);
      expect((await scenario.elsewhere(['restore', scenario.place])).stderr).toContain('wrote to other folders:');
    }
    expect(existsSync(join(folder, 'blobs/objects/half/done'))).toBe(true);
    markRestoring(folder, begun);
    expect((await scenario.elsewhere(['restore', scenario.place])).code).toBe(0);
    expect(existsSync(join(folder, 'blobs/objects/half'))).toBe(false);
    expect(existsSync(join(folder, '.restoring'))).toBe(false);
    // The mark of a restore that was complete deletes nothing, and what opens the database for writing removes it.
    for (const command of [
      ['sweep', 'reservations'],
      ['backup', join(scenario.workshop.folder, 'another')],
      ['migrate'],
    ]) {
      writeFileSync(join(folder, '.restoring'), '');
      expect((await scenario.elsewhere(['restore', scenario.place])).code).toBe(1);
      expect(readFileSync(join(folder, 'blobs/objects', scenario.key))).toEqual(scenario.bytes);
      expect((await scenario.elsewhere(command)).code).toBe(0);
      expect(existsSync(join(folder, '.restoring')), command.join(' ')).toBe(false);
    }
  });
});

describe('an interrupted restore into a folder of packages that is', () => {
  /** Restores over what an interrupted one left there, and expects the folder to have nothing else. */
  async function restoreAgain(folder: string): Promise<void> {
    await scenario.backUp();
    const dataDir = join(scenario.workshop.folder, 'restored');
    mkdirSync(join(folder, 'objects/half'), { recursive: true });
    writeFileSync(join(folder, 'objects/half/done'), 'x');
    mkdirSync(dataDir);
    markRestoring(dataDir, { database: join(dataDir, 'taxiway.db'), objects: folder });
    const env = { TAXIWAY_STORAGE__LOCAL__DIRECTORY: folder };
    expect(await scenario.elsewhere(['restore', scenario.place], env)).toMatchObject({ code: 0 });
    expect(existsSync(join(folder, 'objects/half'))).toBe(false);
    expect(readFileSync(join(folder, 'objects', scenario.key))).toEqual(scenario.bytes);
  }

  it('a link leaves the link', async () => {
    const target = join(scenario.workshop.folder, 'target');
    const link = join(scenario.workshop.folder, 'link');
    mkdirSync(target);
    symlinkSync(target, link);
    await restoreAgain(link);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(target, 'objects', scenario.key))).toEqual(scenario.bytes);
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
