// Checks that all visible files in the object folder are complete.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { sha256 } from '../support/fixtures.ts';
import { packageIcon } from './payloads.ts';
import { type Worker, Wrong } from './worker.ts';

/** Looks at every object that is new since the last call: its bytes are among those that were sent for its key. */
export function createObjectCheck(directory: string): (workers: readonly Worker[]) => number {
  const known = new Set<string>();
  const iconDigest = sha256(packageIcon);

  function isRight(workers: readonly Worker[], key: string, digest: string): boolean {
    const [kind = '', upload = '', name = ''] = key.split('/');
    if (kind === 'icons') return workers.some((worker) => worker.sentIcons.has(digest));
    if (kind === 'builds' && name === 'icon') return digest === iconDigest;
    const isPackage = (kind === 'pending' && name === '') || (kind === 'builds' && name === 'package.apk');
    return isPackage && workers.some((worker) => worker.sent.get(upload)?.has(digest) === true);
  }

  return (workers) => {
    let looked = 0;
    for (const file of listFiles(join(directory, 'objects'))) {
      const { ino, mtimeMs, size } = statSync(file);
      const key = relative(join(directory, 'objects'), file);
      const mark = `${key} ${ino} ${mtimeMs} ${size}`;
      if (known.has(mark)) continue;
      known.add(mark);
      looked += 1;
      if (!isRight(workers, key, sha256(readFileSync(file))))
        throw new Wrong(`${key} has ${size} bytes that nobody sent`);
    }
    return looked;
  };
}

/** Every file below a folder, with its whole path. */
function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
