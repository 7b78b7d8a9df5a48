// Stored objects that are missing or damaged: packages (builds/integrity.ts) and others.
import type { App, Context } from '../core/context.ts';
import { prepared } from '../data/database.ts';
import { isReferenced, type StoredObject } from './stored-objects.ts';

type Db = Pick<App, 'db'>;

/** Objects other than packages have no recorded checksum. */
export type ObjectProblem = 'missing' | 'unreadable';

/** A stored object with a problem. `build` and `project` are null if it belongs to none. */
export interface ProblemRow {
  what: string;
  id: string;
  key: string;
  build: string | null;
  project: string | null;
  problem: string;
  foundAt: number;
}

const save = prepared((db) =>
  db.$client.prepare(
    `INSERT INTO object_problems (object_key, what, row_id, build_id, project_id, problem, found_at)
      VALUES (@key, @what, @id, @build, @project, @problem, @foundAt)
      ON CONFLICT (object_key) DO UPDATE SET problem = excluded.problem`,
  ),
);
const clear = prepared((db) => db.$client.prepare<[string]>('DELETE FROM object_problems WHERE object_key = ?'));
const known = prepared((db) =>
  db.$client.prepare<[string], number>('SELECT 1 FROM object_problems WHERE object_key = ?').pluck(),
);
const packages = prepared((db) =>
  db.$client.prepare<[number], ProblemRow>(
    `SELECT 'package' AS what, builds.id AS id, object_key AS key, builds.id AS build, project_id AS project, problem,
      coalesce(problem_at, 0) AS foundAt
      FROM package_integrity JOIN builds ON builds.id = build_id WHERE problem IS NOT NULL ORDER BY problem_at LIMIT ?`,
  ),
);
const others = prepared((db) =>
  db.$client.prepare<[number], ProblemRow>(
    `SELECT what, row_id AS id, object_key AS key, build_id AS build, project_id AS project, problem, found_at AS foundAt
      FROM object_problems ORDER BY found_at LIMIT ?`,
  ),
);

const counted = prepared((db) =>
  db.$client
    .prepare<[], number>(
      `SELECT (SELECT count(*) FROM package_integrity WHERE problem IS NOT NULL) + (SELECT count(*) FROM object_problems)`,
    )
    .pluck(),
);

export function saveProblem(
  ctx: Context,
  { what, id, key, build, project }: StoredObject,
  problem: ObjectProblem,
): void {
  const foundAt = ctx.clock.time();
  ctx.transact(() => save(ctx).run({ what, id, key, build, project, problem, foundAt }), { bookkeeping: true });
}

/** Forgets the problem of an object that was read, or that is deleted. */
export function clearProblem(app: Db, key: string): void {
  if (known(app).get(key) !== undefined) clear(app).run(key);
}

/** Returns objects other than packages with a problem, oldest first. Forgets those that nothing refers to anymore. */
export function listObjectProblems(app: Db, limit: number): ProblemRow[] {
  return others(app)
    .all(limit)
    .filter((row) => {
      if (isReferenced(app, row)) return true;
      clear(app).run(row.key);
      return false;
    });
}

export function countProblems(app: Db): number {
  return counted(app).get() ?? 0;
}

/** Returns all kinds of objects with a problem, packages first. */
export function listProblems(app: Db, limit: number): ProblemRow[] {
  return [...packages(app).all(limit), ...listObjectProblems(app, limit)].slice(0, limit);
}
