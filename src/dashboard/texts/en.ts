// All texts of the app in English. Other languages have the same type, so a missing text is a type error.
import { initial } from './en/initial.ts';
import { lazy } from './en/lazy.ts';

export const en = { ...initial, ...lazy };

export type InitialTexts = typeof initial;
export type LazyTexts = typeof lazy;
export type Texts = InitialTexts & LazyTexts;
