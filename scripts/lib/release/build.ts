// Builds all artifacts of a release. One that can't be built on this machine is left out, with the reason.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assetsDir, buildBundle, packagesFile } from '../bundle.ts';
import { listComponents } from '../components.ts';
import { canInstallPackages, installPackages } from '../debian.ts';
import { buildExecutable } from '../executable.ts';
import { targets } from '../node-binaries.ts';
import { distDir, projectDir, run, say } from '../project.ts';
import { debianVersion, writeCompletions, writeDeb } from './deb.ts';
import { buildImageBase, type ImageArchitecture, writeImage } from './image.ts';
import { writeSbom } from './sbom.ts';
import type { Sources } from './sources.ts';

export const releaseDir = join(distDir, 'release');

/** A file of the release, or why it was left out. */
export type ReleaseFile = { path: string } | { name: string; missing: string };

interface ReleaseOptions {
  version: string;
  notes: string;
  sources: Sources;
}

/** Names of the architectures on Debian and in images. */
const architectures = { 'linux-x64': 'amd64', 'linux-arm64': 'arm64' } as const;

/** Returns the path of an executable of the release. */
export function executablePath(version: string, target: string): string {
  return join(releaseDir, `taxiway-${version}-${target}${target.startsWith('win') ? '.exe' : ''}`);
}

export function debPath(version: string, architecture: string): string {
  return join(releaseDir, `taxiway_${debianVersion(version)}_${architecture}.deb`);
}

export function imagePath(version: string): string {
  return join(releaseDir, `taxiway-${version}-oci.tar`);
}

/** Builds everything into dist/release, which is emptied first. Returns the files in the order of their names. */
export async function buildRelease({ version, notes, sources }: ReleaseOptions): Promise<ReleaseFile[]> {
  rmSync(releaseDir, { recursive: true, force: true });
  mkdirSync(releaseDir, { recursive: true });
  // Compresses every file again, because an earlier build can be by another version of Node.js.
  rmSync(join(distDir, 'assets'), { recursive: true, force: true });
  await buildBundle();
  const files: ReleaseFile[] = [];
  const write = (path: string, content: Buffer | string): void => {
    writeFileSync(path, content);
    files.push({ path });
  };
  const attempt = async (name: string, build: () => void | Promise<void>): Promise<void> => {
    await Promise.resolve()
      .then(build)
      .catch((error: unknown) => {
        files.push({ name, missing: error instanceof Error ? error.message : String(error) });
      });
  };

  const components = listComponents(JSON.parse(readFileSync(packagesFile, 'utf8')));
  const { seconds } = sources;
  for (const target of Object.keys(targets)) {
    const path = executablePath(version, target);
    await attempt(`executable for ${target}`, async () => {
      await buildExecutable(target, path);
      files.push({ path });
      const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
      const subject = { version, platform: target, sha256, seconds };
      write(`${path.replace(/\.exe$/, '')}.cdx.json`, writeSbom(subject, components));
    });
  }

  const third = readFileSync(join(assetsDir, 'third-party-notices.txt'), 'utf8');
  const platforms: { architecture: ImageArchitecture; executable: Buffer; base: Buffer }[] = [];
  const base = provideImageBase(seconds);
  const completions = await writeCompletions();
  for (const [target, architecture] of Object.entries(architectures)) {
    await attempt(`package and image for ${architecture}`, () => {
      const executable = readFileSync(executablePath(version, target));
      const common = { version, seconds, notices: third };
      write(debPath(version, architecture), writeDeb({ ...common, architecture, executable, completions }));
      if ('missing' in base) throw new Error(`no image: ${base.missing}`);
      platforms.push({ architecture, executable, base: base.build(architecture) });
    });
  }
  if (platforms.length > 0) {
    const { commit } = sources;
    write(imagePath(version), writeImage({ version, commit, seconds, notices: third, platforms }));
  }

  for (const name of ['compose.yaml', 'kubernetes.yaml']) write(join(releaseDir, name), releaseFile(name, version));
  write(join(releaseDir, 'third-party-notices.txt'), third);
  write(join(releaseDir, 'release-notes.md'), notes);
  write(join(releaseDir, 'SHA256SUMS'), writeSums(files));
  return files;
}

/** Returns a file of packaging/ with the version that it's released with. */
export function releaseFile(name: string, version: string): string {
  const text = readFileSync(join(projectDir, 'packaging', name), 'utf8');
  return text.replace(/\$\{TAXIWAY_VERSION[^}]*\}/, version).replace(/(?<=taxiway[:-])VERSION\b/g, version);
}

/** Returns the checksums of the files as `sha256sum --check` reads them. */
function writeSums(files: readonly ReleaseFile[]): string {
  const paths = files.flatMap((file) => ('path' in file ? [file.path] : [])).sort();
  const sumOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
  return paths.map((path) => `${sumOf(path)}  ${path.slice(releaseDir.length + 1)}\n`).join('');
}

function provideImageBase(seconds: number) {
  const isThere = () => run('mmdebstrap', ['--version']).code === 0;
  if (!isThere() && canInstallPackages()) {
    say('Installing mmdebstrap …');
    installPackages(['mmdebstrap']);
  }
  if (!isThere()) return { missing: 'its base requires mmdebstrap (on Debian: apt-get install mmdebstrap)' };
  return { build: (architecture: ImageArchitecture) => buildImageBase(architecture, seconds) };
}
