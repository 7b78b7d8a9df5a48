// startFixture: a complete server in this process for integration tests, with sample data (completions 9).

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { asc } from 'drizzle-orm';
import { loadAuthority } from './certificates/authority.ts';
import type { Config, PartialConfig } from './config.ts';
import type { App } from './core/context.ts';
import { runSweep } from './core/sweeps.ts';
import { outboxMails } from './data/tables/tables.ts';
import type { PasswordCost } from './developers/password.ts';
import { createMovableClock, type MovableClock } from './lib/clock.ts';
import { createRateLimits } from './runtime/rate-limits.ts';
import { createServer } from './server.ts';
import { sweeps } from './sweeps.ts';
import { buildWorld, type World } from './testing/world.ts';
import { deliveryRunnerOf } from './webhooks/runner.ts';

export interface FixtureMessage {
  to: string;
  subject: string;
  text: string;
  html: string;
  created_at: string;
}

export interface FixtureOptions {
  /** Merged into the defaults. With `server.tls.mode` "internal", fetch trusts the server's authority afterwards. */
  config?: PartialConfig;
  /** The cost of hashing a password. Low by default, because tests sign in often and their passwords need no protection. */
  passwordCost?: PasswordCost;
}

/** The lowest cost that argon2id accepts. */
const LOWEST_PASSWORD_COST: PasswordCost = { memory: 8, passes: 1, parallelism: 1 };

export interface Fixture extends World {
  url: string;
  config: Config;
  clock: MovableClock;
  mail: {
    readonly messages: FixtureMessage[];
    /** Returns the newest mail to an address. Waits up to 5 s for it. */
    waitFor(address: string, pattern?: RegExp): Promise<FixtureMessage>;
  };
  /** Runs a sweep and returns the number of deleted items. */
  sweep(name: string): Promise<number>;
  /** Waits until outbox and jobs are empty. */
  drain(): Promise<void>;
  /** Closes everything and deletes the folder. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
  /** The server's internals, for tests that need them. */
  app: App;
}

const MAIL_TIMEOUT_MS = 5_000;

/** Makes fetch in this process trust certificates of the server's own authority. */
async function trustAuthority(app: App): Promise<void> {
  const { certificate } = await loadAuthority(app);
  setDefaultCACertificates([...getCACertificates('default'), certificate]);
}

/** Starts a server on a free port with a temporary data folder. Several can run in one process. */
export async function startFixture(options: FixtureOptions = {}): Promise<Fixture> {
  const folder = await mkdtemp(join(tmpdir(), 'taxiway-'));
  const clock = createMovableClock();
  const { config = {}, passwordCost = LOWEST_PASSWORD_COST } = options;
  const server = await createServer(
    {
      ...config,
      server: { port: 0, data_dir: folder, ...config.server },
      log: { level: 'silent', ...config.log },
      database: { synchronous: 'normal', ...config.database },
      webhooks: { allow_loopback: true, ...config.webhooks },
      rate_limits: { enabled: false, ...config.rate_limits },
    },
    { clock, isRecordingEnforced: true, isScheduleOff: true, passwordCost },
  );
  const { app } = server;
  await server.start();
  if (app.config.server.tls.mode !== 'off') await trustAuthority(app);

  async function stop(): Promise<void> {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }

  // Rate limits only count requests of the test itself.
  const { rateLimits } = app;
  app.rateLimits = createRateLimits({ ...app.config.rate_limits, enabled: false }, clock);
  const world = await buildWorld(server).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  app.rateLimits = rateLimits;

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
        const giveUpAt = Date.now() + MAIL_TIMEOUT_MS;
        while (Date.now() < giveUpAt) {
          const found = messages().findLast(
            (message) => message.to === address && pattern.test(`${message.subject}\n${message.text}`),
          );
          if (found !== undefined) return found;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        throw new Error(`No mail to ${address} within ${MAIL_TIMEOUT_MS} ms`);
      },
    },
    async sweep(name) {
      const sweep = sweeps.find((candidate) => candidate.name === name);
      if (sweep === undefined) throw new Error(`There is no sweep named ${name}`);
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
