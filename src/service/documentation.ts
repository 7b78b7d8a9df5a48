// The description of the API: for programs at /api/openapi.json. For people, the documentation has a reference.
import { basePathOf } from '../config/base-path.ts';
import { openApiSteps } from '../http/openapi.ts';
import { anonymous, type Operation, operation, redirect } from '../http/operation.ts';
import { redirectTo, reply } from '../http/reply.ts';
import { DOCS_PATH, OPENAPI_PATH } from '../lib/api-docs-paths.ts';
import { startSteps } from '../lib/steps.ts';
import * as z from '../lib/zod.ts';

const tag = 'Service';
/** The page of the documentation with all operations. It opens the operation that `#operationId` names. */
const REFERENCE_PAGE = '/docs/api.html';

/** The operations that describe all operations, including themselves. */
export function documentationRoutes(all: () => readonly Operation[]): Operation[] {
  let built: { baseUrl: string; json: Promise<Buffer> } | undefined;

  // Built when first requested, because the document takes longer than the rest of the start.
  function describe(baseUrl: string): Promise<Buffer> {
    if (built?.baseUrl === baseUrl) return built.json;
    const json = build(all(), baseUrl);
    built = { baseUrl, json };
    // The next request tries again.
    json.catch(() => {
      built = undefined;
    });
    return json;
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
      handle: async (ctx) => reply('application/json', await describe(ctx.config.server.base_url)),
    }),
    operation({
      id: 'getReference',
      tag,
      summary: 'API reference',
      description: 'Leads to the reference in the documentation. `#operationId` opens an operation.',
      method: 'get',
      path: DOCS_PATH,
      access: anonymous,
      returns: redirect,
      status: 302,
      handle: (ctx) => redirectTo(`${basePathOf(ctx.config)}${REFERENCE_PAGE}`),
    }),
  ];
}

/** Encoded once: encoding it again for each response would take milliseconds and keep a copy for each client that reads slowly. */
async function build(operations: readonly Operation[], baseUrl: string): Promise<Buffer> {
  const step = startSteps();
  const building = openApiSteps(operations, baseUrl);
  for (;;) {
    const built = building.next();
    await step();
    if (built.done === true) return Buffer.from(JSON.stringify(built.value));
  }
}
