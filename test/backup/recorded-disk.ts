// Records what the local storage does on a disk, and writes what a power cut at any of its steps could leave: what was flushed, and any
// part of the rest.
import { mkdirSync, promises, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { FileOperations } from '../../src/storage/local/files.ts';
import type { Random } from '../crash/random.ts';

type Node = number | 'folder';

/** A write into a file, or a change of a name in a folder: of the node that it then has, or undefined without one. */
type Change = { file: number; offset: number; data: Buffer } | { folder: string; name: string; node: Node | undefined };

interface Step {
  changes: Change[];
  /** A flush of a file or folder, which covers its changes in the steps before this number. */
  flush?: { target: number | string; before: number };
}

/** What a cut leaves of the changes that weren't flushed. */
const LOSSES = ['all', 'none', 'some', 'earlier'] as const;

export interface RecordedDisk {
  files: FileOperations;
  /** Returns how many steps there are so far. */
  count(): number;
  /** Writes to `target` what a power cut after so many steps could leave. */
  cut(steps: number, random: Random, target: string): void;
}

/** Records changes below a folder. The folders that are in it now are on the disk. */
export function recordDisk(root: string, folders: readonly string[]): RecordedDisk {
  const steps: Step[] = [];
  const nodes = new Map<string, Node>();
  let files = 0;
  const add = (...changes: Change[]) => void steps.push({ changes });
  const inRoot = (path: string) => relative(root, path);
  const named = (path: string, node: Node | undefined): Change => {
    if (node === undefined) nodes.delete(inRoot(path));
    else nodes.set(inRoot(path), node);
    return { folder: inRoot(dirname(path)), name: inRoot(path), node };
  };

  const open: typeof promises.open = async (path, flags, mode) => {
    const handle = await promises.open(path, flags, mode);
    const name = String(path);
    if (flags === 'wx') {
      files += 1;
      add(named(name, files));
    }
    const node = statSync(name).isDirectory() ? inRoot(name) : (nodes.get(inRoot(name)) ?? 'folder');
    let written = 0;
    const recorded = {
      async write(bytes: Uint8Array, from: number, length: number) {
        const result = await handle.write(bytes, from, length);
        const data = Buffer.from(bytes.subarray(from, from + result.bytesWritten));
        if (typeof node === 'number') add({ file: node, offset: written, data });
        written += result.bytesWritten;
        return result;
      },
      async sync() {
        const before = steps.length;
        await handle.sync();
        steps.push({ changes: [], flush: { target: node, before } });
      },
    };
    return new Proxy(handle, {
      get(target, key) {
        if (key in recorded) return recorded[key as keyof typeof recorded];
        const value = Reflect.get(target, key);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };

  const remove = async (path: string, work: Promise<void>) => {
    await work;
    if (nodes.has(inRoot(path))) add(named(path, undefined));
  };

  return {
    files: {
      ...promises,
      open,
      mkdir: (async (path: string, options: { recursive: true }) => {
        const first = await promises.mkdir(path, options);
        for (let made = path; first !== undefined && made.length >= first.length; made = dirname(made)) {
          add(named(made, 'folder'));
        }
        return first;
      }) as typeof promises.mkdir,
      async rename(from, to) {
        await promises.rename(from, to);
        const node = nodes.get(inRoot(String(from)));
        add(named(String(from), undefined), named(String(to), node));
      },
      unlink: (path) => remove(String(path), promises.unlink(path)),
      rm: (path, options) => remove(String(path), promises.rm(path, options)),
      rmdir: (path) => remove(String(path), promises.rmdir(path)),
    },
    count: () => steps.length,
    cut(count, random, target) {
      const done = steps.slice(0, count);
      const flushed = new Map<number | string, number>();
      for (const { flush } of done) if (flush !== undefined) flushed.set(flush.target, flush.before);
      const loss = random.pick(LOSSES);
      const lateFrom = random.between(0, count);
      const isKept = (change: Change, step: number) =>
        step < (flushed.get('file' in change ? change.file : change.folder) ?? 0) ||
        loss === 'none' ||
        (loss === 'some' && random.oneIn(2)) ||
        (loss === 'earlier' && step < lateFrom);
      const names = new Map<string, Node>(folders.map((name) => [name, 'folder']));
      const writes = new Map<number, { offset: number; data: Buffer }[]>();
      for (const [step, { changes }] of done.entries()) {
        for (const change of changes.filter((one) => isKept(one, step))) {
          if ('file' in change) {
            const earlier = writes.get(change.file);
            if (earlier === undefined) writes.set(change.file, [change]);
            else earlier.push(change);
          } else if (change.node === undefined) {
            names.delete(change.name);
          } else {
            names.set(change.name, change.node);
          }
        }
      }
      const isThere = (name: string): boolean =>
        name === '.' || (names.get(name) === 'folder' && isThere(dirname(name)));
      for (const name of [...names.keys()].toSorted()) {
        const node = names.get(name);
        if (!isThere(dirname(name))) continue;
        if (node === 'folder') mkdirSync(join(target, name), { recursive: true });
        else writeFileSync(join(target, name), contentOf(writes.get(node as number) ?? []));
      }
    },
  };
}

function contentOf(writes: readonly { offset: number; data: Buffer }[]): Buffer {
  const bytes = Buffer.alloc(Math.max(0, ...writes.map(({ offset, data }) => offset + data.length)));
  for (const { offset, data } of writes) data.copy(bytes, offset);
  return bytes;
}
