// Opens an App: everything that a server or an operator's command needs, without listening.

import { dirname, join } from 'node:path';
import { recountAfterCorrection } from './billing/gates.ts';
import { identityOf } from './byosa/access.ts';
import { noteOutage } from './byosa/outages.ts';
import type { Config } from './config.ts';
import type { App } from './core/context.ts';
import { createCredentialUse } from './core/credential-use.ts';
import { createJobs } from './core/jobs.ts';
import { openParts, startParts } from './core/parts.ts';
import { resumeRemovals } from './core/removal.ts';
import { systemContext } from './core/transact.ts';
import { addonOf } from './data/addon.ts';
import { type Db, openDatabase } from './data/database.ts';
import { eraseEarlierFreePages } from './data/erasure.ts';
import { flushAfterCommits, startGroupCommit } from './data/group-commit.ts';
import { type DatabaseUnsafeError, watchDatabase } from './data/health.ts';
import { checkIntegrity } from './data/integrity.ts';
import { restAfterCommits, waitInRounds } from './data/lock-wait.ts';
import { embeddedMigrations, migrateDatabase } from './data/migrate.ts';
import { checkDatabaseNotLost, endRestore, hasContent } from './data/missing-database.ts';
import { watchSlowQueries } from './data/slow-queries.ts';
import { createPasswords, type PasswordCost, passwordsOf } from './developers/password.ts';
import { hooks } from './hooks.ts';
import { jobs } from './jobs.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { type Closers, createClosers } from './lib/closers.ts';
import { flushFolders, makeFolderNow } from './lib/durable-file.ts';
import { createKeyLocks } from './lib/key-locks.ts';
import { parts } from './parts.ts';
import { removalRules } from './removals.ts';
import { createAccessTokens } from './runtime/access-token.ts';
import { createCheckpointThread } from './runtime/checkpoint-thread.ts';
import { createClockGuard } from './runtime/clock-guard.ts';
import { clockForIds } from './runtime/id-clock.ts';
import { createIds } from './runtime/ids.ts';
import { openLog } from './runtime/log.ts';
import { createMetrics } from './runtime/metrics.ts';
import { createRateLimits } from './runtime/rate-limits.ts';
import { createSecrets, loadMasterKey } from './runtime/secrets.ts';
import { checkKeyNotLost } from './runtime/signing-keys.ts';
import { locationsOf, openConfiguredLocations } from './sessions/location-database.ts';
import { openCustomerContainers } from './storage/azure/customers.ts';
import { type OpenStorage, openStorage } from './storage/open.ts';
import { createPlaces } from './storage/places.ts';
import { objectOwners } from './stored-objects.ts';
import { listSweeps } from './sweeps.ts';
import { resumeFanOut } from './webhooks/deliveries.ts';

/** Replaceable parts, for embedders and tests. */
export interface Overrides {
  clock?: Clock;
  fetch?: typeof fetch;
  log?: App['log'];
  isRecordingEnforced?: boolean;
  /** Called when the database can't be flushed; must end the process. Throws an uncaught exception by default. */
  onDatabaseUnsafe?: (error: DatabaseUnsafeError) => void;
  /** Whether a large database is checked in the background. True for servers, false for commands. */
  isServing?: boolean;
  /** False if the database never waits for the disk, because it needn't outlive the machine. */
  isFlushed?: boolean;
  /** Disables schedules; sweeps only run on request. */
  isScheduleOff?: boolean;
  /** The cost of hashing a password; production's by default, lower in test fixtures. */
  passwordCost?: PasswordCost;
  /** Limit of open files and connections of the process; the system's limit by default. */
  openFilesLimit?: number;
  /** The master key instead of the configured one, for its rotation. */
  masterKey?: Buffer;
  /** File descriptors of listening sockets to use: the first for the server, the second for plain http beside https. */
  sockets?: readonly number[];
}

export interface OpenApp {
  app: App;
  storage: OpenStorage;
  close(): Promise<void>;
}

/**
 * Opens database (migrated), storage and the other parts. Throws ConfigError, DatabaseTooNewError and other startup errors, and
 * leaves nothing open then.
 * @param addon the database driver, if the caller has already checked it
 */
export async function openApp(config: Config, overrides: Overrides = {}, addon?: string): Promise<OpenApp> {
  const closers = createClosers();
  try {
    return await openAll(config, { overrides, closers, addon });
  } catch (error) {
    // The reason of the failure says more than what can't be closed because of it.
    await closers.closeAll().catch(() => {});
    throw error;
  }
}

interface Opening {
  overrides: Overrides;
  closers: Closers;
  addon: string | undefined;
}

/** Opens everything and adds what closes it, each as soon as it is open. */
async function openAll(config: Config, { overrides, closers, addon }: Opening): Promise<OpenApp> {
  const clock = overrides.clock ?? systemClock;
  const { log, droppedLines } = overrides.log === undefined ? await openLog(config.log) : givenLog(overrides.log);
  closers.add(() => log.flush());
  // Before anything is written: a file that can't be used stops the start and leaves nothing behind.
  const locations = await openConfiguredLocations(config);
  const { data_dir: dataDir } = config.server;
  makeFolderNow(dataDir);
  const keyFile = join(dataDir, 'secret.key');
  const paths = { database: config.database.file, secretKey: keyFile, storage: config.storage.local.directory };
  checkDatabaseNotLost(paths);
  // Created by this start, or by one that was killed before it flushed them.
  if (!hasContent(paths.database)) {
    for (const folder of [dataDir, dirname(paths.database), paths.storage]) flushFolders(folder);
  }
  endRestore(dataDir);
  const nativeBinding = addon ?? addonOf(config);
  const db = openDatabase({
    file: config.database.file,
    synchronous: overrides.isFlushed === false ? 'off' : config.database.synchronous,
    busyTimeoutMs: config.database.busy_timeout_ms,
    isReplicated: config.replication.target !== '',
    nativeBinding,
  });
  closers.add(() => db.$client.close());
  let endLaterFlushes = async () => {};
  closers.add(() => endLaterFlushes());
  const { slow_query_ms: slowQueryMs } = config.log;
  // A command would print them between its messages.
  if (slowQueryMs > 0 && overrides.isServing === true)
    watchSlowQueries(db.$client, slowQueryMs, (query) => log.warn(query, 'slow query'));
  const traces = config.tracing.endpoint === '' ? undefined : await openTraces(config, { db, clock, log, overrides });
  if (traces !== undefined) closers.add(() => traces.exporter.stop());
  const { isServing = false } = overrides;
  const integrity = await checkIntegrity({ client: db.$client, clock, log, nativeBinding, isServing });
  closers.add(() => integrity.stop());
  const applied = migrateDatabase(db.$client, clock);
  const isNew = applied.length > 0 && applied.length === embeddedMigrations().length;
  // A command next to a running server would block the server's writes.
  if (isServing || isNew) eraseEarlierFreePages(db.$client, log, isNew);
  if (applied.length > 0) log.info({ migrations: applied.length, newest: applied.at(-1) }, 'database migrated');
  // Must come after the database: a key without a database means that the database was lost.
  if (config.server.secret_key === '') checkKeyNotLost(db, keyFile);
  const secrets = createSecrets(overrides.masterKey ?? loadMasterKey(config.server.secret_key, keyFile));
  const onUnsafe = overrides.onDatabaseUnsafe ?? endByException;
  const health = watchDatabase({ db, clock, log, onUnsafe });
  // What comes before waits for the lock by SQLite alone.
  if (isServing) waitInRounds(db.$client);
  // Until here, at the latest with the migrations, each commit was flushed while it held the lock of writers.
  if (config.database.synchronous === 'full') {
    endLaterFlushes = isServing ? commitInGroups(config, db, nativeBinding, log) : flushAfterCommits(db);
  }
  if (!isServing) restAfterCommits(db.writes);
  const clockGuard = createClockGuard({ db, clock, log });
  // A server does it later, to start sooner.
  if (!isServing) clockGuard.observe();
  closers.add(() => clockGuard.stop());
  const ids = createIds(clockForIds(db, clockGuard));

  const places = createPlaces(db.$client, (from, to) => recountAfterCorrection(systemContext(app), from, to));
  const customers = openCustomerContainers(config, db, {
    clock,
    ids,
    secrets,
    identityOf: (organizationId) => identityOf({ config }, organizationId),
  });
  closers.add(() => customers.close());
  const { containers } = customers;
  const openedStorage = await openStorage(config, {
    keyring: secrets.keyring,
    clock,
    places,
    containers,
    settle: () => db.durability.settle(),
    database: db.$client,
  });
  closers.add(() => openedStorage.close());
  const { storage } = openedStorage;
  const app: App = {
    config,
    db,
    health,
    integrity,
    clock,
    clockGuard,
    ids,
    secrets,
    accessTokens: createAccessTokens({ db, clock, ids, secrets, issuer: config.server.base_url }),
    rateLimits: createRateLimits(config.rate_limits, clock),
    storage,
    locks: createKeyLocks(),
    jobs: createJobs(),
    metrics: config.metrics.enabled
      ? createMetrics({ droppedLines, droppedSpans: () => traces?.exporter.dropped() ?? 0 })
      : undefined,
    tracing: traces?.tracing,
    credentialUse: createCredentialUse({ db, clock, log }),
    sweeps: listSweeps(config),
    removalRules,
    objectOwners,
    hooks,
    parts: new Map(),
    log,
    fetch: fetchAfterCommits(db, traces?.fetch ?? overrides.fetch ?? fetch),
    isRecordingEnforced: overrides.isRecordingEnforced ?? false,
  };
  containers.onOutage((id, failure) => noteOutage(systemContext(app), id, failure));
  closers.add(() => app.credentialUse.stop());
  app.parts.set(locationsOf, locations);
  await openParts(app, parts, closers);
  if (overrides.passwordCost !== undefined) {
    app.parts.set(passwordsOf, createPasswords({ cost: overrides.passwordCost }));
  }
  for (const { kind, run, lane } of jobs) app.jobs.register(kind, run, lane);

  // First of all, because jobs use everything else.
  closers.add(() => app.jobs.stop());

  return { app, storage: openedStorage, close: closers.closeAll };
}

/** Starts group commit, with checkpoints in a thread. Returns what ends both. */
function commitInGroups(
  { replication }: Config,
  db: Db,
  nativeBinding: string | undefined,
  log: App['log'],
): () => Promise<void> {
  if (replication.target !== '') return startGroupCommit(db, undefined);
  const thread = createCheckpointThread({ file: db.$client.name, nativeBinding }, log);
  const end = startGroupCommit(db, thread.run);
  return () => end().finally(() => thread.close());
}

/** Returns `fetch` so that nobody learns of a commit that isn't on disk. */
function fetchAfterCommits(db: Db, send: typeof fetch): typeof fetch {
  return async (...request) => {
    await db.durability.settle();
    return send(...request);
  };
}

/** Opens the tracing. Loaded on demand, because most servers have no collector. */
async function openTraces(
  { tracing: { endpoint, authorization, sample_percent: samplePercent } }: Config,
  { db, clock, log, overrides }: { db: Db; clock: Clock; log: App['log']; overrides: Overrides },
) {
  const [{ createTracing, traceFetch, traceStatements }, { createTraceExporter }] = await Promise.all([
    import('./runtime/tracing.ts'),
    import('./runtime/trace-exporter.ts'),
  ]);
  const plainFetch = overrides.fetch ?? fetch;
  const exporter = createTraceExporter({ endpoint, authorization, log, fetch: plainFetch });
  const tracing = createTracing({ clock, samplePercent, receive: exporter.receive });
  traceStatements(db.$client, tracing);
  return { exporter, tracing, fetch: traceFetch(plainFetch, tracing) };
}

function endByException(error: DatabaseUnsafeError): void {
  process.nextTick(() => {
    throw error;
  });
}

function givenLog(log: App['log']) {
  return { log, droppedLines: () => 0 };
}

/** Starts the job runner and the parts of an opened app. */
export function startJobs(app: App): void {
  const newContext = () => systemContext(app);
  app.clockGuard.start();
  app.jobs.start(app, newContext);
  startParts(app, parts, newContext);
  resumeFanOut(newContext());
  resumeRemovals(newContext());
}
