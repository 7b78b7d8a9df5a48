// Counts and last troubles for the operator.
import type { App } from '../platform/context.ts';
import { prepared } from '../platform/database.ts';

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

const byState = (table: string, column: string) =>
  prepared((db) =>
    db.$client.prepare<[], { state: string; total: number }>(
      `SELECT ${column} AS state, count(*) AS total FROM ${table} GROUP BY ${column}`,
    ),
  );
const jobStates = byState('jobs', 'state');
const mailStates = byState('outbox_mails', 'state');
const deliveryStates = byState('webhook_deliveries', 'status');

const dueJob = prepared((db) =>
  db.$client.prepare<[], number>("SELECT run_at FROM jobs WHERE state = 'waiting' ORDER BY run_at LIMIT 1").pluck(),
);

const lastError = (table: string, condition: string) =>
  prepared((db) =>
    db.$client
      .prepare<[], string>(`SELECT last_error FROM ${table} WHERE ${condition} ORDER BY id DESC LIMIT 1`)
      .pluck(),
  );
const jobError = lastError('jobs', 'last_error IS NOT NULL');
const mailError = lastError('outbox_mails', "last_error IS NOT NULL AND state IN ('pending', 'failed')");

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
    mailError: mailError(app).get() ?? null,
    deliveries: toCounts(deliveryStates(app).all()),
  };
}

/** The certificate the server has for itself in a mode. */
export function findCertificateInUse(app: Db, purpose: string): { names: string[]; expiresAt: number } | undefined {
  const row = newestCertificate(app).get(purpose);
  return row === undefined ? undefined : { names: JSON.parse(row.names), expiresAt: row.expiresAt };
}
