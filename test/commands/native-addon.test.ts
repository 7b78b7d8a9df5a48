// The executable's database driver is written only where it is safe and loadable.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type EmbeddedAddon, installAddon } from '../../src/lib/native-addon.ts';

const content = Buffer.from('native code');
const addon = embed(content);
let root: string;

function embed(bytes: Buffer): EmbeddedAddon {
  return { digest: createHash('sha256').update(bytes).digest('hex'), read: () => bytes };
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'taxiway-addon-'));
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

describe('the native addon', () => {
  it('is written to the first folder, private and executable, without other files', () => {
    const path = installAddon(addon, [join(root, 'data/.runtime')]);
    expect(dirname(path)).toBe(join(root, 'data/.runtime'));
    expect(path.endsWith('.node')).toBe(true);
    expect(readFileSync(path)).toEqual(content);
    expect(statSync(path).mode & 0o777).toBe(0o500);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(statSync(join(root, 'data')).mode & 0o777).toBe(0o750);
    expect(readdirSync(dirname(path))).toHaveLength(1);
  });

  it('is reused by the next start without being written again', () => {
    const first = installAddon(addon, [root]);
    const before = statSync(first).ino;
    expect(installAddon(addon, [root])).toBe(first);
    expect(statSync(first).ino).toBe(before);
  });

  it('is not even read by the next start', () => {
    const path = installAddon(addon, [root]);
    const unreadable = () => {
      throw new Error('read');
    };
    expect(installAddon({ digest: addon.digest, read: unreadable }, [root])).toBe(path);
  });

  it('has another name if its content differs', () => {
    expect(installAddon(embed(Buffer.from('other code')), [root])).not.toBe(installAddon(addon, [root]));
  });

  it.each([
    ['altered', (path: string) => writeFileSync(path, 'planted', { mode: 0o500 })],
    ['cut short', (path: string) => writeFileSync(path, content.subarray(0, 3), { mode: 0o500 })],
    [
      'writable by others',
      (path: string) => {
        writeFileSync(path, content);
        chmodSync(path, 0o777);
      },
    ],
    [
      'a link to elsewhere',
      (path: string) => {
        writeFileSync(join(root, 'elsewhere'), content);
        symlinkSync(join(root, 'elsewhere'), path);
      },
    ],
  ])('replaces a file that is %s', (_what, plant) => {
    const directory = join(root, 'runtime');
    const path = installAddon(addon, [directory]);
    rmSync(path);
    plant(path);
    expect(installAddon(addon, [directory])).toBe(path);
    expect(readFileSync(path)).toEqual(content);
    expect(statSync(path).mode & 0o777).toBe(0o500);
  });

  it.each([
    ['is a file', (path: string) => writeFileSync(path, '')],
    ['is a link', (path: string) => symlinkSync(root, path)],
    [
      'is writable by others',
      (path: string) => {
        mkdirSync(path);
        chmodSync(path, 0o777);
      },
    ],
  ])('skips a folder that %s', (_what, plant) => {
    plant(join(root, 'first'));
    const path = installAddon(addon, [join(root, 'first'), join(root, 'second')]);
    expect(dirname(path)).toBe(join(root, 'second'));
    expect(existsSync(join(root, 'first', 'better_sqlite3.node'))).toBe(false);
  });

  it("falls back to the user's cache folder", () => {
    writeFileSync(join(root, 'taken'), '');
    const path = installAddon(addon, [join(root, 'taken')], { XDG_CACHE_HOME: join(root, 'cache') });
    expect(dirname(path)).toBe(join(root, 'cache/taxiway'));
  });
});
