// How far the replica is behind, from repeated readings of Litestream's state.
import { type CopiedPosition, hasReached, type LitestreamState, type LogPosition } from './position.ts';

export interface Lag {
  /** Adds what was read at a time; undefined if Litestream didn't respond. */
  observe(at: number, state: LitestreamState | undefined): void;
  /** The result of the last reading. */
  read(): { isRunning: boolean; isPositionKnown: boolean; lagMs: number };
}

/**
 * Starts measuring. Everything that Litestream had copied at one reading, and sent at a later one, was on the replica by then: the lag
 * is the time since the newest such reading. Until the first one, it's the time since the start, so it's a lower bound.
 */
export function createLag(startedAt: number): Lag {
  let completeUntil = startedAt;
  let observedAt = startedAt;
  let isRunning = false;
  let isPositionKnown = false;
  let syncs: number | undefined;
  let waiting: { at: number; copied: CopiedPosition } | undefined;
  let generation: string | undefined;
  /** What was sent of the generation before, which says nothing about the new one. */
  let former: LogPosition | undefined;

  /** Returns what was sent of the current generation. */
  function sentOf({ copied, sent }: LitestreamState): LogPosition | undefined {
    if (copied !== undefined && copied.generation !== generation) {
      former = generation === undefined ? undefined : sent;
      generation = copied.generation;
      waiting = undefined;
    }
    if (sent === undefined || sent.index !== former?.index || sent.offset !== former.offset) former = undefined;
    return former === undefined ? sent : undefined;
  }

  /** The clock was set back. What was sent by its later times hides no lag. */
  function moveBack(ms: number): void {
    completeUntil -= ms;
    if (waiting !== undefined) waiting = { ...waiting, at: waiting.at - ms };
  }

  return {
    observe(at, state) {
      if (at < observedAt) moveBack(observedAt - at);
      observedAt = at;
      isRunning = state !== undefined;
      if (state === undefined) return;
      const sent = sentOf(state);
      isPositionKnown = sent !== undefined;
      const hasSynced = state.syncs !== syncs;
      syncs = state.syncs;
      if (sent !== undefined && waiting !== undefined && hasReached(sent, waiting.copied)) {
        completeUntil = waiting.at;
        waiting = undefined;
      }
      // Without a new sync, newer changes may not have been copied.
      if (state.copied === undefined || !hasSynced) return;
      waiting ??= { at, copied: state.copied };
      if (sent === undefined || !hasReached(sent, state.copied)) return;
      completeUntil = at;
      waiting = undefined;
    },
    read: () => ({ isRunning, isPositionKnown, lagMs: Math.max(0, observedAt - completeUntil) }),
  };
}
