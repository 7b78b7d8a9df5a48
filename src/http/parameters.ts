// Converts path and query parameters to the types of their schema: text becomes numbers and booleans.
import { z } from 'zod';
import { entriesOf, type Place, type ValidationEntry } from '../lib/validation.ts';
import { built } from '../lib/zod.ts';
import type { Exchange } from './exchange.ts';

type Coercion = 'int' | 'boolean' | 'text';

export interface InputReader {
  /** Parses raw parameters. Adds errors to `entries`. */
  read(raw: Record<string, string | undefined>, entries: ValidationEntry[]): Record<string, unknown>;
}

function coercionOf(schema: z.core.$ZodType): Coercion {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    return coercionOf(schema.unwrap());
  }
  if (schema instanceof z.ZodNumber) return 'int';
  return schema instanceof z.ZodBoolean ? 'boolean' : 'text';
}

/** Schemas reject infinity as no number, but a number with too many digits is only too large. */
const finite = (number: number): number => Math.min(Math.max(number, -Number.MAX_VALUE), Number.MAX_VALUE);

function coerce(text: string, coercion: Coercion): unknown {
  if (coercion === 'int') return /^-?\d+$/.test(text) ? finite(Number(text)) : text;
  if (coercion === 'boolean')
    return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text;
  return text;
}

/** Ids that every schema of an id accepts unchanged. Most paths have no other parameters, and checking them with the schema takes many times as long. */
const CANONICAL_ID = /^[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** Compiles a reader for one kind of input. Called once per operation. Unknown names are ignored. */
export function createInputReader(place: Place, declared: z.ZodObject | undefined): InputReader {
  if (declared === undefined) return { read: () => ({}) };
  const schema = built(declared);
  const fields = Object.entries(schema.shape).map(([name, field]) => [name, coercionOf(field)] as const);
  const hasRules = (schema.def.checks ?? []).length > 0;
  const areIds = !hasRules && Object.values(schema.shape).every((field) => field instanceof z.ZodUUID);
  return {
    read(raw, entries) {
      const input: Record<string, unknown> = {};
      for (const [name, coercion] of fields) {
        const text = raw[name];
        if (text !== undefined) input[name] = coerce(text, coercion);
      }
      if (areIds && fields.every(([name]) => CANONICAL_ID.test(raw[name] ?? ''))) return input;
      const result = schema.safeParse(input);
      if (result.success) return result.data;
      entries.push(...entriesOf(place, result.error, input));
      return {};
    },
  };
}

const MAX_KNOWN_QUERIES = 100;
/** Of a request whose query is remembered. Parts of a text keep all of it in memory. */
const MAX_URL_LENGTH = 300;

type Query = Pick<Exchange, 'query' | 'rawQuery' | 'url'>;

/**
 * Compiles a reader for the query of one operation, whose results are frozen. Remembers up to 100 valid queries of short URLs, because
 * all installs of one version of an app ask for an update with the same one.
 */
export function createQueryReader(
  declared: z.ZodObject | undefined,
): (query: Query, entries: ValidationEntry[]) => Readonly<Record<string, unknown>> {
  if (declared === undefined) return () => ({});
  const reader = createInputReader('query', declared);
  const known = new Map<string, Readonly<Record<string, unknown>>>();
  return ({ query, rawQuery, url }, entries) => {
    const found = known.get(rawQuery);
    if (found !== undefined) return found;
    const before = entries.length;
    const values = Object.freeze(reader.read(query(), entries));
    if (entries.length > before || url.length > MAX_URL_LENGTH) return values;
    if (known.size >= MAX_KNOWN_QUERIES) known.clear();
    known.set(rawQuery, values);
    return values;
  };
}
