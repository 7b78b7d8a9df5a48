// Schemas that are built when they are first used: the same results as zod's own, and nothing built before.

import { describe, expect, test } from 'vitest';
import * as zod from 'zod';
import * as z from '../../src/lib/zod.ts';

/** Declares the same schema with either. */
function declareProject(from: typeof z | typeof zod) {
  const { array, discriminatedUnion, int, iso, literal, object, strictObject, string, uuid } = from as typeof z;
  const person = object({ id: uuid().toLowerCase(), name: string().trim().min(1) }).meta({ id: 'Person' });
  const email = object({ kind: literal('email'), address: from.email().max(20) });
  const push = object({ kind: literal('push'), device: string().or(literal('')) });
  return strictObject({
    owner: person,
    helpers: array(person).max(2).optional(),
    channel: discriminatedUnion('kind', [email, push]),
    size: int().min(1).default(3),
    created_at: iso.datetime().nullable().meta({ description: 'When' }),
  }).meta({ id: 'Project' });
}

const ID = '018F0000-0000-7000-8000-000000000001';
const valid = {
  owner: { id: ID, name: ' Ada ' },
  helpers: [{ id: ID, name: 'Bob' }],
  channel: { kind: 'email', address: 'ada@example.com' },
  created_at: null,
};

describe('a declared schema', () => {
  test('parses like one of zod', () => {
    const declared = declareProject(z);
    expect(declared.parse(valid)).toEqual({
      ...valid,
      owner: { id: ID.toLowerCase(), name: 'Ada' },
      helpers: [{ id: ID.toLowerCase(), name: 'Bob' }],
      size: 3,
    });
    for (const wrong of [{}, { ...valid, size: 0, extra: 1 }, { ...valid, channel: { kind: 'fax' } }]) {
      expect(declared.safeParse(wrong).error?.issues).toEqual(declareProject(zod).safeParse(wrong).error?.issues);
    }
  });

  test('has the JSON Schema of one of zod', () => {
    const schema = zod.toJSONSchema(z.built(declareProject(z)), { io: 'input' });
    expect(schema).toEqual(zod.toJSONSchema(declareProject(zod), { io: 'input' }));
    expect(Object.keys(schema.$defs ?? {})).toEqual(['Project', 'Person']);
  });

  test('is an instance of the class of zod, and has its metadata', () => {
    const declared = declareProject(z);
    expect(declared).toBeInstanceOf(zod.ZodObject);
    expect(declared.shape.size).toBeInstanceOf(zod.ZodDefault);
    expect(declared.meta()).toEqual({ id: 'Project' });
    expect(declared.shape.created_at.description).toBe('When');
  });

  test('is built at its first use, once', () => {
    let times = 0;
    const options = ['a', 'b'] as const;
    const declared = z
      .preprocess((value) => value, z.enum(options))
      .refine(() => true, {
        get error() {
          times += 1;
          return 'wrong';
        },
      })
      .optional();
    expect(times).toBe(0);
    expect(declared.parse('a')).toBe('a');
    const after = times;
    expect(after).toBeGreaterThan(0);
    expect(declared.parse('b')).toBe('b');
    expect(times).toBe(after);
    expect(z.built(declared)).toBe(z.built(declared));
  });

  test('leaves other values as they are', () => {
    const date = new Date(0);
    expect(z.built(date)).toBe(date);
    expect(z.built([{ at: date }, 'a', null])).toEqual([{ at: date }, 'a', null]);
  });
});
