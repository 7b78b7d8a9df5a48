// The executable: time until its first response, and its idle memory.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { findFreePort } from '../scripts/lib/ports.ts';
import { buildBareExecutable } from './bare-executable.ts';
import { type Bench, boundRow, median, type Row, ratioRow, takeTurns } from './benchmark.ts';
import { programFile, writeConfig } from './server-fixture.ts';
import { anonymousMb, cpuMs, residentMb } from './usage.ts';

const IDLE_AFTER_MS = 5_000;
/** The executable is built after the bundle, which is rebuilt before each run. */
const BUILD_MS = 10 * 60_000;
const POLLING_TIMEOUT_MS = 20_000;
const executable = join(import.meta.dirname, '../dist/taxiway');

export const startBench: Bench = {
  name: 'start',
  summary:
    'the executable: time from exec to the first 200 of /health/live, a restart, and resident memory after 5 s, beside a bare one',
  async run(kit) {
    const isExecutable = existsSync(executable);
    const isOlder = isExecutable && statSync(executable).mtimeMs < statSync(programFile).mtimeMs - BUILD_MS;
    const program = isExecutable ? [executable] : [process.execPath, programFile];
    const note = !isExecutable
      ? 'node dist/taxiway.cjs'
      : isOlder
        ? 'dist/taxiway of an earlier build'
        : 'dist/taxiway';
    const bareFolder = join(kit.folder, 'bare');
    const bare = await buildBareExecutable(bareFolder);
    const command = (port: number) => [
      ...program,
      'serve',
      '--config',
      writeConfig(kit.folder, port, `http://127.0.0.1:${port}`),
    ];
    const bareCommand = (port: number) => [bare, bareFolder, String(port)];
    // The first start creates the database for the following ones.
    await startOnce(command, 0);
    addOperator(join(kit.folder, 'taxiway.db'));
    await startOnce(bareCommand, 0);
    const starts = await takeTurns(kit.rounds, {
      ours: () => startOnce(command, IDLE_AFTER_MS),
      bare: () => startOnce(bareCommand, IDLE_AFTER_MS),
    });
    const row = (name: string, measure: keyof Start, show: (value: number) => string, atMost: number): Row =>
      ratioRow({
        name,
        measured: starts.ours.map((start) => start[measure]),
        baseline: starts.bare.map((start) => start[measure]),
        show,
        goal: { atMost },
        note,
      });
    const ms = (value: number) => `${Math.round(value)} ms`;
    const mb = (value: number) => `${Math.round(value)} MB`;
    const restarts = starts.ours.map((start) => start.stopMs + start.ms);
    return [
      row('first answer after start, warm', 'ms', ms, 2),
      row('first answer after start, warm: CPU', 'cpu', (value) => `${ms(value)} CPU`, 2),
      boundRow({
        name: 'restart: from the signal to the next answer, which waiting requests get',
        measured: median(restarts),
        below: 1_000,
        unit: 'ms',
        note: `${note}, with a new connection without a request`,
      }),
      row('idle memory', 'mb', mb, 1.4),
      row('idle memory without pages of files', 'ownMb', mb, 1.4),
    ];
  },
};

interface Start {
  ms: number;
  cpu: number;
  stopMs: number;
  mb: number;
  ownMb: number;
}

/** Adds an operator, because without one each start offers to create it, with a QR code. */
function addOperator(databaseFile: string): void {
  const database = new Sqlite(databaseFile);
  database.exec(
    "INSERT INTO developers (id, email, display_name, created_at, is_operator) VALUES ('00000000-0000-7000-8000-000000000001', 'bench@example.test', 'Bench', 0, 1)",
  );
  database.close();
}

async function startOnce(commandFor: (port: number) => string[], idleMs: number): Promise<Start> {
  const port = await findFreePort();
  const [command = '', ...args] = commandFor(port);
  const startedAt = performance.now();
  const child = spawn(command, args, { stdio: 'ignore', env: {} });
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  try {
    while (!(await isLive(port))) {
      if (child.exitCode !== null || performance.now() - startedAt > POLLING_TIMEOUT_MS)
        throw new Error(`${command} did not start`);
      await sleep(1);
    }
    const ms = performance.now() - startedAt;
    const cpu = cpuMs(child.pid ?? 0);
    await sleep(idleMs);
    const mb = residentMb(child.pid ?? 0);
    const ownMb = anonymousMb(child.pid ?? 0);
    // The stop waits for its first request.
    const unused = connect(port, '127.0.0.1');
    await once(unused, 'connect');
    unused.on('error', () => undefined);
    const stoppedAt = performance.now();
    child.kill('SIGTERM');
    await ended;
    return { ms, cpu, mb, ownMb, stopMs: performance.now() - stoppedAt };
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

/** Sends one raw request, because a client that takes milliseconds itself would affect the measurement. */
function isLive(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () =>
      socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'),
    );
    socket.once('data', (chunk: Buffer) => {
      resolve(chunk.toString('latin1').startsWith('HTTP/1.1 200'));
      socket.destroy();
    });
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
  });
}
