// Counts the bytes that the storage sends for links: gathered in memory, and written once a second.
import type { Context, Tx } from '../core/context.ts';
import { definePart } from '../core/parts.ts';
import { prepared } from '../data/database.ts';
import { HOUR } from '../lib/clock.ts';
import { isOfOneAccount } from './each-account.ts';
import { type BilledLink, meterDownload } from './gates.ts';

const INTERVAL_MS = 1_000;
/** Links written in one transaction. */
const BATCH = 100;
const MARK = ' billed:';

/** Returns the subject of a link whose bytes are metered. */
export function billedSubject(
  subject: string,
  { organizationId, reservationId, sizeBytes, expiresAt }: BilledLink,
): string {
  return `${subject}${MARK}${organizationId}:${reservationId}:${sizeBytes}:${expiresAt}`;
}

/** Returns what a link is metered for, or undefined. The subject is signed, so it is one of ours. */
function readBilledSubject(subject: string): BilledLink | undefined {
  const mark = subject.lastIndexOf(MARK);
  if (mark === -1) return undefined;
  const [organizationId = '', reservationId = '', size, expiry] = subject.slice(mark + MARK.length).split(':');
  return { organizationId, reservationId, sizeBytes: Number(size), expiresAt: Number(expiry) };
}

interface DownloadMeter {
  /** Counts bytes that were sent for a link. */
  note(subject: string, bytes: number): void;
  /** Counts the whole object of a link that leads to the storage service, once. */
  noteRedirect(subject: string): void;
  /** Writes everything gathered. */
  flush(): void;
}

/** Links whose first use is remembered, so that another one isn't counted. */
const MAX_KNOWN = 100_000;

/** Bytes to be written. `isOnce`: of a link whose whole object is counted at its first use. */
interface Waiting extends Omit<BilledLink, 'sizeBytes'> {
  bytes: number;
  isOnce: boolean;
}

/** Longer than any link works. */
const COUNTED_LIFETIME_MS = 2 * HOUR;

const insertCounted = prepared((db) =>
  db.$client.prepare<[string, number]>(
    'INSERT INTO counted_links (reservation_id, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING',
  ),
);

const deleteCounted = prepared((db) =>
  db.$client.prepare<[number, number]>(
    'DELETE FROM counted_links WHERE rowid IN (SELECT rowid FROM counted_links WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)',
  ),
);

/** Forgets up to `limit` links that no longer work. Returns the number forgotten. */
export function forgetCountedLinks(tx: Tx, limit: number): number {
  return deleteCounted(tx).run(tx.now, limit).changes;
}

interface Running extends DownloadMeter {
  begin(newContext: () => Context): void;
}

function createDownloadMeter(isOn: boolean): Running {
  const waiting = new Map<string, Waiting>();
  const redirected = new Set<string>();
  let newContext: (() => Context) | undefined;
  let timer: NodeJS.Timeout | undefined;

  function write(): void {
    timer = undefined;
    if (newContext === undefined) return;
    const batch = [...waiting].slice(0, BATCH);
    for (const [key] of batch) waiting.delete(key);
    writeLinks(newContext(), batch);
  }

  function writeLinks(ctx: Context, batch: readonly (readonly [string, Waiting])[]): void {
    try {
      ctx.transact(
        (tx) => {
          for (const [, { bytes, isOnce, ...link }] of batch) {
            // Also after a restart, which forgets the set.
            const forgetAt = tx.now + COUNTED_LIFETIME_MS;
            if (isOnce && insertCounted(tx).run(link.reservationId, forgetAt).changes === 0) continue;
            meterDownload(tx, link, bytes);
          }
        },
        { bookkeeping: true },
      );
    } catch (error) {
      // A link that can't be written doesn't prevent the others.
      if (batch.length > 1 && isOfOneAccount(error)) {
        for (const one of batch) writeLinks(ctx, [one]);
        return;
      }
      ctx.log.error({ err: error, links: batch.length }, 'writing downloaded bytes failed, trying again');
      for (const [key, { bytes, ...link }] of batch) add(key, link, bytes);
    }
  }

  function add(key: string, link: Omit<Waiting, 'bytes'>, bytes: number): void {
    const known = waiting.get(key);
    if (known === undefined) waiting.set(key, { ...link, bytes });
    else known.bytes += bytes;
    schedule(INTERVAL_MS);
  }

  function schedule(ms: number): void {
    timer ??= setTimeout(() => {
      write();
      if (waiting.size > 0) schedule(0);
    }, ms).unref();
  }

  return {
    note(subject, bytes) {
      const link = isOn && bytes > 0 ? readBilledSubject(subject) : undefined;
      if (link !== undefined) add(link.reservationId, { ...link, isOnce: false }, bytes);
    },
    noteRedirect(subject) {
      const link = isOn ? readBilledSubject(subject) : undefined;
      if (link === undefined || redirected.has(link.reservationId)) return;
      if (redirected.size >= MAX_KNOWN) redirected.clear();
      redirected.add(link.reservationId);
      add(link.reservationId, { ...link, isOnce: true }, link.sizeBytes);
    },
    flush() {
      clearTimeout(timer);
      timer = undefined;
      // A write that fails leaves its links waiting.
      for (let rounds = Math.ceil(waiting.size / BATCH); rounds > 0; rounds -= 1) write();
    },
    begin(contexts) {
      newContext = contexts;
    },
  };
}

/** The meter of downloads. */
export const downloadMeterOf = definePart<Running>({
  open: ({ config }) => createDownloadMeter(config.billing.enabled),
  start: (meter, newContext) => meter.begin(newContext),
  close: (meter) => meter.flush(),
});
