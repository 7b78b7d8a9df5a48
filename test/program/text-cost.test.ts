// Texts that are far too long are rejected without work that grows faster than their length, because one request could block all
// others for seconds.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { composed } from '../../src/lib/shapes.ts';
import { built } from '../../src/lib/zod.ts';
import { operations } from '../../src/operations.ts';
import { leastCpu } from '../support/cpu.ts';

/** Half of the body that a signed-in caller may send. */
const LENGTH = 60_000;
/** Composing so many takes more than a second. */
const marks = '\u0301\u0323'.repeat(LENGTH / 2);
const subtags = Array.from({ length: LENGTH / 6 }, (_, index) => `-${String(index).padStart(5, 'a')}`).join('');

const texts: Record<string, string> = {
  'combining characters': `a${marks}`,
  'a host of combining characters': `https://a${marks}/`,
  'an address at a domain of combining characters': `a@a${marks}.test`,
  'a language tag of many parts': `en${subtags}`,
};

/** The texts in a schema, each with the names that lead to it. */
function textsOf(schema: z.core.$ZodType, name: string): [name: string, text: z.core.$ZodType][] {
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat) return [[name, schema]];
  if (schema instanceof z.ZodObject) {
    return Object.entries(schema.shape).flatMap(([field, inner]) =>
      textsOf(inner as z.core.$ZodType, `${name}.${field}`),
    );
  }
  if (schema instanceof z.ZodArray) return textsOf(schema.element, `${name}[]`);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => textsOf(option, name));
  if (schema instanceof z.ZodPipe) return textsOf(schema.in, name);
  const inner = 'innerType' in schema._zod.def ? (schema._zod.def.innerType as z.core.$ZodType) : undefined;
  return inner === undefined ? [] : textsOf(inner, name);
}

const fields = operations.flatMap(({ id, body, query }) => {
  const shape = body !== undefined && 'fields' in body ? body.fields : body;
  return [shape, query].flatMap((one) => {
    const schema = one === undefined ? undefined : built(one);
    return schema instanceof z.core.$ZodType ? textsOf(schema, id) : [];
  });
});

describe.each(Object.entries(texts))('%s', (_name, text) => {
  it('is read in linear time in every field', async () => {
    for (const [name, schema] of fields) {
      // Reading it takes about a millisecond.
      expect(await leastCpu(50, () => z.safeParse(schema, text)), name).toBeLessThan(50);
    }
  });
});

it('finds the fields', () => {
  expect(fields.map(([name]) => name)).toEqual(
    expect.arrayContaining(['createProject.name', 'signUp.email', 'editDeveloper.locale', 'createWebhook.url']),
  );
});

it('composes texts that become short enough', () => {
  const longest = '\u1f82'.repeat(100);
  expect(longest.normalize('NFD')).toHaveLength(400);
  expect(composed(100)(longest.normalize('NFD'))).toBe(longest);
});
