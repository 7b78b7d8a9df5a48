// Counts and last troubles for the operator.
import type { App } from '../core/context.ts';
import { prepared } from '../data/database.ts';

type Db = Pick<App, 'db'>;

const count = (sql: string) => prepared((db) => db.$client.prepare<[], number>(sql).pluck());
const countDevelopers = count('SELECT count(*) FROM developers');
const countOrganizations = count('SELECT count(*) FROM organizations');
const countProjects = count('SELECT count(*) FROM projects');
const countPages = count('SELECT page_count * page_size FROM pragma_page_count, pragma_page_size');

const buildTotals = prepared((db) =>
  db.$client.prepare<[], { builds: number; bytes: number }>(
    'SELECT count(*) AS builds, coalesce(sum(size_bytes), 0) AS bytes FROM builds',
  ),
);

const byState = (table: string) =>
  prepared((db) =>
    db.$client.prepare<[], { state: string; total: number }>(
      `SELECT state, count(*) AS total FROM ${table} GROUP BY state`,
    ),
  );
const jobStates = byState('jobs');
const mailStates = byState('outbox_mails');
// For each webhook, as its index has them: those that were delivered are the most by far, and nothing to watch.
const deliveriesOf = prepared((db) =>
  db.$client
    .prepare<[string], number>(
      `SELECT count(*) FROM webhook_subscriptions
        CROSS JOIN webhook_deliveries ON subscription_id = webhook_subscriptions.id WHERE status = ?`,
    )
    .pluck(),
);

const dueJob = prepared((db) =>
  db.$client.prepare<[], number>("SELECT run_at FROM jobs WHERE state = 'waiting' ORDER BY run_at LIMIT 1").pluck(),
);

const jobError = prepared((db) =>
  db.$client
    .prepare<[], string>('SELECT last_error FROM jobs WHERE last_error IS NOT NULL ORDER BY id DESC LIMIT 1')
    .pluck(),
);
// By the index of states: the plus keeps it from walking over all the mails that were sent.
const mailError = prepared((db) =>
  db.$client.prepare<[], { error: string; at: number }>(
    `SELECT last_error AS error, created_at AS at FROM outbox_mails
      WHERE state IN ('pending', 'failed') AND last_error IS NOT NULL ORDER BY +id DESC LIMIT 1`,
  ),
);

const newestCertificate = prepared((db) =>
  db.$client.prepare<[string], { names: string; expiresAt: number }>(
    'SELECT names, expires_at AS expiresAt FROM certificates WHERE purpose = ? ORDER BY id DESC LIMIT 1',
  ),
);

function toCounts(rows: { state: string; total: number }[]): Record<string, number> {
  return Object.fromEntries(rows.map(({ state, total }) => [state, total]));
}

/** How many there are of what. */
export function countThings(app: Db) {
  return {
    developers: countDevelopers(app).get() ?? 0,
    organizations: countOrganizations(app).get() ?? 0,
    projects: countProjects(app).get() ?? 0,
  };
}

/** Builds and their bytes; walks over all of them. */
export function totalBuilds(app: Db): { builds: number; bytes: number } {
  return buildTotals(app).get() ?? { builds: 0, bytes: 0 };
}

/** Bytes of the database file. */
export function measureDatabase(app: Db): number {
  return countPages(app).get() ?? 0;
}

/** The queues by state, when the oldest waiting job is due, and the newest troubles. */
export function readQueues(app: Db) {
  return {
    jobs: toCounts(jobStates(app).all()),
    oldestDueAt: dueJob(app).get() ?? null,
    jobError: jobError(app).get() ?? null,
    mails: toCounts(mailStates(app).all()),
    mailError: mailError(app).get(),
    deliveries: {
      pending: deliveriesOf(app).get('pending') ?? 0,
      retrying: deliveriesOf(app).get('retrying') ?? 0,
      dead: deliveriesOf(app).get('dead') ?? 0,
    },
  };
}

/** The certificate the server has for itself in a mode. */
export function findCertificateInUse(app: Db, purpose: string): { names: string[]; expiresAt: number } | undefined {
  const row = newestCertificate(app).get(purpose);
  return row === undefined ? undefined : { names: JSON.parse(row.names), expiresAt: row.expiresAt };
}
