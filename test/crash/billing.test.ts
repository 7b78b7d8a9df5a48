// Kills a server with billing at random moments, under uploads, downloads, payments and the end of a month, and counts the money.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PaddleDouble, type ProviderEvent, startPaddle } from '../support/paddle.ts';
import { workUntilKilled } from './actions.ts';
import { type Client, Unanswered } from './client.ts';
import { createInstallation, createWorkers, type Installation, stopGently } from './installation.ts';
import { bundleProgram, type Program, runHere, runProgram } from './program.ts';
import { CRASH_KILLS, CRASH_SEED, createRandom, type Random } from './random.ts';
import { recover } from './recovery.ts';
import { uploadBuild } from './uploads.ts';
import { inProject, signIn, type Worker } from './worker.ts';

/** A third of them, because crash.test.ts kills the same load without payments. */
const KILLS = Math.ceil(CRASH_KILLS / 3);
const WORKERS = 3;
const STARTER_CREDIT = 1_000_000;
const GIB = 2 ** 30;
const CENTS_PER_GIB = 10;
/** More than any package of this test has. */
const MAX_PACKAGE = 100_000;

let program: Program;
let provider: PaddleDouble;
let installation: Installation;
let env: Record<string, string>;

beforeAll(async () => {
  program = await bundleProgram();
  provider = await startPaddle();
  installation = await createInstallation(program, { isMigrated: true });
  env = {
    ...installation.env,
    TAXIWAY_BILLING__ENABLED: 'true',
    TAXIWAY_BILLING__PROVIDER: 'paddle',
    TAXIWAY_BILLING__TRIAL_DAYS: '3650',
    TAXIWAY_BILLING__STARTER_CREDIT_CENTS: String(STARTER_CREDIT),
    TAXIWAY_BILLING__PRICES__DOWNLOAD_GIB_CENTS: String(CENTS_PER_GIB),
    TAXIWAY_BILLING__PADDLE__ENVIRONMENT: 'sandbox',
    TAXIWAY_BILLING__PADDLE__API_KEY: provider.settings.api_key,
    TAXIWAY_BILLING__PADDLE__WEBHOOK_SECRET: provider.settings.webhook_secret,
    TAXIWAY_BILLING__PADDLE__BASE_URL: provider.settings.base_url,
  };
});
afterAll(async () => {
  installation?.[Symbol.dispose]();
  await provider?.stop();
});

const start = () => installation.start({ env });

/** Somebody who tops up and downloads, and the provider's events about it. */
interface Customer {
  random: Random;
  worker: Worker;
  token: string;
  asked: number;
  paid: number;
  paidCents: number;
  undelivered: ProviderEvent[];
  /** Of all downloads, whether they were answered or not. */
  downloadedBytes: number;
}

async function topUp(customer: Customer, client: Client): Promise<void> {
  customer.asked += 1;
  // Each is another amount, because an open checkout of the same amount is used again.
  const cents = 1_000 + customer.asked;
  const path = `/api/v1/organizations/${customer.worker.place.organizationId}/billing/topup`;
  const { token } = customer;
  const answer = await client.ask('POST', path, { json: { amount_cents: cents }, token });
  expect(answer.status, String(answer.bytes)).toBe(200);
  provider.pay(String(answer.body.transaction_id));
  customer.paid += 1;
  customer.paidCents += cents;
  customer.undelivered.push(...provider.takeEvents());
}

/** Delivers an event until it's accepted, and some of them twice. */
async function deliver(customer: Customer, client: Client): Promise<void> {
  const event = customer.random.pick(customer.undelivered);
  if (event === undefined) return;
  const bytes = Buffer.from(JSON.stringify(event));
  const headers = { 'content-type': 'application/json', 'paddle-signature': provider.sign(bytes.toString()) };
  const answer = await client.ask('POST', '/billing/v1/paddle', { bytes, headers });
  expect(answer.status, String(answer.bytes)).toBe(200);
  if (customer.random.oneIn(4)) return;
  customer.undelivered = customer.undelivered.filter((one) => one !== event);
}

async function download(customer: Customer, client: Client): Promise<void> {
  const { worker, token, random } = customer;
  const build = random.pick(worker.state.builds.filter(({ isRevoked }) => !isRevoked));
  const id = build === undefined ? undefined : worker.ids.get(`build-${build.number}`);
  if (id === undefined) return;
  const link = await client.ask('GET', `/api/v1/builds/${id}/download?${inProject(worker)}`, { token });
  // The worker may have deleted or revoked it.
  if (link.status !== 200) return;
  await client.ask('GET', String(link.body.download_url));
}

async function spendUntilKilled(customer: Customer, client: Client): Promise<void> {
  try {
    for (;;)
      await (customer.random.pick([topUp, deliver, deliver, deliver, download, download]) ?? deliver)(customer, client);
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
  }
}

/** Counts what the storage may have sent. */
function countDownloads(customer: Customer, client: Client): Client {
  const isDownload = (method: string, url: string) => method === 'GET' && url.includes('/storage/v1/');
  return {
    ...client,
    async ask(method, url, ask) {
      if (!isDownload(method, url)) return client.ask(method, url, ask);
      customer.downloadedBytes += MAX_PACKAGE;
      const answer = await client.ask<never>(method, url, ask);
      customer.downloadedBytes += answer.bytes.length - MAX_PACKAGE;
      return answer;
    },
  };
}

const openReader = () => new Sqlite(join(installation.folder, 'data', 'taxiway.db'), { readonly: true });

function read<Row>(sql: string): Row[] {
  const database = openReader();
  try {
    return database.prepare<[], Row>(sql).all();
  } finally {
    database.close();
  }
}

/** Waits until a query counts so many, or until it's over. Asks through one connection: opening one takes longer than the query. */
async function reach(sql: string, wanted: number, isOver = () => false): Promise<void> {
  const database = openReader();
  try {
    const count = database.prepare<[], number>(sql).pluck();
    while (!isOver() && (count.get() ?? 0) < wanted) await sleep(1);
  } finally {
    database.close();
  }
}

const meteredBytes = () =>
  read<{ bytes: number }>('SELECT sum(downloaded_bytes) AS bytes FROM usage_months')[0]?.bytes ?? 0;

/** Recounts meters, balances and reservations. */
async function expectSound(): Promise<void> {
  const { stdout } = await runHere(installation.folder, ['check', '--json'], env);
  const findings: { status: string; name: string; detail: string }[] = JSON.parse(stdout);
  expect(findings.filter(({ status }) => status === 'fail')).toEqual([]);
  expect(findings.filter(({ name }) => name === 'billing').map(({ detail }) => detail)).toEqual([
    'meters, balances and reservations equal a recount',
  ]);
}

describe('a server with billing that is killed at random moments', () => {
  it('counts each payment once, and meters what is stored', { timeout: 600_000 }, async () => {
    const random = createRandom(CRASH_SEED);
    let run = await start();
    const workers = await createWorkers(run, WORKERS, random);
    const [worker] = workers as [Worker];
    const { accessToken: token } = await signIn(run.client, worker.account);
    const customer: Customer = {
      random: random.fork(),
      worker,
      token,
      asked: 0,
      paid: 0,
      paidCents: 0,
      undelivered: [],
      downloadedBytes: 0,
    };
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const client = countDownloads(customer, run.client);
      const paidBefore = customer.paid;
      const work = Promise.all([
        ...workers.map((one) => workUntilKilled(one, client)),
        spendUntilKilled(customer, client),
      ]);
      await Promise.race([sleep(random.between(50, 200)), work]);
      // On a busy machine, not before something was paid.
      while (customer.paid === paidBefore) await Promise.race([sleep(5), work]);
      await run.running.kill();
      await work;
      run.client.close();
      run = await start();
      const next = countDownloads(customer, run.client);
      await Promise.all(workers.map((one) => recover(one, next)));
    }
    const client = countDownloads(customer, run.client);
    while (customer.undelivered.length > 0) await deliver(customer, client);
    // On a busy machine, each server before may have been killed in its first upload or download.
    await uploadBuild(worker, client);
    for (let number = 0; number < 5; number += 1) await download(customer, client);
    await stopGently(run);
    expect(customer.paid).toBeGreaterThanOrEqual(KILLS);
    const [account] = read<{ balance_cents: number }>('SELECT balance_cents FROM billing_accounts');
    expect(account?.balance_cents).toBe(STARTER_CREDIT + customer.paidCents);
    const [entries] = read<{ count: number }>("SELECT count(*) AS count FROM credit_entries WHERE source = 'paddle'");
    expect(entries?.count).toBe(customer.paid);
    expect(meteredBytes()).toBeGreaterThan(0);
    expect(meteredBytes()).toBeLessThanOrEqual(customer.downloadedBytes);
    await expectSound();

    // A server that is stopped meters everything that it sent.
    const metered = meteredBytes();
    const last = await start();
    const before = customer.downloadedBytes;
    const counted = countDownloads(customer, last.client);
    for (let number = 0; number < 5; number += 1) await download(customer, counted);
    await stopGently(last);
    expect(customer.downloadedBytes).toBeGreaterThan(before);
    expect(meteredBytes() - metered).toBe(customer.downloadedBytes - before);
    await expectSound();
  });

  it('bills a month once, although the cleanup job is killed again and again', { timeout: 120_000 }, async () => {
    const organizations = Array.from({ length: 300 }, () => randomUUID());
    const write = (work: (database: Sqlite.Database) => void) => {
      const database = new Sqlite(join(installation.folder, 'data', 'taxiway.db'));
      try {
        database.transaction(work)(database);
      } finally {
        database.close();
      }
    };
    write((database) => {
      const insert = database.prepare(
        "INSERT INTO organizations (id, name, tier, created_at) VALUES (?, 'Pier', 'team', ?)",
      );
      for (const id of organizations) insert.run(id, Date.now());
    });
    const run = await start();
    await reach('SELECT count(*) FROM billing_accounts', organizations.length + 1);
    await stopGently(run);
    // As if they had downloaded last month, and the server had been off since.
    const now = new Date();
    const lastMonth = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 20));
    write((database) => {
      const use = database.prepare(
        'UPDATE usage_months SET month = ?, level_since = ?, downloaded_bytes = ? WHERE organization_id = ?',
      );
      for (const [index, id] of organizations.entries()) {
        use.run(lastMonth.toISOString().slice(0, 7), lastMonth.getTime(), (index + 1) * GIB, id);
      }
    });
    const closed = 'SELECT count(*) AS count FROM usage_months WHERE closed_at IS NOT NULL';
    const countClosed = () => read<{ count: number }>(closed)[0]?.count ?? 0;
    const sweep = () => runProgram(program, installation.folder, ['sweep', 'billing', '--json'], { env });
    let inTheMiddle = 0;
    for (const wanted of [1, 41, 101, 181]) {
      const running = sweep();
      let isRunning = true;
      void running.ended.then(() => {
        isRunning = false;
      });
      await reach(closed, wanted, () => !isRunning);
      await running.kill();
      if (countClosed() < organizations.length) inTheMiddle += 1;
    }
    expect(inTheMiddle).toBeGreaterThan(0);
    const removed: number[] = [];
    for (const running of [sweep(), sweep()]) {
      expect((await running.ended).code, running.output.stderr).toBe(0);
      removed.push(JSON.parse(running.output.stdout).removed);
    }
    expect(countClosed()).toBe(organizations.length);
    const entries = read<{ organization_id: string; amount_cents: number; note: string }>(
      "SELECT organization_id, amount_cents, note FROM credit_entries WHERE kind = 'usage'",
    );
    const note = `${lastMonth.toISOString().slice(0, 7)} downloads`;
    expect(entries.toSorted((one, other) => one.amount_cents - other.amount_cents)).toEqual(
      organizations.map((id, index) => ({ organization_id: id, amount_cents: (index + 1) * CENTS_PER_GIB, note })),
    );
    await expectSound();
  });
});
