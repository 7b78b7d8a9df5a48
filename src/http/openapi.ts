// The OpenAPI 3.1 document, generated from the operations.

import { tagDescriptions } from '../api-tags.ts';
import { version } from '../lib/version.ts';
import * as z from '../lib/zod.ts';
import { permissions } from '../permissions.ts';
import { ACCESS_COOKIE, PERSONAL_TOKEN_PREFIX, PROJECT_TOKEN_PREFIX } from './credentials.ts';
import { Components, type Json, markLargeNumber } from './openapi-components.ts';
import { type ExampleExchange, errorExamples, readExamples, sharedExamples } from './openapi-examples.ts';
import {
  type Access,
  type AnonymousAccess,
  isFileBody,
  isFormBody,
  isJsonShape,
  isRawBody,
  type Operation,
} from './operation.ts';
import { createInputReader } from './parameters.ts';

const errorBody = z
  .object({
    error: z.string().meta({ description: 'Machine code; match on this' }),
    message: z.string().meta({ description: "Text for people; don't match on this" }),
    details: z
      .record(z.string(), z.unknown())
      .meta({ description: 'Details by code; an empty object if there are none' }),
  })
  .meta({ id: 'Error', description: 'The error envelope' });

const statusTexts: Record<number, string> = {
  200: 'Done',
  201: 'Created',
  202: 'Accepted',
  204: 'Done; no content',
  301: 'Moved permanently',
  302: 'Found',
  304: 'Not modified since the ETag in If-None-Match; no content',
  400: 'The request is not valid, or not possible in the current state',
  401: 'The credential is missing, unknown or expired',
  402: 'The organization is locked because of billing',
  403: 'The credential or the role does not allow this',
  404: "Doesn't exist, or the caller has no access",
  413: 'The content is too large',
  415: 'The media type is not supported',
  500: 'Server error',
  503: "A required service doesn't respond; try again later",
};

/** The text of 402 for operations that cost something. */
const UNPAID = "The organization is locked because of billing, its credit doesn't suffice, or its spend cap is reached";

function parameters(
  components: Components,
  shape: z.ZodObject | undefined,
  place: 'path' | 'query',
  texts: Record<string, string> = {},
): Json[] {
  // With the type of the schema: a limit is a number.
  const values = createInputReader(place, shape).read(texts, []);
  return Object.entries(shape?.shape ?? {}).map(([name, field]) => {
    const { description, ...schema } = components.refer(field, 'input');
    markLargeNumber(name, schema);
    const isRequired = place === 'path' || !field.safeParse(undefined).success;
    return {
      name,
      in: place,
      required: isRequired,
      schema,
      ...(description === undefined ? {} : { description }),
      ...(texts[name] === undefined || values[name] === undefined ? {} : { example: values[name] }),
    };
  });
}

function requestBody(components: Components, operation: Operation, example: unknown): Json | undefined {
  const { body } = operation;
  if (body === undefined) return undefined;
  if (isFileBody(body)) {
    const schema = {
      type: 'object',
      required: [body.field],
      properties: { [body.field]: { type: 'string', contentMediaType: 'application/octet-stream' } },
    };
    return { required: true, content: { 'multipart/form-data': { schema } } };
  }
  if (isFormBody(body)) {
    const { description: _, ...fields } = components.refer(body.fields, 'input') as Json & { properties?: Json };
    const { field, maximumCount } = body.files;
    const file = { type: 'string', contentMediaType: 'application/octet-stream' };
    const properties = { ...fields.properties, [field]: { type: 'array', maxItems: maximumCount, items: file } };
    return { required: true, content: { 'multipart/form-data': { schema: { ...fields, properties } } } };
  }
  if (isRawBody(body)) {
    return { required: true, content: { [body.type]: { schema: fileSchema(body.type) } } };
  }
  const schema = components.refer(body, 'input');
  const content: Json = { 'application/json': { schema, ...(example === undefined ? {} : { example }) } };
  if (operation.acceptsForm === true) content['application/x-www-form-urlencoded'] = { schema };
  return { required: operation.isBodyOptional !== true, content };
}

function errorStatuses(operation: Operation): number[] {
  const { access } = operation;
  const isWrite = operation.method !== 'get';
  // 400 also if the address or the Host header can't be read.
  const statuses = new Set<number>([400, 500, ...(operation.errors ?? [])]);
  if (operation.body !== undefined && !isRawBody(operation.body)) statuses.add(413).add(415);
  if (access.kind !== 'anonymous') statuses.add(401).add(403);
  else if (access.recognizesSession === true && isWrite) statuses.add(403);
  if (operation.params !== undefined || access.kind === 'organization' || access.kind === 'project') statuses.add(404);
  const isExempt = 'isLockExempt' in access && access.isLockExempt === true;
  if ((access.kind === 'organization' || access.kind === 'project') && isWrite && !isExempt) statuses.add(402);
  if (operation.hasCost === true) statuses.add(402);
  return [...statuses].sort((left, right) => left - right);
}

const PAGE: Json = { 'text/html': { schema: { type: 'string' } } };

/** Whether people get errors of an operation as pages: it is a page itself, or takes the form of one. */
function hasErrorPages({ acceptsForm, returns }: Operation): boolean {
  return acceptsForm === true || (!isJsonShape(returns) && returns.kind === 'media' && returns.type === 'text/html');
}

const RETRY_AFTER = optionalHeader('Retry-After', 'When to retry, in seconds');

function optionalHeader(name: string, description: string): Json {
  return { [name]: { required: false, description, schema: { type: 'string' } } };
}

/** The schema of a file. A file of JSON is what it contains. */
function fileSchema(type: string): Json {
  if (type === 'application/json') return { type: 'object', additionalProperties: true };
  const isText = type.startsWith('text/') || type.includes('xml');
  return isText ? { type: 'string' } : { type: 'string', contentMediaType: type };
}

function success(components: Components, operation: Operation, example: unknown): Json {
  const { returns, header } = operation;
  const headers = header === undefined ? {} : { headers: optionalHeader(header.name, header.description) };
  const description = statusTexts[operation.status] ?? 'Done';
  const shown = example === undefined ? {} : { example };
  if (isJsonShape(returns)) {
    const content = { 'application/json': { schema: components.refer(returns, 'output'), ...shown } };
    return { description, ...headers, content: operation.acceptsForm === true ? { ...content, ...PAGE } : content };
  }
  if (returns.kind === 'media') {
    return { description, content: { [returns.type]: { schema: fileSchema(returns.type), ...shown } } };
  }
  if (returns.kind === 'choice') {
    const json = { schema: components.refer(returns.shape, 'output'), ...shown };
    return { description, content: { 'application/json': json, [returns.type]: { schema: fileSchema(returns.type) } } };
  }
  if (returns.kind === 'redirect') {
    return { description, headers: { Location: { required: true, schema: { type: 'string' } } } };
  }
  return { description };
}

function security(operation: Operation): Json[] {
  const { access } = operation;
  if (access.kind === 'anonymous') {
    if (access.credential === undefined) return [];
    return [access.credential === 'sdk_app' ? { sdk_app_key: [] } : { sdk_app_key: [], sdk_update_token: [] }];
  }
  const interactive: Json[] = [{ access_token: [] }, { access_cookie: [] }];
  if (access.isInteractive === true) return interactive;
  const tokens: Json[] = [{ personal_access_token: [] }];
  if (admitsProjectToken(access)) tokens.push({ project_access_token: [] });
  return [...interactive, ...tokens];
}

/** Whether project access tokens are accepted, if their role is high enough. */
function admitsProjectToken(access: Exclude<Access, AnonymousAccess>): boolean {
  if (access.kind === 'developer') return access.admitsProjectToken === true;
  return access.kind === 'project' || 'projectToken' in permissions[access.permission];
}

const securitySchemes = {
  access_token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Access token of a sign-in' },
  access_cookie: { type: 'apiKey', in: 'cookie', name: ACCESS_COOKIE, description: 'Access token as a browser cookie' },
  personal_access_token: { type: 'http', scheme: 'bearer', description: `${PERSONAL_TOKEN_PREFIX}…` },
  project_access_token: { type: 'http', scheme: 'bearer', description: `${PROJECT_TOKEN_PREFIX}…` },
  sdk_app_key: { type: 'apiKey', in: 'header', name: 'X-Svc-App-Key', description: 'svc_app_…, of an SDK app' },
  sdk_update_token: { type: 'http', scheme: 'bearer', description: 'svc_upd_…, of an enrolled install' },
};

/** The names of errors that are the same for all operations, by status. */
const sharedResponses: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  402: 'OrganizationLocked',
  403: 'Forbidden',
  404: 'NotFound',
  413: 'TooLarge',
  415: 'UnsupportedMediaType',
  500: 'ServerError',
};

/** The name of 402 for operations that cost something. */
const UNPAID_RESPONSE = 'PaymentRequired';
const DEFAULT_RESPONSE = 'AnyOther';

/** Errors of an operation: those that are like everywhere are references, so that the document doesn't repeat them. */
function errorResponses(
  components: Components,
  operation: Operation,
  envelope: Json,
  exchange: ExampleExchange | undefined,
): Json {
  const responses: Json = {};
  const { ownErrors = {} } = operation;
  const hasPage = hasErrorPages(operation);
  const hasOwn = (status: number) => Object.values(exchange?.errors ?? {}).some((error) => error.status === status);
  for (const status of errorStatuses(operation)) {
    const shared = status === 402 && operation.hasCost === true ? UNPAID_RESPONSE : sharedResponses[status];
    const own = ownErrors[status as keyof typeof ownErrors];
    const schema = own === undefined ? envelope : { anyOf: [envelope, components.refer(own, 'output')] };
    responses[status] =
      shared === undefined || own !== undefined || hasPage || hasOwn(status)
        ? errorResponse(status, schema, { exchange, hasPage, hasCost: operation.hasCost === true })
        : { $ref: `#/components/responses/${shared}` };
  }
  responses.default = hasPage
    ? { description: ANY_OTHER, headers: RETRY_AFTER, content: { 'application/json': { schema: envelope }, ...PAGE } }
    : { $ref: `#/components/responses/${DEFAULT_RESPONSE}` };
  return responses;
}

const ANY_OTHER = 'Any other error, such as 409 (a conflict) or 429 (too many requests; see Retry-After)';

interface ErrorFacts {
  exchange?: ExampleExchange | undefined;
  hasPage?: boolean;
  hasCost?: boolean;
}

function errorResponse(
  status: number,
  schema: Json,
  { exchange, hasPage = false, hasCost = false }: ErrorFacts = {},
): Json {
  const examples = errorExamples(exchange, status, hasCost);
  const json = { schema, ...(examples === undefined ? {} : { examples }) };
  return {
    description: status === 402 && hasCost ? UNPAID : (statusTexts[status] ?? 'Error'),
    ...(status === 503 ? { headers: RETRY_AFTER } : {}),
    content: { 'application/json': json, ...(hasPage ? PAGE : {}) },
  };
}

/**
 * Builds the document, without internal operations, with examples of every operation. 409 and 429 aren't declared, because
 * clients handle them by status in every call: `default` describes them.
 */
export function buildOpenApi(operations: readonly Operation[], baseUrl: string): Json {
  const steps = openApiSteps(operations, baseUrl);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Builds the same document in steps, one operation each, so that a server can respond to other requests between them. */
export function* openApiSteps(operations: readonly Operation[], baseUrl: string): Generator<void, Json> {
  const components = new Components();
  const errorSchema = components.refer(errorBody, 'output');
  const examples = readExamples(baseUrl);
  yield;
  const published = operations.filter((operation) => operation.isInternal !== true);
  const paths: Record<string, Json> = {};
  for (const operation of published) {
    const exchange = examples[operation.id];
    const body = requestBody(components, operation, exchange?.request.body);
    const item = paths[operation.path] ?? {};
    item[operation.method] = {
      operationId: operation.id,
      tags: [operation.tag],
      summary: operation.summary,
      ...(operation.description === undefined ? {} : { description: operation.description }),
      parameters: [
        ...parameters(components, operation.params, 'path', exchange?.request.params),
        ...parameters(components, operation.query, 'query', exchange?.request.query),
      ],
      ...(body === undefined ? {} : { requestBody: body }),
      responses: {
        [operation.status]: success(components, operation, exchange?.response.body),
        ...(operation.isConditional === true ? { 304: { description: statusTexts[304] } } : {}),
        ...errorResponses(components, operation, errorSchema, exchange),
      },
      security: security(operation),
    };
    paths[operation.path] = item;
    yield;
  }
  const responses: Record<string, Json> = {
    [DEFAULT_RESPONSE]: {
      description: ANY_OTHER,
      headers: RETRY_AFTER,
      content: { 'application/json': { schema: errorSchema } },
    },
  };
  for (const [status, name] of Object.entries(sharedResponses))
    responses[name] = errorResponse(Number(status), errorSchema);
  responses[UNPAID_RESPONSE] = errorResponse(402, errorSchema, { hasCost: true });
  return {
    openapi: '3.1.0',
    info: {
      title: 'Taxiway',
      version: version.version,
      description: 'Distribution of mobile test builds. Errors carry {error, message, details}; match on error.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(published.map((operation) => operation.tag))].map((name) => ({
      name,
      description: tagDescriptions[name] ?? name,
    })),
    paths,
    components: { schemas: components.schemas, responses, examples: sharedExamples(), securitySchemes },
  };
}
