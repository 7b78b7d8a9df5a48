// What a release says about itself: its notes, its list of components and its licenses.
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { commonOptions } from '../../scripts/lib/bundle-options.ts';
import { type Component, gatherNotices, listComponents, listPackageFolders } from '../../scripts/lib/components.ts';
import { cutNotes } from '../../scripts/lib/release/notes.ts';
import { writeSbom } from '../../scripts/lib/release/sbom.ts';

describe('release notes', () => {
  const changelog =
    '# Changelog\n\nAll.\n\n## Unreleased\n\n- New.\n\n## 1.1.0 (2026-01-02)\n\n### Added\n- One.\n\n## 1.1\n\n## 1.0.0\n\n- First.\n';

  it('are the section of the version without its heading', () => {
    expect(cutNotes(changelog, '1.1.0')).toBe('### Added\n- One.\n');
    expect(cutNotes(changelog, '1.0.0')).toBe('- First.\n');
  });

  it('are required', () => {
    expect(() => cutNotes(changelog, '1.2.0')).toThrow(
      'CHANGELOG.md has no section "## 1.2.0": rename its section "Unreleased" (found: Unreleased, 1.1.0, 1.1, 1.0.0)',
    );
    expect(() => cutNotes(changelog, '1.1')).toThrow('The section "## 1.1" of CHANGELOG.md is empty');
  });
});

describe('the list of packages', () => {
  it('contains those of which the bundle has code, also inside other packages, and no others', () => {
    const output = { bytes: 1, imports: [], exports: [] };
    const used = { bytesInOutput: 10 };
    const inputs = {
      'src/main.ts': used,
      'node_modules/zod/v4/index.js': used,
      'node_modules/@simplewebauthn/server/esm/index.js': used,
      'node_modules/pkijs/node_modules/@noble/hashes/sha1.js': used,
      'node_modules/hono/dist/index.js': { bytesInOutput: 0 },
    };
    expect(listPackageFolders([{ inputs: {}, outputs: { 'dist/taxiway.cjs': { ...output, inputs } } }])).toEqual([
      'node_modules/@fontsource-variable/inter',
      'node_modules/@simplewebauthn/server',
      'node_modules/better-sqlite3',
      'node_modules/pkijs/node_modules/@noble/hashes',
      'node_modules/zod',
    ]);
  });

  it('is that of the bundle of a worker, with licenses', async () => {
    const entryPoints = ['src/inspection/worker.ts'];
    const { metafile } = await build({ ...commonOptions, entryPoints, format: 'cjs', metafile: true, write: false });
    const folders = listPackageFolders([metafile]);
    expect(folders).toContain('node_modules/yauzl');
    const notices = gatherNotices(folders);
    for (const folder of folders) expect(notices).toContain(`== ${folder.split('node_modules/').at(-1)}\n`);
    expect(notices).toMatch(/^== yauzl\n\nThe MIT License/m);
    // Ships no file with its license.
    expect(gatherNotices(['node_modules/drizzle-orm'])).toMatch(/^== drizzle-orm\n\nApache License/);
  });

  it('rejects a package without a license that it could show', () => {
    expect(() => gatherNotices(['node_modules/axe-core/lib'])).toThrow();
  });
});

describe('the bill of materials', () => {
  const folders = ['node_modules/@simplewebauthn/server', 'node_modules/better-sqlite3', 'node_modules/zod'];
  const components = listComponents(folders);
  const subject = { version: '1.2.0', platform: 'linux-x64', sha256: 'ab'.repeat(32), seconds: 1_790_000_000 };
  const read = (list: readonly Component[]) => JSON.parse(writeSbom(subject, list));
  const found = read(components);

  it('is CycloneDX 1.6 about the executable', () => {
    expect(found).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      serialNumber: expect.stringMatching(/^urn:uuid:[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/),
      metadata: {
        timestamp: '2026-09-21T14:13:20.000Z',
        component: {
          type: 'application',
          name: 'taxiway',
          version: '1.2.0',
          hashes: [{ alg: 'SHA-256', content: subject.sha256 }],
        },
      },
    });
  });

  it('contains the packages, the driver with its SQLite, and Node.js with its libraries', () => {
    const named = found.components.map(({ group, name, purl }: Record<string, string>) => [group, name, purl]);
    expect(named).toEqual([
      ['@simplewebauthn', 'server', expect.stringMatching(/^pkg:npm\/%40simplewebauthn\/server@14\./)],
      [undefined, 'better-sqlite3', expect.stringMatching(/^pkg:npm\/better-sqlite3@13\./)],
      [undefined, 'zod', expect.stringMatching(/^pkg:npm\/zod@4\./)],
      [undefined, 'node', expect.stringMatching(/^pkg:generic\/node@24\./)],
    ]);
    const partsOf = (at: number) => found.components[at].components.map(({ name }: { name: string }) => name);
    expect(partsOf(1)).toEqual(['sqlite']);
    expect(partsOf(3)).toEqual(expect.arrayContaining(['openssl', 'v8', 'libuv', 'zlib', 'undici', 'sqlite']));
    expect(found.components[1].components[0].version).toMatch(/^3\.\d+\.\d+$/);
    for (const { licenses } of found.components) expect(licenses[0].license.id).toMatch(/^(?:MIT|Apache-2\.0)$/);
  });

  it('refers to each component by one name', () => {
    const twice = [
      ...components,
      { name: 'zod', version: '4.0.0', license: 'MIT', folder: 'node_modules/a/node_modules/zod' },
    ];
    const document = read(twice);
    const all = document.components.flatMap((one: { components?: object[] }) => [one, ...(one.components ?? [])]);
    const refs = all.map((one: Record<string, string>) => one['bom-ref']);
    expect(new Set(refs).size).toBe(refs.length);
    const depended = document.dependencies.flatMap(({ dependsOn }: { dependsOn: string[] }) => dependsOn);
    expect(depended.toSorted()).toEqual(refs.toSorted());
  });

  it('depends on nothing but its input', () => {
    expect(writeSbom(subject, components)).toBe(writeSbom({ ...subject }, listComponents(folders)));
  });
});
