// Child processes: programs that run to completion, and servers.
import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const START_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 10_000;

export interface ServerProcess {
  pid: number;
  url: string;
  stop(): Promise<void>;
}

/** Runs a program and returns its output. Throws an Error with its error output if it fails. */
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

/** Whether the server and its client can have separate processors. */
const hasTwoProcessors = availableParallelism() > 1;

/**
 * Pins a process and its threads to the first processor; the client gets the second. On a shared processor, the work of delivering
 * bytes over loopback is charged to an arbitrary process.
 */
export async function keepOnFirstProcessor(pid: number): Promise<void> {
  if (hasTwoProcessors) await runProgram('taskset', ['-a', '-p', '-c', '0', String(pid)]);
}

/**
 * Pins the main thread of a process to the first processor. Its other threads, which access files and collect garbage, stay
 * unpinned, because they'd otherwise compete with it.
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
 * Starts a server and waits until `readyPath` responds. Its output goes to `logFile`, which is shown if it fails to start, or is
 * discarded.
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
  const giveUpAt = performance.now() + START_TIMEOUT_MS;
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
  const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await ended;
  clearTimeout(impatience);
}
