// Writes an OCI image for several platforms as one archive, without a daemon or a registry. The base is unpacked Debian packages.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { projectDir, run } from '../project.ts';
import { type TarEntry, withFolders, writeTar } from './tar.ts';

/** Platforms of the image: Debian and OCI name the architectures alike. */
export type ImageArchitecture = 'amd64' | 'arm64';

export interface ImageOptions {
  version: string;
  commit: string;
  /** Time of everything in the image, in seconds. */
  seconds: number;
  notices: string;
  platforms: { architecture: ImageArchitecture; executable: Buffer; base: Buffer }[];
}

interface Descriptor {
  mediaType: string;
  digest: string;
  size: number;
}

const MEDIA = 'application/vnd.oci.image';
/** The server's account: no name of the host has this number. */
export const ACCOUNT = 65_532;
const BASE_RELEASE = 'bookworm';
const BASE_PACKAGES = ['base-files', 'libc6', 'libgcc-s1', 'libstdc++6', 'netbase'];

/** Returns the archive: an OCI layout with an index of the platforms. */
export function writeImage(options: ImageOptions): Buffer {
  const { version, seconds } = options;
  const blobs = new Map<string, Buffer>();
  const add = (mediaType: string, content: Buffer | object): Descriptor => {
    const bytes = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
    const hex = createHash('sha256').update(bytes).digest('hex');
    blobs.set(hex, bytes);
    return { mediaType, digest: `sha256:${hex}`, size: bytes.length };
  };
  const manifests = options.platforms.map(({ architecture, executable, base }) => {
    const layers = [base, writeTar(withFolders(listFiles(executable, options)), seconds)];
    const config = add(`${MEDIA}.config.v1+json`, describeImage(options, architecture, layers));
    const packed = layers.map((layer) => add(`${MEDIA}.layer.v1.tar+gzip`, gzipSync(layer)));
    const manifest = { schemaVersion: 2, mediaType: `${MEDIA}.manifest.v1+json`, config, layers: packed };
    const platform = { os: 'linux', architecture, ...(architecture === 'arm64' ? { variant: 'v8' } : {}) };
    return { ...add(manifest.mediaType, manifest), platform };
  });
  const list = { schemaVersion: 2, mediaType: `${MEDIA}.index.v1+json`, manifests, annotations: labelsOf(options) };
  const names = { 'io.containerd.image.name': `taxiway:${version}`, 'org.opencontainers.image.ref.name': version };
  const index = { schemaVersion: 2, manifests: [{ ...add(list.mediaType, list), annotations: names }] };
  const files: TarEntry[] = [
    { path: 'oci-layout', mode: 0o644, content: JSON.stringify({ imageLayoutVersion: '1.0.0' }) },
    { path: 'index.json', mode: 0o644, content: JSON.stringify(index) },
    ...[...blobs].map(([hex, content]) => ({ path: `blobs/sha256/${hex}`, mode: 0o644, content })),
  ];
  return writeTar(withFolders(files), seconds);
}

function labelsOf({ version, commit, seconds }: ImageOptions): Record<string, string> {
  return {
    'org.opencontainers.image.title': 'Taxiway',
    'org.opencontainers.image.description': 'Self-hosted distribution of mobile test builds',
    'org.opencontainers.image.licenses': 'Apache-2.0',
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.revision': commit,
    'org.opencontainers.image.created': new Date(seconds * 1000).toISOString(),
  };
}

function listFiles(executable: Buffer, { notices }: ImageOptions): TarEntry[] {
  const license = readFileSync(join(projectDir, 'LICENSE'), 'utf8');
  const accounts = [
    `root:x:0:0:root:/root:/usr/sbin/nologin`,
    `taxiway:x:${ACCOUNT}:${ACCOUNT}::/data:/usr/sbin/nologin`,
  ];
  return [
    { path: 'data/', mode: 0o700, owner: ACCOUNT },
    { path: 'etc/group', mode: 0o644, content: `root:x:0:\ntaxiway:x:${ACCOUNT}:\n` },
    // Without this file, the C library asks the name server before it reads /etc/hosts.
    { path: 'etc/nsswitch.conf', mode: 0o644, content: 'hosts: files dns\n' },
    { path: 'etc/passwd', mode: 0o644, content: `${accounts.join('\n')}\n` },
    { path: 'etc/taxiway/', mode: 0o755 },
    { path: 'tmp/', mode: 0o1777 },
    { path: 'usr/local/bin/taxiway', mode: 0o755, content: executable },
    { path: 'usr/share/doc/taxiway/copyright', mode: 0o644, content: `${license.trim()}\n\n${notices}` },
  ];
}

function describeImage(options: ImageOptions, architecture: ImageArchitecture, layers: readonly Buffer[]): object {
  const created = new Date(options.seconds * 1000).toISOString();
  const second = 1_000_000_000;
  return {
    created,
    architecture,
    os: 'linux',
    ...(architecture === 'arm64' ? { variant: 'v8' } : {}),
    config: {
      User: `${ACCOUNT}:${ACCOUNT}`,
      Env: ['PATH=/usr/local/bin', 'TAXIWAY_SERVER__HOST=0.0.0.0', 'TAXIWAY_SERVER__DATA_DIR=/data'],
      Entrypoint: ['taxiway'],
      Cmd: ['serve'],
      // A config.toml that is mounted here is read without an option.
      WorkingDir: '/etc/taxiway',
      ExposedPorts: { '8080/tcp': {} },
      Volumes: { '/data': {} },
      StopSignal: 'SIGTERM',
      Labels: labelsOf(options),
      Healthcheck: {
        Test: ['CMD', 'taxiway', 'health'],
        Interval: 30 * second,
        Timeout: 10 * second,
        StartPeriod: 60 * second,
        Retries: 3,
      },
    },
    rootfs: {
      type: 'layers',
      diff_ids: layers.map((layer) => `sha256:${createHash('sha256').update(layer).digest('hex')}`),
    },
    history: [
      { created, created_by: `Debian ${BASE_RELEASE}: ${BASE_PACKAGES.join(', ')}` },
      { created, created_by: `Taxiway ${options.version}` },
    ],
  };
}

/** Unpacks the packages of the base. Returns the tar archive. Throws with the reason if they can't be had. */
export function buildImageBase(architecture: ImageArchitecture, seconds: number): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'taxiway-image-'));
  const archive = join(folder, 'base.tar');
  const excluded = ['/usr/share/doc/*', '/usr/share/info/*', '/usr/share/man/*', '/usr/share/locale/*'];
  try {
    const { code, output } = run(
      'mmdebstrap',
      [
        '--quiet',
        '--variant=extract',
        `--architectures=${architecture}`,
        `--include=${BASE_PACKAGES.join(',')}`,
        '--skip=output/dev',
        ...excluded.map((pattern) => `--dpkgopt=path-exclude=${pattern}`),
        '--dpkgopt=path-include=/usr/share/doc/*/copyright',
        `--extract-hook=${join(projectDir, 'packaging/image-base.sh')}`,
        BASE_RELEASE,
        archive,
      ],
      { ...process.env, SOURCE_DATE_EPOCH: String(seconds) },
    );
    if (code !== 0) throw new Error(`mmdebstrap: ${output.trim().split('\n').slice(-2).join(' ')}`);
    return readFileSync(archive);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
