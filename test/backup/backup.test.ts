// taxiway backup and verify PLACE, against a server that runs.
import { createHash } from 'node:crypto';
import fs, {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { manifestName, readManifest } from '../../src/backup/format.ts';
import { backupLock } from '../../src/backup/lock.ts';
import { checkBackups } from '../../src/checks/backups.ts';
import { databaseBytes } from '../../src/data/database-size.ts';
import { formatBytes } from '../../src/lib/formats.ts';
import { acquireLocks } from '../../src/runtime/lock.ts';
import { createServer } from '../../src/server.ts';
import { uploadAnswer } from '../builds/scenario.ts';
import { CRASH_KILLS } from '../crash/random.ts';
import { sendFromApp } from '../feedback/scenario.ts';
import { startSdkScenario } from '../sdk/scenario.ts';
import { buildApk, buildPng } from '../support/fixtures.ts';
import { mountDisk } from '../support/memory-disk.ts';
import { unpackDatabase } from '../upgrades/released.ts';
import { type BackupScenario, listFiles, startBackupScenario } from './scenario.ts';

let scenario: BackupScenario;
beforeEach(async () => {
  scenario = await startBackupScenario();
});
afterEach(() => scenario[Symbol.asyncDispose]());
afterEach(() => vi.unstubAllEnvs());

describe('a backup', () => {
  it('has the database, every object and the secret key, and a second one writes only what is new', async () => {
    const first = await scenario.backUp();
    expect(first).toMatchObject({ missing: 0, elsewhere: 0, has_secret_key: true, deleted: 0, warnings: [] });
    const before = scenario.contentsOf();
    expect(before.length).toBeGreaterThanOrEqual(2);
    const second = await scenario.backUp();
    expect(second.objects).toBe(first.objects);
    expect(scenario.contentsOf()).toEqual(before);
    expect(second.added_bytes).toBeLessThan(first.added_bytes);
    const other = buildApk({ versionCode: 7 });
    await uploadAnswer(scenario.ci, scenario.android, other);
    const third = await scenario.backUp();
    expect(third.objects).toBeGreaterThan(first.objects);
    expect(third.added_bytes).toBeGreaterThanOrEqual(other.length);
    const { stdout } = await scenario.workshop.run(['backup', scenario.place, '--list', '--json']);
    expect(JSON.parse(stdout).map((one: { backup: string; state: string }) => [one.backup, one.state])).toEqual(
      [first, second, third].map(({ backup }) => [backup, 'complete']),
    );
    expect(existsSync(join(scenario.fixture.config.server.data_dir, 'secret.key'))).toBe(true);
  });

  it('can be verified, tried and restored, and a server continues with it', async () => {
    const { backup: id, objects, total_bytes: size } = await scenario.backUp();
    const verified = await scenario.workshop.run(['verify', scenario.place, '--json']);
    expect(verified.code).toBe(0);
    expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, problems: [] });
    const drill = await scenario.workshop.run(['backup', scenario.place, '--drill', '--json']);
    expect(JSON.parse(drill.stdout)).toMatchObject({ objects, bytes: size });
    const shown = `${objects} objects, ${formatBytes(size, 'en')}`;
    const listed = await scenario.workshop.run(['backup', scenario.place, '--list']);
    expect(listed.stdout).toBe(`${id}  complete  ${shown}\n`);
    const tried = await scenario.workshop.run(['backup', scenario.place, '--drill']);
    expect(tried.stdout).toBe(`backup ${id} restored into a temporary folder, compared and deleted: ${shown}\n`);
    const { data_dir: dataDir } = scenario.fixture.config.server;
    expect(readdirSync(dataDir).filter((name) => name.startsWith('.drill') || name.startsWith('.taxiway'))).toEqual([]);
    const restored = await scenario.elsewhere(['restore', scenario.place, '--json']);
    expect(restored.code).toBe(0);
    expect(JSON.parse(restored.stdout)).toMatchObject({ objects, bytes: size });
    const folder = join(scenario.workshop.folder, 'restored');
    expect(readdirSync(folder).filter((name) => !name.endsWith('.audit-heads'))).toEqual([
      'backup.lock',
      'blobs',
      'secret.key',
      'taxiway.db',
      'taxiway.db.lock',
    ]);
    expect(readFileSync(join(folder, 'blobs/objects', scenario.key))).toEqual(scenario.bytes);
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
      const answer = await fetch(`${server.url}/api/v1/builds/${scenario.build.identifier}/download`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(answer.status).toBe(200);
    } finally {
      await server.stop();
    }
    const check = await scenario.elsewhere(['verify', '--json']);
    expect(JSON.parse(check.stdout)).toMatchObject({ packages: { checked: 1, problems: [] } });
  });

  it('has the pictures of feedback, which are restored with it', async () => {
    const { fixture } = scenario;
    const sdk = await startSdkScenario(fixture);
    await sdk.release('1.4.0', 77);
    const { update_token: token } = await sdk.enroll();
    const before = await scenario.backUp();
    const sent = await sendFromApp(sdk, fixture, token, { text: 'It crashes', pictures: [buildPng(4, 3)] });
    expect(sent.status, sent.text).toBe(201);
    expect((await scenario.backUp()).objects).toBe(before.objects + 1);
    expect((await scenario.workshop.run(['backup', scenario.place, '--drill'])).code).toBe(0);
    expect((await scenario.elsewhere(['restore', scenario.place])).code).toBe(0);
    const key =
      fixture.app.db.$client.prepare<[], string>('SELECT image_key FROM feedback_pictures').pluck().get() ?? '';
    const stored = readFileSync(join(fixture.config.storage.local.directory, 'objects', key));
    expect(readFileSync(join(scenario.workshop.folder, 'restored/blobs/objects', key))).toEqual(stored);
  });

  it('has what is in the folder from before a bucket was configured', async () => {
    const { objects } = await scenario.backUp();
    const env = {
      TAXIWAY_SERVER__DATA_DIR: scenario.fixture.config.server.data_dir,
      TAXIWAY_LOG__LEVEL: 'silent',
      TAXIWAY_STORAGE__BACKEND: 's3',
      // No service responds there.
      TAXIWAY_STORAGE__S3__ENDPOINT: 'http://127.0.0.1:1',
      TAXIWAY_STORAGE__S3__FORCE_PATH_STYLE: 'true',
      TAXIWAY_STORAGE__S3__BUCKET: 'bucket',
      TAXIWAY_STORAGE__S3__ACCESS_KEY_ID: 'a',
      TAXIWAY_STORAGE__S3__SECRET_ACCESS_KEY: 'b',
    };
    const backUp = async () => {
      const { code, stdout, stderr } = await scenario.workshop.run(['backup', scenario.place, '--json'], { env });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return JSON.parse(stdout);
    };
    expect(await backUp()).toMatchObject({ objects, elsewhere: 0, missing: 0 });
    // What isn't in the folder may be in the bucket.
    rmSync(join(scenario.fixture.config.storage.local.directory, 'objects', scenario.key));
    expect(await backUp()).toMatchObject({ objects: objects - 1, elsewhere: 1, missing: 0 });
  });

  it('is kept instead of one that was made while the clock was ahead', async () => {
    const env = {
      TAXIWAY_SERVER__DATA_DIR: scenario.fixture.config.server.data_dir,
      TAXIWAY_LOG__LEVEL: 'silent',
      TAXIWAY_BACKUP__KEEP: '1',
    };
    const ahead = { env, now: () => Date.now() + 400 * 86_400_000 };
    expect((await scenario.workshop.run(['backup', scenario.place], ahead)).code).toBe(0);
    const { stdout } = await scenario.workshop.run(['backup', scenario.place, '--json'], { env });
    const made = JSON.parse(stdout);
    expect(made.deleted).toBe(1);
    const list = await scenario.workshop.run(['backup', scenario.place, '--list', '--json'], { env });
    expect(JSON.parse(list.stdout).map((one: { backup: string }) => one.backup)).toEqual([made.backup]);
  });

  it('is the newest one beside one that was made while the clock was ahead', async () => {
    const env = { TAXIWAY_SERVER__DATA_DIR: scenario.fixture.config.server.data_dir, TAXIWAY_LOG__LEVEL: 'silent' };
    const ahead = { env, now: () => Date.now() + 400 * 86_400_000 };
    expect((await scenario.workshop.run(['backup', scenario.place], ahead)).code).toBe(0);
    const { stdout } = await scenario.workshop.run(['backup', scenario.place, '--json'], { env });
    const verified = await scenario.workshop.run(['verify', scenario.place, '--json']);
    expect(JSON.parse(verified.stdout).backup).toBe(JSON.parse(stdout).backup);
  });

  it('is kept if the clock was set back while it was created', async () => {
    const env = {
      TAXIWAY_SERVER__DATA_DIR: scenario.fixture.config.server.data_dir,
      TAXIWAY_LOG__LEVEL: 'silent',
      TAXIWAY_BACKUP__KEEP: '1',
    };
    await scenario.backUp();
    const isMade = () => listFiles(scenario.place).filter((name) => name.endsWith('/manifest')).length > 1;
    const now = () => Date.now() + (isMade() ? 0 : 60_000);
    const { stdout } = await scenario.workshop.run(['backup', scenario.place, '--json'], { env, now });
    const list = await scenario.workshop.run(['backup', scenario.place, '--list', '--json'], { env });
    expect(JSON.parse(list.stdout).map((one: { backup: string }) => one.backup)).toEqual([JSON.parse(stdout).backup]);
  });

  it('deletes what a killed one has written of a file, after two days', async () => {
    const env = { TAXIWAY_SERVER__DATA_DIR: scenario.fixture.config.server.data_dir, TAXIWAY_LOG__LEVEL: 'silent' };
    const at = (days: number) => ({ env, now: () => Date.now() + days * 86_400_000 });
    await scenario.backUp();
    const part = join(scenario.place, 'incoming/4711-1');
    writeFileSync(part, 'half of a package');
    expect((await scenario.workshop.run(['backup', scenario.place], at(1))).code).toBe(0);
    expect(existsSync(part)).toBe(true);
    expect((await scenario.workshop.run(['backup', scenario.place], at(3))).code).toBe(0);
    expect(existsSync(part)).toBe(false);
    expect((await scenario.workshop.run(['verify', scenario.place])).code).toBe(0);
  });

  it('reports objects that are missing or damaged on the server, and has everything else', async () => {
    const { config } = scenario.fixture;
    const file = join(config.storage.local.directory, 'objects', scenario.key);
    rmSync(file);
    const missing = await scenario.workshop.run(['backup', scenario.place, '--json']);
    expect(missing).toMatchObject({ code: 0, stderr: `package ${scenario.key} is missing on the server\n` });
    expect(JSON.parse(missing.stdout)).toMatchObject({ missing: 1 });
    writeFileSync(file, Buffer.alloc(scenario.bytes.length, 7));
    const damaged = await scenario.workshop.run(['backup', scenario.place, '--json']);
    expect(damaged.stderr).toBe(`package ${scenario.key} is damaged on the server; the backup has it as it is\n`);
    expect((await scenario.workshop.run(['verify', scenario.place])).code).toBe(0);
    expect((await scenario.workshop.run(['backup', scenario.place, '--drill'])).code).toBe(0);
  });

  it('keeps the newest ones, and deletes contents that no backup needs after two days', async () => {
    const env = {
      TAXIWAY_SERVER__DATA_DIR: scenario.fixture.config.server.data_dir,
      TAXIWAY_LOG__LEVEL: 'silent',
      TAXIWAY_BACKUP__KEEP: '2',
    };
    const day = 86_400_000;
    const at = (days: number) => ({ env, now: () => Date.now() + days * day });
    await scenario.workshop.run(['backup', scenario.place], at(0));
    const first = scenario.contentsOf();
    expect((await scenario.admin.delete(`/api/v1/builds/${scenario.build.identifier}`)).status).toBe(204);
    await scenario.workshop.run(['backup', scenario.place], at(1));
    const third = JSON.parse((await scenario.workshop.run(['backup', scenario.place, '--json'], at(1.5))).stdout);
    expect(third.deleted).toBe(1);
    expect(scenario.contentsOf()).toEqual(first);
    await scenario.workshop.run(['backup', scenario.place], at(5));
    expect(scenario.contentsOf().length).toBeLessThan(first.length);
    const { stdout } = await scenario.workshop.run(['backup', scenario.place, '--list', '--json'], at(5));
    expect(JSON.parse(stdout)).toHaveLength(2);
    expect((await scenario.workshop.run(['verify', scenario.place])).code).toBe(0);
    // One that fails makes room for the next one.
    const left = join(scenario.place, 'objects/backups/20260101T000000.000Z-00000000');
    mkdirSync(left);
    writeFileSync(join(left, 'database'), 'incomplete');
    const real = fs.statfsSync;
    fs.statfsSync = (() => ({ bavail: 0, bsize: 1 })) as unknown as typeof fs.statfsSync;
    syncBuiltinESMExports();
    onTestFinished(() => {
      fs.statfsSync = real;
      syncBuiltinESMExports();
    });
    const failed = await scenario.workshop.run(['backup', scenario.place], {
      env: { ...env, TAXIWAY_BACKUP__KEEP: '1' },
      now: () => Date.now() + 5 * day,
    });
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('MB of free space') });
    expect(readdirSync(join(scenario.place, 'objects/backups'))).toHaveLength(1);
    expect((await scenario.workshop.run(['verify', scenario.place])).code).toBe(0);
  });

  it('is created although an old one cannot be deleted, which is a warning', async () => {
    const env = {
      TAXIWAY_SERVER__DATA_DIR: scenario.fixture.config.server.data_dir,
      TAXIWAY_LOG__LEVEL: 'silent',
      TAXIWAY_BACKUP__KEEP: '1',
    };
    const run = async () => {
      const { code, stdout } = await scenario.workshop.run(['backup', scenario.place, '--json'], { env });
      return { code, ...JSON.parse(stdout) };
    };
    await run();
    const second = await run();
    expect(second).toMatchObject({ deleted: 1, warnings: [] });
    const { unlink } = fs.promises;
    const refuse = vi
      .spyOn(fs.promises, 'unlink')
      .mockImplementation((path) =>
        String(path).endsWith('/manifest') ? Promise.reject(new Error('not permitted')) : unlink(path),
      );
    onTestFinished(() => refuse.mockRestore());
    const third = await run();
    expect(third).toMatchObject({
      code: 0,
      deleted: 0,
      warnings: [`backups/${second.backup}/manifest wasn't deleted: the storage is unavailable: not permitted`],
    });
    refuse.mockRestore();
    const { readdir } = fs.promises;
    let lists = 0;
    const fail = vi.spyOn(fs.promises, 'readdir').mockImplementation(((path: string, options: object) => {
      if (path.endsWith('/backups/')) lists += 1;
      return lists < 2 ? readdir(path, options) : Promise.reject(new Error('disk failed'));
    }) as typeof readdir);
    onTestFinished(() => fail.mockRestore());
    expect(await run()).toMatchObject({
      code: 0,
      deleted: 0,
      warnings: ["old backups weren't deleted: the storage is unavailable: disk failed"],
    });
    fail.mockRestore();
    expect(await run()).toMatchObject({ code: 0, deleted: 3, warnings: [] });
  });

  it('is never deleted by another server that uses the same place', async () => {
    const { backup: first } = await scenario.backUp();
    await scenario.elsewhere(['migrate']);
    const other = async () => {
      const { stdout } = await scenario.elsewhere(['backup', scenario.place, '--json'], { TAXIWAY_BACKUP__KEEP: '1' });
      return JSON.parse(stdout);
    };
    const warnings = ["the place has backups of other servers, which weren't deleted: 1"];
    expect(await other()).toMatchObject({ deleted: 0, warnings });
    expect(await other()).toMatchObject({ deleted: 1, warnings });
    const { stdout } = await scenario.workshop.run(['backup', scenario.place, '--list', '--json']);
    expect(JSON.parse(stdout).map(({ backup }: { backup: string }) => backup)).toContain(first);
    expect((await scenario.workshop.run(['verify', scenario.place, '--backup', first])).code).toBe(0);
  });

  it('runs alone, and never into the folder of the packages', async () => {
    const { config } = scenario.fixture;
    const release = acquireLocks([backupLock(config)]);
    const refused = await scenario.workshop.run(['backup', scenario.place]);
    release();
    expect(refused).toMatchObject({
      code: 1,
      stderr: `taxiway: another backup, a drill or a restore uses ${config.server.data_dir}: try again when it has ended\n`,
    });
    const inside = await scenario.workshop.run(['backup', join(config.storage.local.directory, 'backups')]);
    expect(inside.code).toBe(1);
    expect(inside.stderr).toContain("can't have backups");
    expect(
      (await scenario.workshop.run(['backup', join(scenario.workshop.folder, 'none'), '--list'])).stderr,
    ).toContain('has no backups');
    // What can't be read may have backups.
    const loop = join(scenario.workshop.folder, 'loop');
    symlinkSync(loop, loop);
    for (const command of [['backup', '--list'], ['backup', '--drill'], ['verify'], ['restore']]) {
      expect(await scenario.workshop.run([...command, loop])).toMatchObject({
        code: 1,
        stderr: `taxiway: ${loop} can't be read (ELOOP)\n`,
      });
    }
    expect((await scenario.workshop.run(['verify', scenario.place, '--backup', '../x'])).code).toBe(1);
  });
});

describe('the command of a backup', () => {
  it('takes a folder, a file or an address of a bucket', async () => {
    for (const place of ['gs://bucket/x', 's3://', 's3:///taxiway', '']) {
      for (const command of ['backup', 'verify', 'restore']) {
        const { code, stderr } = await scenario.workshop.run([command, place]);
        expect({ code, stderr }, `${command} ${place}`).toEqual({
          code: 2,
          stderr: expect.stringContaining(
            'It must be a folder, a file that ends with .backup, or an address such as s3://bucket/taxiway.',
          ),
        });
      }
    }
    expect(readdirSync(scenario.workshop.folder)).not.toContain('gs:');
    const env = { TAXIWAY_SERVER__DATA_DIR: scenario.fixture.config.server.data_dir };
    const ofAddress = await scenario.workshop.run(['backup', 's3://bucket'], {
      env: { ...env, TAXIWAY_BACKUP__S3__ENDPOINT: 'http://127.0.0.1:9' },
    });
    expect(ofAddress.stderr).toBe(
      'taxiway: set backup.s3.force_path_style to true, because backup.s3.endpoint is an IP address\n',
    );
    const withoutSecret = await scenario.workshop.run(['backup', 's3://bucket'], {
      env: { ...env, TAXIWAY_BACKUP__S3__ACCESS_KEY_ID: 'id' },
    });
    expect(withoutSecret.stderr).toBe(
      'taxiway: set both backup.s3.access_key_id and backup.s3.secret_access_key, or neither\n',
    );
  });

  it('refuses options that would have no effect', async () => {
    const { place } = scenario;
    const refused: [words: string[], why: string][] = [
      [['verify', '--backup', '20260301T030000.000Z-1f2e3d4c'], '--backup is for a backup: name its place too'],
      [['verify', '--identity', 'key.txt'], '--identity is for a backup: name its place too'],
      [['verify', '--repair'], '--repair is for a backup: name its place too'],
      [['verify', place, '--repair', '--backup', '20260301T030000.000Z-1f2e3d4c'], '--repair is for the newest backup'],
      [['verify', place, '--no-packages'], '--no-packages is for the audit trail, not for a backup'],
      [['verify', place, '--head', `a:1:${'0'.repeat(64)}`], '--head is for the audit trail, not for a backup'],
      [['backup', place, '--list', '--drill'], '--drill: use either this or --list'],
      [['backup', place, '--identity', 'key.txt'], '--identity is for --drill'],
    ];
    for (const [words, why] of refused) {
      const { code, stderr } = await scenario.workshop.run(words);
      expect({ code, stderr }, words.join(' ')).toEqual({ code: 2, stderr: expect.stringContaining(why) });
    }
  });

  it('names the place that cannot be written', async ({ skip }) => {
    const mounted = mountDisk(1024);
    if (typeof mounted === 'string') return skip(mounted);
    using disk = mounted;
    const inside = (name: string) => join(disk.folder, name);
    for (const name of ['folder', 'one.backup']) {
      expect((await scenario.workshop.run(['backup', inside(name)])).code).toBe(0);
    }
    disk.fill();
    expect(await scenario.workshop.run(['backup', inside('two.backup')])).toMatchObject({
      code: 1,
      stderr: `taxiway: ${inside('two.backup')} can't be written: database or disk is full\n`,
    });
    disk.protect();
    expect(await scenario.workshop.run(['backup', inside('folder')])).toMatchObject({
      code: 1,
      stderr: `taxiway: ${inside('folder')} can't be written: EROFS: read-only file system, chmod '${inside('folder/objects')}'\n`,
    });
    expect(await scenario.workshop.run(['backup', inside('one.backup')])).toMatchObject({
      code: 1,
      stderr: `taxiway: ${inside('one.backup')} can't be written: attempt to write a readonly database\n`,
    });
  });

  it('reads a copy without its empty folders, and creates none in it', async () => {
    await scenario.backUp();
    for (const name of ['incoming', 'seals']) rmSync(join(scenario.place, name), { recursive: true });
    for (const command of [['backup', '--list'], ['verify'], ['backup', '--drill']]) {
      expect(await scenario.workshop.run([...command, scenario.place])).toMatchObject({ code: 0, stderr: '' });
    }
    expect((await scenario.elsewhere(['restore', scenario.place])).code).toBe(0);
    expect(readdirSync(scenario.place)).toEqual(['objects']);
    await scenario.backUp();
  });

  it('verifies without a folder for temporary files', async () => {
    await scenario.backUp();
    vi.stubEnv('TMPDIR', join(scenario.workshop.folder, 'none'));
    expect(await scenario.workshop.run(['verify', scenario.place])).toMatchObject({ code: 0, stderr: '' });
    expect(await scenario.elsewhere(['verify', scenario.place])).toMatchObject({
      code: 1,
      stderr: `taxiway: a temporary file can be written neither to ${scenario.workshop.folder}/none nor to ${scenario.workshop.folder}/restored\n`,
    });
  });

  it('refuses the database of an earlier version', async () => {
    const folder = join(scenario.workshop.folder, 'earlier');
    unpackDatabase('0.2.0.db.gz', folder);
    const env = { TAXIWAY_SERVER__DATA_DIR: folder, TAXIWAY_LOG__LEVEL: 'silent' };
    const { code, stderr } = await scenario.workshop.run(['backup', scenario.place], { env });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^taxiway: the database has \d+ pending migrations: create the backup with the version that wrote it, or run "taxiway migrate" first\n$/,
      ),
    });
  });

  it('is only tried if the reserve of the disk stays free for the server', async () => {
    const { backup } = await scenario.backUp();
    const manifest = readManifest(backup, readFileSync(join(scenario.place, 'objects', manifestName(backup))));
    const needed = manifest.objects.bytes + manifest.database.plain_size;
    const reserve = 1024 ** 3;
    const real = fs.statfsSync;
    let free = 0;
    fs.statfsSync = (() => ({ bavail: free, bsize: 1, blocks: 100 * reserve })) as unknown as typeof fs.statfsSync;
    syncBuiltinESMExports();
    onTestFinished(() => {
      fs.statfsSync = real;
      syncBuiltinESMExports();
    });
    free = needed + reserve;
    const refused = await scenario.workshop.run(['backup', scenario.place, '--drill']);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(`the backup needs ${Math.ceil((needed + reserve) / 1e6)} MB of free space in `);
    free += 1;
    expect((await scenario.workshop.run(['backup', scenario.place, '--drill'])).code).toBe(0);
    // A restore has the disk for itself.
    free = needed + 1;
    expect((await scenario.elsewhere(['restore', scenario.place])).code).toBe(0);
  });

  it('needs room for a copy of the database with what is in its log', async () => {
    const { config, app } = scenario.fixture;
    app.db.$client.exec('CREATE TABLE filler (bytes BLOB) STRICT; INSERT INTO filler VALUES (zeroblob(2000000))');
    const bytes = databaseBytes(app.db.$client) * 1.1;
    expect(bytes).toBeGreaterThan(statSync(config.database.file).size * 1.1 + 1_000_000);
    const real = fs.statfsSync;
    fs.statfsSync = (() => ({ bavail: bytes - 1_000_000, bsize: 1 })) as unknown as typeof fs.statfsSync;
    syncBuiltinESMExports();
    onTestFinished(() => {
      fs.statfsSync = real;
      syncBuiltinESMExports();
    });
    expect(await scenario.workshop.run(['backup', scenario.place])).toMatchObject({
      code: 1,
      stderr: `taxiway: a backup needs ${Math.ceil(bytes / 1e6)} MB of free space in ${config.server.data_dir}\n`,
    });
  });

  it('is one to the configured place, however that is written', async () => {
    const { config, app, clock } = scenario.fixture;
    const { data_dir: dataDir } = config.server;
    await scenario.workshop.run(['backup', 'backups/'], { cwd: dataDir });
    expect(checkBackups(config, app.db.$client, clock.now())).toMatchObject([{ code: 'backup_recent' }]);
  });
});

describe('the files of a backup', () => {
  it('are readable by their owner only, also in a folder that others can read', async () => {
    mkdirSync(scenario.place, { mode: 0o755 });
    await scenario.backUp();
    expect(statSync(join(scenario.place, 'objects')).mode & 0o777).toBe(0o700);
    scenario.place = join(scenario.workshop.folder, 'all.backup');
    await scenario.backUp();
    expect(statSync(scenario.place).mode & 0o777).toBe(0o600);
    scenario.place = join(scenario.workshop.folder, 'new');
    await scenario.backUp();
    expect(statSync(scenario.place).mode & 0o777).toBe(0o700);
  });

  it('belong to the account of the server, also if root creates them beside its own', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only root can give files to other accounts');
    const { data_dir: dataDir } = scenario.fixture.config.server;
    const accounts: unknown[] = [];
    const run = (place: string) =>
      scenario.workshop.run(['backup', place], { becomeAccount: ({ uid, gid }) => accounts.push([uid, gid]) });
    chownSync(dataDir, 4321, 4322);
    const ofRoot = await run(scenario.place);
    expect([ofRoot.code, accounts]).toEqual([0, []]);
    const { uid, gid } = statSync(join(dataDir, 'backup.lock'));
    expect([uid, gid]).toEqual([4321, 4322]);
    chownSync(scenario.workshop.folder, 4321, 4322);
    for (const place of [join(scenario.workshop.folder, 'new/folder'), join(dataDir, 'backups')]) await run(place);
    expect(accounts).toEqual([
      [4321, 4322],
      [4321, 4322],
    ]);
  });

  it('that root restored into a folder of another account come with the command that gives them to it', async ({
    skip,
  }) => {
    if (process.getuid?.() !== 0) skip('only root can give files to other accounts');
    await scenario.backUp();
    const folder = join(scenario.workshop.folder, 'restored');
    mkdirSync(folder);
    chownSync(folder, 4321, 4322);
    const { code, stderr } = await scenario.elsewhere(['restore', scenario.place]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        `the restored files belong to root, and ${folder} doesn't: run "chown -R 4321:4322 ${folder}"\n` +
        'run "taxiway check" before starting the server\n',
    });
  });

  it('name nothing outside of the place', async () => {
    const { backup } = await scenario.backUp();
    const file = join(scenario.place, 'objects/backups', backup, 'manifest');
    const [json = ''] = readFileSync(file, 'utf8').split(/\n[0-9a-f]{64}\n$/);
    for (const name of ['../../../secret.key', '/etc/passwd', 'a/../../b']) {
      const altered = json.replace(`backups/${backup}/database`, name);
      const sum = createHash('sha256').update(altered).digest('hex');
      rmSync(file);
      writeFileSync(file, `${altered}\n${sum}\n`);
      const { code, stderr } = await scenario.workshop.run(['verify', scenario.place]);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `taxiway: the manifest of the backup ${backup} can't be read by this version\n`,
      });
    }
  });
});

describe('a backup in one file', () => {
  it('is created, extended, verified and restored like one in a folder', async () => {
    scenario.place = join(scenario.workshop.folder, 'all.backup');
    const first = await scenario.backUp();
    const second = await scenario.backUp();
    expect(second.added_bytes).toBeLessThan(first.added_bytes);
    expect(statSync(scenario.place).isFile()).toBe(true);
    expect((await scenario.workshop.run(['verify', scenario.place])).code).toBe(0);
    expect((await scenario.elsewhere(['restore', scenario.place])).code).toBe(0);
    expect(readFileSync(join(scenario.workshop.folder, 'restored/blobs/objects', scenario.key))).toEqual(
      scenario.bytes,
    );
    const original = readFileSync(scenario.place);
    for (const text of ['AndroidManifest', '"format"']) {
      const altered = Buffer.from(original);
      // Also in the unused space of pages.
      for (let at = altered.indexOf(text); at >= 0; at = altered.indexOf(text)) altered[at] = 0x21;
      writeFileSync(scenario.place, altered);
      const codes = [first, second].map(
        async ({ backup }) => (await scenario.workshop.run(['verify', scenario.place, '--backup', backup])).code,
      );
      expect(await Promise.all(codes), text).toEqual([1, 1]);
    }
  });

  it('is read and restored after a power cut during a later backup', async () => {
    scenario.place = join(scenario.workshop.folder, 'all.backup');
    const { backup } = await scenario.backUp();
    const cut = cutInTransaction(scenario.place, join(scenario.workshop.folder, 'cut.backup'));
    for (const command of ['--list', 'verify', '--drill', 'restore']) {
      const place = cut(command);
      const words = command.startsWith('--') ? ['backup', place, command] : [command, place];
      const run = command === 'restore' ? scenario.elsewhere(words) : scenario.workshop.run(words);
      const { code, stdout } = await run;
      expect({ code, stdout }, command).toEqual({ code: 0, stdout: expect.stringContaining(backup) });
      expect(existsSync(`${place}-journal`), command).toBe(false);
    }
  });

  it('with an unfinished backup is refused with what it needs if it can only be read', async () => {
    scenario.place = join(scenario.workshop.folder, 'all.backup');
    await scenario.backUp();
    // What can't be rolled back: as root, files can be written whatever their permissions are.
    mkdirSync(`${scenario.place}-journal`);
    const { code, stderr } = await scenario.workshop.run(['verify', scenario.place]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining(
        `taxiway: ${scenario.place} has an unfinished backup: make it writable, and keep its -journal beside it: `,
      ),
    });
  });

  it('is rejected if the file is of another kind', async () => {
    scenario.place = join(scenario.workshop.folder, 'notes.txt');
    writeFileSync(scenario.place, 'notes');
    for (const words of [['backup'], ['backup', '--list'], ['backup', '--drill'], ['verify'], ['restore']]) {
      const run = words[0] === 'restore' ? scenario.elsewhere : scenario.workshop.run;
      const { code, stderr } = await run([...words, scenario.place]);
      expect({ code, stderr }, words.join(' ')).toEqual({
        code: 1,
        stderr: `taxiway: ${scenario.place} isn't an archive of backups: file is not a database\n`,
      });
    }
    expect(readFileSync(scenario.place, 'utf8')).toBe('notes');
  });

  it("names the file that can't be created", async () => {
    const { folder } = scenario.workshop;
    mkdirSync(join(folder, 'folder.backup'));
    const reasons = {
      'none/all.backup': 'Cannot open database because the directory does not exist',
      'folder.backup': "it's a folder",
    };
    for (const [name, reason] of Object.entries(reasons)) {
      const { code, stderr } = await scenario.workshop.run(['backup', join(folder, name)]);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `taxiway: the archive ${join(folder, name)} can't be opened: ${reason}\n`,
      });
    }
  });
});

/** Returns a function that writes an archive as a power cut during a transaction leaves it, with its journal. */
function cutInTransaction(archive: string, copy: string): (name: string) => string {
  const client = new Sqlite(archive);
  // Pages are written to the file before the transaction ends.
  client.pragma('cache_size = 5');
  client.exec('BEGIN IMMEDIATE');
  client.exec('DELETE FROM pieces');
  const [content, journal] = [archive, `${archive}-journal`].map((file) => readFileSync(file));
  client.exec('ROLLBACK');
  client.close();
  return (name) => {
    const place = copy.replace('.backup', ` ${name}.backup`);
    writeFileSync(place, content ?? '');
    writeFileSync(`${place}-journal`, journal ?? '');
    return place;
  };
}

describe('an encrypted backup', () => {
  let identityFile: string;
  let env: Record<string, string>;
  beforeEach(async () => {
    const identity = await generateX25519Identity();
    identityFile = join(scenario.workshop.folder, 'key.txt');
    writeFileSync(identityFile, `# created: today\n${identity}\n`);
    env = {
      TAXIWAY_SERVER__DATA_DIR: scenario.fixture.config.server.data_dir,
      TAXIWAY_LOG__LEVEL: 'silent',
      TAXIWAY_BACKUP__RECIPIENTS: await identityToRecipient(identity),
    };
    const created = await scenario.workshop.run(['backup', scenario.place], { env });
    expect(created).toMatchObject({ code: 0, stderr: '' });
  });

  it('has nothing in the clear but names, sizes and checksums, and is read with the secret key alone', async () => {
    const secret = readFileSync(join(scenario.fixture.config.server.data_dir, 'secret.key'), 'utf8').trim();
    const zstd = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
    for (const file of listFiles(join(scenario.place, 'objects'))) {
      const content = readFileSync(join(scenario.place, 'objects', file));
      expect(content.includes(secret)).toBe(false);
      expect(content.subarray(0, 4).equals(zstd) || content.includes('AndroidManifest')).toBe(file.endsWith('/files'));
    }
    const before = scenario.contentsOf();
    await scenario.workshop.run(['backup', scenario.place], { env });
    expect(scenario.contentsOf()).toEqual(before);
    const sealed = await scenario.workshop.run(['verify', scenario.place, '--json']);
    expect(JSON.parse(sealed.stdout)).toMatchObject({ ok: true, is_decrypted: false });
    const said = await scenario.workshop.run(['verify', scenario.place]);
    expect(said).toMatchObject({ code: 0, stderr: 'the backup is encrypted; --identity also decrypts it\n' });
    const opened = await scenario.workshop.run(['verify', scenario.place, '--identity', identityFile, '--json']);
    expect(JSON.parse(opened.stdout)).toMatchObject({ ok: true, is_decrypted: true });
    const refused = await scenario.elsewhere(['restore', scenario.place]);
    expect(refused.stderr).toContain('name the file of the secret key with --identity');
    const other = join(scenario.workshop.folder, 'other.txt');
    writeFileSync(other, await generateX25519Identity());
    expect((await scenario.elsewhere(['restore', scenario.place, '--identity', other])).stderr).toContain(
      'encrypted to other keys',
    );
    expect(existsSync(join(scenario.workshop.folder, 'restored/taxiway.db'))).toBe(false);
    // What only can't be decrypted isn't damaged.
    const repaired = await scenario.workshop.run(['verify', scenario.place, '--repair', '--identity', other]);
    expect(repaired.stderr).toContain('encrypted to other keys');
    expect(scenario.contentsOf()).toEqual(before);
    expect((await scenario.elsewhere(['restore', scenario.place, '--identity', identityFile])).code).toBe(0);
    expect(readFileSync(join(scenario.workshop.folder, 'restored/blobs/objects', scenario.key))).toEqual(
      scenario.bytes,
    );
  });
});

describe('a damaged backup', () => {
  it('is refused wherever one byte of a file is altered: the first, the last and some others', async () => {
    await scenario.backUp();
    const folder = join(scenario.place, 'objects');
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
        expect((await scenario.workshop.run(['verify', scenario.place])).code, `${file} at ${position}`).toBe(1);
      }
      expect((await scenario.elsewhere(['restore', scenario.place])).code).toBe(1);
      expect(existsSync(join(scenario.workshop.folder, 'restored/taxiway.db'))).toBe(false);
      replace(file, original);
    }
    expect((await scenario.workshop.run(['verify', scenario.place])).code).toBe(0);
  });

  it('is refused with a file missing, truncated, or longer', async () => {
    await scenario.backUp();
    const folder = join(scenario.place, 'objects');
    for (const name of listFiles(folder)) {
      const file = join(folder, name);
      const original = readFileSync(file);
      for (const altered of [undefined, original.subarray(1), Buffer.concat([original, Buffer.from('x')])]) {
        if (altered === undefined) rmSync(file);
        else replace(file, altered);
        expect((await scenario.workshop.run(['verify', scenario.place])).code, name).toBe(1);
      }
      replace(file, original);
    }
  });

  it('makes later ones damaged too, until a repair lets the next one store the file again', async () => {
    const { workshop, place } = scenario;
    await scenario.backUp();
    const [name = ''] = listFiles(join(place, 'objects')).filter((one) => one.startsWith('contents'));
    const file = join(place, 'objects', name);
    const original = readFileSync(file);
    const altered = Buffer.from(original);
    altered[0] = (altered[0] ?? 0) ^ 1;
    replace(file, altered);
    await scenario.backUp();
    const found = await workshop.run(['verify', place]);
    expect(found).toMatchObject({ code: 1, stdout: `${name} was modified\n` });
    expect(found.stderr).toContain('later backups have the same damage: on the server, --repair deletes it');
    expect(readFileSync(file)).toEqual(altered);

    const elsewhere = await scenario.elsewhere(['verify', place, '--repair']);
    expect(elsewhere).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no database') });
    const release = acquireLocks([backupLock(scenario.fixture.config)]);
    expect((await workshop.run(['verify', place, '--repair'])).stderr).toContain(
      'another backup, a drill or a restore',
    );
    release();
    expect(readFileSync(file)).toEqual(altered);

    const repaired = await workshop.run(['verify', place, '--repair']);
    expect(repaired).toMatchObject({ code: 1, stdout: `${name} was modified\n` });
    expect(repaired.stderr).toContain('1 damaged file deleted: the next backup stores again what the server has\n');
    expect(existsSync(file)).toBe(false);
    const again = await workshop.run(['verify', place, '--repair', '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({ ok: false, problems: [`${name} is missing`], deleted: 0 });
    await scenario.backUp();
    expect(readFileSync(file)).toEqual(original);
    expect(await workshop.run(['verify', place, '--repair'])).toMatchObject({ code: 0, stderr: '' });
    expect((await workshop.run(['backup', place, '--drill'])).code).toBe(0);
  });

  function replace(file: string, content: Buffer): void {
    rmSync(file, { force: true });
    writeFileSync(file, content);
  }
});

describe('a hostile backup', () => {
  it('is refused if its manifest is too large for memory, or is not a manifest', async () => {
    const { backup } = await scenario.backUp();
    const file = join(scenario.place, 'objects/backups', backup, 'manifest');
    const manifest = JSON.parse(readFileSync(file, 'utf8').split('\n').slice(0, -2).join('\n'));
    const huge = { ...manifest.secret_key, plain_size: 2 ** 40 };
    for (const json of ['{"format": 1', JSON.stringify({ ...manifest, secret_key: huge })]) {
      const text = json.endsWith('}') ? json : `${json}}}`;
      writeFileSync(file, `${text}\n${createHash('sha256').update(text).digest('hex')}\n`);
      for (const words of [
        ['verify', scenario.place],
        ['restore', scenario.place],
      ]) {
        const refused = await scenario.elsewhere(words);
        expect(refused.code).toBe(1);
        expect(refused.stderr + refused.stdout).toContain("can't be read by this version");
      }
    }
  });
});

describe('an object that is deleted while a backup is created', () => {
  it('is not missing in it for a drill', async () => {
    const { fixture, key } = scenario;
    const file = join(fixture.config.storage.local.directory, 'objects', key);
    // As if it was stored after the first objects were copied.
    renameSync(file, `${file}.later`);
    const { prepare } = Sqlite.prototype;
    vi.spyOn(Sqlite.prototype, 'prepare').mockImplementation(function (this: Sqlite.Database, source: string) {
      const statement = prepare.call(this, source);
      if (!source.startsWith('VACUUM INTO')) return statement;
      const { run } = statement;
      statement.run = (...values: unknown[]) => {
        const done = Reflect.apply(run, statement, values);
        fixture.app.db.$client.pragma('foreign_keys = OFF');
        fixture.app.db.$client.prepare('DELETE FROM builds WHERE object_key = ?').run(key);
        fixture.app.db.$client.pragma('foreign_keys = ON');
        return done;
      };
      return statement;
    });
    expect(await scenario.backUp()).toMatchObject({ missing: 0, warnings: [] });
    vi.restoreAllMocks();
    const drill = await scenario.workshop.run(['backup', scenario.place, '--drill']);
    expect(drill).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(join(fixture.config.server.data_dir, '.drill.lock'))).toBe(false);
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
    for (let round = 0; round < 3; round += 1) await scenario.backUp();
    isDone = true;
    await writing;
    expect((await scenario.elsewhere(['restore', scenario.place])).code).toBe(0);
    const client = new Sqlite(join(scenario.workshop.folder, 'restored/taxiway.db'), { readonly: true });
    expect(client.pragma('integrity_check', { simple: true })).toBe('ok');
    const verdict = await scenario.elsewhere(['verify', '--json']);
    expect(JSON.parse(verdict.stdout)).toMatchObject({ ok: true });
    client.close();
  });
});
