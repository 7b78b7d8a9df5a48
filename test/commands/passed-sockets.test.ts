// Listening sockets of the service manager: requests wait while the server restarts, and none fails.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isAddressOf, takePassedSockets } from '../../src/runtime/passed-sockets.ts';
import { bundleProgram, type Program } from '../crash/program.ts';
import { gatherOutput } from '../support/child.ts';
import { openWorkshop, type Workshop } from './test-host.ts';

describe('passed sockets', () => {
  it.each([
    [{ LISTEN_PID: '7', LISTEN_FDS: '2', LISTEN_FDNAMES: 'a:b' }, [3, 4]],
    [{ LISTEN_PID: '7', LISTEN_FDS: '0' }, []],
    [{ LISTEN_PID: '8', LISTEN_FDS: '1' }, []],
    [{ LISTEN_FDS: '1' }, []],
    [{ LISTEN_PID: '7', LISTEN_FDS: '-1' }, []],
    [{ LISTEN_PID: '7', LISTEN_FDS: '1e9' }, []],
    [{}, []],
  ])("of %j in process 7 are %j, and aren't passed on", (variables, expected) => {
    const env: NodeJS.ProcessEnv = { ...variables, OTHER: 'kept' };
    expect(takePassedSockets(env, 7)).toEqual(expected);
    expect(env).toEqual({ OTHER: 'kept' });
  });
});

/** Runs a server for each line of its input, with the sockets that it holds from descriptor 3, and prints its process id. */
const MANAGER = `while read -r line; do /bin/sh -c 'echo "process $$"; LISTEN_PID=$$ LISTEN_FDS=$SOCKETS exec "$@"' sh "$@" || echo ended; done`;

// Windows has no such sockets.
describe('the address of a passed socket', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1', true],
    ['127.0.0.1', '::ffff:127.0.0.1', true],
    ['127.0.0.1', '::', false],
    ['127.0.0.1', '0.0.0.0', false],
    ['192.0.2.7', '192.0.2.8', false],
    ['0.0.0.0', '::', true],
    ['0.0.0.0', '127.0.0.1', false],
    ['[::1]', '::1', true],
    ['::1', '::', false],
    ['localhost', '::1', true],
    ['localhost', '0.0.0.0', false],
    ['builds.internal', '192.0.2.7', true],
    ['127.0.0.1', undefined, false],
  ])('of a server on %s: %s is %s', (host, address, expected) => {
    expect(isAddressOf(host, address)).toBe(expected);
  });
});

describe.runIf(process.platform !== 'win32')('a server with passed sockets', () => {
  let program: Program;
  let workshop: Workshop;
  let port: number;
  let managers: ChildProcess[];
  beforeAll(async () => {
    program = await bundleProgram();
  });
  beforeEach(() => {
    workshop = openWorkshop();
    managers = [];
  });
  afterEach(() => {
    // With everything it runs.
    for (const { pid } of managers) if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    workshop[Symbol.dispose]();
  });

  /** Opens a port and hands it to a manager, which never accepts a connection itself. */
  async function openManager(configured: (port: number) => number = (own) => own, count = 1) {
    const opener = createServer();
    opener.listen(0, '127.0.0.1');
    await once(opener, 'listening');
    port = (opener.address() as AddressInfo).port;
    const { fd } = Reflect.get(opener, '_handle') as { fd: number };
    const manager = spawn('/bin/sh', ['-c', MANAGER, 'sh', process.execPath, program.file, 'serve'], {
      cwd: workshop.folder,
      env: {
        TAXIWAY_SERVER__PORT: String(configured(port)),
        TAXIWAY_SERVER__HOST: '127.0.0.1',
        TAXIWAY_LOG__LEVEL: 'warn',
        SOCKETS: String(count),
      },
      stdio: ['pipe', 'pipe', 'pipe', ...Array<number>(count).fill(fd)],
      detached: true,
    });
    managers.push(manager);
    opener.close();
    const output = gatherOutput(manager);
    let servers = 0;
    return {
      output,
      /** Starts a server. Returns its process id. */
      async start(): Promise<number> {
        manager.stdin?.write('start\n');
        servers += 1;
        const pids = () => [...output.stdout.matchAll(/^process (\d+)$/gm)].map(([, pid]) => Number(pid));
        await expect.poll(() => pids().length, { timeout: 30_000 }).toBe(servers);
        return pids().at(-1) ?? 0;
      },
    };
  }

  /** Requests the health of the server on a connection of its own. */
  function ask(): Promise<number> {
    return new Promise((resolve, reject) => {
      const asked = request({ port, host: '127.0.0.1', path: '/health/live', agent: new Agent() }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      asked.once('error', reject);
      asked.end();
    });
  }

  it('answers requests that were sent before it ran, and fails none while it restarts', async () => {
    const manager = await openManager();
    const early = ask();
    let pid = await manager.start();
    expect(await early).toBe(200);
    const answers: Promise<number>[] = [];
    const timer = setInterval(() => answers.push(ask()), 20);
    try {
      for (let restart = 0; restart < 2; restart += 1) {
        process.kill(pid, 'SIGTERM');
        pid = await manager.start();
        expect(await ask()).toBe(200);
      }
    } finally {
      clearInterval(timer);
    }
    const statuses = await Promise.all(answers);
    expect(statuses.length).toBeGreaterThan(10);
    expect(new Set(statuses)).toEqual(new Set([200]));
  }, 120_000);

  it('warns about a socket for which no port is configured', async () => {
    const { output, start } = await openManager(undefined, 2);
    await start();
    expect(await ask()).toBe(200);
    const written = () => output.stdout + output.stderr;
    await expect.poll(written, { timeout: 30_000 }).toContain('passed sockets without a configured port');
  });

  it('does not start on a socket of another port', async () => {
    const manager = await openManager((own) => (own === 65_535 ? own - 1 : own + 1));
    await manager.start();
    await expect.poll(() => manager.output.stdout, { timeout: 30_000 }).toContain('ended');
    expect(manager.output.stderr).toContain(`passed a socket for port ${port} of 127.0.0.1 instead of port`);
    expect(manager.output.stderr).toContain(
      'the addresses and ports in taxiway.socket and in the configuration have to be the same',
    );
  });
});
