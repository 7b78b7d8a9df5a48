// Which queries a change invalidates, and which are read again.
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import { invalidate, isReadOnFocus, isReadOnMount } from '../../src/dashboard/api/hooks.ts';

async function invalidatedBy(...prefixes: string[]): Promise<string[]> {
  const queries = new QueryClient();
  const paths = ['/projects', '/projects/overview', '/projects/p1', '/projects/p1/members', '/projects-archive'];
  for (const path of paths) queries.setQueryData([path, {}], 'read');
  await invalidate(queries, ...prefixes);
  return paths.filter((path) => queries.getQueryState([path, {}])?.isInvalidated);
}

describe('invalidated queries', () => {
  it('have a path that starts with the prefix', async () => {
    expect(await invalidatedBy('/projects/p1')).toEqual(['/projects/p1', '/projects/p1/members']);
  });

  it('are the list and its overview, but no rows, for a prefix with a question mark', async () => {
    expect(await invalidatedBy('/projects?')).toEqual(['/projects', '/projects/overview']);
  });

  it('have no other path', async () => {
    expect(await invalidatedBy('/channels?', '/builds')).toEqual([]);
  });
});

describe('a list of pages', () => {
  it('is read again when the window gets the focus, unless it has many pages', () => {
    const list = (count: number) => ({ state: { data: { pages: Array.from({ length: count }) } } });
    expect([isReadOnFocus({ state: { data: undefined } }), isReadOnFocus(list(5)), isReadOnFocus(list(6))]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('a failed query', () => {
  it('is read again by the next page, but not by a part of the page that has the error', async () => {
    const queries = new QueryClient({ defaultOptions: { queries: { retry: false, retryOnMount: isReadOnMount } } });
    let count = 0;
    const observe = () => {
      const observer = new QueryObserver(queries, {
        queryKey: ['/channels', {}],
        queryFn: async () => {
          count += 1;
          throw new Error('rejected');
        },
      });
      return { observer, leave: observer.subscribe(() => undefined) };
    };
    const hasFailed = () => queries.getQueryState(['/channels', {}])?.status === 'error';
    const page = observe();
    await expect.poll(hasFailed).toBe(true);
    const part = observe();
    expect(part.observer.getCurrentResult().status).toBe('error');
    expect(count).toBe(1);
    part.leave();
    page.leave();
    observe();
    expect(count).toBe(2);
  });
});
