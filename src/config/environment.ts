// Overrides from environment variables: TAXIWAY_ and the key's path, joined by two underscores.
import type { ConfigProblem } from './problem.ts';
import { tidySecret } from './secret-references.ts';
import { type ConfigLeaf, type ConfigTable, findNode, listLeaves } from './shape.ts';
import { isTable, type Sources } from './sources.ts';
import { explainMissingKey } from './suggestion.ts';

const PREFIX = 'TAXIWAY_';
/** What Kubernetes and Docker's links set about a service, such as TAXIWAY_SERVER_PORT=tcp://10.0.0.7:80 of one named taxiway-server. */
const OF_SERVICE = /_(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/;
const SERVICE_ADDRESS = /^(?:tcp|udp|sctp):\/\//;

/**
 * Writes every `TAXIWAY_TABLE__KEY` variable into the raw configuration, converted to the type of the schema. A value that
 * can't be converted stays text, so that the schema rejects it. Returns problems, also for variables that lack an underscore and
 * would have no effect.
 */
export function applyEnvironment(
  raw: Record<string, unknown>,
  env: Readonly<Record<string, string | undefined>>,
  shape: ConfigTable,
  sources: Sources,
): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  for (const [variable, value] of Object.entries(env)) {
    if (value === undefined || !variable.startsWith(PREFIX)) continue;
    if (!variable.includes('__')) {
      const isOfService = OF_SERVICE.test(variable) || (variable.endsWith('_PORT') && SERVICE_ADDRESS.test(value));
      const problem = isOfService ? undefined : explainMissingUnderscore(variable, shape);
      if (problem !== undefined) problems.push(problem);
      continue;
    }
    const path = variable.slice(PREFIX.length).toLowerCase().split('__');
    const leaf = findLeaf(shape, path);
    if (leaf === undefined) {
      problems.push({ source: variable, key: path.join('.'), text: explainMissingKey(shape, path) });
      continue;
    }
    // A secret can be set in three ways: as its value, or by a file or another variable that has it.
    const secret = isReference(shape, path) ? path.slice(0, -1) : path;
    const other = sources.variables.get(secret.join('.'));
    if (other !== undefined) {
      problems.push({ source: variable, key: secret.join('.'), text: `set either this variable or ${other}` });
      continue;
    }
    if (secret !== path) {
      // It replaces the secret of the file, which may be a reference of the other kind.
      writeAt(raw, secret, {});
      sources.variables.set(secret.join('.'), variable);
    }
    sources.variables.set(path.join('.'), variable);
    const isSecretText = leaf.isSecret && secret === path;
    writeAt(raw, path, isSecretText ? tidySecret(path, value) : readTyped(value, leaf.kind));
  }
  return problems;
}

/** `TAXIWAY_SERVER_PORT` starts with the name of a table, so it was meant as a key. */
function explainMissingUnderscore(variable: string, shape: ConfigTable): ConfigProblem | undefined {
  const name = variable.slice(PREFIX.length).toLowerCase();
  const table = [...shape.keys.keys()].find((key) => name.startsWith(`${key}_`));
  if (table === undefined) return undefined;
  const meant = [...listLeaves(shape)].find(({ path }) => path.join('_') === name);
  const suggestion =
    meant === undefined ? `${PREFIX}${table.toUpperCase()}__…` : `${PREFIX}${meant.path.join('__').toUpperCase()}`;
  const text = `has no effect: table and key must be joined by two underscores, ${suggestion}`;
  return { source: variable, key: '', text };
}

function findLeaf(shape: ConfigTable, path: readonly string[]): ConfigLeaf | undefined {
  const node = findNode(shape, isReference(shape, path) ? path.slice(0, -1) : path);
  return node === undefined || node.kind === 'table' ? undefined : node;
}

/** Whether a path is the `file` or `env` of a secret. */
function isReference(shape: ConfigTable, path: readonly string[]): boolean {
  const last = path.at(-1);
  const parent = findNode(shape, path.slice(0, -1));
  return (last === 'file' || last === 'env') && parent?.kind === 'text' && parent.isSecret;
}

function readTyped(value: string, kind: ConfigLeaf['kind']): unknown {
  const trimmed = value.trim();
  if (kind === 'number') return /^[+-]?\d+$/.test(trimmed) ? Number(trimmed) : value;
  if (kind === 'boolean') return trimmed === 'true' ? true : trimmed === 'false' ? false : value;
  if (kind !== 'list') return value;
  if (!trimmed.startsWith('[')) return trimmed === '' ? [] : trimmed.split(',').map((item) => item.trim());
  try {
    return JSON.parse(trimmed);
  } catch {
    return value;
  }
}

function writeAt(raw: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let table = raw;
  for (const key of path.slice(0, -1)) {
    const inner = table[key];
    const next = isTable(inner) ? inner : {};
    table[key] = next;
    table = next;
  }
  const last = path.at(-1);
  if (last !== undefined) table[last] = value;
}
