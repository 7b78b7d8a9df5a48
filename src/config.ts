// Loads config.toml, environment variables and defaults into one frozen configuration.
import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import type * as z from 'zod';
import { findConflicts } from './config/conflicts.ts';
import { applyEnvironment } from './config/environment.ts';
import { ConfigError, type ConfigProblem } from './config/problem.ts';
import { configSchema } from './config/schema.ts';
import { isDataKey, resolveSecretReferences } from './config/secret-references.ts';
import { type ConfigTable, describeConfig, findNode } from './config/shape.ts';
import { isTable, placeProblem, type Sources } from './config/sources.ts';
import { explainMissingKey } from './config/suggestion.ts';
import { indexTomlLines } from './config/toml-lines.ts';
import type { Config, PartialConfig } from './config/types.ts';
import { normalizeServerAddress } from './config/values.ts';
import { codeOf } from './lib/error-code.ts';

export { ConfigError } from './config/problem.ts';

export type { Config, PartialConfig } from './config/types.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type MutableConfig = z.output<typeof configSchema>;

const DEFAULT_FILE = 'config.toml';

/**
 * Loads the configuration of a server: `file`, or config.toml in `cwd` if it exists, or only the defaults; then the
 * `TAXIWAY_TABLE__KEY` variables of `env`. Throws ConfigError with file, line, key and expected value.
 */
export function loadConfig({ file, env, cwd }: { file?: string; env: Environment; cwd: string }): Config {
  const path = resolve(cwd, file ?? DEFAULT_FILE);
  const bytes = readSource(path, file !== undefined);
  const source = bytes?.toString('utf8');
  const name = file ?? DEFAULT_FILE;
  const sources: Sources =
    source === undefined
      ? { name: 'built-in defaults', folder: cwd, variables: new Map() }
      : { name, folder: dirname(path), lineOf: indexTomlLines(source), variables: new Map() };
  const raw = source === undefined ? {} : parseToml(source, name);
  const unreadable = bytes === undefined || isUtf8(bytes) ? [] : findUnreadable(raw, sources);
  if (unreadable.length > 0) throw new ConfigError(unreadable);
  return buildConfig(raw, env, cwd, sources);
}

/** The complete configurations that this module made. They're frozen. */
const complete = new WeakSet<PartialConfig>();

/** Returns the defaults with some keys replaced, for embedding. Reads no file and no environment. Throws ConfigError. */
export function configFrom(partial: Config | PartialConfig, cwd: string = process.cwd()): Config {
  if (complete.has(partial)) return partial as Config;
  const sources: Sources = { name: 'configuration', folder: cwd, variables: new Map() };
  return buildConfig(copyTables(partial), {}, cwd, sources);
}

/** Returns the configuration of a server with port 0, with the assigned port. */
export function configOnPort(config: Config, port: number): Config {
  const baseUrl = config.server.base_url.replace(/:0(?=\/|$)/, `:${port}`);
  return deepFreeze({ ...config, server: { ...config.server, port, base_url: baseUrl } });
}

function readSource(path: string, isRequired: boolean): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT' && !isRequired) return undefined;
    const text = code === 'ENOENT' ? "the file doesn't exist" : `can't be read (${code})`;
    throw new ConfigError([{ source: path, key: '', text }]);
  }
}

function parseToml(source: string, name: string): Record<string, unknown> {
  try {
    return parse(source);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = error.message.split('\n')[0]?.replace(/^Invalid TOML document: /, '') ?? '';
    throw new ConfigError([{ source: name, line: error.line, key: '', text: `not valid TOML: ${reason}` }]);
  }
}

/** What a text in another encoding has in place of its letters when it's read as UTF-8. */
const REPLACED = '\ufffd';

/**
 * Returns the values of a file in another encoding that have replaced letters: a password would be another one. The key that encrypts data may
 * have them, because another text is another key.
 */
function findUnreadable(table: Record<string, unknown>, sources: Sources, parents: string[] = []): ConfigProblem[] {
  return Object.entries(table).flatMap(([key, value]) => {
    const path = [...parents, key];
    if (isTable(value)) return findUnreadable(value, sources, path);
    const texts = Array.isArray(value) ? value : [value];
    const isUnreadable = texts.some((text) => typeof text === 'string' && text.includes(REPLACED));
    if (!isUnreadable || isDataKey(path)) return [];
    return [placeProblem(sources, path, "isn't UTF-8; save the file in this encoding")];
  });
}

function buildConfig(raw: Record<string, unknown>, env: Environment, cwd: string, sources: Sources): Config {
  const shape = describeConfig();
  const problems = [
    ...applyEnvironment(raw, env, shape, sources),
    ...resolveSecretReferences(raw, env, shape, sources),
  ];
  // Code made for the schema would take longer than the only use of it.
  const result = configSchema.safeParse(raw, { jitless: true });
  for (const issue of result.error?.issues ?? []) problems.push(...explainIssue(issue, raw, shape, sources));
  if (!result.success || problems.length > 0) throw new ConfigError(problems);
  const config = result.data;
  const isAddressSet = readAt(raw, ['server', 'base_url']) !== undefined;
  for (const { path, text } of findConflicts(config, isAddressSet)) problems.push(placeProblem(sources, path, text));
  if (problems.length > 0) throw new ConfigError(problems);
  const built = deepFreeze(resolveValues(config, isAddressSet, cwd, sources.folder));
  complete.add(built);
  return built;
}

function explainIssue(
  issue: z.core.$ZodIssue,
  raw: Record<string, unknown>,
  shape: ConfigTable,
  sources: Sources,
): ConfigProblem[] {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const whole = [...path, key];
      return placeProblem(sources, whole, explainMissingKey(shape, whole));
    });
  }
  if (issue.code === 'custom' && typeof issue.params?.expected === 'string') {
    return [placeProblem(sources, path, `expected ${issue.params.expected}`)];
  }
  // Problems of a list element are reported for the list.
  while (path.length > 0 && findNode(shape, path) === undefined) path.pop();
  const node = findNode(shape, path);
  if (node === undefined || node.kind === 'table') return [placeProblem(sources, path, 'expected a table')];
  const got = node.isSecret ? '' : `, got ${shown(readAt(raw, path))}`;
  return [placeProblem(sources, path, `expected ${node.expected}${got}`)];
}

/** Removes trailing slashes of URLs and makes paths absolute. Without an explicit base_url, derives it from the port. */
function resolveValues(config: MutableConfig, isAddressSet: boolean, cwd: string, folder: string): MutableConfig {
  const { server, database, storage, backup, replication, accounts, apple_profile: profile, cli } = config;
  const dataDir = resolve(cwd, server.data_dir);
  const besideFile = (path: string): string => (path === '' ? '' : resolve(folder, path));
  return {
    ...config,
    server: {
      ...server,
      // Written as in a URL.
      host: server.host.replace(/^\[(.+)\]$/, '$1'),
      base_url: isAddressSet ? normalizeServerAddress(server.base_url) : usualAddress(server),
      data_dir: dataDir,
      accel_redirect: server.accel_redirect.replace(/\/+$/, ''),
      tls: {
        ...server.tls,
        cert_file: besideFile(server.tls.cert_file),
        key_file: besideFile(server.tls.key_file),
      },
    },
    database: { ...database, file: resolve(dataDir, database.file) },
    storage: {
      ...storage,
      local: { ...storage.local, directory: resolve(dataDir, storage.local.directory) },
      s3: { ...storage.s3, credentials_file: besideFile(storage.s3.credentials_file) },
    },
    backup: {
      ...backup,
      directory: backup.directory.startsWith('s3://')
        ? backup.directory.replace(/\/$/, '')
        : resolve(dataDir, backup.directory),
      s3: { ...backup.s3, credentials_file: besideFile(backup.s3.credentials_file) },
    },
    replication: {
      ...replication,
      target: /^$|^s3:/.test(replication.target) ? replication.target : resolve(dataDir, replication.target),
      // A name without a folder is searched in PATH.
      program: replication.program.includes('/') ? besideFile(replication.program) : replication.program,
      s3: { ...replication.s3, credentials_file: besideFile(replication.s3.credentials_file) },
    },
    cli: { executables: resolve(dataDir, cli.executables) },
    accounts: { ...accounts, location_database: besideFile(accounts.location_database) },
    apple_profile: {
      ...profile,
      cert_file: besideFile(profile.cert_file),
      key_file: besideFile(profile.key_file),
      chain_file: besideFile(profile.chain_file),
      trusted_device_ca_file: besideFile(profile.trusted_device_ca_file),
    },
  };
}

/** Returns the default URL of a server: with this machine's name, or the first name of its certificate. */
function usualAddress({ port, tls }: MutableConfig['server']): string {
  if (tls.mode === 'off') return `http://localhost:${port}`;
  const host = tls.mode === 'acme' ? (tls.acme_domains[0] ?? 'localhost') : 'localhost';
  // Omits the default port.
  return port === 0 ? `https://${host}:0` : new URL(`https://${host}:${port}`).origin;
}

function readAt(raw: unknown, path: readonly string[]): unknown {
  let value = raw;
  for (const key of path) value = isTable(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return value;
}

function shown(value: unknown): string {
  const text = withoutAccounts(JSON.stringify(value) ?? 'nothing');
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** Passwords may contain slashes by mistake, so everything up to the last @ could be one. */
function withoutAccounts(text: string): string {
  return text.replace(/(:\/\/)[^\s"]*@/g, '$1…@').replace(/(["\s])[^\s"/:@]+:[^\s"/@]*@/g, '$1…@');
}

function copyTables(value: unknown): Record<string, unknown> {
  const entries = Object.entries(isTable(value) ? value : {}).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.map(([key, inner]) => [key, isTable(inner) ? copyTables(inner) : inner]));
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
