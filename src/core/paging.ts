// Keyset paging: a cursor contains the last row of a page, so that every page costs the same, and rows inserted in between
// neither repeat nor hide a row.

import { startSteps } from '../lib/steps.ts';
import { isUuid } from '../runtime/ids.ts';
import type { Context } from './context.ts';

export interface PageRequest {
  limit?: number | undefined;
  cursor?: string | undefined;
}

export interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

/** Greater than every id: the start of a descending list. */
export const FIRST_PAGE = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * Returns the id that the page starts after. A malformed cursor returns the first page
 * (docs/specification/conventions.md#lists).
 */
export function decodeCursor(cursor: string | undefined): string {
  if (cursor === undefined) return FIRST_PAGE;
  const decoded = Buffer.from(cursor, 'base64url').toString('latin1');
  return isUuid(decoded) ? decoded : FIRST_PAGE;
}

/** Returns the opaque cursor of a row's id. */
export function encodeCursor(id: string): string {
  return Buffer.from(id, 'latin1').toString('base64url');
}

/**
 * Reads one page, newest first. `read` gets the upper bound of ids (exclusive) and the number of rows to read, which is one
 * more than the page size, to determine whether another page follows.
 */
export function readPage<Row extends { id: string }, Item>(
  ctx: Context,
  request: PageRequest,
  read: (before: string, limit: number) => Row[],
  toItem: (row: Row) => Item,
): Page<Item> {
  const { page_size_default, page_size_maximum } = ctx.config.limits;
  const limit = Math.min(request.limit ?? page_size_default, page_size_maximum);
  const rows = read(decodeCursor(request.cursor), limit + 1);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(toItem),
    next_cursor: rows.length > limit && last !== undefined ? encodeCursor(last.id) : null,
  };
}

/** Like `readPage`, for items whose further data is read once for the whole page. */
export function readPageTogether<Row extends { id: string }, Item>(
  ctx: Context,
  request: PageRequest,
  read: (before: string, limit: number) => Row[],
  toItems: (rows: Row[]) => Item[],
): Page<Item> {
  const { items, next_cursor } = readPage(ctx, request, read, (row) => row);
  return { items: toItems(items), next_cursor };
}

/** Like `readPage`, for items that need further queries. Other requests run between them. */
export async function readPageInSteps<Row extends { id: string }, Item>(
  ctx: Context,
  request: PageRequest,
  read: (before: string, limit: number) => Row[],
  toItem: (row: Row) => Item | Promise<Item>,
): Promise<Page<Item>> {
  const page = readPage(ctx, request, read, (row) => row);
  return { items: await mapInSteps(page.items, toItem), next_cursor: page.next_cursor };
}

async function mapInSteps<Row, Item>(
  rows: readonly Row[],
  toItem: (row: Row) => Item | Promise<Item>,
): Promise<Item[]> {
  const step = startSteps();
  const items: Item[] = [];
  for (const row of rows) {
    await step();
    items.push(await toItem(row));
  }
  return items;
}

/** Rows of a list that may match a filter, in its order. */
interface Candidates<Row, At> {
  /** Returns the rows after a position. */
  read(after: At, limit: number): Row[];
  positionOf(row: Row): At;
  matches(row: Row): boolean;
}

/** How many rows are read together. */
const MIN_CHUNK = 50;
const MAX_CHUNK = 200;

/**
 * Reads until one row more than a page matches, no rows are left, or `max` were read. Returns the matching rows, and the last
 * row that was read: undefined if no more follow.
 */
export async function findMatching<Row, At>(
  { read, positionOf, matches }: Candidates<Row, At>,
  after: At,
  { limit, max }: { limit: number; max: number },
): Promise<{ rows: Row[]; last: Row | undefined }> {
  const step = startSteps();
  const rows: Row[] = [];
  let position = after;
  const most = Math.max(max, limit + 1);
  const size = Math.max(MIN_CHUNK, Math.min(MAX_CHUNK, limit + 1));
  for (let wasRead = 0; wasRead < most; ) {
    const count = Math.min(size, most - wasRead);
    const chunk = read(position, count);
    for (const row of chunk) {
      await step();
      if (matches(row)) rows.push(row);
      if (rows.length > limit) return { rows, last: row };
    }
    const last = chunk.at(-1);
    if (last === undefined || chunk.length < count) return { rows, last: undefined };
    wasRead += chunk.length;
    position = positionOf(last);
    if (wasRead >= most) return { rows, last };
  }
  return { rows, last: undefined };
}

/**
 * Like `readPageInSteps`, for the rows that match. A page reads at most `max` rows, or one more than its size if that's larger. So it
 * can have fewer items than its size, or none, although another one follows.
 */
export async function readMatchingPage<Row extends { id: string }, Item>(
  ctx: Context,
  request: PageRequest,
  { read, matches, max }: { read(before: string, limit: number): Row[]; matches(row: Row): boolean; max: number },
  toItem: (row: Row) => Item,
): Promise<Page<Item>> {
  const { page_size_default, page_size_maximum } = ctx.config.limits;
  const limit = Math.min(request.limit ?? page_size_default, page_size_maximum);
  const candidates = { read, matches, positionOf: ({ id }: Row) => id };
  const { rows, last } = await findMatching(candidates, decodeCursor(request.cursor), { limit, max });
  const shown = rows.slice(0, limit);
  const end = rows.length > limit ? shown.at(-1) : last;
  return { items: await mapInSteps(shown, toItem), next_cursor: end === undefined ? null : encodeCursor(end.id) };
}

/** A position in a list ordered by time and then by id. */
export interface TimePosition {
  at: number;
  id: string;
}

/**
 * Like `readPage`, for rows whose ids don't represent their creation time, such as memberships. Newest first by `createdAt`,
 * rows of the same time by id.
 */
export function readPageByTime<Row extends { id: string; createdAt: number }, Item>(
  ctx: Context,
  request: PageRequest,
  read: (before: TimePosition, limit: number) => Row[],
  toItem: (row: Row) => Item,
): Page<Item> {
  const { page_size_default, page_size_maximum } = ctx.config.limits;
  const limit = Math.min(request.limit ?? page_size_default, page_size_maximum);
  const rows = read(decodeTimeCursor(request.cursor), limit + 1);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { items: shown.map(toItem), next_cursor: hasMore ? encodeCursor(`${last.createdAt}/${last.id}`) : null };
}

function decodeTimeCursor(cursor: string | undefined): TimePosition {
  const decoded = Buffer.from(cursor ?? '', 'base64url').toString('latin1');
  const [, at, id] = /^(\d{1,15})\/(.+)$/.exec(decoded) ?? [];
  const isWhole = at !== undefined && id !== undefined && isUuid(id);
  return isWhole ? { at: Number(at), id } : { at: Number.MAX_SAFE_INTEGER, id: FIRST_PAGE };
}
