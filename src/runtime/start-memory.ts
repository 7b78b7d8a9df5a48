// Gives memory back that only the start of a server needed.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SECOND } from '../lib/clock.ts';

const LOOK_EVERY_MS = SECOND;
/** A server below this share of one processor waits for requests. */
const IDLE_SHARE = 0.05;

export interface ReleaseParts {
  collect?: () => void;
  /** Returns the share of the time since the last call in which the event loop was busy. */
  busyShare?: () => number;
}

/**
 * Collects all garbage once, with code that ran only at the start, in the first second without much work: it stops the process for
 * tens of milliseconds, and a busy server needs the memory anyway.
 */
export function releaseStartMemory(parts: ReleaseParts = {}): void {
  const { collect = collectAll, busyShare = watchBusyShare() } = parts;
  const timer = setInterval(() => {
    if (busyShare() > IDLE_SHARE) return;
    clearInterval(timer);
    collect();
  }, LOOK_EVERY_MS).unref();
}

function watchBusyShare(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}

/** Collects as V8 does when it is out of memory. An option for that from the start would let V8 ignore compiled code. */
function collectAll(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NodeJS.GCFunction;
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', flavor: 'last-resort' });
}
