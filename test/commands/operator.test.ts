// The operator's commands in an empty folder: init, check, sweep, openapi, version.
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openApp } from '../../src/app.ts';
import type { Finding } from '../../src/checks/finding.ts';
import { loadConfig } from '../../src/config.ts';
import { mountDisk } from '../support/memory-disk.ts';
import { openWorkshop, type Workshop } from './test-host.ts';

let workshop: Workshop;
beforeEach(() => {
  workshop = openWorkshop();
});
afterEach(() => workshop[Symbol.dispose]());

const inside = (...path: string[]) => join(workshop.folder, ...path);

async function check(...words: string[]): Promise<{ code: number; findings: Record<string, Finding> }> {
  const { code, stdout } = await workshop.run(['check', '--json', ...words]);
  const findings: Finding[] = JSON.parse(stdout);
  return { code, findings: Object.fromEntries(findings.map((finding) => [finding.name, finding])) };
}

function canRead(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

describe('init', () => {
  it('writes no new key if data exists', async () => {
    mkdirSync(inside('lived-in', 'data'), { recursive: true });
    writeFileSync(inside('lived-in', 'data', 'secret.key'), 'a key');
    await workshop.run(['init', 'lived-in']);
    const text = readFileSync(inside('lived-in', 'config.toml'), 'utf8');
    expect(text).not.toMatch(/^secret_key/m);
    expect(text).toContain('data/secret.key');
  });

  it('writes a configuration with new secrets that only its owner can read', async () => {
    const { code, stdout } = await workshop.run(['init', 'srv', '--port', '9000', '--base-url', 'https://b.example/']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${inside('srv/config.toml')}\n` });
    expect(statSync(inside('srv/config.toml')).mode & 0o777).toBe(0o600);
    const config = loadConfig({ file: inside('srv/config.toml'), env: {}, cwd: workshop.folder });
    expect(config.server).toMatchObject({ port: 9000, base_url: 'https://b.example' });
    // Absolute: commands that are run from elsewhere mean the same data.
    expect(readFileSync(inside('srv/config.toml'), 'utf8')).toContain(
      `data_dir = ${JSON.stringify(inside('srv/data'))}\n`,
    );
    expect(config.server.secret_key).toMatch(/^[\w-]{43}$/);
    expect(config.metrics.token).toMatch(/^[\w-]{43}$/);
    expect(config.metrics.token).not.toBe(config.server.secret_key);

    await workshop.run(['init', 'other']);
    const other = loadConfig({ file: inside('other/config.toml'), env: {}, cwd: workshop.folder });
    expect(other.server.secret_key).not.toBe(config.server.secret_key);
  });

  it('overwrites nothing', async () => {
    writeFileSync(inside('config.toml'), 'mine');
    const { code, stderr } = await workshop.run(['init']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `taxiway: ${inside('config.toml')} already exists and was not changed\n`,
    });
    expect(readFileSync(inside('config.toml'), 'utf8')).toBe('mine');
  });

  it('leaves nothing on a full disk, so that it can be repeated', async ({ skip }) => {
    const mounted = mountDisk(64, inside('full'));
    if (typeof mounted === 'string') return skip(mounted);
    using disk = mounted;
    disk.fill();
    // For the configuration, but not for the units.
    for (const size of [64, 68]) {
      disk.resize(size);
      const { code, stderr } = await workshop.run(['init', 'full', '--systemd']);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: 'taxiway: cannot write the configuration: ENOSPC: no space left on device, write\n',
      });
      expect(readdirSync(disk.folder).toSorted()).toEqual(['ballast', 'data']);
    }
    disk.makeRoom();
    expect((await workshop.run(['init', 'full', '--systemd'])).code).toBe(0);
  });

  it('writes a systemd unit that starts this program with this configuration', async () => {
    const { stdout } = await workshop.run(['init', 'a 100% "b"', '--systemd', '--json']);
    const { config_file: configFile, unit_file: unitFile } = JSON.parse(stdout);
    const unit = readFileSync(unitFile, 'utf8');
    expect(unit).toMatch(/^ExecStart=\S+ .*serve --config "/m);
    expect(unit).toContain(`"${configFile.replaceAll('%', '%%').replaceAll('"', '\\"')}"`);
    expect(unit).toContain('Restart=on-failure\n');
    expect(unit).toContain('Requires=taxiway.socket\n');
    // systemd opens the ports.
    expect(unit).toContain('CapabilityBoundingSet=\n');
    // Not the folder of the units and the configuration.
    expect(unit).toContain(
      `\nReadWritePaths="${join(dirname(configFile), 'data').replaceAll('%', '%%').replaceAll('"', '\\"')}"\n`,
    );
    expect(statSync(join(dirname(configFile), 'data')).mode & 0o777).toBe(0o750);
    const { socket_file: socketFile } = JSON.parse(stdout);
    expect(readFileSync(socketFile, 'utf8')).toContain('ListenStream=127.0.0.1:8080\n');
  });

  it('names both units and how to install them', async () => {
    const { stdout, stderr } = await workshop.run(['init', 'srv', '--systemd']);
    const units = [inside('srv/taxiway.socket'), inside('srv/taxiway.service')];
    expect(stdout).toBe([inside('srv/config.toml'), ...units, ''].join('\n'));
    const aboutRoot = 'The service runs as root. To run it as another account, run this command as that account.\n';
    const isRoot = process.getuid?.() === 0;
    expect(stderr).toBe(`Install it: sudo systemctl enable --now ${units.join(' ')}\n${isRoot ? aboutRoot : ''}`);
    const again = await workshop.run(['init', 'srv', '--systemd']);
    expect(again.code).toBe(1);
  });

  it.each([
    ['internal', 'https://b.example/tools/taxiway', { port: 443, host: '::' }, { http_port: 80, acme_domains: [] }],
    ['acme', 'https://b.example.com', { port: 443, host: '::' }, { http_port: 80, acme_domains: ['b.example.com'] }],
    ['internal', 'https://192.168.1.20:8443', { port: 8443, host: '::' }, { http_port: 0, acme_domains: [] }],
  ])('writes the https settings of mode %s at %s', async (mode, address, server, tls) => {
    const { code } = await workshop.run(['init', 'srv', '--base-url', address, '--tls', mode, '--systemd']);
    expect(code).toBe(0);
    const config = loadConfig({ file: inside('srv/config.toml'), env: {}, cwd: workshop.folder });
    expect(config.server).toMatchObject({ base_url: address, ...server });
    expect(config.server.tls).toMatchObject({ mode, ...tls });
    const unit = readFileSync(inside('srv/taxiway.socket'), 'utf8');
    const ports = [server.port, tls.http_port].filter((port) => port !== 0);
    expect(unit.match(/^ListenStream=.*$/gm)).toEqual(ports.map((port) => `ListenStream=${port}`));
  });

  it.each([
    [['--tls', 'acme'], '--tls requires the address that phones will use'],
    [['--tls', 'internal', '--base-url', 'http://b.example'], '--tls requires the address that phones will use'],
    [
      ['--tls', 'acme', '--base-url', 'https://192.0.2.1'],
      "public certificate authorities don't issue certificates for 192.0.2.1",
    ],
  ])('rejects %j', async (words, reason) => {
    const { code, stderr } = await workshop.run(['init', ...words]);
    expect(code).toBe(1);
    expect(stderr).toContain(reason);
    expect(existsSync(inside('config.toml'))).toBe(false);
  });

  it.each([
    ['--tls', 'files'],
    ['--port', '0'],
    ['--port', 'x'],
    ['--base-url', 'b.example'],
    ['--base-url', 'https://b.example/path?query'],
    ['--base-url', 'https://b.example/a//b'],
    ['--base-url', 'https://b.example/api'],
  ])('rejects %s %s', async (option, value) => {
    expect((await workshop.run(['init', option, value])).code).toBe(2);
    expect(existsSync(inside('config.toml'))).toBe(false);
  });
});

describe('a full disk', () => {
  it('is what commands report that need the database of a stopped server', async ({ skip }) => {
    const mounted = mountDisk(12 * 1024, inside('data'));
    if (typeof mounted === 'string') return skip(mounted);
    using disk = mounted;
    await workshop.run(['migrate']);
    disk.fill();
    const check = await workshop.run(['check']);
    expect(check.stdout).toMatch(/^fail {2}database +the disk is full$/m);
    expect(check.stdout).not.toContain('I/O error');
    expect(await workshop.run(['verify'])).toMatchObject({
      code: 1,
      stderr: `taxiway: cannot use the database ${inside('data/taxiway.db')}: the disk is full (SQLITE_IOERR_SHMSIZE)\n`,
    });
    disk.makeRoom();
  });
});

describe('check', () => {
  it('passes before the first start, changes no database and shows what phones still need', async () => {
    const { code, findings } = await check();
    expect(code).toBe(0);
    expect(Object.values(findings).filter((finding) => finding.status === 'fail')).toEqual([]);
    expect(findings.ios).toEqual({
      name: 'ios',
      status: 'warn',
      detail:
        'over-the-air installs require an address that phones can reach and https: set server.base_url (now http://localhost:8080)',
      code: 'address_not_reachable_no_https',
      values: { address: 'http://localhost:8080' },
    });
    expect(existsSync(inside('data'))).toBe(false);
  });

  it('prints one line for each finding', async () => {
    await workshop.run(['migrate']);
    const { code, stdout } = await workshop.run(['check']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok {4}database +\S+ is intact$/m);
    expect(stdout).toMatch(/^warn {2}accounts +no operator account yet/m);
    for (const line of stdout.trimEnd().split('\n')) expect(line).toMatch(/^(ok|warn|fail) +\w/);
  });

  it.each([
    ['https://builds.example.com', 'ok'],
    ['http://builds.example.com', 'warn'],
    ['https://localhost', 'warn'],
    ['https://127.0.0.1:8443', 'warn'],
  ])('classifies the address %s as %s for iOS', async (address, status) => {
    writeFileSync(inside('config.toml'), `[server]\nbase_url = "${address}"\n`);
    expect((await check()).findings.ios?.status).toBe(status);
  });

  it('fails with an invalid configuration and shows the line', async () => {
    writeFileSync(inside('config.toml'), '[server]\nport = "x"\n');
    const { code, stdout, stderr } = await workshop.run(['check']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'taxiway: 1 of 1 checks failed\n' });
    expect(stdout).toContain('config.toml:2: server.port: expected a whole number from 0 to 65535, got "x"');
  });

  it('fails with a damaged database', async () => {
    await workshop.run(['migrate']);
    const bytes = readFileSync(inside('data/taxiway.db'));
    bytes.fill(0xff, 8192, 16_384);
    writeFileSync(inside('data/taxiway.db'), bytes);
    const { code, findings } = await check();
    expect(code).toBe(1);
    expect(findings.database?.status).toBe('fail');
  });

  it('fails with a database that cannot be read, also if a bucket is configured', async ({ skip }) => {
    await workshop.run(['migrate']);
    chmodSync(inside('data/taxiway.db'), 0);
    if (canRead(inside('data/taxiway.db'))) skip('this account can read every file');
    const bucket = 'bucket = "packages"\nendpoint = "http://127.0.0.1:2"\naccess_key_id = "x"\nsecret_access_key = "x"';
    writeFileSync(inside('config.toml'), `[storage.s3]\n${bucket}\nforce_path_style = true\n`);
    const { code, findings } = await check();
    expect(code).toBe(1);
    expect(findings.database).toMatchObject({ status: 'fail', detail: 'unable to open database file' });
  });

  it('reports how many totals it corrected', async () => {
    await workshop.run(['migrate']);
    expect((await workshop.run(['check', '--repair'])).stderr).toBe('corrected 0 totals\n');
  });

  it('counts all missing objects, and shows the first', async () => {
    await workshop.run(['migrate']);
    const client = new Sqlite(inside('data/taxiway.db'));
    client.pragma('foreign_keys = OFF');
    client.exec(
      `WITH RECURSIVE numbers (value) AS (SELECT 1001 UNION ALL SELECT value + 1 FROM numbers WHERE value < 2001)
        INSERT INTO builds (id, organization_id, project_id, platform, version_name, build_number, sha256, size_bytes,
          uploaded_at, object_key, inspection_status, pending_upload_id)
        SELECT 'b' || value, 'o', 'p', 'ios', '1', value, '', 5, 0, 'builds/' || value, 'ok', value
          FROM numbers`,
    );
    client.close();
    expect((await check()).findings.objects?.detail).toBe(
      '1001 of 1001 are damaged or missing: build b1001 is missing (builds/1001); ' +
        'build b1002 is missing (builds/1002); build b1003 is missing (builds/1003); …',
    );
  });

  it('fails with a build whose bytes are missing or truncated', async () => {
    await workshop.run(['migrate']);
    await check();
    mkdirSync(inside('data/blobs/objects/builds'), { recursive: true });
    writeFileSync(inside('data/blobs/objects/builds/cut'), 'abc');
    const client = new Sqlite(inside('data/taxiway.db'));
    client.pragma('foreign_keys = OFF');
    for (const [id, key] of [
      ['b1', 'builds/cut'],
      ['b2', 'builds/gone'],
    ]) {
      client
        .prepare(
          `INSERT INTO builds (id, organization_id, project_id, platform, version_name, build_number, sha256, size_bytes,
             uploaded_at, object_key, inspection_status, pending_upload_id)
           VALUES (?, 'o', 'p', 'ios', ?, 1, '', 5, 0, ?, 'ok', ?)`,
        )
        .run(id, id, key, id);
    }
    client.close();
    const { code, findings } = await check();
    expect(code).toBe(1);
    expect(findings.objects).toEqual({
      name: 'objects',
      status: 'fail',
      detail:
        '2 of 2 are damaged or missing: build b1 has 3 bytes instead of 5 (builds/cut); build b2 is missing (builds/gone)',
      code: 'objects_fail',
      values: {},
    });
    expect(findings.database?.detail).toMatch(/^4 broken references: builds row 1 without its /);
  });

  it('fails with a screenshot, an icon or an avatar that is missing', async () => {
    await workshop.run(['migrate']);
    await check();
    const client = new Sqlite(inside('data/taxiway.db'));
    client.pragma('foreign_keys = OFF');
    client
      .prepare(
        `INSERT INTO project_screenshots (id, project_id, position, image_key, image_type, width, height, created_at)
         VALUES ('s1', 'p', 1, 'icons/screenshot', 'image/png', 1, 1, 0)`,
      )
      .run();
    client
      .prepare(
        `INSERT INTO developers (id, email, display_name, avatar_key, avatar_type, created_at)
         VALUES ('d1', 'nia@example.com', 'Nia', 'icons/avatar', 'image/png', 0)`,
      )
      .run();
    client.close();
    expect((await check()).findings.objects).toMatchObject({
      status: 'fail',
      detail:
        '2 of 2 are damaged or missing: avatar of account d1 is missing (icons/avatar); screenshot s1 is missing (icons/screenshot)',
    });
  });

  it('fails if the clock is behind the database', async () => {
    await workshop.run(['migrate']);
    const client = new Sqlite(inside('data/taxiway.db'));
    client
      .prepare(
        `INSERT INTO audit_events (id, timestamp, event, type, identifier, actor_kind, details, chain, sequence, hash)
         VALUES ('e', ?, 'created', 'build', 'b', 'system', '{}', 'service', 1, '')`,
      )
      .run(Date.UTC(2200, 0, 1));
    client.close();
    expect((await check()).findings.clock).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('is before the last event in the database (2200-01-01T00:00:00.000Z)'),
    });
  });

  it('fails if the key is missing or readable by others', async () => {
    await workshop.run(['migrate']);
    expect((await check()).findings['secret key']?.status).toBe('ok');
    const client = new Sqlite(inside('data/taxiway.db'));
    client.exec("INSERT INTO signing_keys (id, public_key, private_key_encrypted, created_at) VALUES ('k', '', '', 0)");
    client.close();
    expect((await check()).findings['secret key']?.status).toBe('fail');
    await workshop.run(['init']);
    expect((await check()).findings['secret key']).toMatchObject({
      status: 'fail',
      detail: expect.stringContaining('created with a different secret key'),
    });
    rmSync(inside('data'), { recursive: true, force: true });
    const account = ['--email', 'dana@example.com', '--password-stdin', '--verified'];
    await workshop.run(['developer', 'create', ...account], { stdin: Readable.from(['correct horse battery']) });
    const opened = await openApp(loadConfig({ env: {}, cwd: workshop.folder }), {});
    await opened.app.accessTokens.issue({ developerId: 'd', email: 'dana@example.com', sessionId: 's' });
    await opened.close();
    expect((await check()).findings['secret key']).toMatchObject({ status: 'ok', detail: 'configured' });
    chmodSync(inside('config.toml'), 0o644);
    expect((await check()).findings['secret key']?.status).toBe('warn');
  });

  it('fails if the storage is not writable', async () => {
    rmSync(inside('data'), { recursive: true, force: true });
    writeFileSync(inside('data'), 'a file in the way');
    const { code, findings } = await check();
    expect({ code, storage: findings.storage?.status }).toEqual({ code: 1, storage: 'fail' });
  });
});

describe('other commands', () => {
  it('lists the cleanup jobs, and rejects an unknown one', async () => {
    const { code, stdout } = await workshop.run(['sweep', '--json']);
    expect(code).toBe(0);
    const rows: { name: string; last_run: object | null }[] = JSON.parse(stdout);
    expect(rows.map((row) => row.last_run)).toEqual(rows.map(() => null));
    const unknown = await workshop.run(['sweep', 'everything']);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('there is no cleanup job "everything"');
  });

  it('prints the OpenAPI document with the configured address', async () => {
    writeFileSync(inside('config.toml'), '[server]\nport = 9999\n');
    const { stdout } = await workshop.run(['openapi']);
    expect(JSON.parse(stdout)).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'http://localhost:9999' }] });
  });

  it('prints the version', async () => {
    expect((await workshop.run(['version'])).stdout).toMatch(/^taxiway \d+\.\d+\.\d+ \(.+\)\n$/);
    expect(JSON.parse((await workshop.run(['version', '--json'])).stdout)).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      commit: expect.any(String),
      built_at: null,
    });
  });
});
