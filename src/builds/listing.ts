// The filtered list of a project's builds. The most selective filter with an index decides which builds are read, the others are
// checked on each of them. A page reads a limited number of builds, so it can have fewer items than its size.

import { describeInstallability } from '../compatibility/installability.ts';
import type { ProjectContext } from '../core/context.ts';
import { decodeCursor, encodeCursor, FIRST_PAGE, findMatching, type Page } from '../core/paging.ts';
import { MINUTE } from '../lib/clock.ts';
import { isUuid, lowestIdAt } from '../runtime/ids.ts';
import { displayBuildNumber } from './build-number.ts';
import { loadBuildFacts } from './compatibility-facts.ts';
import * as lists from './list-store.ts';
import type { ListBuilds } from './schema.ts';
import { labelKey } from './source-schema.ts';
import * as store from './store.ts';
import { awaitVersionKeys } from './version-keys.ts';

/** How many builds a page reads. */
const MAX_READ = 2_000;
/** A prefix with more commits is checked on each build instead. */
const MAX_COMMITS = 50;
/** Ids that have a time further from that of the upload are listed in an index (HAS_SKEWED_ID). */
const CLOCK_TOLERANCE = MINUTE;
/** With more of these within its dates, a query reads all builds. */
const MAX_SKEWED = 5_000;
/** Makes the end of a range of ids that includes an id. */
const AFTER_ID = '~';
/** Sorts after every key of a version. */
const HIGHEST_KEY = '~';

/** A position in the list: after this build. The key is that of its version. */
interface Position {
  key: string;
  id: string;
}

type Read = (after: Position, limit: number) => store.BuildRow[];

/** Ids from `oldest`, and before `newest`. */
interface IdRange {
  oldest: string;
  newest: string;
}

const ALL_IDS: IdRange = { oldest: '', newest: FIRST_PAGE };

interface Found {
  rows: store.BuildRow[];
  /** The last build that was read; undefined if no more builds follow. */
  last: store.BuildRow | undefined;
}

type Matcher = (row: store.BuildRow) => boolean;

/** What a query has besides its filters. */
type OtherParameter = 'organization_id' | 'project_id' | 'status' | 'include_revoked' | 'sort' | 'limit' | 'cursor';
type Filter = Exclude<keyof ListBuilds, OtherParameter>;
type FilterValues = { [Name in Filter]: NonNullable<ListBuilds[Name]> };
type FilterQuery = { [Name in Filter]?: FilterValues[Name] | undefined };

/** The check of each filter, those that cost the least first. */
const filters: { readonly [Name in Filter]: (value: FilterValues[Name], ctx: ProjectContext) => Matcher } = {
  branch: (branch) => (row) => row.sourceBranch === branch,
  pull_request: (number) => (row) => row.sourcePullRequest === number,
  uploaded_by: (developerId) => (row) => row.uploadedByDeveloperId === developerId,
  bundle_identifier: (identifier) => (row) => row.bundleIdentifier === identifier,
  commit: (prefix) => (row) => row.sourceCommit?.startsWith(prefix) === true,
  uploaded_from(time) {
    const first = Date.parse(time);
    return (row) => row.uploadedAt >= first;
  },
  uploaded_until(time) {
    const end = Date.parse(time);
    return (row) => row.uploadedAt < end;
  },
  label(label, ctx) {
    const wanted = labelKey(label);
    return (row) => hasLabel(ctx, row, (key) => key === wanted);
  },
  text(part, ctx) {
    const text = part.toLowerCase();
    return (row) => hasText(ctx, row, text);
  },
  installable(isWanted, ctx) {
    const now = ctx.clock.time();
    return (row) => isInstallable(ctx, row, now) === isWanted;
  },
};

const filterNames = Object.keys(filters) as Filter[];

const indexedFilters: readonly Filter[] = [
  'branch',
  'pull_request',
  'uploaded_by',
  'bundle_identifier',
  'commit',
  'uploaded_from',
  'uploaded_until',
  'label',
];

const positionOf = (row: store.BuildRow): Position => ({ key: row.versionKey, id: row.id });

/** Returns whether a filter has an index, so that it may leave few builds. */
function isNarrow(query: ListBuilds): boolean {
  return indexedFilters.some((name) => query[name] !== undefined);
}

/** Returns whether the query has more than a status, so that `listFiltered` has to answer it. */
export function isFiltered(query: ListBuilds): boolean {
  return query.sort === 'version' || filterNames.some((name) => query[name] !== undefined);
}

/**
 * Returns a page of the builds that match all filters. A page can have fewer items than its size, or none, although another one
 * follows: a page reads a limited number of builds.
 */
export async function listFiltered(
  ctx: ProjectContext,
  query: ListBuilds,
  status: store.BuildStatus,
): Promise<Page<store.BuildRow>> {
  const { page_size_default, page_size_maximum } = ctx.config.limits;
  const limit = Math.min(query.limit ?? page_size_default, page_size_maximum);
  const isByVersion = query.sort === 'version';
  const after = isByVersion ? decodeVersionCursor(query.cursor) : { key: '', id: decodeCursor(query.cursor) };
  const matches = matcherOf(ctx, query, status);
  const dates = datesOf(ctx, query);
  if (isByVersion) await awaitVersionKeys(ctx);
  const found = isByVersion
    ? ((await sortSmall(ctx, query, status, { dates, matches, after, limit })) ??
      (await find(versionReader(ctx), matches, after, limit)))
    : await find(readerOf(ctx, query, status, dates), matches, after, limit);
  const items = found.rows.slice(0, limit);
  const end = found.rows.length > limit ? items.at(-1) : found.last;
  const encode = isByVersion ? (row: store.BuildRow) => encodeCursor(`${row.versionKey}\n${row.id}`) : idCursor;
  return { items, next_cursor: end === undefined ? null : encode(end) };
}

const idCursor = ({ id }: store.BuildRow): string => encodeCursor(id);

function decodeVersionCursor(cursor: string | undefined): Position {
  const [key, id] = Buffer.from(cursor ?? '', 'base64url')
    .toString('latin1')
    .split('\n');
  return key !== undefined && id !== undefined && isUuid(id) ? { key, id } : { key: HIGHEST_KEY, id: FIRST_PAGE };
}

function find(read: Read, matches: Matcher, after: Position, limit: number): Promise<Found> {
  return findMatching({ read, matches, positionOf }, after, { limit, max: MAX_READ });
}

/** Sorts the matching builds by version if a filter leaves few enough to read all of them. Undefined otherwise. */
async function sortSmall(
  ctx: ProjectContext,
  query: ListBuilds,
  status: store.BuildStatus,
  page: { dates: IdRange; matches: Matcher; after: Position; limit: number },
): Promise<Found | undefined> {
  if (!isNarrow(query) || countNarrowed(ctx, query, page.dates) > MAX_READ) return undefined;
  const start = { key: '', id: FIRST_PAGE };
  const all = await find(readerOf(ctx, query, status, page.dates), page.matches, start, MAX_READ);
  if (all.last !== undefined) return undefined;
  const { key, id } = page.after;
  const isAfter = (row: store.BuildRow) => row.versionKey < key || (row.versionKey === key && row.id < id);
  const rows = all.rows.filter(isAfter).sort(compareByVersion);
  return { rows: rows.slice(0, page.limit + 1), last: undefined };
}

function compareByVersion(one: store.BuildRow, other: store.BuildRow): number {
  if (one.versionKey !== other.versionKey) return one.versionKey < other.versionKey ? 1 : -1;
  return one.id < other.id ? 1 : -1;
}

function versionReader(ctx: ProjectContext): Read {
  return ({ key, id }, limit) => lists.listByVersion(ctx, { projectId: ctx.project.id, key, before: id, limit });
}

/** Returns how builds are read by the most selective filter, newest first, within the dates of the query. */
function readerOf(
  ctx: ProjectContext,
  query: ListBuilds,
  status: store.BuildStatus,
  { oldest, newest }: IdRange,
): Read {
  const projectId = ctx.project.id;
  const source =
    mostSelective(valueFilters(ctx, query))?.read ??
    ((before: string, limit: number) => store.listBuilds(ctx, { projectId, status, before, limit }));
  return ({ id }, limit) => {
    const isWithin = id < newest;
    return source(isWithin ? id : newest, limit).filter((row) => row.id >= oldest);
  };
}

/** Returns the range of ids of builds that may have been uploaded within the dates of a query. */
function datesOf(ctx: ProjectContext, { uploaded_from, uploaded_until }: ListBuilds): IdRange {
  if (uploaded_from === undefined && uploaded_until === undefined) return ALL_IDS;
  const from = uploaded_from === undefined ? 0 : Date.parse(uploaded_from);
  const until = uploaded_until === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(uploaded_until);
  const skewed = lists.findSkewed(ctx, { projectId: ctx.project.id, from, until, max: MAX_SKEWED });
  if (skewed === undefined) return ALL_IDS;
  const ids = {
    oldest: uploaded_from === undefined ? '' : idAt(from - CLOCK_TOLERANCE),
    newest: uploaded_until === undefined ? FIRST_PAGE : idAt(until + CLOCK_TOLERANCE),
  };
  const { first, last } = skewed;
  return {
    oldest: first !== null && first < ids.oldest ? first : ids.oldest,
    newest: last !== null && last >= ids.newest ? `${last}${AFTER_ID}` : ids.newest,
  };
}

const idAt = (moment: number): string => lowestIdAt(Math.max(0, moment));

/** Returns how many builds the most selective filter leaves, or one more than a page may read. */
function countNarrowed(ctx: ProjectContext, query: ListBuilds, dates: IdRange): number {
  const byValue = Math.min(MAX_READ + 1, ...valueFilters(ctx, query).map(({ count }) => count()));
  const { uploaded_from: from, uploaded_until: until } = query;
  if (byValue <= MAX_READ || (from === undefined && until === undefined)) return byValue;
  return lists.countBetween(ctx, { projectId: ctx.project.id, ...dates, max: MAX_READ + 1 });
}

/** A filter with an index of its own. */
interface ValueFilter {
  read(before: string, limit: number): store.BuildRow[];
  /** Returns how many builds it leaves, or one more than a page may read. */
  count(): number;
}

/** Of several filters, the one that leaves the fewest builds; of those that leave as many, the first. */
function mostSelective(filters: readonly ValueFilter[]): ValueFilter | undefined {
  if (filters.length < 2) return filters[0];
  const counted = filters.map((filter) => ({ filter, total: filter.count() }));
  return counted.reduce((best, one) => (one.total < best.total ? one : best)).filter;
}

/** Returns the filters of a query that have an index of their own, those that usually leave few builds first. */
function valueFilters(ctx: ProjectContext, query: ListBuilds): ValueFilter[] {
  const projectId = ctx.project.id;
  const { commit, label } = query;
  const commits = commit === undefined ? undefined : lists.findCommits(ctx, projectId, commit, MAX_COMMITS + 1);
  const values: Record<lists.ValueIndex, string | number | undefined> = {
    pullRequest: query.pull_request,
    label: label === undefined ? undefined : labelKey(label),
    branch: query.branch,
    uploader: query.uploaded_by,
    bundle: query.bundle_identifier,
  };
  const byValue = (Object.keys(values) as lists.ValueIndex[]).flatMap((name) => {
    const value = values[name];
    if (value === undefined) return [];
    return {
      read: (before: string, limit: number) => lists.listByValue(ctx, name, { projectId, value, before, limit }),
      count: () => lists.countByValue(ctx, name, { projectId, value, max: MAX_READ + 1 }),
    };
  });
  // More commits than this are checked on each build.
  if (commits === undefined || commits.length > MAX_COMMITS) return byValue;
  const byCommit = {
    read: (before: string, limit: number) => lists.listByCommits(ctx, commits, { projectId, before, limit }),
    count: () => commits.length,
  };
  return [byCommit, ...byValue];
}

/** Returns the check of all filters. */
function matcherOf(ctx: ProjectContext, query: ListBuilds, status: store.BuildStatus): Matcher {
  const checks = filterNames.map((name) => checkOf(name, query, ctx)).filter((check) => check !== undefined);
  return (row) =>
    (status === 'all' || (row.revokedAt === null) === (status === 'active')) && checks.every((check) => check(row));
}

function checkOf<Name extends Filter>(name: Name, query: FilterQuery, ctx: ProjectContext): Matcher | undefined {
  const value = query[name];
  return value === undefined ? undefined : filters[name](value, ctx);
}

function hasLabel(ctx: ProjectContext, row: store.BuildRow, isWanted: (key: string) => boolean): boolean {
  return lists.listLabels(ctx, row.id).some((label) => isWanted(labelKey(label)));
}

function hasText(ctx: ProjectContext, row: store.BuildRow, text: string): boolean {
  const { sourcePullRequest: pullRequest } = row;
  const texts = [
    `${row.versionName} (${displayBuildNumber(row)})`,
    row.originalFilename,
    row.bundleIdentifier,
    row.releaseNotes,
    row.sourceBranch,
    row.sourceTag,
    row.sourceCommit,
    row.sourceAuthor,
    pullRequest === null ? null : `#${pullRequest}`,
  ];
  return (
    texts.some((value) => value?.toLowerCase().includes(text) === true) ||
    hasLabel(ctx, row, (key) => key.includes(text))
  );
}

function isInstallable(ctx: ProjectContext, row: store.BuildRow, now: number): boolean {
  return describeInstallability(loadBuildFacts(ctx, row), now).status === 'installable';
}
