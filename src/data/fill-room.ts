// How much disk space background fills need, known before an upgrade.
import type Sqlite from 'better-sqlite3';
import { createFiller, LONG_LOG_PAGES, listFills, SMALLEST_STEPS } from './background-fills.ts';
import { leaveCheckpoints, truncateLog } from './checkpoints.ts';
import { databaseBytes } from './database-size.ts';
import { measureLog } from './log-size.ts';

/** Rows that are filled to measure how much all need. Takes a second or two. */
const SAMPLE_ROWS = 20_000;
/** Later steps change more pages, because their rows are spread over larger indexes. */
const LARGER_TABLES = 1.5;

/** In bytes. */
export interface FillRoom {
  /** By how much the database grows. */
  growth: number;
  /** The largest write-ahead log beside it: the server pauses the fills when it's long. */
  log: number;
}

/**
 * Returns what all background fills of a database need, by running the next steps of each. The database must be a copy that is deleted
 * afterwards, because the fills of it are lost.
 */
export function measureFills(copy: Sqlite.Database, sampleRows = SAMPLE_ROWS): FillRoom {
  truncateLog(copy);
  leaveCheckpoints(copy);
  const room: FillRoom = { growth: 0, log: 0 };
  // Those of sums change rows that the one of downloads has added.
  const counted = listFills(copy).filter(({ name }) => name !== 'download_sums');
  for (const { name, done, total } of counted) {
    const before = measure(copy);
    const filled = runSteps(copy, name, sampleRows);
    const after = measure(copy);
    const left = Math.max(0, total - done);
    const share = left / Math.min(Math.max(1, left), Math.max(1, filled));
    room.growth += (after.used - before.used) * share;
    room.log += (after.log - before.log) * (share > 1 ? share * LARGER_TABLES : 1);
  }
  const page = Number(copy.pragma('page_size', { simple: true }));
  return { growth: Math.ceil(room.growth), log: Math.ceil(Math.min(room.log, LONG_LOG_PAGES * page)) };
}

function measure(copy: Sqlite.Database): { used: number; log: number } {
  const free = Number(copy.pragma('freelist_count', { simple: true }));
  const page = Number(copy.pragma('page_size', { simple: true }));
  return { used: databaseBytes(copy) - free * page, log: measureLog(copy) };
}

/** Runs the next steps of a fill, and ends it. Returns how many rows they filled. */
function runSteps(copy: Sqlite.Database, name: string, rows: number): number {
  const filler = createFiller(copy, SMALLEST_STEPS);
  const step = copy.transaction(() => filler.step());
  const find = () => listFills(copy).find((fill) => fill.name === name);
  const before = find()?.done ?? 0;
  let filled = 0;
  for (let fill = find(); fill !== undefined; fill = find()) {
    filled = fill.done - before;
    if (filled >= rows) break;
    step.immediate();
  }
  filler.close();
  copy.prepare('DELETE FROM background_fills WHERE name = ?').run(name);
  return filled;
}
