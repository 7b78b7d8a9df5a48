// All texts of the app in English. Other languages have the same type, so a missing text is a type error.
import { first } from './en/first.ts';
import { later } from './en/later.ts';

export const en = { ...first, ...later };

export type FirstTexts = typeof first;
export type LaterTexts = typeof later;
export type Texts = FirstTexts & LaterTexts;
