// The description of the API: for programs at /api/openapi.json, for people at /api/docs.
import { z } from 'zod';
import { buildOpenApi } from '../http/openapi.ts';
import { anonymous, media, type Operation, operation } from '../http/operation.ts';
import { reply } from '../http/reply.ts';
import { DOCS_PATH, DOCS_STYLE_PATH, OPENAPI_PATH } from '../lib/api-docs-paths.ts';
import type { Html } from '../lib/html.ts';
import { type OpenApiDocument, renderReference } from './reference.ts';
import { referenceStyle } from './reference-style.ts';

const tag = 'Service';
const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/** The operations that describe all operations, including themselves. */
export function documentationRoutes(all: () => readonly Operation[]): Operation[] {
  const documents = new Map<string, { json: string; page: Html }>();

  // Built when first requested, because the document takes longer than the rest of the start.
  function describe(baseUrl: string): { json: string; page: Html } {
    const known = documents.get(baseUrl);
    if (known !== undefined) return known;
    const document = buildOpenApi(all(), baseUrl);
    const described = {
      json: JSON.stringify(document),
      page: renderReference(document as unknown as OpenApiDocument),
    };
    documents.clear();
    documents.set(baseUrl, described);
    return described;
  }

  return [
    operation({
      id: 'getOpenApi',
      tag,
      summary: 'API description as OpenAPI 3.1',
      method: 'get',
      path: OPENAPI_PATH,
      access: anonymous,
      returns: z.record(z.string(), z.unknown()),
      status: 200,
      handle: (ctx) => reply('application/json', describe(ctx.config.server.base_url).json),
    }),
    operation({
      id: 'getReference',
      tag,
      summary: 'API description as a page',
      method: 'get',
      path: DOCS_PATH,
      access: anonymous,
      returns: media('text/html'),
      status: 200,
      handle: (ctx) => reply('text/html; charset=utf-8', describe(ctx.config.server.base_url).page, pageHeaders),
    }),
    operation({
      id: 'getReferenceStyle',
      tag,
      summary: 'Stylesheet of the API description page',
      method: 'get',
      path: DOCS_STYLE_PATH,
      access: anonymous,
      returns: media('text/css'),
      status: 200,
      handle: () => reply('text/css; charset=utf-8', referenceStyle, { 'cache-control': 'public, max-age=3600' }),
    }),
  ];
}
