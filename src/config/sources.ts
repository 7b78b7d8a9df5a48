// The source of each configuration value, so that problems can name its file and line or its variable.
import type { ConfigProblem } from './problem.ts';
import type { KeyLines } from './toml-lines.ts';

/** A TOML file (or an embedder's object, without lines), with overrides from environment variables. */
export type Sources = {
  readonly name: string;
  readonly folder: string;
  readonly lineOf?: KeyLines;
  readonly variables: Map<string, string>;
};

/** Creates a problem with the source of the value at `path`, or of the nearest enclosing table. */
export function placeProblem(sources: Sources, path: readonly string[], text: string): ConfigProblem {
  const key = path.join('.');
  for (let length = path.length; length > 0; length--) {
    const variable = sources.variables.get(path.slice(0, length).join('.'));
    if (variable !== undefined) return { source: variable, key, text };
  }
  const line = sources.lineOf?.(path);
  return line === undefined ? { source: sources.name, key, text } : { source: sources.name, line, key, text };
}

/** Whether a value is a table of keys. */
export function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
