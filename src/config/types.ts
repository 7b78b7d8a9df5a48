// The configuration as the program sees it and as an embedder writes it.
import type * as z from 'zod';
import type { configSchema } from './schema.ts';

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> }
    : T;

/** The configuration in force: complete, checked, paths absolute, secrets read, frozen. */
export type Config = DeepReadonly<z.output<typeof configSchema>>;

/** Any subset of the keys; what is left out has its default. */
export type PartialConfig = DeepReadonly<z.input<typeof configSchema>>;
