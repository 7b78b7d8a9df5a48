// A seeded random number generator, so that runs can be repeated.

export interface Random {
  /** From 0 up to 1. */
  next(): number;
  /** A whole number from `least` to `max`. */
  between(least: number, max: number): number;
  /** True once in so many times. */
  oneIn(times: number): boolean;
  pick<T>(items: readonly T[]): T | undefined;
  /** A source of its own, so that one user of chance does not shift another's. */
  fork(): Random;
}

/**
 * The seed and the number of random kills of a run. `scripts/test` repeats the same 20 kills each time, so that a failure can be
 * repeated; `scripts/test --crash` sets a random seed and 100 kills.
 */
export const CRASH_SEED = Number(process.env.TAXIWAY_CRASH_SEED ?? 20_261_122);
export const CRASH_KILLS = Number(process.env.TAXIWAY_CRASH_KILLS ?? 20);
/** About how many steps there are between those before which a program dies; with `--crash`, three. */
export const CRASH_STRIDE = Number(process.env.TAXIWAY_CRASH_STRIDE ?? 12);

/** Whether the program also dies after requests that another one follows; with `--crash`. */
const IS_THOROUGH = CRASH_KILLS > 20;

/**
 * When the program dies around each of the requests: instead of it, and after the last one. That is once in each state of the service;
 * with `--crash`, after each request too, when the program hasn't stored yet what it learned.
 */
export function killsAround<Name>(names: readonly Name[]): { name: Name; when: 'instead' | 'after' }[] {
  return names.flatMap((name, index) => [
    { name, when: 'instead' as const },
    ...(IS_THOROUGH || index === names.length - 1 ? [{ name, when: 'after' as const }] : []),
  ]);
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, max: number): number => least + Math.floor(next() * (max - least + 1));
  return {
    next,
    between,
    oneIn: (times) => next() * times < 1,
    pick: (items) => items[between(0, items.length - 1)],
    fork: () => createRandom(between(0, 0xffffffff)),
  };
}
