// The OpenAPI 3.1 document, generated from the operations.
import { z } from 'zod';
import { version } from '../lib/version.ts';
import { Components, type Json } from './openapi-components.ts';
import { isFileBody, isFormBody, isJsonShape, isRawBody, type Operation } from './operation.ts';

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

function parameters(components: Components, shape: z.ZodObject | undefined, place: 'path' | 'query'): Json[] {
  return Object.entries(shape?.shape ?? {}).map(([name, field]) => {
    const { description, ...schema } = components.refer(field, 'input');
    const isRequired = place === 'path' || !field.safeParse(undefined).success;
    return { name, in: place, required: isRequired, schema, ...(description === undefined ? {} : { description }) };
  });
}

function requestBody(components: Components, operation: Operation): Json | undefined {
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
    return { required: true, content: { [body.type]: { schema: { type: 'string', contentMediaType: body.type } } } };
  }
  const schema = components.refer(body, 'input');
  const content: Json = { 'application/json': { schema } };
  if (operation.acceptsForm === true) content['application/x-www-form-urlencoded'] = { schema };
  return { required: operation.isBodyOptional !== true, content };
}

function errorStatuses(operation: Operation): number[] {
  const { access } = operation;
  const statuses = new Set<number>([500, ...(operation.errors ?? [])]);
  const takesInput = operation.params !== undefined || operation.query !== undefined || operation.body !== undefined;
  if (takesInput) statuses.add(400);
  if (operation.body !== undefined && !isRawBody(operation.body)) statuses.add(413).add(415);
  if (access.kind !== 'anonymous') statuses.add(401).add(403);
  if (operation.params !== undefined || access.kind === 'organization' || access.kind === 'project') statuses.add(404);
  const isWrite = operation.method !== 'get';
  if ((access.kind === 'organization' || access.kind === 'project') && isWrite) statuses.add(402);
  if (access.kind === 'project' && access.isDownload === true) statuses.add(402);
  return [...statuses].sort((left, right) => left - right);
}

/** The response to a form submission: a page. */
const PAGE: Json = { 'text/html': { schema: { type: 'string' } } };

function success(components: Components, operation: Operation): Json {
  const { returns } = operation;
  const description = statusTexts[operation.status] ?? 'Done';
  if (isJsonShape(returns)) {
    const content = { 'application/json': { schema: components.refer(returns, 'output') } };
    return { description, content: operation.acceptsForm === true ? { ...content, ...PAGE } : content };
  }
  if (returns.kind === 'media') {
    const isText = returns.type.startsWith('text/') || returns.type.includes('xml');
    const schema = isText ? { type: 'string' } : { type: 'string', contentMediaType: returns.type };
    return { description, content: { [returns.type]: { schema } } };
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
  if (access.kind !== 'developer' || access.admitsProjectToken === true) tokens.push({ project_access_token: [] });
  return [...interactive, ...tokens];
}

const securitySchemes = {
  access_token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Access token of a sign-in' },
  access_cookie: { type: 'apiKey', in: 'cookie', name: 'svc_access', description: 'Access token as a browser cookie' },
  personal_access_token: { type: 'http', scheme: 'bearer', description: 'svc_pat_…' },
  project_access_token: { type: 'http', scheme: 'bearer', description: 'svc_prj_…' },
  sdk_app_key: { type: 'apiKey', in: 'header', name: 'X-Svc-App-Key', description: 'svc_app_…, of an SDK app' },
  sdk_update_token: { type: 'http', scheme: 'bearer', description: 'svc_upd_…, of an enrolled install' },
};

/**
 * Builds the document, without internal operations. 409 and 429 aren't declared, because clients handle them by status
 * in every call.
 */
export function buildOpenApi(operations: readonly Operation[], baseUrl: string): Json {
  const components = new Components();
  const errorSchema = components.refer(errorBody, 'output');
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    if (operation.isInternal === true) continue;
    const body = requestBody(components, operation);
    const responses: Json = { [operation.status]: success(components, operation) };
    for (const status of errorStatuses(operation)) {
      responses[status] = {
        description: statusTexts[status] ?? 'Error',
        content: { 'application/json': { schema: errorSchema }, ...(operation.acceptsForm === true ? PAGE : {}) },
      };
    }
    const item = paths[operation.path] ?? {};
    item[operation.method] = {
      operationId: operation.id,
      tags: [operation.tag],
      summary: operation.summary,
      ...(operation.description === undefined ? {} : { description: operation.description }),
      parameters: [
        ...parameters(components, operation.params, 'path'),
        ...parameters(components, operation.query, 'query'),
      ],
      ...(body === undefined ? {} : { requestBody: body }),
      responses,
      security: security(operation),
    };
    paths[operation.path] = item;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Taxiway',
      version: version.version,
      description: 'Distribution of mobile test builds. Errors carry {error, message, details}; match on error.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    tags: [...new Set(operations.map((operation) => operation.tag))].map((name) => ({ name })),
    paths,
    components: { schemas: components.schemas, securitySchemes },
  };
}
