// Counts and last errors for the operator.
import type { App } from '../core/context.ts';
import { WAITING_KINDS } from '../core/job-store.ts';
import { prepared } from '../data/database.ts';
import type { ObjectPlace } from '../lib/storage-backends.ts';

type Db = Pick<App, 'db'>;

const count = (sql: string) => prepared((db) => db.$client.prepare<[], number>(sql).pluck());
const countDevelopers = count('SELECT count(*) FROM developers');
const countOrganizations = count('SELECT count(*) FROM organizations');
const countProjects = count('SELECT count(*) FROM projects');
const countPages = count('SELECT page_count * page_size FROM pragma_page_count, pragma_page_size');

const buildTotals = prepared((db) =>
  db.$client.prepare<[], { backend: ObjectPlace | ''; builds: number; bytes: number }>(
    'SELECT backend, sum(builds) AS builds, sum(bytes) AS bytes FROM build_totals GROUP BY backend',
  ),
);

const dueJob = prepared((db) =>
  db.$client
    .prepare<[], number | null>(
      `${WAITING_KINDS} SELECT min((SELECT min(run_at) FROM jobs WHERE state = 'waiting' AND kind = kinds.kind)) FROM kinds`,
    )
    .pluck(),
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

/** The counts of rows. */
export function countRows(app: Db) {
  return {
    developers: countDevelopers(app).get() ?? 0,
    organizations: countOrganizations(app).get() ?? 0,
    projects: countProjects(app).get() ?? 0,
  };
}

interface BuildTotal {
  builds: number;
  bytes: number;
}
export type BuildTotals = BuildTotal & { readonly backends: ReadonlyMap<ObjectPlace, BuildTotal> };

/** Returns the number of builds and their bytes, also of each backend. Has a row for each project and backend to add up. */
export function totalBuilds(app: Pick<App, 'db' | 'storage'>): BuildTotals {
  const backends = new Map<ObjectPlace, BuildTotal>();
  const totals = { builds: 0, bytes: 0, backends };
  for (const part of buildTotals(app).all()) {
    // An empty one isn't recorded.
    const backend = part.backend === '' ? app.storage.backend : part.backend;
    const known = backends.get(backend) ?? { builds: 0, bytes: 0 };
    backends.set(backend, { builds: known.builds + part.builds, bytes: known.bytes + part.bytes });
    totals.builds += part.builds;
    totals.bytes += part.bytes;
  }
  return totals;
}

/** Returns the size of the database file in bytes. */
export function measureDatabase(app: Db): number {
  return countPages(app).get() ?? 0;
}

/** Returns the due time of the oldest waiting job, and the last errors. */
export function readQueues(app: Db) {
  return {
    oldestDueAt: dueJob(app).get() ?? null,
    jobError: jobError(app).get() ?? null,
    mailError: mailError(app).get(),
  };
}
