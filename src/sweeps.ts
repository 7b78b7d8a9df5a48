// Every sweep of the program, by the names of completions 10.26.
import type { Sweep } from './platform/sweeps.ts';

export const sweeps: readonly Sweep[] = [];
