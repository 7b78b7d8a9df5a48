// What is read again after a change: lists and single rows by the beginning of their paths.
import { QueryClient } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import { invalidate } from '../../src/dashboard/api/hooks.ts';

async function touchedBy(...beginnings: string[]): Promise<string[]> {
  const queries = new QueryClient();
  const paths = ['/projects', '/projects/overview', '/projects/p1', '/projects/p1/members', '/projects-archive'];
  for (const path of paths) queries.setQueryData([path, {}], 'read');
  await invalidate(queries, ...beginnings);
  return paths.filter((path) => queries.getQueryState([path, {}])?.isInvalidated);
}

describe('what is read again', () => {
  it('is everything whose path begins so', async () => {
    expect(await touchedBy('/projects/p1')).toEqual(['/projects/p1', '/projects/p1/members']);
  });

  it('is the list with its overview, and no row that is gone, after a row was deleted', async () => {
    expect(await touchedBy('/projects?')).toEqual(['/projects', '/projects/overview']);
  });

  it('is nothing else', async () => {
    expect(await touchedBy('/channels?', '/builds')).toEqual([]);
  });
});
