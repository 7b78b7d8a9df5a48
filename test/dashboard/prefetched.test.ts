// Which responses are prefetched, and how they are used.
import { QueryClient } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/dashboard/api/client.ts';
import { prefetchUrls, seedQueries, withPrefetched } from '../../src/dashboard/api/prefetched.ts';

const whoAndWhere = ['/api/v1/developers/me', '/api/v1/organizations'];

describe('the prefetched URLs', () => {
  it.each<[string, string | null, string[]]>([
    ['/', null, []],
    [
      '/',
      'o1',
      [
        '/api/v1/projects/overview?organization_id=o1&limit=1000',
        '/api/v1/projects/activity?organization_id=o1&limit=1000',
        '/api/v1/releases/recent?organization_id=o1&limit=20',
        '/api/v1/organizations/o1/attention',
      ],
    ],
    ['/projects/p1', 'o1', ['/api/v1/projects/p1']],
    ['/projects/p1/builds', null, ['/api/v1/projects/p1']],
    ['/projects/..%2f', null, []],
    ['/me', 'o1', []],
  ])('are those of the page %s in the organization %s', (path, organizationId, more) => {
    expect(prefetchUrls('', path, organizationId)).toEqual([...whoAndWhere, ...more]);
    expect(prefetchUrls('/taxi', path, organizationId)).toEqual([...whoAndWhere, ...more].map((one) => `/taxi${one}`));
  });
});

function stand(early: Record<string, Promise<Response>>) {
  const fetched: string[] = [];
  const client = createClient({
    base: '',
    fetch: withPrefetched(new Map(Object.entries(early)), (address, { method }) => {
      fetched.push(`${method} ${address}`);
      return Promise.resolve(Response.json({ from: 'now' }));
    }),
    session: { read: () => undefined, write: () => undefined, clear: () => undefined, expire: () => undefined },
    exclusive: (work) => work(),
    now: () => 0,
    onReached: () => undefined,
    onSessionEnd: () => undefined,
  });
  return { client, fetched };
}
const early = () => Promise.resolve(Response.json({ from: 'early' }));

describe('a prefetched response', () => {
  it('is used once, for the request that the app sends', async () => {
    const [, , overview = ''] = prefetchUrls('', '/', 'o1');
    const { client, fetched } = stand({ [overview]: early() });
    const ask = () => client.send('GET', '/projects/overview', { query: { organization_id: 'o1', limit: 1000 } });
    expect([await ask(), await ask()]).toEqual([{ from: 'early' }, { from: 'now' }]);
    expect(fetched).toEqual([`GET ${overview}`]);
  });

  it('is not used after a change', async () => {
    const { client, fetched } = stand({ '/api/v1/organizations': early() });
    await client.send('POST', '/organizations', { body: {} });
    expect(await client.send('GET', '/organizations')).toEqual({ from: 'now' });
    expect(fetched).toEqual(['POST /api/v1/organizations', 'GET /api/v1/organizations']);
  });

  it('that failed is an error, and the next request is sent', async () => {
    const { client } = stand({ '/api/v1/organizations': Promise.reject(new TypeError('no network')) });
    await expect(client.send('GET', '/organizations')).rejects.toThrow('does not answer');
    expect(await client.send('GET', '/organizations')).toEqual({ from: 'now' });
  });
});

describe('the first data', () => {
  const organization = { organization_id: 'o1' };
  const options = { base: '', path: '/', organizationId: Promise.resolve('o1'), patienceMs: 1000 };
  const [me = '', organizations = '', overview = ''] = prefetchUrls('', '/', 'o1');

  it('is in the cache of queries before anything is rendered, lists as their items', async () => {
    const queries = new QueryClient();
    const answers = new Map([
      [me, Promise.resolve(Response.json({ identifier: 'd1' }))],
      [overview, Promise.resolve(Response.json({ items: [1, 2], next_cursor: null }))],
    ]);
    await seedQueries(queries, answers, options);
    expect(queries.getQueryData(['/developers/me', {}])).toEqual({ identifier: 'd1' });
    expect(queries.getQueryData(['/projects/overview', organization, 'all'])).toEqual([1, 2]);
    expect([...answers.keys()]).toEqual([]);
  });

  it('leaves errors, longer lists and late responses to the client', async () => {
    const queries = new QueryClient();
    let arrive = (_: Response): void => undefined;
    const late = new Promise<Response>((resolve) => {
      arrive = resolve;
    });
    const answers = new Map([
      [me, Promise.resolve(new Response('{}', { status: 401 }))],
      [organizations, late],
      [overview, Promise.resolve(Response.json({ items: [1], next_cursor: 'next' }))],
    ]);
    await seedQueries(queries, answers, { ...options, patienceMs: 10 });
    arrive(Response.json([]));
    await late;
    expect(queries.getQueryCache().getAll()).toEqual([]);
    expect([...answers.keys()]).toEqual([me, organizations, overview]);
  });
});
