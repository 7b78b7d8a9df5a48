// The types of every operation for `taxiway/client`, generated from the OpenAPI document.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildOpenApi } from '../../src/http/openapi.ts';
import { EXAMPLE_SERVER } from '../../src/http/openapi-examples.ts';
import { operations } from '../../src/operations.ts';
import { cacheDir, projectDir, run } from './project.ts';

/** Writes the declarations of `paths`, `operations` and `components` to a file, which ends with `.ts`. */
export function writeApiTypes(file: string): void {
  const source = join(cacheDir, `openapi-${process.pid}.json`);
  mkdirSync(cacheDir, { recursive: true });
  // Examples would be comments of ten thousand lines.
  const document = JSON.stringify(buildOpenApi(operations, EXAMPLE_SERVER), (name, value) =>
    name === 'example' || name === 'examples' ? undefined : value,
  );
  writeFileSync(source, document);
  try {
    const { code, output } = run(process.execPath, [
      '--import',
      join(import.meta.dirname, 'typescript-5.ts'),
      join(projectDir, 'node_modules/openapi-typescript/bin/cli.js'),
      source,
      '--output',
      file,
    ]);
    if (code !== 0) throw new Error(`The types of the API can't be generated:\n${output}`);
  } finally {
    rmSync(source, { force: true });
  }
}

/** The declarations that `taxiway/client` exports: the client with the types of all operations. */
export const clientDeclarations = `// taxiway/client: a client with the types of every operation of this version.
import type { Client as ClientOf, ClientOptions } from './client.ts';
import type { components, operations, paths } from './api.ts';

export { ApiError } from './client.ts';
export type { ClientOptions };
export type { components, operations, paths };

/** A client of one server. Each method sends one request, and throws ApiError if the server refuses it. */
export type Client = ClientOf<paths>;
/** The objects of the API by name, such as \`Schemas['Project']\`. */
export type Schemas = components['schemas'];
/** Creates a client. Sends nothing yet. */
export declare function createClient(options: ClientOptions): Client;
`;
