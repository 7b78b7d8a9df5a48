// Locks: one holder at a time across processes, released when the holder ends.
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { acquireLocks, InUseError, isLocked, LockFileError } from '../../src/runtime/lock.ts';
import { createServer } from '../../src/server.ts';
import { mountDisk } from '../support/memory-disk.ts';

const folder = mkdtempSync(join(tmpdir(), 'lock-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a lock', () => {
  const lockFile = join(folder, 'deep', 'thing.lock');
  const thing = { lockFile, name: 'the thing' };

  it('has one holder, until it is released', () => {
    const release = acquireLocks([thing]);
    expect(() => acquireLocks([thing])).toThrow(InUseError);
    expect(() => acquireLocks([thing])).toThrow(/^another Taxiway server uses the thing; stop it, or /);
    expect(statSync(lockFile).size).toBe(0);
    release();
    acquireLocks([thing])();
  });

  it('can be asked for without a file, and without taking it', () => {
    expect(isLocked({ lockFile: join(folder, 'none.lock') })).toBe(false);
    expect(existsSync(join(folder, 'none.lock'))).toBe(false);
    const release = acquireLocks([thing]);
    expect(isLocked(thing)).toBe(true);
    // Its own handle doesn't release it.
    expect(() => acquireLocks([thing])).toThrow(InUseError);
    release();
    expect(isLocked(thing)).toBe(false);
  });

  it('is released if another lock of the same call is not available', () => {
    const other = { lockFile: join(folder, 'other.lock'), name: 'the other' };
    const release = acquireLocks([thing]);
    expect(() => acquireLocks([other, thing])).toThrow('the thing');
    acquireLocks([other])();
    release();
  });

  it('is refused if its file can only be read, because SQLite would lock it for reading', ({ skip }) => {
    const mounted = mountDisk(64);
    if (typeof mounted === 'string') return skip(mounted);
    using disk = mounted;
    const target = { lockFile: join(disk.folder, 'thing.lock'), name: 'the thing' };
    acquireLocks([target])();
    disk.protect();
    // Another owner isn't the reason then.
    using _account = vi.spyOn(process, 'geteuid').mockReturnValue(statSync(target.lockFile).uid + 1);
    expect(() => acquireLocks([target])).toThrow(
      new LockFileError(`can't write the lock file ${target.lockFile} (EROFS)`),
    );
  });

  it('is refused if its file is a folder', () => {
    const target = { lockFile: join(folder, 'folder.lock'), name: 'the thing' };
    mkdirSync(target.lockFile);
    expect(() => acquireLocks([target])).toThrow(
      new LockFileError(`can't write the lock file ${target.lockFile} (SQLITE_CANTOPEN)`),
    );
  });

  it('is refused with a hint if what it has in its place belongs to another account', () => {
    const target = { lockFile: join(folder, 'foreign.lock'), name: 'the thing' };
    mkdirSync(target.lockFile);
    using _account = vi.spyOn(process, 'geteuid').mockReturnValue(statSync(target.lockFile).uid + 1);
    expect(() => acquireLocks([target])).toThrow(
      new LockFileError(
        `can't write the lock file ${target.lockFile} (SQLITE_CANTOPEN): it belongs to another account; ` +
          'give it to that of the server with chown',
      ),
    );
  });
});

describe('a server', () => {
  it('creates its folders for its account and group only', async () => {
    const dataDir = join(folder, 'new/data');
    const directory = join(folder, 'storage');
    const config = {
      server: { port: 0, data_dir: dataDir },
      storage: { local: { directory } },
      log: { level: 'silent' as const },
    };
    await using _server = await createServer(config);
    for (const made of [dataDir, directory]) expect(statSync(made).mode & 0o777).toBe(0o750);
  });
});

describe('two servers', () => {
  const config = (name: string, more = {}) => ({
    server: { port: 0, data_dir: join(folder, name) },
    log: { level: 'silent' as const },
    ...more,
  });

  it('do not share a database', async () => {
    await using _first = await createServer(config('a'));
    const file = join(folder, 'a', 'taxiway.db');
    await expect(createServer(config('b', { database: { file } }))).rejects.toThrow(
      `another Taxiway server uses the database ${file};`,
    );
  });

  it('do not share a storage folder', async () => {
    await using _first = await createServer(config('a'));
    const directory = join(folder, 'a', 'blobs');
    await expect(createServer(config('b', { storage: { local: { directory } } }))).rejects.toThrow(
      `another server or restore uses the storage folder ${directory}; stop it, or set another storage.local.directory`,
    );
  });

  it('can use one data folder one after the other', async () => {
    const first = await createServer(config('a'));
    await first.start();
    await first.stop();
    await using second = await createServer(config('a'));
    await second.start();
    expect((await fetch(`${second.url}/health/live`)).status).toBe(200);
  });
});
