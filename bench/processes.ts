// Child processes: programs that run to their end, and servers that are stopped again.
import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const START_PATIENCE_MS = 20_000;
const STOP_PATIENCE_MS = 10_000;

export interface ServerProcess {
  pid: number;
  url: string;
  stop(): Promise<void>;
}

/** Runs a program to its end; answers what it printed. Throws with its error output when it fails. */
export async function runProgram(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output.err += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${output.err || output.out}`);
  return output.out;
}

/** Whether there is a processor for the server and another one for its client. */
const hasTwoProcessors = availableParallelism() > 1;

/**
 * Keeps a process and its threads on the first processor; the client is given the second. On a shared one the work of
 * delivering bytes over the loopback is charged to whoever happens to run.
 */
export async function keepOnFirstProcessor(pid: number): Promise<void> {
  if (hasTwoProcessors) await runProgram('taskset', ['-a', '-p', '-c', '0', String(pid)]);
}

/**
 * Keeps the main thread of a process on the first processor and leaves its other threads free, as the system would: those
 * that read and write files, and collect garbage, would otherwise take turns with it.
 */
export async function keepMainThreadOnFirstProcessor(pid: number): Promise<void> {
  if (!hasTwoProcessors) return;
  await runProgram('taskset', ['-a', '-p', '-c', '0,1', String(pid)]);
  await runProgram('taskset', ['-p', '-c', '0', String(pid)]);
}

/** Runs a client on the processor of the server. */
export function runOnFirstProcessor(command: string, args: readonly string[]): Promise<string> {
  return hasTwoProcessors ? runProgram('taskset', ['-c', '0', command, ...args]) : runProgram(command, args);
}

/** Runs a client on the second processor. */
export function runOnSecondProcessor(command: string, args: readonly string[]): Promise<string> {
  return hasTwoProcessors ? runProgram('taskset', ['-c', '1', command, ...args]) : runProgram(command, args);
}

/**
 * Starts a server and waits until `readyPath` answers. Its output goes to `logFile`, which is shown when it fails to
 * start, or to nowhere.
 */
export async function startServer(options: {
  command: string;
  args: readonly string[];
  url: string;
  readyPath: string;
  env?: Record<string, string>;
  logFile?: string;
}): Promise<ServerProcess> {
  const { command, args, url, readyPath, logFile } = options;
  const output = logFile === undefined ? 'ignore' : openSync(logFile, 'a');
  const env = { ...process.env, ...options.env };
  const child = spawn(command, args, { stdio: ['ignore', output, output], env });
  const ended = new Promise<void>((resolve) => {
    child.on('error', () => resolve());
    child.on('exit', () => resolve());
  });
  const giveUpAt = performance.now() + START_PATIENCE_MS;
  while (!(await answers(`${url}${readyPath}`))) {
    if (child.exitCode !== null || child.pid === undefined || performance.now() > giveUpAt) {
      child.kill('SIGKILL');
      throw new Error(
        `${command} did not start: ${logFile === undefined ? 'no log' : readFileSync(logFile, 'utf8').slice(-2000)}`,
      );
    }
    await sleep(20);
  }
  return { pid: child.pid ?? 0, url, stop: () => stopChild(child, ended) };
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { headers: { connection: 'close' } });
    await response.arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

async function stopChild(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_PATIENCE_MS);
  await ended;
  clearTimeout(impatience);
}
