// The numbers of jobs, emails and webhook deliveries by state, counted in parts, between which other requests run.

import type { App } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { mailStates } from '../lib/mail-states.ts';
import { startSteps } from '../lib/steps.ts';

type Db = Pick<App, 'db'>;

/** Rows counted in one part. */
const PART = 5_000;

/** Webhooks whose deliveries are counted together: most have few that weren't delivered. */
const WEBHOOKS = 200;

const webhooksAfter = prepared((db) =>
  db.$client
    .prepare<[string], string>(`SELECT id FROM webhook_subscriptions WHERE id > ? ORDER BY id LIMIT ${WEBHOOKS}`)
    .pluck(),
);
// In the order of the index of states, because most deliveries have succeeded and don't matter here.
const deliveriesOf = prepared((db) =>
  db.$client.prepare<[string], { status: DeliveryState; total: number }>(
    `SELECT status, count(*) AS total FROM (
        SELECT status FROM json_each(?) CROSS JOIN webhook_deliveries
          ON subscription_id = value AND status IN ('pending', 'retrying', 'dead') LIMIT ${PART})
      GROUP BY status`,
  ),
);
const deliveryPart = prepared((db) =>
  db.$client.prepare<[string, string, string], { total: number; last: string | null }>(
    `SELECT count(*) AS total, max(id) AS last FROM (
        SELECT id FROM webhook_deliveries WHERE subscription_id = ? AND status = ? AND id > ? ORDER BY id LIMIT ${PART})`,
  ),
);

type DeliveryState = 'pending' | 'retrying' | 'dead';

/** Returns the numbers of deliveries that weren't delivered. */
export async function countDeliveries(app: Db): Promise<Record<DeliveryState, number>> {
  const step = startSteps();
  const counts = { pending: 0, retrying: 0, dead: 0 };
  for (let after: string | undefined = ''; after !== undefined; ) {
    await step();
    const ids: string[] = webhooksAfter(app).all(after);
    after = ids.length < WEBHOOKS ? undefined : ids.at(-1);
    const found = deliveriesOf(app).all(JSON.stringify(ids));
    if (found.reduce((sum, { total }) => sum + total, 0) < PART) {
      for (const { status, total } of found) counts[status] += total;
    } else {
      for (const id of ids) await countDeliveriesOf(app, id, counts, step);
    }
  }
  return counts;
}

/** Adds those of one webhook, which can have any number. */
async function countDeliveriesOf(
  app: Db,
  id: string,
  counts: Record<DeliveryState, number>,
  step: () => Promise<void>,
): Promise<void> {
  for (const status of ['pending', 'retrying', 'dead'] as const) {
    for (let after: string | null = ''; after !== null; ) {
      await step();
      const part = deliveryPart(app).get(id, status, after);
      counts[status] += part?.total ?? 0;
      after = part === undefined || part.total < PART ? null : part.last;
    }
  }
}

/** Where a part of a queue ends: the values of the columns of its index, and the row. */
type Position = Readonly<Record<string, string | number>>;

/**
 * The queries of a queue, in the order of its index: by state, by other columns, and by row. Rows that have
 * all, or fewer and fewer, of these columns in common with the last one are one query each. With a comparison of all columns together,
 * SQLite reads all rows with the same time again for each part.
 */
const inParts = (table: string, start: Position) => {
  const key = Object.keys(start);
  const following = key.map((_, index) => {
    const [next, ...rest] = key.slice(key.length - 1 - index);
    const equal = key.slice(0, key.length - 1 - index).map((column) => `${column} = @${column} AND`);
    const order = [next, ...rest].join(', ');
    return `SELECT * FROM (SELECT ${key.join(', ')} FROM ${table}
      WHERE state = @state AND ${equal.join(' ')} ${next} > @${next} ORDER BY ${order} LIMIT ${PART})`;
  });
  const rows = <Row>(db: App['db'], what: string, end: string) =>
    db.$client.prepare<[Position], Row>(`SELECT ${what} FROM (${following.join(' UNION ALL ')}) ${end}`);
  return {
    start,
    last: prepared((db) => rows<Position>(db, '*', `LIMIT 1 OFFSET ${PART - 1}`)),
    rest: prepared((db) => rows<number>(db, 'count(*)', '').pluck()),
  };
};
const jobParts = inParts('jobs', { kind: '', run_at: Number.MIN_SAFE_INTEGER, rowid: 0 });
const mailParts = inParts('outbox_mails', { next_attempt_at: Number.MIN_SAFE_INTEGER, rowid: 0 });

async function countStates<State extends string>(
  app: Db,
  parts: ReturnType<typeof inParts>,
  states: readonly State[],
): Promise<Record<State, number>> {
  const step = startSteps();
  const counts = Object.fromEntries(states.map((state) => [state, 0])) as Record<State, number>;
  for (const state of states) {
    for (let after: Position | undefined = parts.start; after !== undefined; ) {
      await step();
      const position: Position = { ...after, state };
      after = parts.last(app).get(position);
      counts[state] += after === undefined ? (parts.rest(app).get(position) ?? 0) : PART;
    }
  }
  return counts;
}

/** Returns the numbers of jobs by state. */
export const countJobs = (app: Db) => countStates(app, jobParts, ['waiting', 'dead']);

/** Returns the numbers of emails by state. */
export const countMails = (app: Db) => countStates(app, mailParts, mailStates);
