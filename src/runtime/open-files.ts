// The limit of open files and connections of the process, and what remains of it for transfers of packages.
import { readdirSync, readFileSync } from 'node:fs';

export interface OpenFiles {
  /** Takes a handle for the file of a transfer. Returns its release, or undefined when only the reserve is left. */
  take(): (() => void) | undefined;
  /** Whether connections and transfers have used up all but the reserve. */
  isScarce(): boolean;
  /** More connections than this must not be accepted, or no file can be opened any more; Infinity without a known limit. */
  readonly mostConnections: number;
}

/**
 * What connections of small requests, the database, logs and workers can always have: an eighth of the limit, within these
 * bounds.
 */
const SMALLEST_RESERVE = 48;
const LARGEST_RESERVE = 512;
/** Handles of the reserve that no connection gets. */
const FOR_FILES = 24;

/**
 * Counts from what is open now, so it is created when the parts of the server are open. `countConnections` says how many
 * connections there are, each of which is a handle. Without a known limit everything is granted.
 */
export function watchOpenFiles(options: { countConnections: () => number; limit?: number | undefined }): OpenFiles {
  const { countConnections, limit = readOpenFilesLimit() } = options;
  const reserve = Math.min(Math.max(Math.floor(limit / 8), SMALLEST_RESERVE), LARGEST_RESERVE);
  const capacity = limit - countOpenFiles() - reserve;
  let transfers = 0;

  return {
    mostConnections: Math.max(capacity + reserve - FOR_FILES, 1),
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

/** The soft limit of the process, which Node raises to the hard one as it starts; Infinity where the system doesn't tell. */
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
