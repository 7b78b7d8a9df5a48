// Signals, the disabled debugger, and a log without a reader.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sendRequest } from '../../src/testing/http.ts';
import { bundleProgram, type Program } from '../crash/program.ts';
import { openWorkshop, type Workshop } from './test-host.ts';

const LISTENS = /^Listening on (http:\/\/127\.0\.0\.1:\d+)\n/m;

let program: Program;
let workshop: Workshop;
let children: ChildProcess[];
beforeAll(async () => {
  program = await bundleProgram();
});
beforeEach(() => {
  workshop = openWorkshop();
  children = [];
});
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  workshop[Symbol.dispose]();
});

/** Starts a server and reads its output up to the address it listens on. What follows can come in the same piece. */
async function serve(env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [program.file, 'serve'], {
    cwd: workshop.folder,
    env: { TAXIWAY_SERVER__PORT: '0', TAXIWAY_METRICS__ENABLED: 'true', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const { stdout, stderr } = child;
  const output = { stdout: '', stderr: '' };
  stderr.on('data', (chunk) => {
    output.stderr += chunk;
  });
  stdout.on('data', (chunk) => {
    output.stdout += chunk;
  });
  while (!/first admin account[^\n]*\n\n/.test(output.stdout)) await once(stdout, 'data');
  const [, url = ''] = LISTENS.exec(output.stdout) ?? [];
  expect(url).toMatch(/^http/);
  return { child, stdout, output, url, ended: once(child, 'close') };
}

/** Sends a hundred requests, whose lines in the log have some 250 bytes each. */
async function sendHundred(url: string): Promise<void> {
  const target = new URL('/api/v1/version', url);
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => sendRequest(target, { method: 'GET', headers: {} })),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
}

async function readDropped(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^taxiway_log_lines_dropped_total (\d+)$/m.exec(text)?.[1]);
}

describe('signals', () => {
  it('SIGHUP stops the server like SIGTERM', async () => {
    const { child, output, ended } = await serve();
    child.kill('SIGHUP');
    expect(await ended).toEqual([0, null]);
    expect(output.stderr).toContain('Stopping after running requests are finished.');
  });

  it('SIGUSR1 does not open a debugger, and the server keeps running', async () => {
    const { child, output, url, ended } = await serve();
    child.kill('SIGUSR1');
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    // Node says so when it opens one.
    expect(output.stderr).not.toContain('Debugger listening');
  });
});

describe('a log without a reader', () => {
  it('drops and counts lines, and blocks neither requests nor the server', { timeout: 120_000 }, async () => {
    const { child, stdout, output, url, ended } = await serve();
    expect(await readDropped(url)).toBe(0);
    stdout.pause();
    // The pipe takes 64 KiB and the server keeps 1 MiB in memory.
    let dropped = 0;
    for (let round = 0; round < 100 && dropped === 0; round += 1) {
      await sendHundred(url);
      dropped = await readDropped(url);
    }
    expect(dropped).toBeGreaterThan(0);

    stdout.resume();
    while (!output.stdout.includes('"msg":"log lines dropped"')) await once(stdout, 'data');
    const line = output.stdout.split('\n').find((text) => text.includes('log lines dropped')) ?? '';
    expect(JSON.parse(line)).toMatchObject({ level: 40, dropped: expect.any(Number) });
    expect(JSON.parse(line).dropped).toBe(await readDropped(url));
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
  });

  it('does not prevent SIGTERM from stopping the server', { timeout: 60_000 }, async () => {
    const { child, stdout, url } = await serve();
    stdout.pause();
    child.stderr.pause();
    for (let round = 0; round < 10; round += 1) await sendHundred(url);
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });
});
