// Folders that a start needs are on disk before anything is stored in them, also if a killed process created them.
import fs, { existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openApp } from '../../src/app.ts';
import { configFrom } from '../../src/config.ts';
import { flushFolders, makeFolderNow } from '../../src/lib/durable-file.ts';

let root: string;
/** Paths in the order of their flushes, with whether the database had content by then. */
let flushed: [path: string, hasDatabase: boolean][];
let denied: string | undefined;
let failure: string;

const { fsyncSync } = fs;
const sizeOf = (file: string) => (existsSync(file) ? statSync(file).size : 0);
const database = () => join(root, 'data/db/taxiway.db');

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'taxiway-folders-'));
  flushed = [];
  denied = undefined;
  failure = 'EINVAL';
  vi.spyOn(fs, 'fsyncSync').mockImplementation((handle) => {
    const path = readlinkSync(`/proc/self/fd/${handle}`);
    if (path === denied) throw Object.assign(new Error(failure), { code: failure });
    flushed.push([path, sizeOf(database()) > 0]);
    fsyncSync(handle);
  });
  syncBuiltinESMExports();
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(root, { recursive: true, force: true });
});

const paths = () => flushed.map(([path]) => path);

/** The folder and its parents. */
const upwards = (folder: string): string[] => (folder === '/' ? ['/'] : [folder, ...upwards(dirname(folder))]);

describe.runIf(process.platform === 'linux')('folders', () => {
  it('are flushed with those that were created for them, once', () => {
    makeFolderNow(join(root, 'a/b'));
    expect(paths()).toEqual([join(root, 'a'), root]);
    makeFolderNow(join(root, 'a/b'));
    expect(paths()).toHaveLength(2);
  });

  it('that another process created are flushed with all their parents, as far as possible', () => {
    mkdirSync(join(root, 'a'));
    denied = tmpdir();
    flushFolders(join(root, 'a'));
    expect(paths()).toEqual([root, ...upwards(dirname(tmpdir()))]);
    failure = 'EIO';
    expect(() => flushFolders(join(root, 'a'))).toThrow('EIO');
  });

  it('of a first start that was killed are flushed by the next one, before there is a database', async () => {
    mkdirSync(join(root, 'data/db'), { recursive: true });
    mkdirSync(join(root, 'data/blobs/objects'), { recursive: true });
    const server = { data_dir: join(root, 'data') };
    const config = configFrom({ server, database: { file: database() }, log: { level: 'silent' } });
    const { close } = await openApp(config);
    await close();
    const before = flushed.filter(([, hasDatabase]) => !hasDatabase).map(([path]) => path);
    expect(new Set(before)).toEqual(new Set(upwards(join(root, 'data'))));
    expect(paths()).toContain(join(root, 'data/blobs'));
  });
});
