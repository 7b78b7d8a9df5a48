// Reads secrets given as { file = "…" } or { env = "…" } in the configuration.
import { isUtf8 } from 'node:buffer';
import { resolve } from 'node:path';
import { NamedPipeError, readGivenFile } from '../lib/given-file.ts';
import type { ConfigProblem } from './problem.ts';
import { type ConfigTable, listLeaves } from './shape.ts';
import { isTable, placeProblem, type Sources } from './sources.ts';

const MAXIMUM_BYTES = 65_536;

/**
 * Returns a secret without what editors and shells add: a byte order mark, and line breaks at its end. The key that encrypts data
 * keeps them, because another text is another key.
 */
export function tidySecret(path: readonly string[], text: string): string {
  return isDataKey(path) ? text : text.replace(/^\ufeff/, '').replace(/[\r\n]+$/, '');
}

/** Whether a value is the key that encrypts data. */
export function isDataKey(path: readonly string[]): boolean {
  return path.join('.') === 'server.secret_key';
}

/** Replaces every secret reference in the raw configuration with its text. */
export function resolveSecretReferences(
  raw: Record<string, unknown>,
  env: Readonly<Record<string, string | undefined>>,
  shape: ConfigTable,
  sources: Sources,
): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  for (const { path, leaf } of listLeaves(shape)) {
    const key = path.at(-1);
    const table = findTable(raw, path.slice(0, -1));
    const value = key === undefined ? undefined : table?.[key];
    if (!leaf.isSecret || key === undefined || table === undefined || !isTable(value)) continue;
    try {
      table[key] = readReference(path, value, env, sources.folder);
    } catch (error) {
      problems.push(placeProblem(sources, path, error instanceof Error ? error.message : String(error)));
      delete table[key];
    }
  }
  return problems;
}

function findTable(raw: Record<string, unknown>, path: readonly string[]): Record<string, unknown> | undefined {
  let table: unknown = raw;
  for (const key of path) table = isTable(table) && Object.hasOwn(table, key) ? table[key] : undefined;
  return isTable(table) ? table : undefined;
}

function readReference(
  path: readonly string[],
  reference: Record<string, unknown>,
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
): string {
  const { file, env: variable, ...others } = reference;
  const isOneOf = (typeof file === 'string') !== (typeof variable === 'string');
  if (!isOneOf || Object.keys(others).length > 0 || Object.keys(reference).length !== 1) {
    throw new Error('expected a text, { file = "…" } or { env = "…" }');
  }
  if (typeof variable === 'string') {
    const value = tidySecret(path, env[variable] ?? '');
    if (value === '') throw new Error(`the environment variable ${variable} is not set`);
    return value;
  }
  return readSecretFile(path, resolve(folder, String(file)));
}

function readSecretFile(path: readonly string[], file: string): string {
  let bytes: Buffer;
  try {
    bytes = readGivenFile(file);
  } catch (error) {
    if (error instanceof NamedPipeError) throw new Error(`the secret's file ${file} can't be used: ${error.message}`);
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new Error(`can't read the secret's file ${file} (${code})`);
  }
  if (bytes.length > MAXIMUM_BYTES) throw new Error(`the secret's file ${file} is larger than ${MAXIMUM_BYTES} bytes`);
  if (!isUtf8(bytes) && !isDataKey(path)) throw new Error(`the secret's file ${file} is not a text in UTF-8`);
  const text = tidySecret(path, bytes.toString('utf8').replace(/\r?\n$/, ''));
  if (text === '') throw new Error(`the secret's file ${file} is empty`);
  return text;
}
