// The real program as a person runs it: `taxiway serve` in an empty folder with nothing but its own variables, and client commands.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { bundleProgram } from '../crash/program.ts';
import { gatherOutput } from '../support/child.ts';

export const projectDir = resolve(import.meta.dirname, '../..');

/** Returns the program as one file, beside it the web app, the documentation and the JavaScript client. */
export async function findProgram(): Promise<string> {
  const { file } = await bundleProgram();
  for (const name of ['dashboard', 'docs', 'cli/taxiway.cjs']) {
    const link = join(file, '../assets', name);
    mkdirSync(dirname(link), { recursive: true });
    if (existsSync(link)) continue;
    // Another test process may link it at the same moment.
    symlinkSync(join(projectDir, 'dist/assets', name), `${link}.${process.pid}`);
    renameSync(`${link}.${process.pid}`, link);
  }
  return file;
}

export interface Ended {
  code: number | string;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  cwd: string;
  env?: Record<string, string>;
  input?: string;
}

/** Runs a command to its end. */
export function runProgram(command: string, words: readonly string[], { cwd, env = {}, input = '' }: RunOptions) {
  return new Promise<Ended>((settle, reject) => {
    const child = spawn(command, words, { cwd, env });
    const output = gatherOutput(child);
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.on('error', reject);
    child.on('close', (code, signal) => settle({ code: code ?? signal ?? 'unknown', ...output }));
  });
}

/** Runs `taxiway` with these words. */
export async function runTaxiway(words: readonly string[], options: RunOptions): Promise<Ended> {
  return runProgram(process.execPath, [await findProgram(), ...words], options);
}

export interface RunningServer {
  /** Empty at the start; `data` appears in it. */
  folder: string;
  /** Where it listens, whatever its links say. */
  url: string;
  /** The link that creates the first administrator, as printed. */
  setupLink: string;
  /** Ends it as a service manager does and answers how it ended. */
  terminate(): Promise<number | string>;
  /** Ends it if it still runs, and removes the folder. */
  remove(): Promise<void>;
}

/** Starts `taxiway serve` on a free port and waits for its setup link. */
export async function startServer(env: Record<string, string> = {}): Promise<RunningServer> {
  const program = await findProgram();
  const folder = mkdtempSync(join(tmpdir(), 'taxiway-walk-'));
  const child = spawn(process.execPath, [program, 'serve'], {
    cwd: folder,
    env: { TAXIWAY_SERVER__PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = gatherOutput(child);
  const ended = new Promise<number | string>((settle) => {
    child.once('close', (code, signal) => settle(code ?? signal ?? 'unknown'));
  });
  const printed = new Promise<{ url: string; setupLink: string }>((settle, reject) => {
    child.stdout.on('data', () => {
      const url = /^Listening on (\S+)$/m.exec(output.stdout)?.[1];
      const setupLink = /^(http\S+\/setup\/\S+)$/m.exec(output.stdout)?.[1];
      if (url !== undefined && setupLink !== undefined) settle({ url, setupLink });
    });
    void ended.then((code) => reject(new Error(`taxiway serve ended with ${code}: ${output.stdout}${output.stderr}`)));
  });
  const terminate = () => {
    child.kill('SIGTERM');
    return ended;
  };
  const remove = async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    return { folder, ...(await printed), terminate, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
