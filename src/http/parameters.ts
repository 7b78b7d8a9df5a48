// Converts path and query parameters to the types of their schema: text becomes numbers and booleans.
import { z } from 'zod';
import { entriesOf, type Place, type ValidationEntry } from '../lib/validation.ts';

type Coercion = 'int' | 'boolean' | 'text';

const CANONICAL_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

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

function coerce(text: string, coercion: Coercion): unknown {
  if (coercion === 'int') return /^-?\d{1,300}$/.test(text) ? Number(text) : text;
  if (coercion === 'boolean')
    return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text;
  return text;
}

/** Compiles a reader for one kind of input. Called once per operation. Unknown names are ignored. */
export function createInputReader(place: Place, schema: z.ZodObject | undefined): InputReader {
  if (schema === undefined) return { read: () => ({}) };
  const fields = Object.entries(schema.shape).map(([name, field]) => [name, coercionOf(field)] as const);
  const hasIdsOnly = place === 'path' && Object.values(schema.shape).every((field) => field instanceof z.ZodUUID);
  return {
    read(raw, entries) {
      // Ids in canonical form pass without the schema, which handles all other forms.
      if (hasIdsOnly && fields.every(([name]) => CANONICAL_UUID.test(raw[name] ?? ''))) return raw;
      const input: Record<string, unknown> = {};
      for (const [name, coercion] of fields) {
        const text = raw[name];
        if (text !== undefined) input[name] = coerce(text, coercion);
      }
      const result = schema.safeParse(input);
      if (result.success) return result.data;
      entries.push(...entriesOf(place, result.error, input));
      return {};
    },
  };
}
