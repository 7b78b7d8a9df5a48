// The configuration types: for the program and for embedders.
import type * as z from 'zod';
import type { configSchema } from './schema.ts';

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** The effective configuration: complete, validated, with absolute paths and resolved secrets, frozen. */
export type Config = DeepReadonly<z.output<typeof configSchema>>;

/** Any subset of the keys. Missing keys have their defaults. */
export type PartialConfig = DeepReadonly<z.input<typeof configSchema>>;
