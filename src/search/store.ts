// Queries for the search by name. ASCII letters match in both cases.
import { deriveBuildNumber } from '../builds/build-number.ts';
import { labelKey, MIN_COMMIT_PREFIX } from '../builds/source-schema.ts';
import type { App } from '../core/context.ts';
import { prepared } from '../data/database.ts';

type Db = Pick<App, 'db'>;

const COMMIT_PREFIX = new RegExp(`^[0-9a-f]{${MIN_COMMIT_PREFIX},64}$`, 'i');

interface SearchQuery {
  text: string;
  limit: number;
}
export interface FoundChannel {
  id: string;
  name: string;
}
export interface FoundBuild {
  id: string;
  versionName: string;
  buildNumber: number;
  /** As shown to people. */
  shownNumber: string;
  originalFilename: string | null;
}
export interface FoundPerson {
  id: string;
  displayName: string;
  email: string;
}

/** Doesn't use LIKE, because its cost grows with both lengths, and because it stops at the first NUL. */
const contains = (value: string): string => `instr(lower(${value}), lower(@text)) > 0`;

const channels = prepared((db) =>
  db.$client.prepare<[SearchQuery & { projectId: string }], FoundChannel>(
    `SELECT id, name FROM channels
      WHERE project_id = @projectId AND ${contains('name')} ORDER BY name LIMIT @limit`,
  ),
);

const BUILD_COLUMNS = `id, version_name AS versionName, build_number AS buildNumber, original_filename AS originalFilename,
  CAST(iif(platform = 'ios', coalesce(package_build_number, build_number), build_number) AS TEXT) AS shownNumber`;

/** Newest first, so that common texts are found quickly. Only the newest rows of a project are searched. */
const builds = prepared((db) =>
  db.$client.prepare<[SearchQuery & { projectId: string; max: number }], FoundBuild>(
    `SELECT id, versionName, buildNumber, shownNumber, originalFilename FROM (
        SELECT ${BUILD_COLUMNS}, source_branch, source_tag, source_author
          FROM builds INDEXED BY builds_project WHERE project_id = @projectId ORDER BY id DESC LIMIT @max)
      WHERE ${contains("versionName || ' (' || shownNumber || ')'")} OR ${contains('originalFilename')}
        OR ${contains('source_branch')} OR ${contains('source_tag')} OR ${contains('source_author')} LIMIT @limit`,
  ),
);

/** The SQL texts, for a test of their query plans. The end of a prefix is the text with the largest character after it. */
export const exactQueries = {
  byNumber: `SELECT ${BUILD_COLUMNS} FROM builds INDEXED BY builds_project_number
    WHERE project_id = @projectId AND build_number = @number ORDER BY rowid DESC LIMIT @limit`,
  byIdentity: `SELECT ${BUILD_COLUMNS} FROM builds INDEXED BY builds_identity
    WHERE project_id = @projectId AND version_name = @version AND build_number = @number LIMIT @limit`,
  byVersion: `SELECT ${BUILD_COLUMNS} FROM builds INDEXED BY builds_identity
    WHERE project_id = @projectId AND version_name >= @text AND version_name < @text || char(1114111) LIMIT @limit`,
  byCommit: `SELECT ${BUILD_COLUMNS} FROM builds INDEXED BY builds_project_commit
    WHERE project_id = @projectId AND source_commit >= lower(@text) AND source_commit < lower(@text) || '~' LIMIT @limit`,
  byBranch: `SELECT ${BUILD_COLUMNS} FROM builds INDEXED BY builds_project_branch
    WHERE project_id = @projectId AND source_branch = @text ORDER BY id DESC LIMIT @limit`,
  byLabel: `SELECT ${BUILD_COLUMNS} FROM builds
    WHERE id IN (SELECT build_id FROM build_labels INDEXED BY build_labels_project
      WHERE project_id = @projectId AND key >= @key AND key < @key || char(1114111) LIMIT @limit)`,
};
type ExactQuery = { projectId: string; limit: number; text: string; key: string; version: string; number: number };
const buildsByNumber = prepared((db) => db.$client.prepare<[ExactQuery], FoundBuild>(exactQueries.byNumber));
const buildsByIdentity = prepared((db) => db.$client.prepare<[ExactQuery], FoundBuild>(exactQueries.byIdentity));
const buildsByVersion = prepared((db) => db.$client.prepare<[ExactQuery], FoundBuild>(exactQueries.byVersion));
const buildsByCommit = prepared((db) => db.$client.prepare<[ExactQuery], FoundBuild>(exactQueries.byCommit));
const buildsByBranch = prepared((db) => db.$client.prepare<[ExactQuery], FoundBuild>(exactQueries.byBranch));
const buildsByLabel = prepared((db) => db.$client.prepare<[ExactQuery], FoundBuild>(exactQueries.byLabel));

const lastOfMembers = prepared((db) =>
  db.$client
    .prepare<[string, string, number], string>(
      `SELECT developer_id FROM organization_memberships WHERE organization_id = +? AND developer_id > +?
        ORDER BY developer_id LIMIT 1 OFFSET +?`,
    )
    .pluck(),
);

const members = prepared((db) =>
  db.$client.prepare<[SearchQuery & { organizationId: string; after: string; last: string }], FoundPerson>(
    `SELECT developers.id, display_name AS displayName, email FROM organization_memberships
      JOIN developers ON developers.id = developer_id
      WHERE organization_id = @organizationId AND developer_id > @after AND developer_id <= @last
        AND (${contains('display_name')} OR ${contains('email')})
      ORDER BY display_name LIMIT @limit`,
  ),
);

export function findChannels(app: Db, projectId: string, text: string, limit: number): FoundChannel[] {
  return channels(app).all({ projectId, text, limit });
}

/** Among the newest `max` of a project. */
export function findBuilds(app: Db, projectId: string, text: string, limit: number, max: number): FoundBuild[] {
  return builds(app).all({ projectId, text, limit, max });
}

/**
 * Builds of any age whose version, commit or a label begins with the text, or whose number or branch is the text. Takes an index
 * seek each.
 */
export function findBuildsExactly(app: Db, projectId: string, text: string, limit: number): FoundBuild[] {
  // As people see it: 1.2.3 (45).
  const [, version = '', shown = text] = /^(.+) \(([\d.]+)\)$/.exec(text) ?? [];
  const number = deriveBuildNumber(shown) ?? -1;
  const asked = { projectId, text, limit, key: labelKey(text), version, number };
  const isShown = ({ shownNumber, buildNumber }: FoundBuild) => shownNumber === shown || buildNumber === Number(shown);
  const byNumber = (version === '' ? buildsByNumber : buildsByIdentity)(app).all(asked).filter(isShown);
  const byCommit = COMMIT_PREFIX.test(text) ? buildsByCommit(app).all(asked) : [];
  const bySource = [...byCommit, ...buildsByBranch(app).all(asked), ...buildsByLabel(app).all(asked)];
  return [...byNumber, ...buildsByVersion(app).all(asked), ...bySource];
}

/** After every id. */
const LAST_ID = 'g';

/**
 * Searches the `count` members with the next ids above `after`. Returns up to `limit` of them by name, and the id after which to
 * continue; undefined if there are no more.
 */
export function findMembers(
  app: Db,
  organizationId: string,
  { text, limit }: SearchQuery,
  { after, count }: { after: string; count: number },
): { found: FoundPerson[]; next: string | undefined } {
  const next = lastOfMembers(app).get(organizationId, after, count - 1);
  return { found: members(app).all({ organizationId, text, limit, after, last: next ?? LAST_ID }), next };
}
