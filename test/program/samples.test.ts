// The samples of the API reference: valid programs in their languages, which do what the reference says.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Entry, entriesOf, type OpenApiDocument } from '../../scripts/lib/docs/openapi-document.ts';
import { samplesOf } from '../../scripts/lib/docs/samples.ts';
import { buildOpenApi } from '../../src/http/openapi.ts';
import { operations } from '../../src/operations.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, type Page } from '../support/harness.ts';

const run = promisify(execFile);
const server = 'https://builds.example.com';
const entries = entriesOf(buildOpenApi(operations, server) as unknown as OpenApiDocument);
const codesIn = (language: string) =>
  entries.map((entry) => ({
    id: entry.operation.operationId,
    code: samplesOf(server, entry).find((one) => one.language === language)?.code ?? '',
  }));

let fixture: Fixture;
let folder: string;
beforeAll(async () => {
  fixture = await startFixture();
  folder = mkdtempSync(join(tmpdir(), 'taxiway-samples-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await fixture?.stop();
});

/** The operation that creates a project, with an example for the fixture. */
function createProject(name: string): Entry {
  const entry = entries.find(({ operation }) => operation.operationId === 'createProject') as Entry;
  const copy = structuredClone(entry);
  for (const parameter of copy.operation.parameters) {
    if (parameter.name === 'organization_id') parameter.example = fixture.organization_id;
  }
  const json = copy.operation.requestBody?.content['application/json'];
  if (json !== undefined) json.example = { name, platform: 'ios' };
  return copy;
}

const sampleIn = (language: string, name: string) =>
  samplesOf(fixture.url, createProject(name)).find((one) => one.language === language)?.code ?? '';

async function projectNames(): Promise<string[]> {
  const { body } = await api(fixture).get<Page<{ name: string }>>('/api/v1/projects', {
    organization_id: fixture.organization_id,
  });
  return body.items.map(({ name }) => name);
}

it('are valid JavaScript, one program for each operation', async () => {
  const codes = codesIn('js');
  expect(codes.length).toBe(operations.filter(({ isInternal }) => isInternal !== true).length);
  const source = codes.map(({ id, code }) => `async function ${id}() {\n${code}\n}`).join('\n');
  expect((await transform(source, { loader: 'js' })).warnings).toEqual([]);
});

it('are valid commands of a shell', async () => {
  const file = join(folder, 'samples.sh');
  writeFileSync(
    file,
    codesIn('sh')
      .map(({ code }) => code)
      .join('\n'),
  );
  expect((await run('bash', ['-n', file])).stderr).toBe('');
});

it.skipIf(
  await run('python3', ['--version']).then(
    () => false,
    () => true,
  ),
)('are valid Python', async () => {
  const file = join(folder, 'samples.py');
  writeFileSync(
    file,
    codesIn('python')
      .map(({ code }) => code)
      .join('\n'),
  );
  expect((await run('python3', ['-c', `import ast, sys; ast.parse(open(sys.argv[1]).read())`, file])).stderr).toBe('');
});

it('send the request of the operation with curl and with fetch', async () => {
  const env = { PATH: process.env.PATH, TOKEN: fixture.admin.access_token };
  const { stdout } = await run('bash', ['-c', sampleIn('sh', "It's a sample")], { env });
  expect(JSON.parse(stdout)).toMatchObject({ name: "It's a sample", platform: 'ios' });

  const file = join(folder, 'sample.mjs');
  writeFileSync(
    file,
    `const token = process.env.TOKEN;\n${sampleIn('js', "It's another")}\nconsole.log(JSON.stringify(result));`,
  );
  const printed = await run(process.execPath, [file], { env });
  expect(JSON.parse(printed.stdout)).toMatchObject({ name: "It's another", platform: 'ios' });
  expect(await projectNames()).toEqual(expect.arrayContaining(["It's a sample", "It's another"]));
});

it('name the credential of each operation', () => {
  const curl = new Map(codesIn('sh').map(({ id, code }) => [id, code]));
  expect(curl.get('listProjects')).toContain('-H "Authorization: Bearer $TOKEN"');
  expect(curl.get('getLiveness')).toBe(`curl -sS --fail-with-body '${server}/health/live'`);
  expect(curl.get('setProjectIcon')).toContain('-F file=@file');
});
