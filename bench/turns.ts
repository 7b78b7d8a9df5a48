// Long turns of a server's event loop, as the server itself saw them (turn-watch.ts).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Shorter turns aren't noted. */
export const NOTED_FROM_MS = 8;

export interface Turn {
  /** When it began, in milliseconds since 1970. */
  at: number;
  ms: number;
  /** Processor time of the main thread in it; the rest is waiting for the disk or for a processor. */
  cpuMs: number;
  /** Time in it that garbage collection took. */
  gcMs: number;
}

/** Arguments for Node and the environment that make a server write down its long turns. */
export const watchTurns = (file: string) => ({
  nodeArgs: ['--import', join(import.meta.dirname, 'turn-watch.ts')],
  env: { TAXIWAY_BENCH_TURNS: file },
});

/** The turns of a server that has stopped, longest first. */
export function readTurns(file: string): Turn[] {
  const turns = JSON.parse(readFileSync(file, 'utf8')) as Turn[];
  return turns.sort((one, other) => other.ms - one.ms);
}

/** `62 ms, of it 20 on the processor, 15 collecting garbage`. */
export const showTurn = ({ ms, cpuMs, gcMs }: Turn): string =>
  `${Math.round(ms)} ms, of it ${Math.round(cpuMs)} on the processor, ${Math.round(gcMs)} collecting garbage`;
