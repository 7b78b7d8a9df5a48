// The lines of the setup checklist, which the configuration accepts.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { addressLines, backupLines, emailLines, httpsLines } from '../../src/dashboard/pages/home/setup-lines.ts';

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
    expect(read(backupLines()).backup).toMatchObject({ schedule: '0 3 * * *', directory: '/mnt/backups/taxiway' });
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
