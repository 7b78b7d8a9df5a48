// Watches the files of a certificate and its key for changes.
import { statSync } from 'node:fs';

/** Polled at this interval, because replaced symbolic links and network file systems send no notifications. */
const INTERVAL_MS = 2_000;

/** Calls `onChange` when one of the files was replaced, modified, created or deleted. Returns a function that stops watching. */
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
