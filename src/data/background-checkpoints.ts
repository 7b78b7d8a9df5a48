// Decides when another thread writes the log into the database file. SQLite starts the log over at the first write after a complete
// checkpoint, and flushes the log's new header first: the only flush that the main thread waits for. So checkpoints are rare.
import { MINUTE } from '../lib/clock.ts';
import { checkpointNow } from './checkpoints.ts';
import type { Db } from './database.ts';
import { countLog } from './log-size.ts';

/** A checkpoint in another thread. Returns whether the thread ended it. Rejects with an error of SQLite. */
export type RunCheckpoint = () => Promise<boolean>;

export interface Checkpoints {
  /** Starts a checkpoint if it's time. */
  consider(): void;
  whenLogIsFree(work: () => void): void;
  stop(): Promise<void>;
}

/** 16 MB of log. A checkpoint writes a page that was changed repeatedly only once, and the next start reads what is left. */
const ENOUGH_PAGES = 4_000;
/** Fewer pages wait this long. */
const LONGEST_WAIT_MS = MINUTE;
/**
 * 128 MB. Under constant writes, there are always new pages when a checkpoint ends, so the log would grow forever. From here on, the
 * main thread writes the last pages itself, if they're few.
 */
const TOO_MANY_PAGES = 32_000;
const FEW_PAGES = 2_000;
/** A gigabyte. From here on, the main thread writes everything, if the thread fails. */
const PAGES_WITHOUT_THREAD = 262_144;

/** Creates the checkpoints of a connection. Their errors count as errors of its writes. */
export function createCheckpoints(
  { $client: client, writes }: Db,
  run: RunCheckpoint,
  pagesWithoutThread = PAGES_WITHOUT_THREAD,
): Checkpoints {
  let running: Promise<void> | undefined;
  let waiting: (() => void)[] = [];
  let pendingSince: number | undefined;
  /** The count of writes when nothing was pending. */
  let doneAt: number | undefined;

  const countPending = () => {
    const { pages, checkpointed } = countLog(client);
    return { pages, pending: pages - checkpointed };
  };

  async function perform(): Promise<void> {
    let isEnded = false;
    try {
      isEnded = await run();
    } catch (error) {
      writes.onError?.(error);
    }
    try {
      const { pages, pending } = countPending();
      const isLastOfMany = pages >= TOO_MANY_PAGES && pending > 0 && pending <= FEW_PAGES;
      if (isLastOfMany || (!isEnded && pages >= pagesWithoutThread)) checkpointNow(client);
    } catch (error) {
      writes.onError?.(error);
    } finally {
      running = undefined;
      const works = waiting;
      waiting = [];
      for (const work of works) work();
    }
  }

  function startIfDue(): void {
    if (running !== undefined || doneAt === writes.count) return;
    const { count } = writes;
    const { pending } = countPending();
    if (pending === 0) {
      doneAt = count;
      pendingSince = undefined;
      return;
    }
    const now = performance.now();
    pendingSince ??= now;
    if (pending < ENOUGH_PAGES && now - pendingSince < LONGEST_WAIT_MS) return;
    pendingSince = undefined;
    running = perform();
  }

  return {
    consider() {
      try {
        startIfDue();
      } catch (error) {
        writes.onError?.(error);
      }
    },
    whenLogIsFree(work) {
      if (running === undefined) work();
      else waiting.push(work);
    },
    async stop() {
      await running;
    },
  };
}
