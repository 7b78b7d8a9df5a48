// A server in this process that has the same content each time: its clock moves only with requests, and each place in the code
// that draws ids or random numbers has a sequence of its own, because jobs and requests take turns in no fixed order.
import crypto, { createHash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq, sql } from 'drizzle-orm';
import { createSetupLink } from '../../../src/accounts/setup.ts';
import { buildRetentionSweep } from '../../../src/builds/retention.ts';
import type { PartialConfig } from '../../../src/config.ts';
import type { App } from '../../../src/core/context.ts';
import { runSweep } from '../../../src/core/sweeps.ts';
import { outboxMails, usageDays, usageMonths } from '../../../src/data/tables/tables.ts';
import { expirySweep } from '../../../src/expiry/sweeps.ts';
import { createMovableClock, DAY } from '../../../src/lib/clock.ts';
import { createServer } from '../../../src/server.ts';
import { deliveryRunnerOf } from '../../../src/webhooks/runner.ts';

/** The time of every picture. */
export const MOMENT = new Date('2026-11-20T10:30:00Z');

/** How long before that moment the content was created, and the time between two requests that create it. */
const CREATED_BEFORE_MS = 12 * 60_000;
const BETWEEN_MS = 2_000;

/** Where the code is, and its lines: both differ between the commits that are compared. */
const POSITION = /(?:file:\/\/\S*?\/(?=src\/|scripts\/|node_modules\/))|:\d+:\d+(?=\)|$)/gm;

/** Returns how often the code that calls the caller was here before, with the functions of that place. */
function countPlaces() {
  const counts = new Map<string, number>();
  return (scope: string): { place: string; count: number } => {
    const place = `${scope} ${(new Error().stack ?? '').split('\n').slice(3, 7).join('\n').replaceAll(POSITION, '')}`;
    const count = counts.get(place) ?? 0;
    counts.set(place, count + 1);
    return { place, count };
  };
}

function hashOf(...parts: readonly (string | number)[]): Buffer {
  return createHash('sha256').update(parts.join(' ')).digest();
}

/** Replaces the random numbers of this process with sequences. Keys of certificates stay random. */
export function fixRandomness(): void {
  const countPlace = countPlaces();
  const draw = (size: number): Buffer => {
    const { place, count } = countPlace('');
    const blocks = Array.from({ length: Math.ceil(size / 32) }, (_, block) => hashOf(place, count, block));
    return Buffer.concat(blocks).subarray(0, size);
  };
  const randomBytes = (size: number, callback?: (error: null, bytes: Buffer) => void): Buffer => {
    const bytes = draw(size);
    callback?.(null, bytes);
    return bytes;
  };
  const randomUUID = (): string => {
    const hex = draw(16).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  };
  Object.assign(crypto, { randomBytes, randomUUID });
  syncBuiltinESMExports();
}

export interface ScreensServer {
  url: string;
  /** Creates a link for setting the server up. */
  setupLink(): string;
  /** Moves the clock to the moment of the pictures. */
  finishContent(): void;
  /** Returns the link in the newest email to an address. */
  newestLink(address: string): URL;
  /** Returns the HTML of the newest email of each kind, by kind. */
  newestMails(): Map<string, string>;
  /** Adds what time would add: a month of use, and the announcements of a night. */
  passTime(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts an empty server on a port. Each request of this process waits for the jobs that it causes. */
export async function startScreensServer(port: number, tls: boolean): Promise<ScreensServer> {
  // Pages show the folder.
  const folder = join(tmpdir(), `taxiway-screens-${port}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const config: PartialConfig = {
    server: {
      port,
      data_dir: folder,
      ...(tls ? { tls: { mode: 'internal' } } : { base_url: `http://localhost:${port}` }),
    },
    log: { level: 'silent' },
    database: { synchronous: 'normal' },
    rate_limits: { enabled: false },
    billing: { enabled: true, starter_credit_cents: 2_500 },
  };
  const clock = createMovableClock(new Date(MOMENT.getTime() - CREATED_BEFORE_MS));
  const server = await createServer(config, { clock, isScheduleOff: true });
  const { app } = server;
  const countPlace = countPlaces();
  app.ids = {
    next() {
      const time = clock.now().getTime().toString(16).padStart(12, '0');
      const { place, count } = countPlace(time);
      const hash = hashOf(place, count).toString('hex');
      const counter = count.toString(16).padStart(3, '0');
      return `${time.slice(0, 8)}-${time.slice(8)}-7${counter}-8${hash.slice(0, 3)}-${hash.slice(3, 15)}`;
    },
  };
  await server.start();
  const send = globalThis.fetch;
  globalThis.fetch = async (...request) => {
    clock.advance(BETWEEN_MS);
    const response = await send(...request);
    await app.jobs.drain();
    await deliveryRunnerOf(app).drain();
    return response;
  };
  return {
    url: app.config.server.base_url,
    setupLink: () => createSetupLink(app),
    finishContent: () => clock.set(MOMENT),
    newestLink(address) {
      const mails = app.db.select().from(outboxMails).where(eq(outboxMails.recipient, address)).all();
      const link = /https?:\/\/\S+/.exec(mails.at(-1)?.text ?? '')?.[0];
      if (link === undefined) throw new Error(`No email to ${address} has a link`);
      return new URL(link);
    },
    newestMails: () =>
      new Map(
        app.db
          .select()
          .from(outboxMails)
          .orderBy(outboxMails.id)
          .all()
          .map(({ kind, html }) => [kind, html]),
      ),
    async passTime() {
      addUse(app);
      for (const sweep of [buildRetentionSweep, expirySweep]) await runSweep(app, sweep);
      await app.jobs.drain();
      // Retries became due when the clock moved; a timer would run them while pictures are taken.
      await deliveryRunnerOf(app).drain();
    },
    async stop() {
      globalThis.fetch = send;
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Adds use on each day of the month until the moment of the pictures. */
function addUse({ db }: App): void {
  const { organizationId, priceListId } = db.select().from(usageMonths).get() ?? {};
  if (organizationId === undefined || priceListId === undefined) throw new Error('Nothing was metered');
  const month = MOMENT.toISOString().slice(0, 7);
  for (let day = 1; day < MOMENT.getUTCDate(); day += 1) {
    const gibibytes = 38 + day * 1.5;
    // Fewer people test on weekends.
    const isWeekend = [0, 6].includes(new Date(`${month}-${String(day).padStart(2, '0')}T00:00:00Z`).getUTCDay());
    const use = {
      storedByteMs: BigInt(Math.round(gibibytes * 2 ** 30)) * BigInt(DAY),
      seatMs: 9 * DAY,
      downloadedBytes: Math.round((isWeekend ? 1.5 : 6 + ((day * 7) % 5)) * 2 ** 30),
    };
    db.insert(usageDays)
      .values({
        ...use,
        organizationId,
        priceListId,
        day: `${month}-${String(day).padStart(2, '0')}`,
        storedByteMs: String(use.storedByteMs),
      })
      .run();
    const row = db.select().from(usageMonths).get();
    db.update(usageMonths)
      .set({
        storedByteMs: String(BigInt(row?.storedByteMs ?? 0) + use.storedByteMs),
        seatMs: sql`seat_ms + ${use.seatMs}`,
        downloadedBytes: sql`downloaded_bytes + ${use.downloadedBytes}`,
      })
      .run();
  }
}
