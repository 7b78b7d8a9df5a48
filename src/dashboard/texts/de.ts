// All texts of the app in German.
import { initial } from './de/initial.ts';
import { lazy } from './de/lazy.ts';
import type { Texts } from './en.ts';

export const de: Texts = { ...initial, ...lazy };
