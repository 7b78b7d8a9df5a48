// Chooses one example for each operation from what tests recorded: the one from which a reader learns most.
import { type ExampleExchange, type Examples, sharedErrorCodes } from '../../../src/http/openapi-examples.ts';
import { isJsonShape, type Operation } from '../../../src/http/operation.ts';
import { findExampleProblem, isTextOrMissing } from './check.ts';
import { normalize } from './normalize.ts';
import type { Recorded } from './recorded.ts';

/** Examples larger than this lose to smaller ones. */
const GOOD_CHARACTERS = 1_500;
const MOST_CHARACTERS = 12_000;
const MOST_ERRORS = 5;
/** In JSON: long repetitions, markup, spaces at the ends of texts, very long texts, escapes and emoji. */
const oddText = /(\w)\1{6,}(?!\w*["-])|[<>]|"\s|[^:,]\s"|[^"]{300,}|\\u00|\p{Extended_Pictographic}/gu;

/**
 * Returns the examples with those that were recorded. An example that is still valid stays, so that the file only changes where
 * operations do; without `isKept`, all are chosen again. Operations that don't exist anymore lose theirs.
 */
export function chooseExamples(
  operations: readonly Operation[],
  recorded: readonly Recorded[],
  known: Examples,
  isKept = true,
): Record<string, ExampleExchange> {
  const byOperation = Map.groupBy(recorded, ({ operation }) => operation);
  const chosen: Record<string, ExampleExchange> = {};
  const published = operations.filter(({ isInternal }) => isInternal !== true);
  for (const operation of published.toSorted((left, right) => (left.id < right.id ? -1 : 1))) {
    const own = byOperation.get(operation.id) ?? [];
    const before = known[operation.id];
    const isValid = isKept && findExampleProblem(operation, before) === undefined;
    const success = isValid ? before : chooseSuccess(operation, own);
    if (success === undefined) continue;
    const errors = { ...(isKept ? before?.errors : {}), ...chooseErrors(own, isKept ? before?.errors : {}) };
    const { request, response } = success;
    chosen[operation.id] = { request, response, ...(Object.keys(errors).length === 0 ? {} : { errors }) };
  }
  return chosen;
}

function chooseSuccess(operation: Operation, recorded: readonly Recorded[]): ExampleExchange | undefined {
  const candidates = new Map<string, ExampleExchange>();
  for (const one of recorded) {
    if (one.status !== operation.status) continue;
    const example = withoutFile(operation, withoutUnknown(operation, normalize(one)));
    if (findExampleProblem(operation, example) === undefined) candidates.set(JSON.stringify(example), example);
  }
  const rated = [...candidates].map(([text, example]) => ({ text, example, rating: rate(text, example) }));
  rated.sort((left, right) => right.rating - left.rating || (left.text < right.text ? -1 : 1));
  return rated[0]?.example;
}

/** Leaves out query parameters that the operation doesn't have; only the tenant is read besides the declared ones. */
function withoutUnknown(operation: Operation, { request, response }: ExampleExchange): ExampleExchange {
  const { query = {}, ...rest } = request;
  const kept = Object.entries(query).filter(([name]) => name in (operation.query?.shape ?? {}));
  return { request: { ...rest, ...(kept.length === 0 ? {} : { query: Object.fromEntries(kept) }) }, response };
}

/** Leaves out JSON that is declared as a media type: it is a file, with hashes and ids in a form of another program. */
function withoutFile({ returns }: Operation, { request, response }: ExampleExchange): ExampleExchange {
  if (isJsonShape(returns) || returns.kind !== 'media' || isTextOrMissing(response.body)) return { request, response };
  const { body: _, ...rest } = response;
  return { request, response: rest };
}

/** Rates an example: more values are better, up to a size; odd texts, which tests of hostile input send, are bad. */
function rate(text: string, { request, response }: ExampleExchange): number {
  const filled = Math.min(countValues(response.body), 40) * 3 + Math.min(countValues(request), 12) * 2;
  const isEmptyList = /"items":\[\]|^\[\]$/.test(JSON.stringify(response.body ?? ''));
  const odd = text.match(oddText)?.length ?? 0;
  const excess = Math.max(0, text.length - GOOD_CHARACTERS) / 30;
  return filled - (isEmptyList ? 60 : 0) - odd * 15 - excess - (text.length > MOST_CHARACTERS ? 10_000 : 0);
}

function countValues(value: unknown): number {
  if (value === null || value === undefined || value === '') return 0;
  if (typeof value !== 'object') return 1;
  return Object.values(value).reduce((sum: number, inner) => sum + countValues(inner), 0);
}

/** Returns one error for each code that isn't the same everywhere: the shortest. Known ones stay. */
function chooseErrors(
  recorded: readonly Recorded[],
  known: ExampleExchange['errors'] = {},
): NonNullable<ExampleExchange['errors']> {
  const shortest = new Map<string, { status: number; body: unknown; text: string }>();
  for (const one of recorded) {
    const code = (one.response.body as { error?: unknown } | undefined)?.error;
    if (one.status < 400 || one.status >= 500 || typeof code !== 'string') continue;
    if (sharedErrorCodes.has(code) || code === 'rate_limit_exceeded') continue;
    const { body } = normalize(one).response;
    const text = JSON.stringify(body);
    if (text.length > 600) continue;
    const best = shortest.get(code);
    const isBetter =
      best === undefined || text.length < best.text.length || (text.length === best.text.length && text < best.text);
    if (isBetter) shortest.set(code, { status: one.status, body, text });
  }
  const added = [...shortest]
    .filter(([code]) => known[code] === undefined)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(
    added
      .slice(0, Math.max(0, MOST_ERRORS - Object.keys(known).length))
      .map(([code, { status, body }]) => [code, { status, body }]),
  );
}

/** Returns the file with the examples: sorted, with one line for each part of an exchange, so that changes are easy to read. */
export function writeExamples(examples: Examples): string {
  const entries = Object.entries(examples).map(([id, { request, response, errors }]) => {
    const parts = [`  "request": ${JSON.stringify(request)}`, `  "response": ${JSON.stringify(response)}`];
    if (errors !== undefined) {
      const lines = Object.entries(errors).map(([code, error]) => `   "${code}": ${JSON.stringify(error)}`);
      parts.push(`  "errors": {\n${lines.join(',\n')}\n  }`);
    }
    return ` "${id}": {\n${parts.join(',\n')}\n }`;
  });
  return `{\n${entries.join(',\n')}\n}\n`;
}
