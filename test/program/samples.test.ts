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
import { startSdkScenario } from '../sdk/scenario.ts';
import { api, type Page } from '../support/harness.ts';

const run = promisify(execFile);
const server = 'https://builds.example.com';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
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

it('send a form with its own fields', async () => {
  const entry = entries.find(({ operation }) => operation.operationId === 'sendFeedbackFromApp') as Entry;
  const sdk = await startSdkScenario(fixture);
  const { update_token: updateToken } = await sdk.enroll();
  writeFileSync(join(folder, 'file'), PNG);
  const samples = samplesOf(fixture.url, entry);
  const codeIn = (language: string) => samples.find((one) => one.language === language)?.code ?? '';

  const env = { PATH: process.env.PATH, APP_KEY: sdk.app.app_key, UPDATE_TOKEN: updateToken };
  const { stdout } = await run('bash', ['-c', codeIn('sh')], { cwd: folder, env });
  expect(JSON.parse(stdout)).toEqual({ identifier: expect.any(String) });

  const file = join(folder, 'form.mjs');
  const given = [
    "import { openAsBlob } from 'node:fs';",
    "const file = await openAsBlob('file');",
    'const { APP_KEY: appKey, UPDATE_TOKEN: updateToken } = process.env;',
  ];
  writeFileSync(file, [...given, codeIn('js'), 'console.log(JSON.stringify(result));'].join('\n'));
  const printed = await run(process.execPath, [file], { cwd: folder, env });
  expect(JSON.parse(printed.stdout)).toEqual({ identifier: expect.any(String) });
  expect(codeIn('python')).toContain('    data={"text": "Text"},\n    files={"pictures": open("file", "rb")},\n');

  const { body } = await api(fixture).get<Page<{ text: string; pictures: unknown[] }>>(
    `/api/v1/projects/${fixture.android_project_id}/feedback`,
  );
  expect(body.items.map(({ text, pictures }) => [text, pictures.length])).toEqual([
    ['Text', 1],
    ['Text', 1],
  ]);
});
