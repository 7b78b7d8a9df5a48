import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { compileProjection } from '../../src/http/projection.ts';

const person = z.object({ name: z.string(), nick: z.string().optional(), age: z.int().nullable() });

const cases: [name: string, schema: z.ZodType, value: unknown, shown: unknown][] = [
  ['drops what is not declared', person, { name: 'a', age: 1, secret: 'x' }, { name: 'a', age: 1 }],
  [
    'drops what has the place of an optional field',
    z.object({ a: z.int(), b: z.int().optional(), c: z.int() }),
    { a: 1, secret: 2, c: 3 },
    { a: 1, c: 3 },
  ],
  ['takes fields in any order', person, { age: 1, name: 'a', nick: 'b' }, { name: 'a', nick: 'b', age: 1 }],
  ['keeps null', person, { name: 'a', age: null }, { name: 'a', age: null }],
  ['leaves absent fields absent', z.array(person), [{ name: 'a', age: 1 }], [{ name: 'a', age: 1 }]],
  [
    'goes into lists',
    z.object({ items: z.array(person) }),
    { items: [{ name: 'a', age: 1, x: 1 }] },
    { items: [{ name: 'a', age: 1 }] },
  ],
  ['goes through nullable', person.nullable(), { name: 'a', age: 1, x: 1 }, { name: 'a', age: 1 }],
  ['keeps null in place of an object', person.nullable(), null, null],
  [
    'chooses the branch of a union',
    z.union([z.object({ a: z.int() }), z.object({ b: z.int() })]),
    { b: 1, c: 2 },
    { b: 1 },
  ],
  ['goes into records', z.record(z.string(), person), { k: { name: 'a', age: 1, x: 1 } }, { k: { name: 'a', age: 1 } }],
  ['applies what changes a text', z.object({ mail: z.string().toLowerCase() }), { mail: 'A@B' }, { mail: 'a@b' }],
  ['applies defaults inside', z.object({ n: z.object({ m: z.int().default(3) }) }), { n: { x: 1 } }, { n: { m: 3 } }],
  ['applies transformations', z.object({ n: z.string().transform(Number) }), { n: '3' }, { n: 3 }],
  ['lets a loose object out whole', z.looseObject({ a: z.int() }), { a: 1, b: 2 }, { a: 1, b: 2 }],
  ['leaves scalars', z.string(), 'x', 'x'],
];

describe('a projection', () => {
  it.each(cases)('%s', (_name, schema, value, shown) => {
    expect(compileProjection(schema)(value)).toEqual(shown);
    expect(schema.parse(value)).toEqual(shown);
  });
});
