// Looks after the files of a certificate and its key: says when they changed.
import { statSync } from 'node:fs';

/** Asked this often instead of watched: links that are turned around, and folders mounted from afar, send no notices. */
const INTERVAL_MS = 2_000;

/** Calls `onChange` after one of the files was replaced, written to, made or removed; answers what ends it. */
export function watchKeyFiles(files: readonly string[], onChange: () => void): () => void {
  const look = () => files.map(describeFile).join('\n');
  let seen = look();
  const timer = setInterval(() => {
    const now = look();
    if (now === seen) return;
    seen = now;
    onChange();
  }, INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function describeFile(file: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(file);
    return [ino, size, mtimeMs, ctimeMs].join(' ');
  } catch {
    return 'missing';
  }
}
