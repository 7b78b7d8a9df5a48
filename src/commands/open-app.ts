// Opens the app or database for operator commands, and explains in one line why it can't be opened.
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { OpenApp, Overrides } from '../app.ts';
import { KeyFilesError } from '../certificates/key-files.ts';
import type { Config } from '../config.ts';
import { addonOf } from '../data/addon.ts';
import { type DatabaseOptions, openDatabase } from '../data/database.ts';
import { DatabaseDamagedError, damagedError } from '../data/integrity.ts';
import { DatabaseSchemaError, DatabaseTooNewError } from '../data/migrate.ts';
import {
  checkDatabaseNotLost,
  DatabaseLostError,
  endRestore,
  hasContent,
  refuseFolder,
} from '../data/missing-database.ts';
import { describeFailure, Refusal } from '../lib/failure.ts';
import { InUseError, LockFileError } from '../runtime/lock.ts';
import { openLog } from '../runtime/log.ts';
import { PassedSocketError } from '../runtime/passed-sockets.ts';
import { WrongSecretKeyError } from '../runtime/secrets.ts';

/**
 * Runs `work` with the app of a configuration (its database migrated) and closes it. Only warnings are logged. Without a database, throws
 * Refusal unless `mayCreate`: in the wrong folder, a command would otherwise create a server that nobody uses.
 */
export async function withApp<T>(
  config: Config,
  work: (opened: OpenApp) => T | Promise<T>,
  { mayCreate = false, ...overrides }: { mayCreate?: boolean } & Pick<Overrides, 'masterKey'> = {},
): Promise<T> {
  if (!mayCreate) await explainFailure(config, () => requireDatabase(config));
  const { openApp } = await import('../app.ts');
  const { log } = await openLog({ ...config.log, level: config.log.level === 'silent' ? 'silent' : 'warn' }, 2);
  const opened = await explainFailure(config, () => openApp(config, { ...overrides, log }));
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

/** Throws DatabaseLostError or Refusal if there is no database. */
export function requireDatabase({ server, database, storage }: Config): void {
  if (hasContent(database.file)) return;
  const secretKey = join(server.data_dir, 'secret.key');
  checkDatabaseNotLost({ database: database.file, secretKey, storage: storage.local.directory });
  throw new Refusal(
    `there is no database ${database.file}; name the configuration of the server with --config, or start the server first`,
  );
}

/** Opens the existing database read-only; undefined if there is none yet. The caller closes it. Throws DatabaseLostError for a folder. */
export function openDatabaseForReading(config: Config): Sqlite.Database | undefined {
  refuseFolder(config.database.file);
  if (!hasContent(config.database.file)) return undefined;
  return new Sqlite(config.database.file, {
    readonly: true,
    timeout: config.database.busy_timeout_ms,
    ...nativeBinding(config),
  });
}

/** Opens the existing database for writing, without migrating it. The caller closes it. Throws DatabaseLostError or Refusal. */
export function openDatabaseForWriting(config: Config): Sqlite.Database {
  requireDatabase(config);
  endRestore(config.server.data_dir);
  return openDatabase(databaseOptionsOf(config)).$client;
}

/** The same, but creates a database if there is none. */
export function openOrCreateDatabase(config: Config): Sqlite.Database {
  const secretKey = join(config.server.data_dir, 'secret.key');
  checkDatabaseNotLost({ database: config.database.file, secretKey, storage: config.storage.local.directory });
  endRestore(config.server.data_dir);
  return openDatabase(databaseOptionsOf(config)).$client;
}

/** Returns how the database of a configuration is opened. */
export function databaseOptionsOf(config: Config): DatabaseOptions {
  const { file, synchronous, busy_timeout_ms: busyTimeoutMs } = config.database;
  const isReplicated = config.replication.target !== '';
  return { file, synchronous, busyTimeoutMs, isReplicated, ...nativeBinding(config) };
}

function nativeBinding(config: Config): { nativeBinding?: string } {
  const path = addonOf(config);
  return path === undefined ? {} : { nativeBinding: path };
}

/** Turns errors that an operator can fix into one-line refusals. */
export async function explainFailure<T>(config: Config, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const text = describeFixableError(config, error);
    if (text === undefined) throw error;
    throw new Refusal(text);
  }
}

const FILE_ERRORS = new Set(
  'EACCES EPERM EROFS ENOSPC ENOTDIR EEXIST ENOENT EISDIR EDQUOT ENAMETOOLONG ELOOP'.split(' '),
);

function describeFixableError({ server, database }: Config, error: unknown): string | undefined {
  const isKnown = [
    DatabaseTooNewError,
    DatabaseSchemaError,
    DatabaseLostError,
    DatabaseDamagedError,
    InUseError,
    LockFileError,
    WrongSecretKeyError,
    KeyFilesError,
    PassedSocketError,
  ].some((kind) => error instanceof kind);
  if (isKnown && error instanceof Error) return error.message;
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  const code = String(error.code);
  const isListening = 'syscall' in error && (error.syscall === 'listen' || error.syscall === 'getaddrinfo');
  const isPlain = 'port' in error && error.port === server.tls.http_port && error.port !== server.port;
  const port = isPlain ? server.tls.http_port : server.port;
  const setPort = `set another port with ${isPlain ? 'server.tls.http_port (TAXIWAY_SERVER__TLS__HTTP_PORT=9000)' : 'server.port (TAXIWAY_SERVER__PORT=9000)'}`;
  const place = server.host.includes(':') ? `[${server.host}]:${port}` : `${server.host}:${port}`;
  if (isListening && code === 'EADDRINUSE') {
    return `${place} is used by another program; stop it, or ${setPort}`;
  }
  if (isListening && code === 'EACCES') return `${place} can't be used by this account; ${setPort}`;
  if (isListening) return `cannot listen on ${place} (${code}); set server.host to an address of this machine`;
  if (/^SQLITE_(?:CORRUPT|NOTADB)/.test(code))
    return damagedError(database.file, [`${error.message}, ${code}`]).message;
  if (code === 'EMFILE' || code === 'ENFILE')
    return 'too many open files: set a higher limit with "ulimit -n", or LimitNOFILE of systemd';
  if (code.startsWith('SQLITE_'))
    return `cannot use the database ${database.file}: ${describeFailure(error)} (${code})`;
  if (FILE_ERRORS.has(code)) return `cannot use the data folder ${server.data_dir}: ${error.message}`;
  return undefined;
}
