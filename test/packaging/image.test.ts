// The OCI image: its layout, its configuration and its files, for two platforms.
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { projectDir } from '../../scripts/lib/project.ts';
import { releaseFile } from '../../scripts/lib/release/build.ts';
import { writeImage } from '../../scripts/lib/release/image.ts';
import { writeTar } from '../../scripts/lib/release/tar.ts';
import { loadConfig } from '../../src/config.ts';
import { readTar } from './archives.ts';

const seconds = 1_790_000_000;
const base = writeTar([{ path: './', mode: 0o755 }], seconds);
const platforms = (['amd64', 'arm64'] as const).map((architecture) => ({
  architecture,
  executable: Buffer.from(`the server for ${architecture}`),
  base,
}));
const options = { version: '1.2.0', commit: 'abcdef123456', seconds, notices: '== zod\n', platforms };
const archive = writeImage(options);

/** Blobs are binary, and tests read texts. */
function readBlobs(): Map<string, Buffer> {
  const blobs = new Map<string, Buffer>();
  for (let at = 0; archive[at] !== 0; ) {
    const path = archive.toString('latin1', at, at + 100).replace(/\0+$/, '');
    const size = Number.parseInt(archive.toString('latin1', at + 124, at + 136), 8);
    blobs.set(path, archive.subarray(at + 512, at + 512 + size));
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return blobs;
}

const blobs = readBlobs();
const blobOf = (digest: string) => blobs.get(`blobs/${digest.replace(':', '/')}`) ?? Buffer.alloc(0);
const jsonOf = (digest: string) => JSON.parse(blobOf(digest).toString());
const index = jsonOf(JSON.parse(blobs.get('index.json')?.toString() ?? '').manifests[0].digest);

describe('the image', () => {
  it('names every blob by its checksum', () => {
    const named = [...blobs].filter(([path]) => /^blobs\/sha256\/./.test(path));
    // Index, two manifests, two configurations, one base that both share, two layers of the program.
    expect(named).toHaveLength(8);
    for (const [path, content] of named)
      expect(path).toBe(`blobs/sha256/${createHash('sha256').update(content).digest('hex')}`);
  });

  it('has a manifest for each platform', () => {
    expect(index.manifests.map(({ platform }: { platform: object }) => platform)).toEqual([
      { os: 'linux', architecture: 'amd64' },
      { os: 'linux', architecture: 'arm64', variant: 'v8' },
    ]);
  });

  it.each([0, 1])('runs without root, with a volume and a health check (%i)', (at) => {
    const { config, layers } = jsonOf(index.manifests[at].digest);
    const { config: settings, rootfs } = jsonOf(config.digest);
    expect(settings).toMatchObject({
      User: '65532:65532',
      Entrypoint: ['taxiway'],
      Cmd: ['serve'],
      Volumes: { '/data': {} },
      ExposedPorts: { '8080/tcp': {} },
      StopSignal: 'SIGTERM',
      Healthcheck: { Test: ['CMD', 'taxiway', 'health'] },
    });
    const unpacked = layers.map(({ digest }: { digest: string }) => gunzipSync(blobOf(digest)));
    expect(rootfs.diff_ids).toEqual(
      unpacked.map((layer: Buffer) => `sha256:${createHash('sha256').update(layer).digest('hex')}`),
    );
    const files = readTar(unpacked[1]);
    expect(files.get('usr/local/bin/taxiway')).toMatchObject({
      mode: 0o755,
      content: `the server for ${platforms[at]?.architecture}`,
    });
    expect(files.get('data/')).toMatchObject({ mode: 0o700, owner: 65_532 });
    expect(files.get('usr/share/doc/taxiway/copyright')?.content).toMatch(/Apache License[\s\S]*== zod\n$/);
  });

  it('sets variables that the server accepts', () => {
    const { config } = jsonOf(index.manifests[0].digest);
    const env = Object.fromEntries(jsonOf(config.digest).config.Env.map((line: string) => line.split('=')));
    expect(loadConfig({ cwd: projectDir, env }).server).toMatchObject({
      host: '0.0.0.0',
      data_dir: '/data',
      port: 8080,
    });
  });

  it('depends on nothing but its input', () => {
    expect(writeImage({ ...options }).equals(archive)).toBe(true);
  });
});

describe('the files for containers', () => {
  const compose = releaseFile('compose.yaml', '1.2.0');
  const kubernetes = releaseFile('kubernetes.yaml', '1.2.0');

  it('name the released version', () => {
    expect(compose).toContain('image: taxiway:1.2.0\n');
    expect(compose).toContain('taxiway-1.2.0-oci.tar');
    expect(kubernetes).toContain('image: registry.example.com/taxiway:1.2.0\n');
    expect(`${compose}${kubernetes}`).not.toMatch(/VERSION/);
  });

  it('set variables and settings that the server accepts', () => {
    const lines = [...compose.matchAll(/^ {6}(TAXIWAY_\w+): (.*)$/gm)];
    const values = lines.map(([, name = '', value = '']) => [
      name,
      value.replace(/^\$\{.*:-(.*)\}$/, '$1').replace(/^'|'$/g, ''),
    ]);
    const fromCompose = loadConfig({ cwd: projectDir, env: Object.fromEntries(values) });
    expect(fromCompose.server).toMatchObject({ base_url: 'http://localhost:8080', trusted_proxies: ['172.16.0.0/12'] });
    const [, text = ''] = /^ {2}config\.toml: \|\n((?: {4}.*\n)+)/m.exec(kubernetes) ?? [];
    const folder = mkdtempSync(join(tmpdir(), 'taxiway-kubernetes-'));
    try {
      writeFileSync(join(folder, 'config.toml'), text.replaceAll(/^ {4}/gm, ''));
      const { server } = loadConfig({ cwd: folder, env: {} });
      expect(server).toMatchObject({ base_url: 'https://builds.example.com', trusted_proxies: ['10.0.0.0/8'] });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('probe the server, keep its data, and give it no rights', () => {
    for (const line of [
      'startupProbe:\n            httpGet: { path: /health/live, port: http }',
      'livenessProbe:\n            httpGet: { path: /health/live, port: http }',
      'readinessProbe:\n            httpGet: { path: /health/ready, port: http }',
      'runAsNonRoot: true',
      'readOnlyRootFilesystem: true',
      'capabilities: { drop: [ALL] }',
      'replicas: 1\n',
      // With links, Kubernetes sets variables such as TAXIWAY_PORT, which look like settings.
      'enableServiceLinks: false',
      '{ name: data, mountPath: /data }',
    ])
      expect(kubernetes).toContain(line);
    for (const line of ['read_only: true', 'cap_drop: [ALL]', '- data:/data', 'test: ["CMD", "taxiway", "health"]'])
      expect(compose).toContain(line);
  });
});
