// Counts and last errors for the operator.
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
// Queried per webhook, like its index: most deliveries have succeeded and don't matter here.
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
// Uses the index of states. The plus prevents SQLite from reading all sent emails.
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

/** The counts of rows. */
export function countRows(app: Db) {
  return {
    developers: countDevelopers(app).get() ?? 0,
    organizations: countOrganizations(app).get() ?? 0,
    projects: countProjects(app).get() ?? 0,
  };
}

/** Returns the number of builds and their bytes. Reads all of them. */
export function totalBuilds(app: Db): { builds: number; bytes: number } {
  return buildTotals(app).get() ?? { builds: 0, bytes: 0 };
}

/** Returns the size of the database file in bytes. */
export function measureDatabase(app: Db): number {
  return countPages(app).get() ?? 0;
}

/** Returns the queues by state, the due time of the oldest waiting job, and the last errors. */
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

/** Returns the certificate that the server uses in a TLS mode. */
export function findCertificateInUse(app: Db, purpose: string): { names: string[]; expiresAt: number } | undefined {
  const row = newestCertificate(app).get(purpose);
  return row === undefined ? undefined : { names: JSON.parse(row.names), expiresAt: row.expiresAt };
}
