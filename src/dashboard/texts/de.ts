// All texts of the app in German.
import { first } from './de/first.ts';
import { later } from './de/later.ts';
import type { Texts } from './en.ts';

export const de: Texts = { ...first, ...later };
