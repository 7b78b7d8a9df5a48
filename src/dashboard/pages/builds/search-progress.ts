// How far the search for builds came. A page of a filtered list can be empty although others follow, so after some empty pages in
// a row the search waits for the user: a rare text would otherwise read all builds of the project.
import { useCallback, useEffect, useState } from 'react';
import type { Page } from '../../api/hooks.ts';

/** How many empty pages in a row are read without asking. */
const MAX_EMPTY = 5;

type Pages = readonly Pick<Page<unknown>, 'items' | 'next_cursor'>[];

/** Returns how many pages at the end are empty, of those after the first `confirmed` ones. */
export function countEmpty(pages: Pages, confirmed: number): number {
  const lastFilled = pages.findLastIndex(({ items }) => items.length > 0);
  return pages.length - Math.max(confirmed, lastFilled + 1);
}

/**
 * Returns the time of the build that a cursor continues after; undefined in the order of versions. The app and its server always
 * have the same version, so it may know what is in the cursor: an id, which begins with its time.
 */
export function timeOfCursor(cursor: string | null | undefined): number | undefined {
  const text = (cursor ?? '').replaceAll('-', '+').replaceAll('_', '/');
  const id = /^[A-Za-z0-9+/]+$/.test(text) && text.length % 4 !== 1 ? atob(text) : '';
  const [, high, low] = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/.exec(id) ?? [];
  return high === undefined || low === undefined ? undefined : Number.parseInt(high + low, 16);
}

interface SearchedList {
  data: { pages: Pages } | undefined;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  error: unknown;
  fetchNextPage(): unknown;
}

export interface SearchProgress {
  /** Whether the last pages were empty, and others follow. */
  isOpen: boolean;
  /** Whether the search waits for `searchFurther`. */
  isPaused: boolean;
  /** All builds since then were searched; undefined in the order of versions. */
  searchedTo: number | undefined;
  searchFurther(): void;
  /** Reads another page, unless the search is paused. */
  readOn(): void;
}

/** Reads on while the last pages are empty, up to a limit. `key` stands for the filters: other ones begin a new search. */
export function useSearchProgress(list: SearchedList, key: string): SearchProgress {
  const { data, hasNextPage, isFetchingNextPage, error, fetchNextPage } = list;
  const [confirmed, setConfirmed] = useState({ key, pages: 0 });
  const pages = data?.pages ?? [];
  const empty = countEmpty(pages, confirmed.key === key ? confirmed.pages : 0);
  const isOpen = hasNextPage && countEmpty(pages, 0) > 0;
  const isPaused = isOpen && empty >= MAX_EMPTY;
  const mayRead = hasNextPage && !isFetchingNextPage && error === null && !isPaused;
  const readOn = useCallback(() => {
    if (mayRead) void fetchNextPage();
  }, [mayRead, fetchNextPage]);
  useEffect(() => {
    if (isOpen) readOn();
  }, [isOpen, readOn]);
  return {
    isOpen,
    isPaused,
    searchedTo: timeOfCursor(pages.at(-1)?.next_cursor),
    searchFurther: () => setConfirmed({ key, pages: pages.length }),
    readOn,
  };
}
