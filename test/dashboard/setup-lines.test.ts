// The lines of the setup checklist, which the configuration accepts.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { addressLines, backupLine, emailLines, httpsLines } from '../../src/dashboard/pages/home/setup-lines.ts';

const server = {
  base_url: 'http://localhost:8080',
  suggested_base_url: 'http://192.168.7.9:8080',
  tls_mode: 'off',
  port: 8080,
  mail_transport: 'outbox',
  data_dir: '/srv/taxiway/data',
};

describe('all lines', () => {
  it('are accepted by the configuration', () => {
    const folder = mkdtempSync(join(tmpdir(), 'taxiway-lines-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'config.toml');
    const read = (lines: string) => {
      writeFileSync(file, lines);
      return loadConfig({ file, env: { SMTP_PASSWORD: 'secret' }, cwd: folder });
    };
    const named = { ...server, base_url: 'https://builds.acme.dev', suggested_base_url: null };
    expect(read(addressLines(server)).server).toMatchObject({ base_url: 'http://192.168.7.9:8080', port: 8080 });
    expect(read(httpsLines(server).lines).server).toMatchObject({ base_url: 'https://192.168.7.9:8443', port: 8443 });
    expect(read(httpsLines(named).lines).server.tls).toMatchObject({ mode: 'acme', acme_domains: ['builds.acme.dev'] });
    expect(read(emailLines(named)).mail).toMatchObject({ transport: 'smtp', smtp: { password: 'secret' } });
  });
});

describe('the lines for an address', () => {
  it('name an address of the machine, or an example', () => {
    expect(addressLines(server)).toBe('[server]\nhost = "0.0.0.0"\nbase_url = "http://192.168.7.9:8080"');
    expect(addressLines({ ...server, suggested_base_url: null })).toContain('"http://192.168.1.20:8080"');
  });
});

describe('the lines for https', () => {
  it.each([
    ['http://192.168.7.9:8080', 'https://192.168.7.9:8443'],
    ['http://builds.local/taxiway', 'https://builds.local:8443/taxiway'],
    ['http://builds:8080', 'https://builds:8443'],
  ])('use the private authority at %s', (baseUrl, expected) => {
    const { lines, trustUrl } = httpsLines({ ...server, base_url: baseUrl, suggested_base_url: null });
    expect(lines).toContain(`base_url = "${expected}"`);
    expect(lines).toContain('mode = "internal"');
    expect(trustUrl).toBe(`${expected}/trust`);
  });

  it('use a public authority for a name of the internet', () => {
    expect(
      httpsLines({ ...server, base_url: 'http://builds.example.com:8080/apps', suggested_base_url: null }),
    ).toEqual({
      lines:
        '[server]\nhost = "::"\nport = 443\nbase_url = "https://builds.example.com/apps"\n\n' +
        '[server.tls]\nmode = "acme"\nacme_domains = ["builds.example.com"]\nhttp_port = 80',
      trustUrl: undefined,
    });
  });
});

describe('the lines for email', () => {
  it('send from the host of the server if it is a name of the internet', () => {
    expect(emailLines({ ...server, base_url: 'https://builds.acme.dev', suggested_base_url: null })).toContain(
      'from = "Taxiway <taxiway@builds.acme.dev>"',
    );
    expect(emailLines(server)).toContain('<taxiway@builds.example.com>');
  });
});

describe('the command for a backup', () => {
  it.each([
    ['/srv/taxiway/data', '--directory /srv/taxiway data'],
    ['/data', '--directory / data'],
    ['data', '--directory . data'],
    ["/srv/it's here/data", "--directory '/srv/it'\\''s here' data"],
  ])('of %s copies the whole folder', (folder, expected) => {
    expect(backupLine({ ...server, data_dir: folder })).toBe(
      `(umask 077 && tar --create --gzip --file taxiway-backup.tar.gz config.toml ${expected})`,
    );
  });

  it('creates a private archive with the data folder and the configuration, from any folder', () => {
    const root = mkdtempSync(join(tmpdir(), 'taxiway-backup-'));
    onTestFinished(() => rmSync(root, { recursive: true }));
    const [etc, srv, restored] = ['etc', 'srv', 'restored'].map((name) => join(root, name)) as [string, string, string];
    mkdirSync(etc);
    mkdirSync(restored);
    mkdirSync(join(srv, 'data', 'storage'), { recursive: true });
    writeFileSync(join(etc, 'config.toml'), '[server]');
    writeFileSync(join(srv, 'data', 'taxiway.db'), 'rows');
    writeFileSync(join(srv, 'data', 'storage', 'package.apk'), 'package');
    execFileSync('sh', ['-c', backupLine({ ...server, data_dir: join(srv, 'data') })], { cwd: etc });
    const archive = join(etc, 'taxiway-backup.tar.gz');
    expect(statSync(archive).mode & 0o777).toBe(0o600);
    execFileSync('tar', ['--extract', '--file', archive], { cwd: restored });
    const read = (name: string) => readFileSync(join(restored, name), 'utf8');
    expect(['config.toml', 'data/taxiway.db', 'data/storage/package.apk'].map(read)).toEqual([
      '[server]',
      'rows',
      'package',
    ]);
  });
});
