// How far the search for builds came. A page of a filtered list can have few builds, or none, although others follow, so after some such
// pages in a row the search waits for the user: a rare text would otherwise read all builds of the project.
import { useCallback, useEffect, useState } from 'react';
import type { Page } from '../../api/hooks.ts';

/** How many pages in a row with few builds are read without asking. Each time the user asks, it is twice as many as before. */
const FIRST_PAGES = 5;
/** Fewer builds don't fill a screen and what is read ahead. */
const FEW = 50;

type Pages = readonly Pick<Page<unknown>, 'items' | 'next_cursor'>[];

/** Returns how many pages at the end have few builds together, of those after the first `confirmed` ones. */
export function countSparse(pages: Pages, confirmed: number): number {
  let builds = 0;
  const denseAt = pages.findLastIndex(({ items }) => {
    builds += items.length;
    return builds >= FEW;
  });
  return Math.max(0, pages.length - Math.max(confirmed, denseAt + 1));
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
  /** Whether the last page had few builds, and others follow. */
  isOpen: boolean;
  /** Whether the search waits for `searchFurther`. */
  isPaused: boolean;
  /** All builds since then were searched; undefined in the order of versions. */
  searchedTo: number | undefined;
  searchFurther(): void;
  /** Pauses the search. Undefined while it pauses by itself soon. */
  stop: (() => void) | undefined;
  /** Reads another page, unless the search is paused. */
  readOn(): void;
}

/** Reads on while the last pages are empty, up to a limit. `key` stands for the filters: other ones begin a new search. */
export function useSearchProgress(list: SearchedList, key: string): SearchProgress {
  const { data, hasNextPage, isFetchingNextPage, error, fetchNextPage } = list;
  const start = { key, confirmed: 0, allowed: FIRST_PAGES, isStopped: false };
  const [kept, setState] = useState(start);
  const state = kept.key === key ? kept : start;
  const pages = data?.pages ?? [];
  const last = pages.at(-1);
  const isOpen = hasNextPage && last !== undefined && last.items.length < FEW;
  const isPaused = isOpen && (state.isStopped || countSparse(pages, state.confirmed) >= state.allowed);
  const mayRead = hasNextPage && !isFetchingNextPage && error === null && !isPaused;
  const readOn = useCallback(() => {
    if (mayRead) void fetchNextPage();
  }, [mayRead, fetchNextPage]);
  const isEmpty = last?.items.length === 0;
  useEffect(() => {
    if (isEmpty) readOn();
  }, [isEmpty, readOn]);
  return {
    isOpen,
    isPaused,
    searchedTo: timeOfCursor(last?.next_cursor),
    searchFurther: () => setState({ key, confirmed: pages.length, allowed: 2 * state.allowed, isStopped: false }),
    stop: state.allowed === FIRST_PAGES ? undefined : () => setState({ ...state, isStopped: true }),
    readOn,
  };
}
