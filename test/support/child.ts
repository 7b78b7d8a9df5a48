// Child processes of tests.
import type { ChildProcess } from 'node:child_process';

export interface Output {
  stdout: string;
  stderr: string;
}

/** What a child process has printed so far; it grows as more comes. */
export function gatherOutput({ stdout, stderr }: ChildProcess): Output {
  const output: Output = { stdout: '', stderr: '' };
  stdout?.on('data', (chunk) => {
    output.stdout += chunk;
  });
  stderr?.on('data', (chunk) => {
    output.stderr += chunk;
  });
  return output;
}
