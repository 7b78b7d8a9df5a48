// Long turns of a server's event loop, measured in the server (turn-watch.ts).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Shorter turns aren't recorded. */
export const NOTED_FROM_MS = 8;

export interface Turn {
  /** Start, in milliseconds since 1970. */
  at: number;
  ms: number;
  /** CPU time of the main thread. The rest is waiting for the disk or a processor. */
  cpuMs: number;
  /** Duration of garbage collection. */
  gcMs: number;
  /** Of it waiting for a processor, which other programs of the machine had. */
  queuedMs: number;
}

/** The time for which a turn held the event loop, apart from waiting for a processor. */
export const heldMs = ({ ms, queuedMs }: Turn): number => Math.max(0, ms - queuedMs);

/** Returns the Node arguments and environment that make a server record its long turns. */
export const watchTurns = (file: string) => ({
  nodeArgs: ['--import', join(import.meta.dirname, 'turn-watch.ts')],
  env: { TAXIWAY_BENCH_TURNS: file },
});

/** Returns the turns of a stopped server, longest first. */
export function readTurns(file: string): Turn[] {
  const turns = JSON.parse(readFileSync(file, 'utf8')) as Turn[];
  return turns.sort((one, other) => other.ms - one.ms);
}

/** `62 ms, of it 20 on the processor, 15 collecting garbage`. */
export const showTurn = ({ ms, cpuMs, gcMs }: Turn): string =>
  `${Math.round(ms)} ms, of it ${Math.round(cpuMs)} on the processor, ${Math.round(gcMs)} collecting garbage`;
