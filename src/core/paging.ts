// Keyset paging: cursors name the last row seen, so a page costs the same at any depth and rows inserted meanwhile
// neither repeat nor hide a row.

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

/** Greater than every id: where a list that goes downwards begins. */
export const FIRST_PAGE = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * Where to go on: the id before which the page starts. A malformed cursor restarts at the first page
 * (docs/specification/conventions.md#lists).
 */
export function decodeCursor(cursor: string | undefined): string {
  if (cursor === undefined) return FIRST_PAGE;
  const decoded = Buffer.from(cursor, 'base64url').toString('latin1');
  return isUuid(decoded) ? decoded : FIRST_PAGE;
}

/** The opaque cursor of a row's id. */
export function encodeCursor(id: string): string {
  return Buffer.from(id, 'latin1').toString('base64url');
}

/**
 * Reads one page, newest first. `read` gets the id to stay below and how many rows to read; one row more than asked
 * tells whether another page follows.
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

/** A place in a list that is ordered by time and then by id. */
export interface TimePosition {
  at: number;
  id: string;
}

/**
 * As `readPage`, for rows whose id does not tell when they came, such as memberships: newest first by `createdAt`, rows of
 * one moment by id.
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
