// The program as a process that can be killed. Bundled and compiled once for all test files of a run, because it starts in a quarter of the time then.
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { commonOptions } from '../../scripts/lib/bundle-options.ts';
import { buildSplitBundle } from '../../scripts/lib/package-bundle.ts';
import { FONT_ASSET, FONT_FILE } from '../../src/lib/assets.ts';
import { openWorkshop } from '../commands/test-host.ts';
import { gatherOutput } from '../support/child.ts';
import { PROGRAM_FOLDER_VARIABLE, type SharedService, shareService } from '../support/shared-service.ts';
import { workerEntryPoints } from '../support/workers.ts';

const projectRoot = resolve(import.meta.dirname, '../..');

export interface Program {
  /** The bundle, to be run by this Node. */
  file: string;
  /** Words for Node that load die-at.ts, already as JavaScript: what would translate it takes as long as the program's own start. */
  dieAtWords: string[];
}

const PATIENCE_MS = 60_000;

let bundled: Promise<Program> | undefined;

/** Bundles src/main.ts with what it carries, once for all tests of a run; the database driver stays a package. */
export function bundleProgram(): Promise<Program> {
  const shared = process.env[PROGRAM_FOLDER_VARIABLE];
  if (shared === undefined)
    throw new Error(`${PROGRAM_FOLDER_VARIABLE} is missing: run the tests with vitest.config.ts`);
  bundled ??= shareService<SharedService & Program>(shared, bundle, PATIENCE_MS);
  return bundled;
}

async function bundle(): Promise<SharedService & Program> {
  const cache = join(projectRoot, '.cache');
  mkdirSync(cache, { recursive: true });
  // Inside the project, where the driver is found.
  const folder = mkdtempSync(join(cache, 'crash-test-program-'));
  const assets = join(folder, 'assets');
  const source = join(projectRoot, 'src');
  const isCarried = (path: string) => !path.endsWith('.ts') && path !== join(source, 'dashboard');
  cpSync(source, assets, { recursive: true, filter: isCarried });
  cpSync(join(projectRoot, 'migrations'), join(assets, 'migrations'), { recursive: true });
  cpSync(join(projectRoot, FONT_FILE), join(assets, FONT_ASSET));
  const options = {
    ...commonOptions,
    format: 'cjs',
    external: ['better-sqlite3'] as string[],
  } satisfies BuildOptions;
  await build({
    ...options,
    entryPoints: workerEntryPoints,
    outdir: assets,
    outExtension: { '.js': '.cjs' },
  });
  const file = join(folder, 'taxiway.cjs');
  const definitions = {
    __TAXIWAY_ASSETS__: '"./assets"',
    __TAXIWAY_VERSION__: '"0.0.0-crash"',
    __TAXIWAY_COMMIT__: '"unknown"',
    __TAXIWAY_BUILT_AT__: '"2026-01-01T00:00:00.000Z"',
    'import.meta.dirname': '__dirname',
  };
  await buildSplitBundle(
    { ...options, define: definitions, supported: { 'dynamic-import': false } },
    { program: join(folder, 'program.cjs'), assets },
  );
  writeFileSync(
    file,
    "require('node:module').enableCompileCache(require('node:path').join(__dirname, 'compiled'));require('./program.cjs');",
  );
  const dieAt = join(folder, 'die-at.mjs');
  await build({ entryPoints: [join(import.meta.dirname, 'die-at.ts')], outfile: dieAt });
  const program = { file, dieAtWords: ['--import', dieAt] };
  await compile(program);
  return { ...program, folder, pids: [] };
}

/** Keeps what Node compiles for a start: a process does when it ends by itself, which most of the tests do not let it. */
async function compile(program: Program): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'taxiway-compile-'));
  try {
    const server = runProgram(program, folder, ['serve']);
    await server.ready();
    server.child.kill('SIGTERM');
    await server.ended;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Running {
  child: ChildProcess;
  output: { stdout: string; stderr: string };
  ended: Promise<Ended>;
  /** Waits until it listens; answers where. Rejects when it ends before. */
  ready(): Promise<string>;
  /** SIGKILL, and waits until it is gone. */
  kill(): Promise<void>;
}

export interface RunOptions {
  env?: Record<string, string>;
  /** Words for Node itself. */
  nodeWords?: readonly string[];
}

/** The configuration of every run, for want of another. */
const COMMON_ENV = {
  TAXIWAY_SERVER__PORT: '0',
  TAXIWAY_LOG__LEVEL: 'error',
  TAXIWAY_RATE_LIMITS__ENABLED: 'false',
  // Every killed round leaves uploads in flight behind.
  TAXIWAY_LIMITS__PENDING_UPLOADS_PER_PROJECT: '1000000',
};

/** Runs a command in a folder that nothing kills, in this process: a process of its own takes several times as long. */
export async function runHere(folder: string, words: string[], env: Record<string, string> = {}) {
  using workshop = openWorkshop();
  return workshop.run(words, { cwd: folder, env: { ...COMMON_ENV, XDG_CONFIG_HOME: workshop.folder, ...env } });
}

/** Runs the program in a folder, in which `serve` keeps everything under data/. */
export function runProgram(
  program: Pick<Program, 'file'>,
  folder: string,
  words: readonly string[],
  options: RunOptions = {},
): Running {
  const { env = {}, nodeWords = [] } = options;
  const child = spawn(process.execPath, [...nodeWords, program.file, ...words], {
    cwd: folder,
    env: { ...COMMON_ENV, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = gatherOutput(child);
  const ended = new Promise<Ended>((done) => child.once('close', (code, signal) => done({ code, signal })));
  return {
    child,
    output,
    ended,
    ready: () =>
      new Promise((found, fail) => {
        const look = (): void => {
          const url = /Listening on (\S+)\n/.exec(output.stdout)?.[1];
          if (url !== undefined) found(url);
        };
        child.stdout.on('data', look);
        void ended.then(({ code, signal }) =>
          fail(new Error(`ended with ${code ?? signal} before it listened: ${output.stderr}${output.stdout}`)),
        );
        look();
      }),
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
