// The process's limit of open files and connections, and the share of it for package transfers.
import { readdirSync, readFileSync } from 'node:fs';

export interface OpenFiles {
  /** Reserves a file handle for a transfer. Returns its release function, or undefined if only the reserve is left. */
  take(): (() => void) | undefined;
  /** Whether connections and transfers have used everything but the reserve. */
  isScarce(): boolean;
  /** Maximum number of connections, so that files can still be opened; Infinity without a known limit. */
  readonly maxConnections: number;
}

/** Handles reserved for small requests, the database, logs and workers: an eighth of the limit, within these bounds. */
const MIN_RESERVE = 48;
const LARGEST_RESERVE = 512;
/** Handles of the reserve that aren't available to connections. */
const FOR_FILES = 24;

/**
 * Counts from the files open now, so it must be created after the parts of the server are open. `countConnections` returns the
 * number of connections, each of which uses a handle. Without a known limit, every reservation succeeds.
 */
export function watchOpenFiles(options: { countConnections: () => number; limit?: number | undefined }): OpenFiles {
  const { countConnections, limit = readOpenFilesLimit() } = options;
  const reserve = Math.min(Math.max(Math.floor(limit / 8), MIN_RESERVE), LARGEST_RESERVE);
  const capacity = limit - countOpenFiles() - reserve;
  let transfers = 0;

  return {
    maxConnections: Math.max(capacity + reserve - FOR_FILES, 1),
    isScarce: () => countConnections() + transfers >= capacity,
    take() {
      if (countConnections() + transfers >= capacity) return undefined;
      transfers += 1;
      let isTaken = true;
      return () => {
        if (isTaken) transfers -= 1;
        isTaken = false;
      };
    },
  };
}

/** Returns the soft limit of the process, which Node raises to the hard limit at start; Infinity if the system doesn't report it. */
function readOpenFilesLimit(): number {
  try {
    const [, soft = ''] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === '' ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function countOpenFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 0;
  }
}
