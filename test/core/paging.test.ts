// Cursors: opaque, harmless if malformed, without repeated or missing rows.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Context } from '../../src/core/context.ts';
import { decodeCursor, encodeCursor, FIRST_PAGE, readPage } from '../../src/core/paging.ts';
import { createMovableClock } from '../../src/lib/clock.ts';
import { createIds, isUuid } from '../../src/runtime/ids.ts';

const ctx = { config: { limits: { page_size_default: 3, page_size_maximum: 5 } } } as unknown as Context;

describe('cursors', () => {
  it('contain the last row and can be decoded', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(decodeCursor(encodeCursor(id))).toBe(id);
      }),
    );
  });
  it('restart at the first page if malformed', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const decoded = decodeCursor(text);
        expect(decoded === FIRST_PAGE || isUuid(decoded)).toBe(true);
      }),
    );
    expect(decodeCursor(undefined)).toBe(FIRST_PAGE);
    expect(decodeCursor(encodeCursor("x' OR 1=1"))).toBe(FIRST_PAGE);
  });
});

describe('pages', () => {
  it('contain every row once, in order, with any page size and with inserts in between', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 1, max: 9 }), (total, limit) => {
        const ids = createIds(createMovableClock());
        const rows = Array.from({ length: total }, () => ({ id: ids.next() }));
        const read = (before: string, count: number) =>
          rows
            .filter((row) => row.id < before)
            .sort((left, right) => (left.id < right.id ? 1 : -1))
            .slice(0, count);
        const expected = rows.map((row) => row.id).reverse();
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const page = readPage(ctx, { limit, cursor }, read, (row) => row.id);
          expect(page.items.length).toBeLessThanOrEqual(Math.min(limit, 5));
          seen.push(...page.items);
          cursor = page.next_cursor ?? undefined;
          rows.push({ id: ids.next() });
        } while (cursor !== undefined);
        expect(seen).toEqual(expected);
      }),
    );
  });
  it('uses the default and clamps at the maximum', () => {
    const asked: number[] = [];
    const read = (_before: string, count: number) => {
      asked.push(count);
      return [];
    };
    readPage(ctx, {}, read, () => null);
    readPage(ctx, { limit: 5000 }, read, () => null);
    expect(asked).toEqual([4, 6]);
  });
});

describe('ids', () => {
  it('are increasing UUIDv7 of the clock, also when time stands still or goes back', () => {
    let now = 1_700_000_000_000;
    const ids = createIds({ time: () => now });
    const made: string[] = [];
    for (let index = 0; index < 10_000; index++) {
      if (index === 5000) now -= 60_000;
      made.push(ids.next());
    }
    expect(made.every((id) => isUuid(id) && id[14] === '7' && '89ab'.includes(id[19] ?? ''))).toBe(true);
    expect([...made].sort()).toEqual(made);
    expect(new Set(made).size).toBe(made.length);
    expect(Number.parseInt((made[0] ?? '').replace('-', '').slice(0, 12), 16)).toBe(1_700_000_000_000);
  });
});
