// A server in this process that has the same content each time: its clock stands still, and ids and tokens are drawn from a
// sequence that starts at the same number.
import crypto, { createHash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { createSetupLink } from '../../../src/accounts/setup.ts';
import type { PartialConfig } from '../../../src/config.ts';
import { outboxMails } from '../../../src/data/tables/tables.ts';
import { createMovableClock } from '../../../src/lib/clock.ts';
import { createServer } from '../../../src/server.ts';
import { deliveryRunnerOf } from '../../../src/webhooks/runner.ts';

/** The time of every picture. */
export const MOMENT = new Date('2026-11-20T10:30:00Z');

/** Replaces the random numbers of this process with a sequence. Keys of certificates stay random. */
export function fixRandomness(): void {
  let count = 0;
  const draw = (size: number): Buffer => {
    const blocks = Array.from({ length: Math.ceil(size / 32) }, () => {
      count += 1;
      return createHash('sha256').update(`screens ${count}`).digest();
    });
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
  /** Returns the link in the newest email to an address. */
  newestLink(address: string): URL;
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
  };
  const server = await createServer(config, { clock: createMovableClock(MOMENT), isScheduleOff: true });
  await server.start();
  const { app } = server;
  const send = globalThis.fetch;
  globalThis.fetch = async (...request) => {
    const response = await send(...request);
    await app.jobs.drain();
    await deliveryRunnerOf(app).drain();
    return response;
  };
  return {
    url: app.config.server.base_url,
    setupLink: () => createSetupLink(app),
    newestLink(address) {
      const mails = app.db.select().from(outboxMails).where(eq(outboxMails.recipient, address)).all();
      const link = /https?:\/\/\S+/.exec(mails.at(-1)?.text ?? '')?.[0];
      if (link === undefined) throw new Error(`No email to ${address} has a link`);
      return new URL(link);
    },
    async stop() {
      globalThis.fetch = send;
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
