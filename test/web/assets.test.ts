// Embedded files are found by their exact names only.
import { existsSync } from 'node:fs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { findAsset, inspectionWorker, isExecutable, listAssets, readAsset, sqliteAddon } from '../../src/lib/assets.ts';
import { commandArguments } from '../../src/lib/process.ts';
import { version } from '../../src/lib/version.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('embedded files', () => {
  it('are listed by folder and read by folder and path', () => {
    const names = listAssets('migrations');
    expect(names).toEqual([...names].sort());
    for (const name of names) {
      expect(name).toMatch(/^[\w/.-]+$/);
      expect(readAsset(`migrations/${name}`).length).toBeGreaterThan(0);
    }
  });

  it.each([
    '',
    '.',
    '..',
    '../package.json',
    'migrations/../package.json',
    'migrations/./x',
    '/etc/passwd',
    'migrations//x',
    'migrations\\x',
    '.git/config',
    'install/\0',
    'no/such/file.css',
    'migrations',
  ])('never returns %j', (name) => {
    expect(findAsset(name)).toBeUndefined();
    expect(() => readAsset(name)).toThrow('The program has no embedded file named');
  });

  it.each(['', '..', '/', 'no-such-folder'])('lists nothing for %j', (folder) => {
    expect(listAssets(folder)).toEqual([]);
  });
});

describe('the program in its source tree', () => {
  it('lets the database driver find its native part', () => {
    expect(isExecutable()).toBe(false);
    expect(sqliteAddon(['/nowhere'])).toBeUndefined();
  });

  it('runs the inspection worker from its source file', () => {
    vi.stubGlobal('__TAXIWAY_WORKERS__', undefined);
    const worker = inspectionWorker();
    expect(worker).toMatch(/src\/inspection\/worker\.ts$/);
    expect(typeof worker === 'string' && existsSync(worker)).toBe(true);
  });

  it('shows that it is not a build', () => {
    expect(version).toEqual({ version: manifest.version, commit: 'unbuilt', builtAt: null });
  });

  it('returns the arguments after its name', () => {
    expect(commandArguments()).toEqual(process.argv.slice(2));
  });
});
