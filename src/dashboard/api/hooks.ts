// Hooks for the API: read one resource, read a list in pages or completely, and change something.
import { type QueryClient, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useEffect, useMemo, useRef } from 'react';
import type { Query } from './api-url.ts';
import type { Client } from './client.ts';
import { ApiError, ConnectionError } from './errors.ts';

const ApiContext = createContext<Client | undefined>(undefined);
export const ApiProvider = ApiContext.Provider;

/** Returns the API client. */
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
  /** Sends no request while false. */
  isEnabled?: boolean;
  /** Refetches at this interval in milliseconds; undefined to not refetch automatically. */
  intervalMs?: number | undefined;
  isAnonymous?: boolean;
  /** False to show errors immediately, where the response takes long and people can retry. */
  isRetried?: boolean;
}

/** Reads a resource. Cached data is returned immediately and refreshed in the background. */
export function useRead<Answer>(
  path: string,
  { query = {}, isEnabled = true, intervalMs, isAnonymous, isRetried = true }: ReadOptions = {},
) {
  const client = useApi();
  return useQuery<Answer>({
    queryKey: [path, query],
    queryFn: ({ signal }) => client.send('GET', path, { query, signal, isAnonymous: isAnonymous === true }),
    enabled: isEnabled,
    ...(intervalMs === undefined ? {} : { refetchInterval: intervalMs }),
    ...(isRetried ? {} : { retry: false }),
  });
}

/** A list with more pages isn't read again whenever the window gets the focus, because each of them is a request. */
const MAX_PAGES_OF_FOCUS = 5;

/** Returns whether a list is read again when the window gets the focus. */
export const isReadOnFocus = ({ state }: { state: { data: { pages: readonly unknown[] } | undefined } }): boolean =>
  state.data === undefined || state.data.pages.length <= MAX_PAGES_OF_FOCUS;

/** Reads a list page by page, newest first. `rows` contains the pages read so far. */
export function useReadPages<Item>(path: string, { query = {}, isEnabled = true, intervalMs }: ReadOptions = {}) {
  const client = useApi();
  const result = useInfiniteQuery({
    queryKey: [path, query, 'pages'],
    queryFn: ({ signal, pageParam }) =>
      client.send<Page<Item>>('GET', path, { query: { ...query, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    enabled: isEnabled,
    ...(intervalMs === undefined ? {} : { refetchInterval: intervalMs }),
    refetchOnWindowFocus: isReadOnFocus,
    // Loading another page doesn't change earlier pages, and comparing all their rows is slow.
    structuralSharing: false,
  });
  const rows = useMemo(() => result.data?.pages.flatMap((page) => page.items), [result.data]);
  return { ...result, rows };
}

/** Reads all pages of a short list. */
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

/** Reads all rows of a short list. */
export function useReadAll<Item>(path: string, { query = {}, isEnabled = true }: ReadOptions = {}) {
  const client = useApi();
  return useQuery<Item[]>({
    queryKey: [path, query, 'all'],
    queryFn: ({ signal }) => readAll<Item>(client, path, query, signal),
    enabled: isEnabled,
  });
}

/**
 * Invalidates all queries whose path starts with one of the prefixes. A prefix that ends with a question mark stands
 * for the list alone, for use after a row was deleted: queries of that row would fail.
 */
export function invalidate(queries: QueryClient, ...beginnings: string[]): Promise<void> {
  return queries.invalidateQueries({
    predicate: ({ queryKey: [path] }) => beginnings.some((beginning) => isInvalidated(String(path), beginning)),
  });
}

function isInvalidated(path: string, beginning: string): boolean {
  if (!beginning.endsWith('?')) return path.startsWith(beginning);
  const list = beginning.slice(0, -1);
  return path === list || path === `${list}/overview`;
}

interface ChangeCallbacks<Answer> {
  onSuccess?(answer: Answer): unknown;
  onError?(error: Error): unknown;
}

/**
 * Sends a change, then invalidates the queries that `touches` names. Resolves after they were refetched, so that no
 * outdated row is shown.
 */
export function useChange<Input, Answer>(
  work: (client: Client, input: Input) => Promise<Answer>,
  touches: readonly string[],
) {
  const client = useApi();
  const queries = useQueryClient();
  const change = useMutation<Answer, Error, Input>({
    mutationFn: (input) => work(client, input),
    onSuccess: () => invalidate(queries, ...touches),
    // A response can contain a secret, so it is dropped with the component that shows it.
    gcTime: 0,
  });
  /** Sends the change. Unlike the library's, its callbacks are also called if the change removed the component, such as a row. */
  function mutate(input: Input, { onSuccess, onError }: ChangeCallbacks<Answer> = {}): void {
    change.mutateAsync(input).then(onSuccess, onError ?? (() => undefined));
  }
  return { ...change, mutate };
}

const MAX_RETRIES = 4;

/** The longest pause in seconds that a page is only loading for. If the server asks for a longer one, the page says so. */
const MAX_SILENT_PAUSE = 10;

/** Returns whether to retry a failed read: after temporary errors only (docs/specification/conventions.md#retries). */
export function shouldRetry(failures: number, error: Error): boolean {
  if (failures >= MAX_RETRIES) return false;
  if (error instanceof ApiError && (error.retryAfter ?? 0) > MAX_SILENT_PAUSE) return false;
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && (error.status === 429 || error.status >= 500);
}

/**
 * Returns whether a component that appears reads again what couldn't be read: not if another component has the error already. That one
 * would wait for the answer, remove what it contains, show it again, and so on without end.
 */
export function isReadOnMount(query: { getObserversCount(): number }): boolean {
  return query.getObserversCount() < 2;
}

/**
 * Reads again what couldn't be read whenever `path` changes. What a part of every page reads, such as the sidebar, has an observer on
 * each page, so `isReadOnMount` alone would never read it again.
 */
export function useFailedReads(path: string): void {
  const queries = useQueryClient();
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    const hasFailed = ({ state: { data, status } }: { state: { data: unknown; status: string } }) =>
      data === undefined && status === 'error';
    void queries.refetchQueries({ type: 'active', predicate: hasFailed });
  }, [path, queries]);
}

/**
 * Reads again in which organizations the user is, and the roles in projects, after a read was refused: the user may have been removed, or
 * have another role than the page was shown for. What was read in the last seconds is still true.
 */
export function readRolesAfter(error: unknown, queries: QueryClient): void {
  if (!(error instanceof ApiError) || (error.status !== 403 && error.status !== 404)) return;
  void queries.refetchQueries({
    type: 'active',
    stale: true,
    predicate: ({ queryKey: [path], state }) =>
      state.status === 'success' && /^\/(?:organizations|projects\/[\da-f-]{36})$/.test(String(path)),
  });
}

/**
 * Returns the pause before a retry in milliseconds, with jitter. A longer Retry-After of the server takes precedence.
 */
export function retryDelay(failures: number, error: Error): number {
  const asked = error instanceof ApiError ? error.retryAfter : null;
  const growing = Math.min(1000 * 2 ** failures, 60_000) * (0.75 + Math.random() / 2);
  return asked === null ? growing : Math.max(growing, asked * 1000);
}
