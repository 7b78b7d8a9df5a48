// Opens an App: everything a server or a command of the operator works with, before anything listens.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { EXPORT_JOB, prepareExport } from './accounts/exports/service.ts';
import { openLocationDatabase } from './accounts/location-database.ts';
import { createPasswords } from './accounts/password.ts';
import { createInspector } from './builds/inspection/run.ts';
import type { Config } from './config.ts';
import { BULK_MAIL_LANE, MAIL_LANE, runSendMailJob } from './mail/outbox.ts';
import { createAccessTokens } from './platform/access-token.ts';
import { inspectionWorker, sqliteAddon } from './platform/assets.ts';
import { createBookkeeper } from './platform/bookkeeper.ts';
import { type Clock, systemClock } from './platform/clock.ts';
import type { App } from './platform/context.ts';
import { openDatabase } from './platform/database.ts';
import { REMOVE_OBJECTS_JOB, runRemoveObjectsJob } from './platform/doomed-objects.ts';
import { clockForIds } from './platform/id-clock.ts';
import { createIds } from './platform/ids.ts';
import { createJobs } from './platform/jobs.ts';
import { createKeyLocks } from './platform/key-locks.ts';
import { createLog } from './platform/log.ts';
import { SEND_BULK_MAIL_JOB, SEND_MAIL_JOB } from './platform/mail.ts';
import { createMetrics } from './platform/metrics.ts';
import { migrateDatabase } from './platform/migrate.ts';
import { createRateLimits } from './platform/rate-limits.ts';
import { FAN_OUT_JOB } from './platform/record.ts';
import { createSecrets, loadMasterKey } from './platform/secrets.ts';
import { systemContext } from './platform/transact.ts';
import { createInstallJournal } from './sdk/journal.ts';
import { type LocalStorage, openLocalStorage } from './storage/local/backend.ts';
import { ANNOUNCE_JOB, ANNOUNCE_LANE, runAnnounceJob } from './testers/announcements/service.ts';
import { fanOutEvents, resumeDeliveries, resumeFanOut } from './webhooks/deliveries.ts';
import { createDeliveryRunner } from './webhooks/runner.ts';

/** What an embedder or a test may replace. */
export interface Overrides {
  clock?: Clock;
  fetch?: typeof fetch;
  log?: App['log'];
  isRecordingEnforced?: boolean;
  /** Schedules do not run by themselves; sweeps are run by hand. */
  isScheduleOff?: boolean;
}

export interface OpenApp {
  app: App;
  localStorage: LocalStorage;
  close(): Promise<void>;
}

/** Nothing that takes long holds up the fan-out of events. */
const WEBHOOK_LANE = 'webhooks';
// Time on the clock: an inspection stands back where the processors are busy.
const INSPECTION_TIMEOUT_MS = 20_000;
const INSPECTION_MEMORY_MB = 128;

/** Opens database (migrated), storage and machinery. Throws what keeps it from working: ConfigError, DatabaseTooNewError. */
export async function openApp(config: Config, overrides: Overrides = {}): Promise<OpenApp> {
  const clock = overrides.clock ?? systemClock;
  const log = overrides.log ?? (await createLog(config.log));
  const { location_database: locations } = config.accounts;
  const findPlace = locations === '' ? undefined : await openLocationDatabase(locations);
  const { data_dir: dataDir } = config.server;
  // Password hashes and keys lie in it: nobody but the owner and the group (a proxy that serves the bytes) looks in.
  mkdirSync(dataDir, { recursive: true, mode: 0o750 });
  const secrets = createSecrets(loadMasterKey(config.server.secret_key, join(dataDir, 'secret.key')));
  const db = openDatabase({
    file: config.database.file,
    synchronous: config.database.synchronous,
    busyTimeoutMs: config.database.busy_timeout_ms,
    nativeBinding: sqliteAddon([join(dataDir, '.runtime')]),
  });
  const applied = migrateDatabase(db.$client, clock);
  if (applied.length > 0) log.info({ applied }, 'database migrated');
  const ids = createIds(clockForIds(db, clock));

  const localStorage = openLocalStorage({
    directory: config.storage.local.directory,
    baseUrl: config.server.base_url,
    keyring: secrets.keyring,
    clock,
    putLifetimeMs: config.limits.pending_upload_lifetime_minutes * 60_000,
  });
  const inspector = createInspector({
    workerEntry: inspectionWorker(),
    timeoutMs: INSPECTION_TIMEOUT_MS,
    maxMemoryMb: INSPECTION_MEMORY_MB,
    concurrency: 2,
  });
  const app: App = {
    config,
    db,
    clock,
    ids,
    secrets,
    accessTokens: createAccessTokens({ db, clock, ids, secrets, issuer: config.server.base_url }),
    passwords: createPasswords(),
    findPlace,
    rateLimits: createRateLimits(config.rate_limits, clock),
    storage: localStorage,
    locks: createKeyLocks(),
    inspector,
    jobs: createJobs(),
    webhooks: createDeliveryRunner(config.webhooks.concurrency),
    metrics: config.metrics.enabled ? createMetrics(db) : undefined,
    bookkeeper: createBookkeeper({ db, clock, log }),
    installJournal: createInstallJournal({ db, clock, ids, log }),
    log,
    fetch: overrides.fetch ?? fetch,
    isRecordingEnforced: overrides.isRecordingEnforced ?? false,
  };
  app.jobs.register(FAN_OUT_JOB, fanOutEvents, WEBHOOK_LANE);
  app.jobs.register(EXPORT_JOB, prepareExport);
  app.jobs.register(REMOVE_OBJECTS_JOB, runRemoveObjectsJob);
  app.jobs.register(SEND_MAIL_JOB, runSendMailJob, MAIL_LANE);
  app.jobs.register(SEND_BULK_MAIL_JOB, runSendMailJob, BULK_MAIL_LANE);
  app.jobs.register(ANNOUNCE_JOB, runAnnounceJob, ANNOUNCE_LANE);

  return {
    app,
    localStorage,
    async close() {
      await app.webhooks.stop();
      await app.jobs.stop();
      app.bookkeeper.stop();
      app.installJournal.stop();
      await inspector.close();
      db.$client.close();
      log.flush();
    },
  };
}

/** Starts the job runner of an opened app. */
export function startJobs(app: App): void {
  app.jobs.start(app, () => systemContext(app));
  resumeDeliveries(systemContext(app));
  app.webhooks.start(() => systemContext(app));
  resumeFanOut(systemContext(app));
}
