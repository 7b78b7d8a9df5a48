// Reads the configuration schema: its tables and keys, the secret ones, and the expected values.
import * as z from 'zod';
import { configSchema } from './schema.ts';

export type ConfigPath = readonly string[];

export type ConfigTable = { kind: 'table'; keys: ReadonlyMap<string, ConfigNode> };
export type ConfigLeaf = { kind: 'number' | 'boolean' | 'list' | 'text'; isSecret: boolean; expected: string };
export type ConfigNode = ConfigTable | ConfigLeaf;

let described: ConfigTable | undefined;

/** Returns the configuration schema as a tree of tables and leaves. */
export function describeConfig(): ConfigTable {
  if (described !== undefined) return described;
  const node = describe(configSchema);
  if (node.kind !== 'table') throw new TypeError('the configuration must be a table');
  described = node;
  return node;
}

/** Returns the node at a path of the tree, or undefined if the schema has no such key. */
export function findNode(root: ConfigNode, path: ConfigPath): ConfigNode | undefined {
  let node: ConfigNode | undefined = root;
  for (const key of path) node = node?.kind === 'table' ? node.keys.get(key) : undefined;
  return node;
}

/** Yields every leaf of the tree with its path, in the order of the schema. */
export function* listLeaves(
  table: ConfigTable,
  prefix: ConfigPath = [],
): Generator<{ path: string[]; leaf: ConfigLeaf }> {
  for (const [key, node] of table.keys) {
    const path = [...prefix, key];
    if (node.kind === 'table') yield* listLeaves(node, path);
    else yield { path, leaf: node };
  }
}

function describe(schema: z.core.$ZodType): ConfigNode {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) return describe(schema.def.innerType);
  if (schema instanceof z.ZodObject) {
    const entries = Object.entries<z.core.$ZodType>(schema.shape);
    return { kind: 'table', keys: new Map(entries.map(([key, inner]) => [key, describe(inner)])) };
  }
  const meta = z.globalRegistry.get(schema);
  const stated = typeof meta?.expected === 'string' ? meta.expected : undefined;
  const isSecret = meta?.secret === true;
  if (schema instanceof z.ZodNumber) {
    const expected = `a whole number from ${schema.minValue} to ${schema.maxValue}`;
    return { kind: 'number', isSecret, expected };
  }
  if (schema instanceof z.ZodBoolean) return { kind: 'boolean', isSecret, expected: 'true or false' };
  if (schema instanceof z.ZodArray) return { kind: 'list', isSecret, expected: stated ?? 'a list' };
  if (schema instanceof z.ZodEnum) {
    const values = schema.options.map((value) => JSON.stringify(value));
    return { kind: 'text', isSecret, expected: `one of ${values.join(', ')}` };
  }
  return {
    kind: 'text',
    isSecret,
    expected: stated ?? (isSecret ? 'a text, { file = "…" } or { env = "…" }' : 'a text'),
  };
}
