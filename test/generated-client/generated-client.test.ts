// The types that openapi-typescript generates from the API description compile, and a program with them works with the server.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';

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
});
afterAll(async () => {
  await fixture?.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('a client generated from the description compiles and calls the server', async () => {
  const description = await fetch(`${fixture.url}/api/openapi.json`);
  writeFileSync(join(folder, 'openapi.json'), await description.text());
  await node(
    '--import',
    join(import.meta.dirname, 'compiler.ts'),
    join(project, 'node_modules/openapi-typescript/bin/cli.js'),
    join(folder, 'openapi.json'),
    '--output',
    join(folder, 'schema.ts'),
  );
  copyFileSync(join(import.meta.dirname, 'program.txt'), join(folder, 'program.ts'));
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2024',
    lib: ['es2024', 'dom'],
    types: ['node'],
    allowImportingTsExtensions: true,
    skipLibCheck: false,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts', 'schema.ts'] }));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const compiler = join(project, 'node_modules/typescript/bin/tsc');
  const compiled = await node(compiler, '-p', folder).catch((error: { stdout: string }) => error);
  expect(compiled.stdout).toBe('');

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
