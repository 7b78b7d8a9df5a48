// The client inside React, and the three ways pages use it: read one thing, read pages of a list, change something.
import { type QueryClient, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useMemo } from 'react';
import type { Query } from './address.ts';
import type { Client } from './client.ts';
import { ApiError, LostConnection } from './errors.ts';

const ApiContext = createContext<Client | undefined>(undefined);
export const ApiProvider = ApiContext.Provider;

/** The client of the app. */
export function useApi(): Client {
  const client = useContext(ApiContext);
  if (client === undefined) throw new Error('There is no client around this component');
  return client;
}

export interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
}

export interface ReadOptions {
  query?: Query;
  /** Does not ask while false. */
  isEnabled?: boolean;
  /** Asks again after so many milliseconds; undefined for not by itself. */
  everyMs?: number | undefined;
  isAnonymous?: boolean;
}

/** Reads one thing; what is known is shown at once and renewed behind it. */
export function useRead<Answer>(
  path: string,
  { query = {}, isEnabled = true, everyMs, isAnonymous }: ReadOptions = {},
) {
  const client = useApi();
  return useQuery<Answer>({
    queryKey: [path, query],
    queryFn: ({ signal }) => client.send('GET', path, { query, signal, isAnonymous: isAnonymous === true }),
    enabled: isEnabled,
    ...(everyMs === undefined ? {} : { refetchInterval: everyMs }),
  });
}

/** Reads a list page by page, newest first. `rows` are those read so far. */
export function useReadPages<Item>(path: string, { query = {}, isEnabled = true }: ReadOptions = {}) {
  const client = useApi();
  const result = useInfiniteQuery({
    queryKey: [path, query, 'pages'],
    queryFn: ({ signal, pageParam }) =>
      client.send<Page<Item>>('GET', path, { query: { ...query, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    enabled: isEnabled,
    // Pages that are there stay as they are when another one comes; comparing all their rows with themselves takes long.
    structuralSharing: false,
  });
  const rows = useMemo(() => result.data?.pages.flatMap((page) => page.items), [result.data]);
  return { ...result, rows };
}

/** Reads a list that is short by nature to its end. */
export async function readAll<Item>(client: Client, path: string, query: Query, signal?: AbortSignal): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.send<Page<Item>>('GET', path, { query: { ...query, limit: 1000, cursor }, signal });
    items.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}

/** All rows of a short list. */
export function useReadAll<Item>(path: string, { query = {}, isEnabled = true }: ReadOptions = {}) {
  const client = useApi();
  return useQuery<Item[]>({
    queryKey: [path, query, 'all'],
    queryFn: ({ signal }) => readAll<Item>(client, path, query, signal),
    enabled: isEnabled,
  });
}

/**
 * Reads everything again whose path begins so. A beginning that ends with a question mark means the list alone, as after its
 * row was deleted: what was read of that row is gone.
 */
export function readAgain(queries: QueryClient, ...beginnings: string[]): Promise<void> {
  return queries.invalidateQueries({
    predicate: ({ queryKey: [path] }) => beginnings.some((beginning) => isTouched(String(path), beginning)),
  });
}

function isTouched(path: string, beginning: string): boolean {
  if (!beginning.endsWith('?')) return path.startsWith(beginning);
  const list = beginning.slice(0, -1);
  return path === list || path === `${list}/overview`;
}

/** Changes something, then reads again what it touched. Answers once that was asked for, so that no old row flashes. */
export function useChange<Input, Answer>(
  work: (client: Client, input: Input) => Promise<Answer>,
  touches: readonly string[],
) {
  const client = useApi();
  const queries = useQueryClient();
  return useMutation<Answer, Error, Input>({
    mutationFn: (input) => work(client, input),
    onSuccess: () => readAgain(queries, ...touches),
    // An answer can be a secret that is shown once: it goes with the page that shows it.
    gcTime: 0,
  });
}

const MOST_RETRIES = 4;

/** Whether and when a read is tried again: what may pass, with growing pauses (specification part 8). */
export function shouldRetry(failures: number, error: Error): boolean {
  if (failures >= MOST_RETRIES) return false;
  if (error instanceof LostConnection) return true;
  return error instanceof ApiError && (error.status === 429 || error.status >= 500);
}

/** Pause before a retry in milliseconds, with jitter; the server's own wish counts more. */
export function retryPause(failures: number, error: Error): number {
  const asked = error instanceof ApiError ? error.retryAfter : null;
  const growing = Math.min(1000 * 2 ** failures, 60_000) * (0.75 + Math.random() / 2);
  return asked === null ? growing : Math.max(growing, asked * 1000);
}
