// The real Litestream, which scripts/lib/litestream.ts installs: replicates a database in the background until stopped.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gatherOutput } from './child.ts';

/** Where scripts/lib/litestream.ts installs it. */
export const litestreamDir = join(import.meta.dirname, '../../.cache/litestream');
export const litestreamProgram = join(litestreamDir, 'node_modules/@flydotio/litestream-linux-x64/litestream');

/** Why it can't be started here, or undefined if it can. */
export function whyNoLitestream(): string | undefined {
  return existsSync(litestreamProgram) ? undefined : 'Litestream is not installed';
}

export interface RunningLitestream extends Disposable {
  child: ChildProcess;
  output: { stdout: string; stderr: string };
  /** Sends the signal and waits until it has ended. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** Starts replicating with the file that `taxiway replication configure` wrote. */
export function startLitestream(file: string): RunningLitestream {
  const words = ['replicate', '-no-expand-env', '-config', file];
  const child = spawn(litestreamProgram, words, { stdio: ['ignore', 'pipe', 'pipe'], env: {} });
  const ended = new Promise<void>((done) => child.once('close', () => done()));
  return {
    child,
    output: gatherOutput(child),
    async end(signal) {
      child.kill(signal);
      await ended;
    },
    [Symbol.dispose]: () => void child.kill('SIGKILL'),
  };
}
