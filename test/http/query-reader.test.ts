// Reading the query of an operation: what many requests send is parsed once.
import { beforeEach, describe, expect, it } from 'vitest';
import { createQueryReader } from '../../src/http/parameters.ts';
import type { ValidationEntry } from '../../src/lib/validation.ts';
import * as z from '../../src/lib/zod.ts';

const schema = z.object({ build_number: z.int().min(0).optional(), version_name: z.string().optional() });

let parsed: string[];
let entries: ValidationEntry[];
let reader: ReturnType<typeof createQueryReader>;
beforeEach(() => {
  parsed = [];
  entries = [];
  reader = createQueryReader(schema);
});

function read(rawQuery: string, path = '/'): Readonly<Record<string, unknown>> {
  const query = () => {
    parsed.push(rawQuery);
    return Object.fromEntries(new URLSearchParams(rawQuery));
  };
  return reader({ rawQuery, query, url: `http://localhost${path}?${rawQuery}` }, entries);
}

describe('a query', () => {
  it('that was valid is parsed once, and nobody can change the result for the next request', () => {
    const first = read('build_number=7&version_name=1.0');
    expect(first).toEqual({ build_number: 7, version_name: '1.0' });
    expect(read('build_number=7&version_name=1.0')).toBe(first);
    expect(parsed).toEqual(['build_number=7&version_name=1.0']);
    expect(() => Object.assign(first, { build_number: 8 })).toThrow(TypeError);
    // Another spelling is another query.
    expect(read('version_name=1.0&build_number=7')).toEqual(first);
    expect(parsed).toHaveLength(2);
  });

  it('that is invalid is reported each time', () => {
    for (const count of [1, 2]) {
      read('build_number=-1');
      expect(entries.map(({ loc, type }) => [loc, type])).toEqual(
        Array(count).fill([['query', 'build_number'], 'greater_than_equal']),
      );
    }
    expect(parsed).toHaveLength(2);
  });

  it('is forgotten after a hundred others, and not remembered if the URL is long', () => {
    const long = `version_name=${'x'.repeat(300)}`;
    for (const rawQuery of [long, long, 'build_number=0']) read(rawQuery);
    expect(parsed).toEqual([long, long, 'build_number=0']);
    // Parts of a text keep all of it in memory.
    for (const count of [1, 2]) {
      read('build_number=1', `/${'x'.repeat(300)}`);
      expect(parsed.filter((rawQuery) => rawQuery === 'build_number=1')).toHaveLength(count);
    }
    for (let number = 1; number <= 100; number += 1) read(`build_number=${number}`);
    read('build_number=0');
    expect(parsed.filter((rawQuery) => rawQuery === 'build_number=0')).toHaveLength(2);
  });

  it('of an operation without parameters is not parsed', () => {
    reader = createQueryReader(undefined);
    expect(read('a=b')).toEqual({});
    expect(parsed).toEqual([]);
  });
});
