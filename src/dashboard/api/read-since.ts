// Reads the newest part of a list that can't be filtered.
import type { Query } from './api-url.ts';
import type { Client } from './client.ts';
import type { Page } from './hooks.ts';

/** Most often what is searched is new, and then is on a small page. */
const FIRST_PAGE = 20;
const PAGE = 500;
/** How many pages are read. */
const MAX_PAGES = 10;

interface ReadSinceOptions<Item> {
  query: Query;
  /** The time of the oldest items that are wanted. */
  since: string;
  /** Ends the search. */
  isLast?(item: Item): boolean;
  signal?: AbortSignal;
}

/** Reads a list whose newest items come first, back to a time or to the item that `isLast` accepts, but only ten pages. */
export async function readSince<Item extends { created_at: string }>(
  client: Pick<Client, 'send'>,
  path: string,
  { query, since, isLast = () => false, signal }: ReadSinceOptions<Item>,
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const limit = page === 0 ? FIRST_PAGE : PAGE;
    const answer = await client.send<Page<Item>>('GET', path, { query: { ...query, limit, cursor }, signal });
    items.push(...answer.items);
    const oldest = answer.items.at(-1);
    if (oldest === undefined || oldest.created_at < since || answer.items.some(isLast)) break;
    if (answer.next_cursor === null) break;
    cursor = answer.next_cursor;
  }
  return items;
}
