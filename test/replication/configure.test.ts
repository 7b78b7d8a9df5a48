// taxiway replication configure, and the refusals of taxiway restore --from-replica.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openWorkshop, type Workshop } from '../commands/test-host.ts';

let workshop: Workshop;
let dataDir: string;
beforeEach(() => {
  workshop = openWorkshop({ S3_KEY: 'a "secret" $HOME: key' });
  dataDir = join(workshop.folder, 'data');
});
afterEach(() => workshop[Symbol.dispose]());

const pathOf = (name: string) => join(workshop.folder, name);
const read = (name: string) => readFileSync(pathOf(name), 'utf8');
const modeOf = (name: string) => statSync(pathOf(name)).mode & 0o777;
const configure = (...words: string[]) => workshop.run(['replication', 'configure', ...words]);
const BUCKET = `[replication]
target = "s3://company-replica/some/place"
interval_ms = 2000
retention_hours = 48
program = "./litestream"
[replication.s3]
endpoint = "https://s3.example.com"
region = "eu-central-1"
force_path_style = true
access_key_id = "KEY"
secret_access_key = { env = "S3_KEY" }
`;

describe('taxiway replication configure', () => {
  it('writes the configuration of Litestream, readable only by its account, and a unit', async () => {
    writeFileSync(pathOf('config.toml'), BUCKET);
    const { code, stdout, stderr } = await configure();
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `${pathOf('litestream.yml')}\n${pathOf('taxiway-litestream.service')}\n`,
    });
    expect(stderr).toBe(
      `Install Litestream 0.3.13 as ${pathOf('litestream')} first.\n` +
        `Restart the server, then: sudo systemctl enable --now ${pathOf('taxiway-litestream.service')}\n`,
    );
    expect(modeOf('litestream.yml')).toBe(0o600);
    expect(modeOf('taxiway-litestream.service')).toBe(0o644);
    expect(
      read('litestream.yml'),
    ).toBe(`# Written by "taxiway replication configure" for Litestream 0.3.13. The next run replaces it: change config.toml instead.
addr: "127.0.0.1:9465"
dbs:
  - path: "${dataDir}/taxiway.db"
    monitor-interval: 500ms
    replicas:
      - type: s3
        name: taxiway
        bucket: "company-replica"
        path: "some/place"
        region: "eu-central-1"
        endpoint: "https://s3.example.com"
        force-path-style: true
        access-key-id: "KEY"
        secret-access-key: "a \\"secret\\" $HOME: key"
        sync-interval: 1000ms
        snapshot-interval: 6h
        retention: 48h
        retention-check-interval: 1h
logging:
  level: warn
  stderr: true
`);
    const unit = read('taxiway-litestream.service');
    expect(unit).not.toContain('secret');
    const lines = unit.split('\n');
    expect(lines).toContain(
      `ExecStart=${pathOf('litestream')} replicate -no-expand-env -config ${pathOf('litestream.yml')}`,
    );
    for (const line of [
      `User=${userInfo().username}`,
      'Before=taxiway.service',
      'Restart=always',
      'NoNewPrivileges=true',
      'CapabilityBoundingSet=',
      'ProtectSystem=strict',
      'SystemCallFilter=@system-service',
      `ReadWritePaths=${dataDir}`,
    ]) {
      expect(lines).toContain(line);
    }
  });

  it('creates a folder for a replica, and names its keys file and an installed program in the unit', async () => {
    const config = '[replication]\ntarget = "replica"\n[replication.s3]\ncredentials_file = "keys"\n';
    writeFileSync(pathOf('config.toml'), config);
    mkdirSync(pathOf('bin'));
    writeFileSync(pathOf('bin/litestream'), '', { mode: 0o755 });
    const { code, stdout } = await workshop.run(['replication', 'configure', '--out', 'etc', '--json'], {
      env: { PATH: `/absent:${pathOf('bin')}` },
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      litestream_file: pathOf('etc/litestream.yml'),
      unit_file: pathOf('etc/taxiway-litestream.service'),
      program: pathOf('bin/litestream'),
      is_installed: true,
    });
    expect(modeOf('data/replica')).toBe(0o700);
    expect(read('etc/litestream.yml')).toContain(
      `      - type: file\n        name: taxiway\n        path: "${dataDir}/replica"`,
    );
    const unit = read('etc/taxiway-litestream.service');
    expect(unit).toContain(`\nReadWritePaths=${dataDir} ${dataDir}/replica\n`);
    expect(unit).toContain(`\nEnvironment=AWS_SHARED_CREDENTIALS_FILE=${pathOf('keys')}\n`);
  });

  it('lets the account of the database run Litestream, if root sets it up', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only root can give files to other accounts');
    writeFileSync(pathOf('config.toml'), '[replication]\ntarget = "replica"\n');
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'taxiway.db'), '');
    chownSync(join(dataDir, 'taxiway.db'), 4321, 4322);
    await configure();
    expect(read('taxiway-litestream.service')).toContain('\nUser=4321\n');
    for (const path of ['litestream.yml', 'data/replica']) {
      expect(statSync(pathOf(path))).toMatchObject({ uid: 4321, gid: 4322 });
    }
    expect(statSync(pathOf('taxiway-litestream.service')).uid).toBe(0);
  });

  it('follows no link of that account to what belongs to others', async ({ skip }) => {
    if (process.getuid?.() !== 0) skip('only root can give files to other accounts');
    mkdirSync(dataDir);
    const foreign = pathOf('foreign');
    mkdirSync(foreign);
    writeFileSync(join(foreign, 'file'), 'root');
    symlinkSync(join(foreign, 'file'), join(dataDir, 'taxiway.db'));
    lchownSync(join(dataDir, 'taxiway.db'), 4321, 4322);
    symlinkSync(foreign, join(dataDir, 'replica'));
    writeFileSync(pathOf('config.toml'), '[replication]\ntarget = "replica"\n');
    expect((await configure()).code).toBe(0);
    expect(statSync(foreign).uid).toBe(0);
    expect(read('taxiway-litestream.service')).toContain('User=4321\n');
    writeFileSync(pathOf('config.toml'), '[replication]\ntarget = "replica/new"\n');
    const refused = await configure();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('leads through a symbolic link; name the folder that it leads to');
    expect(statSync(join(foreign, 'new')).uid).toBe(0);
  });

  it('replaces its files', async () => {
    writeFileSync(pathOf('config.toml'), BUCKET);
    await configure();
    chmodSync(pathOf('litestream.yml'), 0o644);
    writeFileSync(pathOf('config.toml'), BUCKET.replace('some/place', 'another'));
    expect((await configure()).code).toBe(0);
    expect(read('litestream.yml')).toContain('path: "another"');
    expect(modeOf('litestream.yml')).toBe(0o600);
  });

  it('is refused without a target', async () => {
    expect(await configure()).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'taxiway: replication.target is empty: set a bucket or a folder\n',
    });
    expect(existsSync(pathOf('litestream.yml'))).toBe(false);
  });

  it('writes a unit that systemd accepts', async ({ skip }) => {
    if (spawnSync('systemd-analyze', ['--version']).status !== 0) skip('systemd-analyze is not installed');
    writeFileSync(pathOf('config.toml'), BUCKET);
    writeFileSync(pathOf('litestream'), '', { mode: 0o755 });
    await configure();
    const { stderr } = spawnSync('systemd-analyze', ['verify', pathOf('taxiway-litestream.service')], {
      encoding: 'utf8',
    });
    expect(stderr.split('\n').filter((line) => line.includes('taxiway-litestream'))).toEqual([]);
  });
});

describe('taxiway restore --from-replica', () => {
  const env = (more: Record<string, string> = {}) => ({
    env: {
      TAXIWAY_REPLICATION__TARGET: 'replica',
      TAXIWAY_REPLICATION__PROGRAM: '/bin/false',
      TAXIWAY_SERVER__SECRET_KEY: 'a secret key of the server, which is long',
      ...more,
    },
  });
  const restore = (words: string[], more?: Record<string, string>) =>
    workshop.run(['restore', '--from-replica', ...words], env(more));

  it.each([
    [['/mnt/backups'], '--from-replica takes no place, --backup or --identity'],
    [['--backup', 'x'], '--from-replica takes no place, --backup or --identity'],
    [['--timestamp', '2026-03-01'], 'It must be a time such as 2026-03-01T12:00:00Z.'],
    [['--timestamp', '2026-13-01T12:00:00Z'], 'It must be a time such as 2026-03-01T12:00:00Z.'],
  ])('with %j is a wrong use', async (words, text) => {
    const { code, stderr } = await restore(words);
    expect(code).toBe(2);
    expect(stderr).toContain(text);
  });

  it('is a wrong use with only a timestamp', async () => {
    const { code, stderr } = await workshop.run(['restore', '--timestamp', '2026-03-01T12:00:00Z'], env());
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--timestamp is for --from-replica') });
  });

  it.each([
    [{ TAXIWAY_REPLICATION__TARGET: '' }, 'replication.target is empty, so there is no replica to restore'],
    [
      { TAXIWAY_REPLICATION__PROGRAM: 'absent', PATH: '/absent' },
      'Litestream isn\'t found as "absent": install version 0.3.13, or name its program with replication.program',
    ],
    [{ TAXIWAY_SERVER__SECRET_KEY: '' }, "a replica has no secret key: copy the server's to"],
    [{}, "Litestream can't restore"],
  ])('is refused with %j', async (more, text) => {
    const { code, stderr } = await restore([], more);
    expect(stderr).toContain(text);
    expect(code).toBe(1);
    expect(existsSync(join(dataDir, 'taxiway.db'))).toBe(false);
  });

  it.each(['taxiway.db', 'taxiway.db-wal', 'taxiway.db.audit-heads', 'notes.txt'])(
    'is refused beside %s, but not beside packages',
    async (name) => {
      mkdirSync(join(dataDir, 'blobs/objects'), { recursive: true });
      writeFileSync(join(dataDir, 'blobs/objects/a'), 'package');
      expect((await restore([])).stderr).toContain("Litestream can't restore");
      writeFileSync(join(dataDir, name), '');
      const { code, stderr } = await restore([]);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `taxiway: the data folder must be empty, but it contains ${join(dataDir, name)}: move it away, or set another server.data_dir\n`,
      });
    },
  );

  it('leaves nothing behind if Litestream fails, also of an earlier restore that was killed', async () => {
    mkdirSync(join(dataDir, '.replica-taxiway.db-Ab12Cd'), { recursive: true });
    const { stderr } = await restore([]);
    expect(stderr).toBe(
      `taxiway: Litestream can't restore ${join(dataDir, 'replica')}: ended with 1; nothing was restored\n`,
    );
    expect(readdirSync(dataDir).filter((name) => !/^(?:backup|taxiway\.db)\.lock/.test(name))).toEqual([]);
  });

  it('is refused beside the log of another database, also outside of the data folder', async () => {
    const file = pathOf('elsewhere/taxiway.db');
    mkdirSync(pathOf('elsewhere'));
    writeFileSync(`${file}-wal`, '');
    const { code, stderr } = await restore([], { TAXIWAY_DATABASE__FILE: file });
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(`it contains ${file}-wal`) });
  });

  it('is refused after an interrupted restore of a backup', async () => {
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, '.restoring'), '');
    expect((await restore([])).stderr).toContain(`restoring a backup into ${dataDir} was interrupted`);
  });
});
