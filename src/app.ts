// Opens an App: everything a server or a command of the operator works with, before anything listens.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { EXPORT_JOB, EXPORT_LANE, prepareExport } from './accounts/exports/service.ts';
import { LINK_MAIL_JOB, LINK_MAIL_LANE, runLinkMailJob } from './accounts/link-mails.ts';
import { openLocationDatabase } from './sessions/location-database.ts';
import { createPasswords, type PasswordCost } from './developers/password.ts';
import { createHeadKeeper } from './audit/noted-heads.ts';
import { createInspector } from './inspection/run.ts';
import { runVerifyPackageJob, VERIFY_PACKAGE_JOB } from './builds/integrity.ts';
import type { Config } from './config.ts';
import { createBookkeeper } from './core/bookkeeper.ts';
import type { App } from './core/context.ts';
import { createJobs } from './core/jobs.ts';
import { SEND_BULK_MAIL_JOB, SEND_MAIL_JOB } from './core/mail-outbox.ts';
import { REMOVE_OBJECTS_JOB, runRemoveObjectsJob } from './core/object-removal.ts';
import { FAN_OUT_JOB } from './core/record.ts';
import { REMOVAL_JOB, REMOVAL_LANE, resumeRemovals, runRemovalJob } from './core/removal.ts';
import { systemContext } from './core/transact.ts';
import { openDatabase } from './data/database.ts';
import { eraseEarlierTraces } from './data/erasure.ts';
import { type DatabaseUnsafeError, watchDatabase } from './data/health.ts';
import { checkIntegrity } from './data/integrity.ts';
import { embeddedMigrations, migrateDatabase } from './data/migrate.ts';
import { refuseLostDatabase } from './data/missing-database.ts';
import { LAPSE_INVITATIONS_JOB, runLapseInvitationsJob } from './invitations/standing.ts';
import { inspectionWorker, samlWorker, sqliteAddon } from './lib/assets.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { createKeyLocks } from './lib/key-locks.ts';
import { BULK_MAIL_LANE, MAIL_LANE, runSendMailJob } from './mail/outbox.ts';
import { removalRules } from './removals.ts';
import { sweeps } from './sweeps.ts';
import { createAccessTokens } from './runtime/access-token.ts';
import { createClockGuard } from './runtime/clock-guard.ts';
import { clockForIds } from './runtime/id-clock.ts';
import { createIds } from './runtime/ids.ts';
import { openLog } from './runtime/log.ts';
import { createMetrics } from './runtime/metrics.ts';
import { createRateLimits } from './runtime/rate-limits.ts';
import { createSecrets, loadMasterKey } from './runtime/secrets.ts';
import { createInstallJournal } from './sdk/journal.ts';
import { createSamlReader } from './saml/reader.ts';
import { type LocalStorage, openLocalStorage } from './storage/local/backend.ts';
import { ANNOUNCE_JOB, ANNOUNCE_LANE, runAnnounceJob } from './testers/announcements/service.ts';
import { runTokenOwnerJob, TOKEN_OWNER_JOB } from './tokens/owners.ts';
import { fanOutEvents, resumeDeliveries, resumeFanOut } from './webhooks/deliveries.ts';
import { createDeliveryRunner } from './webhooks/runner.ts';

/** What an embedder or a test may replace. */
export interface Overrides {
  clock?: Clock;
  fetch?: typeof fetch;
  log?: App['log'];
  isRecordingEnforced?: boolean;
  /** Called when the database could not be flushed; it ends the process. An uncaught exception unless given. */
  onDatabaseUnsafe?: (error: DatabaseUnsafeError) => void;
  /** A server checks a large database in the background, a command doesn't. */
  isServing?: boolean;
  /** Schedules do not run by themselves; sweeps are run by hand. */
  isScheduleOff?: boolean;
  /** The cost of hashing a password; production's unless a test fixture lowers it. */
  passwordCost?: PasswordCost;
  /** Open files and connections that the process may have, where the system's limit isn't meant. */
  openFilesLimit?: number;
}

export interface OpenApp {
  app: App;
  localStorage: LocalStorage;
  close(): Promise<void>;
}

/** Nothing that takes long holds up the fan-out of events. */
const WEBHOOK_LANE = 'webhooks';
/** Reading a large package takes seconds. */
const PACKAGE_LANE = 'packages';
// Time on the clock: an inspection stands back where the processors are busy.
const INSPECTION_TIMEOUT_MS = 20_000;
const INSPECTION_MEMORY_MB = 128;

/** Opens database (migrated), storage and machinery. Throws what keeps it from working: ConfigError, DatabaseTooNewError. */
export async function openApp(config: Config, overrides: Overrides = {}): Promise<OpenApp> {
  const clock = overrides.clock ?? systemClock;
  const { log, droppedLines } = overrides.log === undefined ? await openLog(config.log) : givenLog(overrides.log);
  const { location_database: locations } = config.accounts;
  const findPlace = locations === '' ? undefined : await openLocationDatabase(locations);
  const { data_dir: dataDir } = config.server;
  // Password hashes and keys lie in it: nobody but the owner and the group (a proxy that serves the bytes) looks in.
  mkdirSync(dataDir, { recursive: true, mode: 0o750 });
  const keyFile = join(dataDir, 'secret.key');
  const paths = { database: config.database.file, secretKey: keyFile, storage: config.storage.local.directory };
  refuseLostDatabase(paths);
  const nativeBinding = sqliteAddon([join(dataDir, '.runtime')]);
  const db = openDatabase({
    file: config.database.file,
    synchronous: config.database.synchronous,
    busyTimeoutMs: config.database.busy_timeout_ms,
    nativeBinding,
  });
  const { isServing = false } = overrides;
  const integrity = await checkIntegrity({ client: db.$client, clock, log, nativeBinding, isServing }).catch(
    (error: unknown) => {
      db.$client.close();
      throw error;
    },
  );
  const applied = migrateDatabase(db.$client, clock);
  const isNew = applied.length === embeddedMigrations().length;
  // A command beside a running server would keep it from writing meanwhile.
  if (isServing || isNew) eraseEarlierTraces(db.$client, log, isNew);
  if (applied.length > 0) log.info({ applied }, 'database migrated');
  // After the database: a key without a database shows that one was lost.
  const secrets = createSecrets(loadMasterKey(config.server.secret_key, keyFile));
  const onUnsafe = overrides.onDatabaseUnsafe ?? endByException;
  const health = watchDatabase({ db, clock, log, onUnsafe });
  const clockGuard = createClockGuard({ db, clock, log });
  const ids = createIds(clockForIds(db, clockGuard));

  const localStorage = openLocalStorage({
    directory: config.storage.local.directory,
    baseUrl: config.server.base_url,
    keyring: secrets.keyring,
    clock,
    putLifetimeMs: config.limits.pending_upload_lifetime_minutes * 60_000,
    reserve: { bytes: config.storage.local.reserve_bytes, percent: config.storage.local.reserve_percent },
  });
  const inspector = createInspector({
    workerEntry: inspectionWorker(),
    timeoutMs: INSPECTION_TIMEOUT_MS,
    maxMemoryMb: INSPECTION_MEMORY_MB,
    concurrency: 2,
  });
  const samlReader = createSamlReader(samlWorker(), { log });
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
    passwords: createPasswords({ cost: overrides.passwordCost }),
    findPlace,
    rateLimits: createRateLimits(config.rate_limits, clock),
    storage: localStorage,
    locks: createKeyLocks(),
    inspector,
    samlReader,
    jobs: createJobs(),
    webhooks: createDeliveryRunner(config.webhooks.concurrency),
    metrics: config.metrics.enabled ? createMetrics(db, { droppedLines }) : undefined,
    bookkeeper: createBookkeeper({ db, clock, log }),
    installJournal: createInstallJournal({ db, clock, ids, log }),
    sweeps,
    removalRules,
    auditHeads: createHeadKeeper({ db, keyring: secrets.keyring, clock, log }),
    log,
    fetch: overrides.fetch ?? fetch,
    isRecordingEnforced: overrides.isRecordingEnforced ?? false,
  };
  app.jobs.register(FAN_OUT_JOB, fanOutEvents, WEBHOOK_LANE);
  app.jobs.register(EXPORT_JOB, prepareExport, EXPORT_LANE);
  app.jobs.register(REMOVE_OBJECTS_JOB, runRemoveObjectsJob);
  app.jobs.register(VERIFY_PACKAGE_JOB, runVerifyPackageJob, PACKAGE_LANE);
  app.jobs.register(SEND_MAIL_JOB, runSendMailJob, MAIL_LANE);
  app.jobs.register(SEND_BULK_MAIL_JOB, runSendMailJob, BULK_MAIL_LANE);
  app.jobs.register(LINK_MAIL_JOB, runLinkMailJob, LINK_MAIL_LANE);
  app.jobs.register(LAPSE_INVITATIONS_JOB, runLapseInvitationsJob);
  app.jobs.register(TOKEN_OWNER_JOB, runTokenOwnerJob);
  app.jobs.register(ANNOUNCE_JOB, runAnnounceJob, ANNOUNCE_LANE);
  app.jobs.register(REMOVAL_JOB, runRemovalJob, REMOVAL_LANE);

  return {
    app,
    localStorage,
    async close() {
      integrity.stop();
      await app.webhooks.stop();
      await app.jobs.stop();
      await app.auditHeads.stop();
      clockGuard.stop();
      app.bookkeeper.stop();
      app.installJournal.stop();
      await Promise.all([inspector.close(), samlReader.close()]);
      db.$client.close();
      log.flush();
    },
  };
}

function endByException(error: DatabaseUnsafeError): void {
  process.nextTick(() => {
    throw error;
  });
}

function givenLog(log: App['log']) {
  return { log, droppedLines: () => 0 };
}

/** Starts the job runner of an opened app. */
export function startJobs(app: App): void {
  app.clockGuard.start();
  app.auditHeads.start();
  app.jobs.start(app, () => systemContext(app));
  resumeDeliveries(systemContext(app));
  app.webhooks.start(() => systemContext(app));
  resumeFanOut(systemContext(app));
  resumeRemovals(systemContext(app));
}
