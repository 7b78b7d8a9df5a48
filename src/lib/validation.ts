// Validation failures (docs/specification/conventions.md#validation-errors): one entry per failing field with type, loc and
// msg only.
import { countOf } from './count.ts';
import { AppError } from './errors.ts';
import type * as z from './zod.ts';

export type Place = 'body' | 'query' | 'path' | 'header';

export interface ValidationEntry {
  type: string;
  loc: (string | number)[];
  msg: string;
}

/** Maximum number of entries in a response, so that a hostile body can't cause a large response. */
const MAX_ENTRIES = 100;

const typeNames: Record<string, [type: string, msg: string]> = {
  string: ['string_type', 'Input should be a valid string'],
  int: ['int_type', 'Input should be a valid integer'],
  number: ['int_type', 'Input should be a valid integer'],
  boolean: ['bool_type', 'Input should be a valid boolean'],
  array: ['list_type', 'Input should be a valid list'],
  object: ['dict_type', 'Input should be a valid object'],
  record: ['dict_type', 'Input should be a valid object'],
};

const formatNames: Record<string, [type: string, msg: string]> = {
  uuid: ['uuid_parsing', 'Input should be a valid UUID'],
  guid: ['uuid_parsing', 'Input should be a valid UUID'],
  datetime: ['datetime_parsing', 'Input should be a valid date and time'],
  date: ['date_parsing', 'Input should be a valid date'],
  email: ['value_error', 'Input should be a valid email address'],
  url: ['url_parsing', 'Input should be a valid URL'],
};

const MISSING: [type: string, msg: string] = ['missing', 'Field required'];

function describe(issue: z.core.$ZodIssue, value: unknown): [type: string, msg: string] {
  switch (issue.code) {
    case 'invalid_type': {
      if (value === undefined) return MISSING;
      if ((issue.expected === 'int' || issue.expected === 'number') && typeof value === 'bigint') {
        return outOfSafeRange(value > 0n);
      }
      return typeNames[issue.expected] ?? ['value_error', 'Input has the wrong type'];
    }
    case 'invalid_value':
      return value === undefined ? MISSING : notOneOf(issue.values);
    case 'invalid_union':
      return describeUnion(issue, value);
    case 'invalid_format': {
      const named = formatNames[issue.format];
      if (named !== undefined) return named;
      return [
        'string_pattern_mismatch',
        issue.message.startsWith('Input ') ? issue.message : 'Input has the wrong form',
      ];
    }
    case 'too_small':
      if (issue.origin === 'string') {
        return ['string_too_short', `String should have at least ${countOf(Number(issue.minimum), 'character')}`];
      }
      if (issue.origin === 'array') {
        return ['too_short', `List should have at least ${countOf(Number(issue.minimum), 'item')}`];
      }
      return ['greater_than_equal', `Input should be greater than or equal to ${issue.minimum}`];
    case 'too_big':
      if (issue.origin === 'string') {
        return ['string_too_long', `String should have at most ${countOf(Number(issue.maximum), 'character')}`];
      }
      if (issue.origin === 'array') {
        return ['too_long', `List should have at most ${countOf(Number(issue.maximum), 'item')}`];
      }
      return ['less_than_equal', `Input should be less than or equal to ${issue.maximum}`];
    default:
      return ['value_error', issue.message.startsWith('Input ') ? issue.message : 'Input is not valid'];
  }
}

/** Describes a value that fits none of several shapes: by the field that selects the shape, otherwise by the first shape. */
function describeUnion(issue: z.core.$ZodIssueInvalidUnion, value: unknown): [type: string, msg: string] {
  if (value === undefined) return MISSING;
  if ('options' in issue && issue.options !== undefined) return notOneOf(issue.options);
  const first = issue.errors[0]?.[0];
  return first?.path.length === 0 ? describe(first, value) : ['value_error', 'Input is not valid'];
}

function notOneOf(options: readonly unknown[]): [type: string, msg: string] {
  return ['enum', `Input should be ${options.map((option) => `'${String(option)}'`).join(' or ')}`];
}

function outOfSafeRange(isAbove: boolean): [type: string, msg: string] {
  return isAbove
    ? ['less_than_equal', `Input should be less than or equal to ${Number.MAX_SAFE_INTEGER}`]
    : ['greater_than_equal', `Input should be greater than or equal to ${Number.MIN_SAFE_INTEGER}`];
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/** Returns the entries of a failed parse, one per field, in the order of the schema. */
export function entriesOf(place: Place, error: z.core.$ZodError, input: unknown): ValidationEntry[] {
  const entries = new Map<string, ValidationEntry>();
  for (const issue of error.issues) {
    if (entries.size >= MAX_ENTRIES) break;
    const loc = [place, ...issue.path.map((part) => (typeof part === 'number' ? part : String(part)))];
    const key = JSON.stringify(loc);
    if (entries.has(key)) continue;
    const [type, msg] = describe(issue, valueAt(input, issue.path));
    entries.set(key, { type, loc, msg });
  }
  return [...entries.values()];
}

/** Creates the error for invalid fields. Its message is that of the first entry. */
export function validationError(entries: ValidationEntry[]): AppError {
  return new AppError('validation_error', entries[0]?.msg, { errors: entries });
}

/** Creates the error for one field that violates a rule a schema can't express. */
export function fieldError(place: Place, path: string[], type: string, msg: string): AppError {
  return validationError([{ type, loc: [place, ...path], msg }]);
}
