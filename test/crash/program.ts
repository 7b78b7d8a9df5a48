// The program as a process that can be killed. Bundled and compiled once for all test files of a run.
import { type ChildProcess, spawn } from 'node:child_process';
import { openWorkshop } from '../commands/test-host.ts';
import { gatherOutput } from '../support/child.ts';
import { PROGRAM_FOLDER_VARIABLE, shareService } from '../support/shared-service.ts';

export interface Program {
  /** The bundle, to be run by this Node. */
  file: string;
  /** What the bundler wrote, in UTF-8. */
  module: string;
  /** Words for Node that load die-at.ts, already as JavaScript: what would translate it takes as long as the program's own start. */
  dieAtWords: string[];
}

const PATIENCE_MS = 60_000;

let bundled: Promise<Program> | undefined;

/** Bundles the program, once for all tests of a run. */
export function bundleProgram(): Promise<Program> {
  const shared = process.env[PROGRAM_FOLDER_VARIABLE];
  if (shared === undefined)
    throw new Error(`${PROGRAM_FOLDER_VARIABLE} is missing: run the tests with vitest.config.ts`);
  // Loading what bundles it takes a while.
  bundled ??= shareService(shared, async () => (await import('./bundle.ts')).bundle(), PATIENCE_MS);
  return bundled;
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
