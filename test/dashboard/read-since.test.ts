// Searching a list that can't be filtered: how far it is read, and in which pages.
import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/dashboard/api/client.ts';
import { readSince } from '../../src/dashboard/api/read-since.ts';
import { listSearched } from '../../src/dashboard/pages/build/searched-channels.ts';
import type { ChannelOverview } from '../../src/overviews/channel-schema.ts';

interface Item {
  created_at: string;
  name: string;
}

/** A list of as many items, the newest first: item `n` was created in second `n`. Records the requested pages. */
function createList(count: number) {
  const limits: number[] = [];
  const all = Array.from({ length: count }, (_, index) => nameItem(count - index));
  const send = async (_method: string, _path: string, request: Parameters<Client['send']>[2] = {}) => {
    const { limit, cursor = '0' } = request.query as { limit: number; cursor?: string };
    limits.push(limit);
    const end = Number(cursor) + limit;
    return { items: all.slice(Number(cursor), end), next_cursor: end < count ? String(end) : null };
  };
  return { client: { send } as Pick<Client, 'send'>, limits };
}

function nameItem(number: number): Item {
  return { created_at: new Date(number * 1000).toISOString(), name: String(number) };
}

describe('reading the newest part of a list', () => {
  it('ends with the page that has an older item', async () => {
    const { client, limits } = createList(2_000);
    const items = await readSince<Item>(client, '/list', { query: {}, since: nameItem(1_400).created_at });
    expect(items.at(-1)?.name).toBe('981');
    expect(limits).toEqual([20, 500, 500]);
  });

  it('asks for a small page only, if the items that are wanted are new', async () => {
    const { client, limits } = createList(2_000);
    await readSince<Item>(client, '/list', { query: {}, since: nameItem(1_990).created_at });
    expect(limits).toEqual([20]);
  });

  it('ends with the item that is searched', async () => {
    const { client, limits } = createList(2_000);
    const items = await readSince<Item>(client, '/list', {
      query: {},
      since: nameItem(1).created_at,
      isLast: ({ name }) => name === '1600',
    });
    expect(items.some(({ name }) => name === '1600')).toBe(true);
    expect(limits).toEqual([20, 500]);
  });

  it('reads no more than ten pages, and no page after the last one', async () => {
    const long = createList(20_000);
    expect(await readSince<Item>(long.client, '/list', { query: {}, since: '' })).toHaveLength(20 + 9 * 500);
    expect(long.limits).toHaveLength(10);
    const short = createList(21);
    expect(await readSince<Item>(short.client, '/list', { query: {}, since: '' })).toHaveLength(21);
    expect(short.limits).toEqual([20, 500]);
    const empty = createList(0);
    expect(await readSince<Item>(empty.client, '/list', { query: {}, since: '' })).toEqual([]);
    expect(empty.limits).toEqual([20]);
  });
});

describe('the channels that are searched for releases of a build', () => {
  const channel = (number: number, liveBuild?: string) =>
    ({
      channel: { identifier: String(number).padStart(3, '0') },
      current_release: liveBuild === undefined ? null : { build: { identifier: liveBuild } },
    }) as ChannelOverview;
  const ids = (channels: readonly ChannelOverview[]) => channels.map(({ channel: { identifier } }) => identifier);

  it('are the oldest first, then previews, without those where it is live', () => {
    const channels = [channel(6), channel(5, 'other'), channel(4, 'this'), channel(3), channel(2, 'other'), channel(1)];
    expect(ids(listSearched({ identifier: 'this' }, channels, new Set(['002', '005'])))).toEqual([
      '001',
      '003',
      '006',
      '005',
      '002',
    ]);
  });

  it('are the oldest of very many', () => {
    const channels = Array.from({ length: 200 }, (_, index) => channel(200 - index));
    const searched = ids(listSearched({ identifier: 'this' }, channels, new Set()));
    expect([searched.length, searched[0], searched.at(-1)]).toEqual([40, '001', '040']);
  });
});
