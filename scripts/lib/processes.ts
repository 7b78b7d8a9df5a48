// Runs the program under test: starts it, waits until it responds, and reads its output.
import { type ChildProcess, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Running {
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Exit code, or the name of the signal that ended it. */
  ended: Promise<number | string>;
}

/** Starts a program, optionally in its own process group. */
export function start(
  command: string,
  words: string[],
  cwd: string,
  env: Record<string, string>,
  detached = false,
): Running {
  const child = spawn(command, words, { cwd, env, detached, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = new Promise<number | string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}

/** Runs a program until it ends, for at most 30 s, and returns its exit code (null if it was killed) and its output. */
export async function runOnce(
  command: string,
  words: string[],
  cwd: string,
  env: Record<string, string> = {},
  input = '',
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(command, words, { cwd, env, timeout: 30_000, killSignal: 'SIGKILL' });
  // A program that doesn't read its input may end first.
  child.stdin.on('error', () => {}).end(input);
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', resolve);
    }),
  ]);
  return { code, stdout, stderr };
}

export async function waitUntilReady(server: Running, port: number): Promise<void> {
  let isOver = false;
  void server.ended.then(() => {
    isOver = true;
  });
  const isReady = async () => {
    if (isOver) throw new Error(`it exited: ${server.stdout()}${server.stderr()}`);
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
    return answer?.status === 200;
  };
  await waitFor(isReady, 15_000, () => `not ready within 15 s: ${server.stdout()}${server.stderr()}`);
}

export async function waitFor(isDone: () => boolean | Promise<boolean>, patience: number, explain: () => string) {
  const end = Date.now() + patience;
  while (!(await isDone())) {
    if (Date.now() > end) throw new Error(explain());
    await sleep(20);
  }
}

/** Runs `body` while the program runs, then stops the program and expects a clean exit within 10 s. */
export async function whileRunning(running: Running, body: () => Promise<void>): Promise<void> {
  let code: number | string;
  try {
    await body();
    running.child.kill('SIGTERM');
    code = await Promise.race([running.ended, sleep(10_000, 'nothing within 10 s')]);
  } finally {
    running.child.kill('SIGKILL');
  }
  expect(code === 0, `after SIGTERM it ended with ${code}`);
}

export function expect(claim: boolean, message: string): void {
  if (!claim) throw new Error(message);
}
