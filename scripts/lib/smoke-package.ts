// Tries the npm package as a user would: installed from its tarball into an empty project.
import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { findFreePort } from './ports.ts';
import { expect, type Running, runOnce, start, waitFor, waitUntilReady, whileRunning } from './processes.ts';
import { projectDir, runBeside, startPackageCommand } from './project.ts';
import { type CheckResult, collectResults } from './smoke.ts';

const exampleDir = join(projectDir, 'examples/npm-package');
/** Maximum size of the installed package with its dependencies. Most of it is the database driver for each platform. */
const MAX_BYTES = 120_000_000;
const MAX_DECLARATIONS = 12;
const NETWORK_ERRORS =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_SOCKET_TIMEOUT)\b/;
/** This environment with this Node.js first in PATH, without the variables that npm sets for scripts, except the registry. */
const env: Record<string, string> = {
  ...Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || (/^npm_/i.test(name) && !/^npm_config_(registry|cache|userconfig)$/i.test(name))
        ? []
        : [[name, value]],
    ),
  ),
  PATH: [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
};

/** Returns the checks' results, or the reason why the registry can't be reached. */
export async function tryTarball(tarball: string): Promise<CheckResult[] | { missing: string }> {
  const { results, check } = collectResults();
  let missing: string | undefined;
  await check('the package installs into an empty project and works', async (folder) => {
    missing = await install(tarball, folder);
    if (missing !== undefined) return;
    const installed = join(folder, 'node_modules/taxiway');
    await check('it brings no second Node.js', async () => {
      const bytes = sizeOf(join(folder, 'node_modules'));
      expect(
        bytes < MAX_BYTES,
        `node_modules has ${Math.round(bytes / 1e6)} MB, expected less than ${MAX_BYTES / 1e6}`,
      );
    });
    await check('it has its own README and license', async () => {
      const readme = readFileSync(join(installed, 'README.md'), 'utf8');
      expect(readme === readFileSync(join(projectDir, 'docs/npm-package.md'), 'utf8'), 'README.md is another one');
      expect(readdirSync(installed).includes('LICENSE'), 'LICENSE is missing');
    });
    await check('its types name nothing from inside the program', async () =>
      checkTypes(join(installed, 'dist/types')),
    );
    await check('its exports have types for a strict project', async () => compile(folder));
    await check('the tests of the example pass', async () => {
      const { code, stdout } = await runOnce(process.execPath, ['--test'], folder, env);
      expect(code === 0, stdout);
    });
    await check('the server of the example serves and stops', () => runExampleServer(folder));
    await check('npx taxiway serve serves and stops', () => serveByNpx(folder));
  });
  return missing === undefined ? results : { missing };
}

/** Copies the example and installs the tarball. Returns the reason if there is no network. */
async function install(tarball: string, folder: string): Promise<string | undefined> {
  cpSync(exampleDir, folder, { recursive: true });
  const options = ['--prefer-offline', '--fetch-retries=1', '--no-audit', '--no-fund', '--loglevel=error'];
  const { code, output } = await runBeside('npm', ['install', tarball, ...options], { cwd: folder, env });
  if (code === 0) return undefined;
  const [reason] = NETWORK_ERRORS.exec(output) ?? [];
  if (reason === undefined) throw new Error(`npm install failed:\n${output}`);
  return `the npm package can't be installed without its registry: ${reason}`;
}

/** Returns the size of all files in a folder, in bytes. */
function sizeOf(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** Checks that the declarations are few and only import each other and zod. */
function checkTypes(folder: string): void {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.d.ts'));
  expect(files.length <= MAX_DECLARATIONS, `${files.length} declarations: ${files.join(', ')}`);
  for (const name of files) {
    const text = readFileSync(join(folder, name), 'utf8');
    for (const [, from = ''] of text.matchAll(/(?:from |import\()['"]([^'"]+)['"]/g))
      expect(from.startsWith('.') || from === 'zod', `${name} imports ${from}`);
    // The descriptions of operations are in words.
    if (name === 'api.d.ts') continue;
    expect(!/\b(App|Context|Db|Tx)\b/.test(text), `${name} names something from inside the program`);
  }
}

/** Compiles the example and the programs in the README in strict mode, including the declarations of the package. */
async function compile(folder: string): Promise<void> {
  const readme = readFileSync(join(folder, 'node_modules/taxiway/README.md'), 'utf8');
  const programs = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text = '']) => text);
  expect(programs.length > 1, `the README has ${programs.length} programs`);
  for (const [index, text] of programs.entries()) writeFileSync(join(folder, `readme-${index}.ts`), text);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    allowImportingTsExtensions: true,
    module: 'nodenext',
    target: 'es2024',
    lib: ['es2025'],
    types: ['node'],
    typeRoots: [join(projectDir, 'node_modules/@types')],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const { code, output } = await startPackageCommand('typescript/bin/tsc', ['-p', folder]);
  expect(code === 0, output);
}

async function runExampleServer(folder: string): Promise<void> {
  const server = start(process.execPath, ['server.ts'], folder, env);
  const address = () => /Listening on (http:\S+)/.exec(server.stdout())?.[1];
  await whileRunning(server, async () => {
    await waitFor(
      () => address() !== undefined,
      15_000,
      () => `no address: ${server.stdout()}${server.stderr()}`,
    );
    expect((await fetch(`${address()}/health/live`)).status === 200, 'it is not live');
  });
}

/** Stops it like Ctrl+C in a terminal: with a signal to npx and its child processes. */
async function serveByNpx(folder: string): Promise<void> {
  const port = await findFreePort();
  const npx = start('npx', ['--no', 'taxiway', 'serve'], folder, { ...env, TAXIWAY_SERVER__PORT: String(port) }, true);
  try {
    await waitUntilReady(npx, port);
    const { status } = await fetch(`http://127.0.0.1:${port}/health/live`);
    expect(status === 200, `/health/live answered ${status}`);
    signalGroup(npx, 'SIGINT');
    await npx.ended;
    const isClosed = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/health/live`).catch(() => undefined);
      return answer === undefined;
    };
    await waitFor(isClosed, 10_000, () => 'it still answers 10 s after SIGINT');
  } finally {
    signalGroup(npx, 'SIGKILL');
  }
}

function signalGroup({ child }: Running, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch (error) {
    // The whole group has ended.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
