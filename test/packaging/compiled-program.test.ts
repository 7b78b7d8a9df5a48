// What V8 compiles of the program for the executable doesn't depend on how busy the machine is.
import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compileCommand } from '../../scripts/lib/executable.ts';
import { COMPILED_PROGRAM, PROGRAM } from '../../src/lib/embedded.ts';
import { bundleProgram } from '../crash/program.ts';
import { gatherOutput } from '../support/child.ts';
import { sha256 } from '../support/fixtures.ts';

let folder: string;
let files: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'taxiway-compiled-'));
  files = dirname((await bundleProgram()).file);
  copyFileSync(join(files, 'program.cjs'), join(folder, PROGRAM));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Compiles the program on a machine that is idle or busy. Returns the checksum of what was compiled. */
async function compile(machine: 'idle' | 'busy'): Promise<string> {
  const data = mkdtempSync(join(folder, 'data-'));
  const { words, env } = compileCommand(folder, { data, files });
  const preloaded = ['--require', join(import.meta.dirname, 'busy-machine.cjs')];
  const child = spawn(process.execPath, [...preloaded, ...words], { cwd: data, env: { ...env, MACHINE: machine } });
  const output = gatherOutput(child);
  const code = await new Promise<number | null>((done) => child.once('close', done));
  expect({ code, stderr: output.stderr }).toEqual({ code: 0, stderr: '' });
  return sha256(readFileSync(join(folder, COMPILED_PROGRAM)));
}

it('is the same on a busy machine', { timeout: 120_000 }, async () => {
  const compiled = await compile('idle');
  expect(await compile('busy')).toBe(compiled);
});
