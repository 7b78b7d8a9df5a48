// The schemas of the OpenAPI document, generated from zod schemas.
import { z } from 'zod';
import { built } from '../lib/zod.ts';

export type Json = Record<string, unknown>;

/** Names of request fields that contain secrets. Response fields never have these names. */
const secretField = /(?:^|_)(?:password|secret|token|assertion|attestation|credential)$|^(?:mfa_)?code$/;

/** Names of whole numbers that can be above 2³¹ − 1: many build numbers are dates with a time. */
const largeNumber = /^build_number$|(?:^|_)bytes$/;

/** Constructs of patterns that other languages don't know: Unicode properties and escapes, and conditions ahead or behind. */
const onlyJavaScript = /\\[pPu]|\(\?[=!<]/;

/** Collects named schemas under components. */
export class Components {
  readonly schemas: Record<string, Json> = {};

  /** Returns the JSON Schema of a shape, with references to named shapes. `io` distinguishes requests from responses. */
  refer(declared: z.core.$ZodType, io: 'input' | 'output'): Json {
    const schema = built(declared);
    const {
      $schema: _,
      $defs,
      ...own
    } = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      reused: 'inline',
      override: ({ jsonSchema }) => {
        // Responses may gain fields. The value schemas of records are kept.
        if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
        dropUnportablePatterns(jsonSchema);
      },
    }) as Json & { $defs?: Record<string, Json> };
    if (io === 'input') for (const one of [own, ...Object.values($defs ?? {})]) markSecrets(one);
    for (const one of [own, ...Object.values($defs ?? {})]) markLargeNumbers(one);
    for (const [name, definition] of Object.entries($defs ?? {})) this.add(name, definition);
    const id = z.globalRegistry.get(schema)?.id;
    if (id === undefined) return relocate(own);
    // A recursive named shape is returned as a reference to its own definitions.
    if (own.$ref === undefined) this.add(id, own);
    return { $ref: `#/components/schemas/${id}` };
  }

  private add(name: string, definition: Json): void {
    const { id: _, $schema: __, ...rest } = definition;
    this.schemas[name] = relocate(rest);
  }
}

function relocate(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

/** Marks properties with large numbers, because clients generated in Java, C# or Go use 32 bits for all other whole numbers. */
function markLargeNumbers(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return;
  const { properties } = schema as { properties?: Record<string, Json> };
  for (const [name, property] of Object.entries(properties ?? {})) markLargeNumber(name, property);
  for (const inner of Object.values(schema)) markLargeNumbers(inner);
}

/** Marks a value, which may be nullable, if its name says that it can be large. */
export function markLargeNumber(name: string, schema: Json): void {
  if (!largeNumber.test(name)) return;
  for (const one of [schema, ...((schema.anyOf ?? []) as Json[])]) if (one.type === 'integer') one.format = 'int64';
}

/**
 * Removes patterns that a client generated in another language couldn't compile, or would read differently without the flag `u`, so that it
 * would reject valid texts (JSON Schema 2020-12 section 6.4). The server checks them anyway.
 */
function dropUnportablePatterns(schema: z.core.JSONSchema.BaseSchema): void {
  const isPortable = ({ pattern }: { pattern?: string | undefined }) =>
    pattern === undefined || !onlyJavaScript.test(pattern);
  if (!isPortable(schema)) delete schema.pattern;
  // A text with several patterns has each in a part of its own.
  if (schema.type !== 'string' || schema.allOf === undefined) return;
  const kept = schema.allOf.filter(isPortable);
  if (kept.length > 0) schema.allOf = kept;
  else delete schema.allOf;
}

/** Marks every secret in a request schema as write-only, so that no declaration can forget it. */
function markSecrets(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return;
  const { properties } = schema as { properties?: Record<string, Json> };
  for (const [name, property] of Object.entries(properties ?? {})) {
    if (secretField.test(name)) property.writeOnly = true;
  }
  for (const inner of Object.values(schema)) markSecrets(inner);
}
