// Checks an example against the declaration of its operation.
import type { z } from 'zod';
import { EXAMPLES_ASSET, type ExampleExchange } from '../../../src/http/openapi-examples.ts';
import { isFileBody, isFormBody, isJsonShape, isRawBody, type Operation } from '../../../src/http/operation.ts';
import { createInputReader } from '../../../src/http/parameters.ts';
import { errorCodes } from '../../../src/lib/errors.ts';
import type { ValidationEntry } from '../../../src/lib/validation.ts';

/** Where the examples are in the project. */
export const examplesFile = `src/${EXAMPLES_ASSET}`;

/** Its response is the document that contains the examples. */
const OWN_DOCUMENT = 'getOpenApi';

/** Returns what is wrong with the example of an operation, or undefined if it's valid. */
export function findExampleProblem(operation: Operation, example: ExampleExchange | undefined): string | undefined {
  if (example === undefined) return 'has no example';
  const { request, response } = example;
  const entries: ValidationEntry[] = [];
  createInputReader('path', operation.params).read(request.params ?? {}, entries);
  createInputReader('query', operation.query).read(request.query ?? {}, entries);
  if (entries.length > 0) return `has an invalid parameter: ${JSON.stringify(entries)}`;
  const unknown = Object.keys(request.query ?? {}).find((name) => !(name in (operation.query?.shape ?? {})));
  if (unknown !== undefined && operation.access.kind === 'anonymous') return `has the unknown parameter ${unknown}`;
  const { body, returns } = operation;
  if (body === undefined) {
    if (request.body !== undefined) return 'has a body, but the operation takes none';
  } else if (isFileBody(body) || isFormBody(body) || isRawBody(body)) {
    if (request.type === undefined) return 'has no body';
  } else if (request.body !== undefined) {
    const problem = findMismatch(body, request.body);
    if (problem !== undefined) return `has a body ${problem}`;
  } else if (operation.isBodyOptional !== true) return 'has no body';
  if (isJsonShape(returns) || (returns.kind === 'choice' && typeof response.body === 'object')) {
    if (response.body === undefined) return operation.id === OWN_DOCUMENT ? undefined : 'has no response body';
    const problem = findMismatch(isJsonShape(returns) ? returns : returns.shape, response.body);
    if (problem !== undefined) return `has a response ${problem}`;
  } else if (returns.kind === 'redirect' && response.location === undefined) return 'has no location';
  else if (returns.kind === 'media' && !isTextOrMissing(response.body)) return 'has a response that is not text';
  const wrong = Object.entries(example.errors ?? {}).find(([code, error]) => !isErrorOf(code, error.body));
  return wrong === undefined ? undefined : `has an invalid error ${wrong[0]}`;
}

/** Whether the schema of a media type, which is text, fits a body. */
export const isTextOrMissing = (body: unknown): boolean => body === undefined || typeof body === 'string';

/** Secrets are made up, so rules about their content don't apply to them. */
const secretName = /(?:^|_)(?:private_key|service_account|credential)$/;

/** Returns how a value differs from its schema, or undefined if it doesn't. */
function findMismatch(schema: z.ZodType, value: unknown): string | undefined {
  if (!hasSafeNumbers(value)) return 'with a number that JavaScript cannot represent';
  const parsed = schema.safeParse(value);
  if (parsed.success) {
    const extra = findUndeclared(value, parsed.data);
    return extra === undefined ? undefined : `with a field that its schema doesn't declare like this: ${extra}`;
  }
  const issue = parsed.error.issues.find(
    ({ code, path, ...rest }) =>
      // Large numbers of the program are numbers in JSON.
      !(code === 'invalid_type' && 'expected' in rest && rest.expected === 'bigint') &&
      !(code === 'custom' && secretName.test(String(path.at(-1)))),
  );
  return issue === undefined ? undefined : `with an invalid ${issue.path.join('.')}: ${issue.message}`;
}

function hasSafeNumbers(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(hasSafeNumbers);
}

/** Returns a field of a value that parsing dropped, because its schema doesn't declare it, or changed, such as spaces at the ends. */
function findUndeclared(value: unknown, parsed: unknown): string | undefined {
  if (typeof value === 'string' && typeof parsed === 'string' && value !== parsed)
    return `in another form than ${parsed}`;
  if (typeof value !== 'object' || value === null || typeof parsed !== 'object' || parsed === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    if (!(name in parsed)) return name;
    const found = findUndeclared(inner, (parsed as Record<string, unknown>)[name]);
    if (found !== undefined) return `${name}.${found}`;
  }
  return undefined;
}

function isErrorOf(code: string, body: unknown): boolean {
  const { error, message, details } = (body ?? {}) as Record<string, unknown>;
  const isKnown = (errorCodes as readonly string[]).includes(code);
  return isKnown && error === code && typeof message === 'string' && typeof details === 'object' && details !== null;
}
