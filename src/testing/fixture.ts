// startFixture for our own tests: the fixture of testing.ts with access to the internals of its server.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { asc } from 'drizzle-orm';
import { loadAuthority } from '../certificates/authority.ts';
import type { App } from '../core/context.ts';
import { runSweep } from '../core/sweeps.ts';
import { openDatabase } from '../data/database.ts';
import { eraseEarlierFreePages } from '../data/erasure.ts';
import { migrateDatabase } from '../data/migrate.ts';
import { outboxMails } from '../data/tables/tables.ts';
import type { PasswordCost } from '../developers/password.ts';
import { sqliteAddon } from '../lib/assets.ts';
import { createMovableClock } from '../lib/clock.ts';
import { createRateLimits } from '../runtime/rate-limits.ts';
import { createServer } from '../server.ts';
import { sweeps } from '../sweeps.ts';
import { deliveryRunnerOf } from '../webhooks/runner.ts';
import { createSampleData } from './sample-data.ts';
import type {
  FixtureMessage,
  Fixture as PublicFixture,
  FixtureOptions as PublicFixtureOptions,
  SampleData,
} from './types.ts';

export interface FixtureOptions extends PublicFixtureOptions {
  /** The cost of hashing a password. Low by default, because tests sign in often. */
  passwordCost?: PasswordCost;
}

/** The lowest cost that argon2id accepts. */
const LOWEST_PASSWORD_COST: PasswordCost = { memory: 8, passes: 1, parallelism: 1 };

export interface Fixture extends PublicFixture {
  /** The server's app, for tests that read rows or call services. */
  app: App;
}

const MAIL_PATIENCE_MS = 5_000;
const MAIL_PAUSE_MS = 20;

/** Makes fetch in this process trust certificates of the server's own authority. */
async function trustAuthority(app: App): Promise<void> {
  const { certificate } = await loadAuthority(app);
  setDefaultCACertificates([...getCACertificates('default'), certificate]);
}

let migrated: Buffer | undefined;

/** Returns the bytes of a database that has all migrations and nothing else. Migrating takes longer than starting the server. */
export function migratedDatabase(): Buffer {
  if (migrated !== undefined) return migrated;
  const folder = mkdtempSync(join(tmpdir(), 'taxiway-'));
  try {
    const nativeBinding = sqliteAddon([folder]);
    const file = join(folder, 'taxiway.db');
    const db = openDatabase({ file, synchronous: 'off', busyTimeoutMs: 5_000, nativeBinding });
    migrateDatabase(db.$client, createMovableClock());
    eraseEarlierFreePages(db.$client, console, true);
    db.$client.close();
    migrated = readFileSync(file);
    return migrated;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Creates what a server would create at its first start, without its flushes. Nothing in the folder outlives the test. */
async function fillFolder(folder: string): Promise<void> {
  await writeFile(join(folder, 'taxiway.db'), migratedDatabase(), { mode: 0o600 });
  await writeFile(join(folder, 'secret.key'), `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  for (const name of ['objects', 'incoming', 'seals']) await mkdir(join(folder, 'blobs', name), { recursive: true });
}

const NOWHERE = 'http://127.0.0.1:9';

/** Starts a server on a free port with a temporary data folder. Several can run in one process. */
export async function startFixture(options: FixtureOptions = {}): Promise<Fixture> {
  const folder = await mkdtemp(join(tmpdir(), 'taxiway-'));
  const clock = createMovableClock();
  const { config = {}, passwordCost = LOWEST_PASSWORD_COST } = options;
  const isElsewhere = config.database?.file !== undefined || config.server?.data_dir !== undefined;
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  /** Undoes a start that fails, because its test has nothing that it could stop. */
  const orElse = (undo: () => Promise<void>) => async (error: unknown) => {
    await undo();
    throw error;
  };
  if (!isElsewhere) await fillFolder(folder).catch(orElse(removeFolder));
  const server = await createServer(
    {
      ...config,
      server: { port: 0, data_dir: folder, ...config.server },
      log: { level: 'silent', slow_request_ms: 0, slow_query_ms: 0, ...config.log },
      database: { synchronous: 'normal', ...config.database },
      webhooks: { allow_loopback: true, ...config.webhooks },
      sso: { allow_loopback: true, ...config.sso },
      // No test reaches the real cloud by accident.
      byosa: { azure_authority_host: NOWHERE, azure_endpoint_suffix: NOWHERE, ...config.byosa },
      rate_limits: { enabled: false, ...config.rate_limits },
    },
    {
      clock,
      isRecordingEnforced: true,
      isScheduleOff: true,
      // A test that asks for flushes gets them.
      isFlushed: config.database?.synchronous !== undefined,
      passwordCost,
    },
  ).catch(orElse(removeFolder));
  const { app } = server;

  async function stop(): Promise<void> {
    await server.stop();
    await removeFolder();
  }

  async function begin(): Promise<SampleData> {
    await server.start();
    // The server would do it after a second, in the middle of a test.
    app.clockGuard.observe();
    if (app.config.server.tls.mode !== 'off') await trustAuthority(app);
    // Rate limits count only the requests of the test itself.
    const { rateLimits } = app;
    app.rateLimits = createRateLimits({ ...app.config.rate_limits, enabled: false }, clock);
    const world = await createSampleData(server);
    app.rateLimits = rateLimits;
    return world;
  }
  const world = await begin().catch(orElse(stop));

  function messages(): FixtureMessage[] {
    const rows = app.db.select().from(outboxMails).orderBy(asc(outboxMails.id)).all();
    return rows.map(({ recipient, subject, text, html, createdAt }) => ({
      to: recipient,
      subject,
      text,
      html,
      created_at: new Date(createdAt).toISOString(),
    }));
  }

  return {
    ...world,
    app,
    url: server.url,
    config: app.config,
    clock,
    mail: {
      get messages() {
        return messages();
      },
      async waitFor(address, pattern = /(?:)/) {
        // Addresses are stored in lower case. `search` starts at the beginning, also if the pattern has the flag g.
        const recipient = address.toLowerCase();
        // Counted, and with a timer of its own, because a test may replace Date and the global timers.
        for (let waited = 0; waited < MAIL_PATIENCE_MS; waited += MAIL_PAUSE_MS) {
          const found = messages().findLast(
            ({ to, subject, text }) => to.toLowerCase() === recipient && `${subject}\n${text}`.search(pattern) !== -1,
          );
          if (found !== undefined) return found;
          await sleep(MAIL_PAUSE_MS);
        }
        throw new Error(`No mail to ${address} within ${MAIL_PATIENCE_MS} ms`);
      },
    },
    async sweep(name) {
      const sweep = sweeps.find((candidate) => candidate.name === name);
      if (sweep === undefined) throw new Error(`No sweep is named ${name}`);
      return runSweep(app, sweep);
    },
    async drain() {
      await app.jobs.drain();
      await deliveryRunnerOf(app).drain();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
