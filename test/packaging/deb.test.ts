// The package for Debian: what dpkg reads in it, and that nothing of the machine is in it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { projectDir } from '../../scripts/lib/project.ts';
import { debianVersion, writeDeb } from '../../scripts/lib/release/deb.ts';
import { loadConfig } from '../../src/config.ts';
import { readAr, readTar } from './archives.ts';

const options = {
  version: '1.2.0-rc.1',
  architecture: 'arm64',
  executable: Buffer.from('\x7fELF of the server'),
  completions: { bash: 'complete', zsh: '#compdef taxiway', fish: 'complete -c taxiway' },
  notices: '== zod\n\nMIT License\n',
  seconds: 1_790_000_000,
} as const;
const members = readAr(writeDeb(options));
const control = readTar(gunzipSync(members.get('control.tar.gz') ?? ''));
const data = readTar(zstdDecompressSync(members.get('data.tar.zst') ?? ''));
const contentOf = (path: string) => (data.get(path) ?? control.get(path))?.content ?? '';

it('has the members of the format in their order', () => {
  expect([...members.keys()]).toEqual(['debian-binary', 'control.tar.gz', 'data.tar.zst']);
  expect(members.get('debian-binary')?.toString()).toBe('2.0\n');
});

it('installs exactly these files', () => {
  const files = [...data].map(([path, { mode }]) => `${path} ${mode.toString(8)}`);
  expect(files.filter((path) => !path.includes('/ '))).toEqual([
    './etc/taxiway/config.toml 640',
    './usr/bin/taxiway 755',
    './usr/lib/systemd/system/taxiway.service 644',
    './usr/lib/sysusers.d/taxiway.conf 644',
    './usr/share/bash-completion/completions/taxiway 644',
    './usr/share/doc/taxiway/CHANGELOG.md.gz 644',
    './usr/share/doc/taxiway/config.example.toml 644',
    './usr/share/doc/taxiway/copyright 644',
    './usr/share/fish/vendor_completions.d/taxiway.fish 644',
    './usr/share/zsh/vendor-completions/_taxiway 644',
  ]);
  expect(new Set(files.filter((path) => path.includes('/ ')).map((path) => path.split(' ')[1]))).toEqual(
    new Set(['755']),
  );
  expect(contentOf('./usr/share/bash-completion/completions/taxiway')).toBe('complete');
  expect(contentOf('./usr/share/fish/vendor_completions.d/taxiway.fish')).toBe('complete -c taxiway');
  expect(contentOf('./usr/share/zsh/vendor-completions/_taxiway')).toBe('#compdef taxiway');
  expect(contentOf('./usr/bin/taxiway')).toBe('\x7fELF of the server');
  expect(contentOf('./usr/share/doc/taxiway/copyright')).toMatch(/Apache License[\s\S]*== zod\n\nMIT License\n$/);
});

it('names each folder before its content', () => {
  const paths = [...data.keys()];
  for (const [index, path] of paths.entries()) {
    const folder = path.replace(/[^/]+\/?$/, '');
    if (folder !== '') expect(paths.slice(0, index)).toContain(folder);
  }
});

it('describes itself to dpkg', () => {
  const fields = Object.fromEntries(
    contentOf('./control')
      .split('\n')
      .filter((line) => /^\w/.test(line))
      .map((line) => line.split(/: (.*)/)),
  );
  expect(fields).toMatchObject({
    Package: 'taxiway',
    Version: '1.2.0~rc.1',
    Architecture: 'arm64',
    Depends: 'libc6 (>= 2.34), libgcc-s1, libstdc++6 (>= 11), systemd | systemd-standalone-sysusers',
    'Installed-Size': expect.stringMatching(/^\d+$/),
  });
  expect(contentOf('./conffiles')).toBe('/etc/taxiway/config.toml\n');
  const sum = createHash('md5').update(options.executable).digest('hex');
  expect(contentOf('./md5sums')).toContain(`${sum}  usr/bin/taxiway\n`);
});

it('sorts release candidates before their release', () => {
  expect(['1.0.0', '1.0.0-rc.1'].map(debianVersion)).toEqual(['1.0.0', '1.0.0~rc.1']);
});

it.each(['postinst', 'prerm', 'postrm'])('has a %s that a shell can read', (name) => {
  expect(control.get(`./${name}`)?.mode).toBe(0o755);
  const { status, stderr } = spawnSync('sh', ['-n'], { input: contentOf(`./${name}`), encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

it.each([
  ['a first installation', '', false, 'start'],
  ['an upgrade, which leaves a stopped server stopped', '1.1.0', false, 'try-restart'],
  ['an installation after the package was removed', '1.1.0', true, 'start'],
])('after %s, it asks systemd to %s the server', (_, before, isMasked, action) => {
  const folder = mkdtempSync(join(tmpdir(), 'taxiway-postinst-'));
  try {
    const unit = join(folder, 'taxiway.service');
    if (isMasked) symlinkSync('/dev/null', unit);
    const calls = join(folder, 'calls');
    for (const name of [
      'systemd-sysusers',
      'install',
      'chown',
      'chmod',
      'systemctl',
      'deb-systemd-helper',
      'deb-systemd-invoke',
    ])
      writeFileSync(join(folder, name), `#!/bin/sh\necho "${name} $*" >> ${calls}\n`, { mode: 0o755 });
    const script = contentOf('./postinst')
      .replaceAll('/etc/systemd/system/taxiway.service', unit)
      .replaceAll('/run/systemd/system', folder);
    const { status, stderr } = spawnSync('sh', ['-s', 'configure', before], {
      input: script,
      encoding: 'utf8',
      env: { PATH: `${folder}:${process.env.PATH}` },
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(
      readFileSync(calls, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('deb-systemd-invoke')),
    ).toEqual([`deb-systemd-invoke ${action} taxiway.service`]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('depends on nothing but its input', () => {
  const zone = process.env.TZ;
  process.env.TZ = 'Asia/Tokyo';
  expect(writeDeb(options).equals(writeDeb({ ...options }))).toBe(true);
  process.env.TZ = zone;
  for (const { owner, seconds } of [...data.values(), ...control.values()])
    expect({ owner, seconds }).toEqual({ owner: 0, seconds: options.seconds });
  expect(members.get('data.tar.zst')?.includes(projectDir)).toBe(false);
});

it('has a configuration that the server accepts, on this machine only and with the data where the service can write', () => {
  const folder = mkdtempSync(join(tmpdir(), 'taxiway-deb-'));
  try {
    const text = contentOf('./etc/taxiway/config.toml');
    writeFileSync(join(folder, 'config.toml'), text);
    const { server } = loadConfig({ cwd: folder, env: {} });
    expect(server).toMatchObject({ host: '127.0.0.1', port: 8080, data_dir: '/var/lib/taxiway', secret_key: '' });
    // The lines for https are examples that work.
    const example = text.replaceAll(/^# (?=\[|base_url|mode|acme_domains|http_port)/gm, '');
    writeFileSync(join(folder, 'config.toml'), example);
    expect(loadConfig({ cwd: folder, env: {} }).server.tls).toMatchObject({ mode: 'acme', http_port: 80 });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('runs the server in a unit that can write nothing else', () => {
  const unit = contentOf('./usr/lib/systemd/system/taxiway.service');
  const settings = [...unit.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => `${name}=${value}`);
  expect(settings).toEqual(
    expect.arrayContaining([
      'ExecStart=/usr/bin/taxiway serve --config /etc/taxiway/config.toml',
      'User=taxiway',
      'StateDirectory=taxiway',
      'UMask=0077',
      'NoNewPrivileges=yes',
      'CapabilityBoundingSet=CAP_NET_BIND_SERVICE',
      'ProtectSystem=strict',
      'ProtectHome=yes',
      'PrivateTmp=yes',
      'PrivateDevices=yes',
      'RestrictNamespaces=yes',
      'RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK',
      'SystemCallFilter=@system-service',
      'SystemCallFilter=~@privileged',
    ]),
  );
  // The compiler of JavaScript writes code and runs it.
  expect(unit).not.toMatch(/^MemoryDenyWriteExecute=/m);
  expect(contentOf('./usr/lib/sysusers.d/taxiway.conf')).toBe('u taxiway - "Taxiway" /var/lib/taxiway -\n');
});
