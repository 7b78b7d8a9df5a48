// Writes packages for Debian and Ubuntu, without Debian's tools: the same files give the same bytes on every machine.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, gzipSync, zstdCompressSync } from 'node:zlib';
import { CATALOG } from '../../../src/commands/catalog.ts';
import { type Shell, writeCompletion } from '../../../src/commands/completion.ts';
import { createProcessHost } from '../../../src/commands/host.ts';
import { projectDir } from '../project.ts';
import { type TarEntry, withFolders, writeTar } from './tar.ts';

export interface DebOptions {
  /** Semantic version. */
  version: string;
  /** Debian's name of the architecture. */
  architecture: 'amd64' | 'arm64';
  executable: Buffer;
  /** The completion scripts. */
  completions: Readonly<Record<Shell, string>>;
  /** Licenses of everything in the executable. */
  notices: string;
  /** Modification time of all files, in seconds. */
  seconds: number;
}

const own = (path: string): string => readFileSync(join(projectDir, path), 'utf8');

/** Returns the version in Debian's order, in which `1.0.0~rc.1` is before `1.0.0`. */
export function debianVersion(version: string): string {
  return version.replace('-', '~');
}

/** Returns the completion scripts of the commands. */
export async function writeCompletions(): Promise<DebOptions['completions']> {
  const write = (shell: Shell) => writeCompletion(shell, createProcessHost(), CATALOG);
  return { bash: await write('bash'), zsh: await write('zsh'), fish: await write('fish') };
}

/** Returns the package. */
export function writeDeb(options: DebOptions): Buffer {
  const { seconds } = options;
  const data = listFiles(options);
  const archive = (entries: TarEntry[]) => writeTar([{ path: './', mode: 0o755 }, ...withDot(entries)], seconds);
  const params = { [constants.ZSTD_c_compressionLevel]: 9 };
  return writeAr(
    [
      ['debian-binary', Buffer.from('2.0\n')],
      ['control.tar.gz', gzipSync(archive(listControl(options, data)), { level: 9 })],
      // Systems whose dpkg can't unpack it (Debian 11) have too old a C library for the program as well.
      ['data.tar.zst', zstdCompressSync(archive(withFolders(data)), { params })],
    ],
    seconds,
  );
}

const withDot = (entries: TarEntry[]): TarEntry[] => entries.map((entry) => ({ ...entry, path: `./${entry.path}` }));

function listFiles({ executable, completions, notices }: DebOptions): TarEntry[] {
  const doc = 'usr/share/doc/taxiway';
  return [
    // The installation gives it to the group of the server.
    { path: 'etc/taxiway/config.toml', mode: 0o640, content: own('packaging/deb/config.toml') },
    { path: 'usr/bin/taxiway', mode: 0o755, content: executable },
    { path: 'usr/lib/systemd/system/taxiway.service', mode: 0o644, content: own('packaging/deb/taxiway.service') },
    { path: 'usr/lib/sysusers.d/taxiway.conf', mode: 0o644, content: own('packaging/deb/taxiway.sysusers') },
    { path: 'usr/share/bash-completion/completions/taxiway', mode: 0o644, content: completions.bash },
    // Debian's tools read changelog.gz in a format of their own.
    { path: `${doc}/CHANGELOG.md.gz`, mode: 0o644, content: gzipSync(own('CHANGELOG.md'), { level: 9 }) },
    { path: `${doc}/config.example.toml`, mode: 0o644, content: own('config.example.toml') },
    { path: `${doc}/copyright`, mode: 0o644, content: `${own('LICENSE').trim()}\n\n${notices}` },
    { path: 'usr/share/fish/vendor_completions.d/taxiway.fish', mode: 0o644, content: completions.fish },
    { path: 'usr/share/zsh/vendor-completions/_taxiway', mode: 0o644, content: completions.zsh },
  ];
}

function listControl({ version, architecture }: DebOptions, data: TarEntry[]): TarEntry[] {
  const bytes = data.reduce((sum, { content }) => sum + Buffer.byteLength(content ?? ''), 0);
  const sums = data.map(({ path, content }) => [
    createHash('md5')
      .update(content ?? '')
      .digest('hex'),
    path,
  ]);
  const conffiles = data.filter(({ path }) => path.startsWith('etc/')).map(({ path }) => `/${path}\n`);
  const scripts = ['postinst', 'postrm', 'prerm'];
  return [
    { path: 'conffiles', mode: 0o644, content: conffiles.join('') },
    {
      path: 'control',
      mode: 0o644,
      content: `Package: taxiway
Version: ${debianVersion(version)}
Architecture: ${architecture}
Maintainer: The Taxiway authors <taxiway@example.com>
Section: net
Priority: optional
Installed-Size: ${Math.ceil(bytes / 1024)}
Pre-Depends: init-system-helpers (>= 1.54~)
Depends: libc6 (>= 2.34), libgcc-s1, libstdc++6 (>= 11), systemd | systemd-standalone-sysusers
Recommends: systemd
Description: self-hosted distribution of mobile test builds
 Upload a build, release it to a channel, and share the link of the channel:
 phones install it over the air. One executable with everything in it.
`,
    },
    { path: 'md5sums', mode: 0o644, content: sums.map(([sum, path]) => `${sum}  ${path}\n`).join('') },
    ...scripts.map((name) => ({ path: name, mode: 0o755, content: own(`packaging/deb/${name}`) })),
  ];
}

/** Returns an ar archive, the container of Debian packages. */
function writeAr(members: readonly [name: string, content: Buffer][], seconds: number): Buffer {
  const blocks = members.flatMap(([name, content]) => {
    const fields = [
      name.padEnd(16),
      String(seconds).padEnd(12),
      '0     0     100644  ',
      String(content.length).padEnd(10),
    ];
    return [Buffer.from(`${fields.join('')}\`\n`), content, Buffer.from(content.length % 2 === 1 ? '\n' : '')];
  });
  return Buffer.concat([Buffer.from('!<arch>\n'), ...blocks]);
}
