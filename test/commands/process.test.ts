// The taxiway command as a process: help, exit codes, stdout, stderr and signals.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CATALOG } from '../../src/commands/catalog.ts';
import { bundleProgram, type Program } from '../crash/program.ts';
import { gatherOutput } from '../support/child.ts';
import { BUILD, startFakeServer, TOKEN } from './fake-server.ts';
import { openWorkshop, type Workshop } from './test-host.ts';

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

interface Running {
  child: ChildProcess;
  output: { stdout: string; stderr: string };
  ended: Promise<number | null>;
  /** Waits until stdout matches. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
}

function start(
  words: string[],
  { env = {}, input = '' }: { env?: Record<string, string>; input?: string } = {},
): Running {
  const child = spawn(process.execPath, [program.file, ...words], { cwd: workshop.folder, env });
  children.push(child);
  const output = gatherOutput(child);
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const printed = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(output.stdout);
        if (match !== null) resolve(match);
      };
      child.stdout.on('data', look);
      child.once('close', () => reject(new Error(`ended without ${pattern}: ${output.stderr}`)));
      look();
    });
  return { child, output, ended, printed };
}

async function run(words: string[], options: Parameters<typeof start>[1] = {}) {
  const { output, ended } = start(words, options);
  return { code: await ended, ...output };
}

describe('help', () => {
  const commands = [...CATALOG.map((entry) => entry.name), 'developer create', 'developer list'];

  it.each(commands)('of "%s" goes to stdout, has an example, and exits with 0', async (name) => {
    const { code, stdout, stderr } = await workshop.run([...name.split(' '), '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^Usage: taxiway ${name}`));
    expect(stdout).toMatch(new RegExp(`\nExamples?:\n  (\\S+=\\S+ )*taxiway ${name}`));
    expect(stdout).not.toContain('(default: [])');
  });

  it('lists every command', async () => {
    const { code, stdout } = await run(['--help']);
    expect(code).toBe(0);
    const width = Math.max(...CATALOG.map(({ name }) => name.length));
    for (const { name, summary } of CATALOG) expect(stdout).toContain(`  ${name.padEnd(width)}  ${summary}`);
  });

  it.each([
    [
      ['help', 'upload'],
      ['upload', '--help'],
    ],
    [
      ['help', 'developer', 'list'],
      ['developer', 'list', '--help'],
    ],
    [['help'], ['--help']],
    [['help', 'nonsense'], ['nonsense']],
    [['nonsense', '--help'], ['nonsense']],
    [['--version'], ['version']],
  ])('%j equals %j', async (words, other) => {
    expect(await workshop.run(words)).toEqual(await workshop.run(other));
  });
});

describe('the exit code', () => {
  const rows: [string[], number][] = [
    [[], 2],
    [['nonsense'], 2],
    [['serve', '--nonsense'], 2],
    [['serve', 'extra'], 2],
    [['developer'], 2],
    [['developer', 'create'], 2],
    [['version'], 0],
    [['builds'], 1],
    [['serve', '--config', 'absent.toml'], 1],
  ];

  function expectSeparated(code: number, stdout: string, stderr: string) {
    if (code === 0) expect(stderr).toBe('');
    else expect({ stdout, stderr }).toEqual({ stdout: '', stderr: expect.stringMatching(/^(taxiway: |Usage: )/) });
  }

  it.each(rows)('of %j is %i', async (words, expected) => {
    const { code, stdout, stderr } = await workshop.run(words);
    expect(code).toBe(expected);
    expectSeparated(code, stdout, stderr);
  });

  it.each([
    [['developer', 'create'], 2],
    [['builds'], 1],
    [['version'], 0],
  ])('of the process of %j is %i', async (words, expected) => {
    const { code, stdout, stderr } = await run(words);
    expect(code).toBe(expected);
    expectSeparated(expected, stdout, stderr);
  });

  it('is 0 if the reader of the output closes it early', async () => {
    const running = start(['openapi']);
    running.child.stdout?.destroy();
    expect(await running.ended).toBe(0);
  });

  it('is that of the command if the reader of the output closes it early', async () => {
    const words = ['check', '--config', 'config.toml'];
    writeFileSync(join(workshop.folder, 'config.toml'), '[server]\ndata_dir = "."\n');
    writeFileSync(join(workshop.folder, 'taxiway.db'), 'not a database');
    const running = start(words);
    running.child.stdout?.destroy();
    expect(await running.ended).toBe(1);
    const complete = await run(words);
    expect([complete.code, complete.stdout]).toEqual([1, expect.stringContaining('fail  database')]);
  });

  it('is that of the command if the reader of the messages closes them early', async () => {
    await using fake = await startFakeServer();
    const busy = { status: 503, headers: { 'retry-after': '0' } };
    fake.failNext('GET /organizations', busy, busy);
    const running = start(['builds', '--project', 'Runner'], { env: { TAXIWAY_URL: fake.url, TAXIWAY_TOKEN: TOKEN } });
    running.child.stderr?.destroy();
    expect(await running.ended).toBe(0);
    expect(running.output.stdout).toContain(BUILD);
  });

  it.runIf(existsSync('/dev/full'))('is 1 if the output cannot be written', async () => {
    const child = spawn('sh', ['-c', '"$0" "$1" version >/dev/full', process.execPath, program.file], { env: {} });
    children.push(child);
    const output = gatherOutput(child);
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(1);
    expect(output.stderr).toMatch(/^taxiway: cannot write the output: .*ENOSPC.*\n$/);
  });
});

describe('developer', () => {
  const words = ['--email', 'Dana@Example.com', '--password-stdin', '--verified', '--organization', 'Northwind'];

  it('creates an account with an organization and lists it', async () => {
    const created = await run(['developer', 'create', ...words, '--json'], { input: 'correct horse battery\n' });
    expect({ code: created.code, stderr: created.stderr }).toEqual({ code: 0, stderr: '' });
    const ids = JSON.parse(created.stdout);
    expect(ids).toEqual({ developer_id: expect.any(String), organization_id: expect.any(String) });
    const listed = await workshop.run(['developer', 'list', '--json']);
    expect(JSON.parse(listed.stdout)).toEqual([
      expect.objectContaining({
        identifier: ids.developer_id,
        email: 'dana@example.com',
        email_verified: true,
        display_name: 'dana',
      }),
    ]);
  });

  it('creates only one account for an address', async () => {
    const create = () =>
      workshop.run(['developer', 'create', ...words], { stdin: Readable.from(['correct horse battery']) });
    expect((await create()).code).toBe(0);
    expect(await create()).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'taxiway: This email address already has an account (already_exists)\n',
    });
  });

  it.each([
    ['dana', 'correct horse battery', /^taxiway: .*\(validation_error\)\ntaxiway: {3}email: /],
    ['dana@example.com', 'short', /^taxiway: .*\(validation_error\)\ntaxiway: {3}password: .*12/],
  ])('rejects %s with the password "%s"', async (email, password, message) => {
    const create = ['developer', 'create', '--email', email, '--password-stdin'];
    const { code, stdout, stderr } = await workshop.run(create, { stdin: Readable.from([password]) });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
  });
});

describe('serve', () => {
  const env = { TAXIWAY_SERVER__PORT: '0' };
  const LISTENS = /^Listening on (http:\/\/127\.0\.0\.1:\d+)\n/m;

  it('prints its address, responds there, and exits with 0 on a signal', async () => {
    const running = start(['serve'], { env });
    const [, url = ''] = await running.printed(LISTENS);
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    running.child.kill('SIGTERM');
    expect(await running.ended).toBe(0);
    await expect(fetch(`${url}/health/live`)).rejects.toThrow();
  });

  it('prints that it listens on all interfaces, and the fingerprint of its authority', async () => {
    const https = { TAXIWAY_SERVER__HOST: '0.0.0.0', TAXIWAY_SERVER__TLS__MODE: 'internal' };
    const { output, printed, child, ended } = start(['serve'], { env: { ...env, ...https } });
    await printed(/first admin account/);
    const [, url = ''] =
      /^Listening on (https:\/\/127\.0\.0\.1:\d+) and all other addresses of this machine$/m.exec(output.stdout) ?? [];
    expect(url).not.toBe('');
    const [, fingerprint] =
      /^Each phone has to trust its certificate authority once: https:\S+\/trust, SHA-256 (\S+)$/m.exec(
        output.stdout,
      ) ?? [];
    expect(await run(['builds'], { env: { TAXIWAY_URL: url, TAXIWAY_TOKEN: 'any' } })).toEqual({
      code: 1,
      stdout: '',
      stderr:
        `taxiway: cannot reach ${url}: self-signed certificate in certificate chain\n` +
        `taxiway: If the server uses its own certificate authority, save ${url}/trust/taxiway.pem, compare its SHA-256 ` +
        'fingerprint with the output of "scripts/taxiway check" on the server, and set NODE_EXTRA_CA_CERTS to the file.\n',
    });
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    const { stdout } = await workshop.run(['check'], { env: { ...https } });
    expect(stdout).toContain(`SHA-256 ${fingerprint};`);
  });

  it('prints a setup link with a QR code until there is an operator', async () => {
    const first = start(['serve'], { env });
    const [, link = ''] = await first.printed(/\n(http:\/\/localhost:\d+\/\S+)\n[\s\S]*[█▀▄]{5}/);
    expect((await fetch(link.replace('localhost', '127.0.0.1'))).status).toBe(200);
    expect(first.output.stderr).toContain("Phones can't open this link");
    first.child.kill('SIGINT');
    expect(await first.ended).toBe(0);

    const create = (...words: string[]) =>
      workshop.run(['developer', 'create', '--password-stdin', ...words], {
        stdin: Readable.from(['correct horse battery']),
      });
    await create('--email', 'a@b.example');
    const second = start(['serve'], { env });
    const [, another = ''] = await second.printed(/\n(http:\/\/localhost:\d+\/\S+)\n[\s\S]*[█▀▄]{5}/);
    const printed = await workshop.run(['setup-link', '--json'], {});
    const { setup_url: newest }: { setup_url: string } = JSON.parse(printed.stdout);
    const at = (address: string) => new URL(new URL(address).pathname, another.replace('localhost', '127.0.0.1'));
    expect((await fetch(at(newest))).status).toBe(200);
    expect((await fetch(at(another))).status).toBe(404);
    second.child.kill('SIGTERM');
    expect(await second.ended).toBe(0);

    await create('--email', 'c@d.example', '--operator');
    const third = start(['serve'], { env });
    await third.printed(LISTENS);
    third.child.kill('SIGTERM');
    expect(await third.ended).toBe(0);
    expect(third.output.stdout).not.toContain('first admin account');
    expect(await workshop.run(['setup-link'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^taxiway: This server is already set up\. .+reset-password" \(operation_not_allowed\)\n$/,
      ),
    });
  });

  it('finishes running requests before it stops, and stops immediately on a second signal', async () => {
    const running = start(['serve'], { env });
    const [, url = ''] = await running.printed(LISTENS);
    const beginUpload = () => {
      const upload = request(`${url}/api/v1/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'content-length': 2, expect: '100-continue' },
      });
      const status = new Promise<number | undefined>((resolve) => {
        upload.on('response', (response) => resolve(response.statusCode));
        upload.on('error', () => resolve(undefined));
      });
      // The server says that it has read the headers.
      const arrived = once(upload, 'continue');
      upload.write('{');
      return { upload, status, arrived };
    };
    const [first, second] = [beginUpload(), beginUpload()];
    await Promise.all([first.arrived, second.arrived]);
    running.child.kill('SIGTERM');
    await expect.poll(() => fetch(`${url}/health/live`).catch(() => 'refused')).toBe('refused');
    first.upload.end('}');
    expect(await first.status).toBe(400);
    running.child.kill('SIGTERM');
    expect(await second.status).toBeUndefined();
    expect(await running.ended).toBe(143);
  });

  it('reports an address in use, and what to do', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const { code, stdout, stderr } = await run(['serve'], { env: { TAXIWAY_SERVER__PORT: String(port) } });
    other.close();
    expect(code).toBe(1);
    expect(stdout).not.toContain('listens');
    const complaint = stderr.split('\n').filter((line) => !line.startsWith('{'));
    expect(complaint).toEqual([
      `taxiway: 127.0.0.1:${port} is used by another program; stop it, or set another port with server.port (TAXIWAY_SERVER__PORT=9000)`,
      '',
    ]);
  });

  it('reports other errors of listening in one line', async () => {
    const { code, stderr } = await run(['serve'], { env: { ...env, TAXIWAY_SERVER__HOST: '192.0.2.1' } });
    expect(code).toBe(1);
    expect(stderr).toContain('taxiway: cannot listen on 192.0.2.1:0 (EADDRNOTAVAIL); set server.host');
  });
});
