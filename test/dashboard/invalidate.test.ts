// Which queries a change invalidates.
import { QueryClient } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import { invalidate, isReadOnFocus } from '../../src/dashboard/api/hooks.ts';

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
