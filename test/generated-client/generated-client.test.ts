// The types that openapi-typescript generates from the API description compile, and programs with them work with the server: with a
// client of others, and with taxiway/client.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientDeclarations, writeApiTypes } from '../../scripts/lib/api-types.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { startSdkScenario } from '../sdk/scenario.ts';

const project = resolve(import.meta.dirname, '../..');
const cache = join(project, '.cache');
const run = promisify(execFile);
const node = (...words: string[]) => run(process.execPath, words, { cwd: project, env: { PATH: process.env.PATH } });

let fixture: Fixture;
let folder: string;
beforeAll(async () => {
  fixture = await startFixture();
  // Inside the project, so that the program finds its packages.
  mkdirSync(cache, { recursive: true });
  folder = mkdtempSync(join(cache, 'client-'));
  writeApiTypes(join(folder, 'schema.ts'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
}, 120_000);
afterAll(async () => {
  await fixture?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns what the compiler says about files in strict mode. */
async function compile(...files: string[]): Promise<string> {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    exactOptionalPropertyTypes: true,
    module: 'nodenext',
    target: 'es2024',
    lib: ['es2024', 'dom'],
    types: ['node'],
    allowImportingTsExtensions: true,
    skipLibCheck: false,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const compiler = join(project, 'node_modules/typescript/bin/tsc');
  const compiled = await node(compiler, '-p', folder).catch((error: { stdout: string }) => error);
  return compiled.stdout;
}

it('a client generated from the description compiles and calls the server', async () => {
  copyFileSync(join(import.meta.dirname, 'program.txt'), join(folder, 'program.ts'));
  expect(await compile('program.ts', 'schema.ts')).toBe('');

  const { access_token: token } = fixture.admin;
  const { stdout } = await node(join(folder, 'program.ts'), fixture.url, token, fixture.organization_id);
  expect(JSON.parse(stdout)).toEqual({
    platform: 'ios',
    names: ['Generated'],
    entitlements: [],
    codes: ['not_found', 'validation_error'],
    details: [{ type: 'string_too_short', loc: ['body', 'name'], msg: 'String should have at least 1 character' }],
  });
}, 120_000);

it('taxiway/client knows every operation, rejects wrong calls when compiling, and calls the server', async () => {
  copyFileSync(join(project, 'src/client.ts'), join(folder, 'client.ts'));
  writeFileSync(join(folder, 'api.ts'), "export type { components, operations, paths } from './schema.ts';\n");
  // As in the package, where a build adds the code.
  const typed = clientDeclarations.replace(
    'export declare function createClient(options: ClientOptions): Client;',
    "import { createClient as create } from './client.ts';\nexport const createClient = (options: ClientOptions): Client => create<paths>(options);",
  );
  writeFileSync(join(folder, 'api-client.ts'), typed);
  copyFileSync(join(import.meta.dirname, 'client-program.txt'), join(folder, 'client-program.ts'));
  expect(await compile('client-program.ts')).toBe('');

  const { access_token: token } = fixture.admin;
  const sdk = await startSdkScenario(fixture);
  const channelId = await sdk.addChannel({ public: true });
  const releaseId = await sdk.release('1.0', 1, {}, channelId);
  const sent = [fixture.organization_id, fixture.android_project_id, channelId, releaseId];
  const { stdout } = await node(join(folder, 'client-program.ts'), fixture.url, token, ...sent);
  expect(JSON.parse(stdout)).toEqual({
    created: { name: 'First', platform: 'ios' },
    names: ['First', 'Fixture Android', 'Fixture iOS', 'Generated', 'Second'],
    hasIcon: true,
    icon: 'image/png',
    deleted: 'undefined',
    error: { status: 404, code: 'not_found', message: 'Not found', details: {}, hasRequestId: true },
    invalid: 'validation_error',
    csv: true,
    organizations: true,
    exported: 0,
    table: 'created_at',
    roster: 'email',
    people: 0,
    downloaded: expect.stringMatching(/^package /),
    missing: 'The path /api/v1/projects/{project_id} requires project_id',
  });
}, 120_000);
