// The name of the program: hints show a command that works in this installation.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkCharacters, driverRequire } from '../../scripts/lib/bundle.ts';
import { nodeOptions } from '../../scripts/lib/executable.ts';
import { replaceProgramName } from '../../src/dashboard/shell/program-name.ts';
import { PACKAGES } from '../../src/lib/embedded.ts';
import { executablePath, programName } from '../../src/lib/process.ts';
import { withProgramName } from '../../src/lib/program-name.ts';
import { startFixture } from '../../src/testing/fixture.ts';
import { bundleProgram, type Program, runProgram } from '../crash/program.ts';
import { gatherOutput } from '../support/child.ts';
import { openWorkshop } from './test-host.ts';

const projectDir = resolve(import.meta.dirname, '../..');

describe('the name of the program', () => {
  it.each([
    ['the file name of the executable', 'executable', '/usr/local/bin/taxiway', false, 'taxiway'],
    [
      'the file name of an executable called otherwise',
      'executable',
      './taxiway-linux-arm64',
      false,
      'taxiway-linux-arm64',
    ],
    ['the file name without .exe on Windows', 'executable', String.raw`C:\tools\taxiway.exe`, false, 'taxiway'],
    ['npx taxiway where it was installed as a package', 'bundle', '/x/dist/taxiway.cjs', false, 'npx taxiway'],
    ['scripts/taxiway in a clone', 'bundle', '/x/dist/taxiway.cjs', true, 'scripts/taxiway'],
    ['taxiway when run from its sources', 'source', '/x/src/main.ts', true, 'taxiway'],
  ] as const)('is %s', (_, form, typed, isClone, name) => {
    expect(programName({ form, typed, isClone })).toBe(name);
  });

  it('replaces taxiway only in front of commands', () => {
    const text =
      'Start it with "taxiway serve". another taxiway command uses /srv/taxiway check; /srv/taxiway.service; taxiway checks';
    expect(withProgramName(text, 'npx taxiway')).toBe(
      'Start it with "npx taxiway serve". another taxiway command uses /srv/taxiway check; /srv/taxiway.service; taxiway checks',
    );
  });

  it('is used in help, incorrect usage, errors and findings, but not in data', async () => {
    using workshop = openWorkshop();
    const run = (...words: string[]) => workshop.run(words, { program: 'scripts/taxiway' });
    const help = await run('upload', '--help');
    expect(help.stdout).toMatch(/^Usage: scripts\/taxiway upload/);
    expect(help.stdout).not.toMatch(/(?<!scripts\/)taxiway upload/);
    expect((await run('serve', '--nonsense')).stderr).toContain('(see "scripts/taxiway serve --help")');
    expect((await run()).stderr).toContain('"scripts/taxiway COMMAND --help"');
    expect((await run('builds')).stderr).toBe(
      'taxiway: no server configured: sign in with "scripts/taxiway login", or set TAXIWAY_URL and TAXIWAY_TOKEN\n',
    );
    expect((await run('init', 'fresh')).stderr).toBe('Start the server in that folder with "scripts/taxiway serve".\n');
    await run('migrate');
    expect((await run('check')).stdout).toContain(
      'no operator account yet: "scripts/taxiway setup-link" prints the link',
    );
    const findings: { name: string; detail: string }[] = JSON.parse((await run('check', '--json')).stdout);
    expect(findings.find(({ name }) => name === 'accounts')?.detail).toContain('"scripts/taxiway setup-link"');
  });
});

describe('the path of the executable', () => {
  it('is found without /proc the way the shell found it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'taxiway-path-'));
    writeFileSync(join(folder, 'taxiway'), '');
    const env = { PATH: `/nowhere:${folder}` };
    expect(executablePath('taxiway', env)).toBe(join(folder, 'taxiway'));
    expect(executablePath('./taxiway', env)).toBe(resolve('taxiway'));
    expect(executablePath('/opt/taxiway', env)).toBe('/opt/taxiway');
    rmSync(folder, { recursive: true });
  });

  it('is not needed to load the database driver', () => {
    const load = new Function('require', 'process', `${driverRequire} return __non_webpack_require__;`);
    const requireDriver = load(createRequire(import.meta.url), { execPath: 'taxiway' });
    expect(requireDriver('node:os')).toHaveProperty('hostname');
  });
});

describe('the debugger of Node', () => {
  it('is disabled from the start by everything that starts a server', async () => {
    expect(nodeOptions).toContain('--disable-sigusr1');
    for (const script of ['start', 'taxiway']) {
      const text = readFileSync(join(projectDir, 'scripts', script), 'utf8');
      expect(text).toMatch(/^exec node --disable-sigusr1 /m);
    }
    using workshop = openWorkshop();
    await workshop.run(['init', '--systemd']);
    const unit = readFileSync(join(workshop.folder, 'taxiway.service'), 'utf8');
    expect(unit).toMatch(/^ExecStart=\S+ --disable-sigusr1 \S+ serve --config /m);
  });
});

describe('scripts/taxiway', () => {
  let program: Program;
  let clone: string;
  beforeAll(async () => {
    program = await bundleProgram();
    clone = mkdtempSync(join(tmpdir(), 'taxiway-clone-'));
    for (const name of ['taxiway', 'lib.sh', 'lib']) {
      cpSync(join(projectDir, 'scripts', name), join(clone, 'scripts', name), { recursive: true });
    }
    for (const name of ['src', 'migrations']) mkdirSync(join(clone, name));
    for (const name of ['package.json', 'package-lock.json']) cpSync(join(projectDir, name), join(clone, name));
    symlinkSync(join(projectDir, 'node_modules'), join(clone, 'node_modules'));
    // Newer than everything that it is built from.
    cpSync(join(program.file, '..'), join(clone, 'dist'), { recursive: true });
    const now = new Date();
    spawnSync('touch', ['-d', now.toISOString(), join(clone, 'dist/taxiway.cjs')]);
    spawnSync('find', [
      clone,
      '-path',
      `${clone}/dist`,
      '-prune',
      '-o',
      '-exec',
      'touch',
      '-h',
      '-d',
      '2020-01-01',
      '{}',
      '+',
    ]);
  }, 60_000);
  afterAll(() => {
    rmSync(clone, { recursive: true, force: true });
  });

  async function run(words: string[], env: Record<string, string> = {}) {
    using workshop = openWorkshop();
    const child = spawn(join(clone, 'scripts/taxiway'), words, {
      cwd: workshop.folder,
      env: { PATH: process.env.PATH ?? '', HOME: workshop.folder, ...env },
    });
    const output = gatherOutput(child);
    const code = await new Promise((done) => child.once('close', done));
    return { code, ...output };
  }

  it('runs the command in the current folder, and hints contain its name', { timeout: 60_000 }, async () => {
    expect(await run(['builds'])).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'taxiway: no server configured: sign in with "scripts/taxiway login", or set TAXIWAY_URL and TAXIWAY_TOKEN\n',
    });
    const notes = await run(['upload', 'missing.apk'], { TAXIWAY_URL: 'http://127.0.0.1:1', TAXIWAY_TOKEN: 'x' });
    expect(notes.stderr).toContain('missing.apk');
  });

  it('is shown by a server that waits for its setup', { timeout: 60_000 }, async () => {
    using workshop = openWorkshop();
    const built = { file: join(clone, 'dist/taxiway.cjs'), [Symbol.dispose]: () => {} };
    const server = runProgram(built, workshop.folder, ['serve']);
    try {
      const url = await server.ready();
      const home = await fetch(url, { headers: { accept: 'text/html' } });
      expect(await home.text()).toContain('scripts/taxiway setup-link');
      const stranger = { email: 'stranger@example.com', password: 'twelve letters', display_name: 'Stranger' };
      const refused = await fetch(new URL('/api/v1/developers', url), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(stranger),
      });
      expect(await refused.json()).toMatchObject({
        message: expect.stringContaining('Run `scripts/taxiway setup-link` for a new one'),
      });
    } finally {
      await server.kill();
    }
  });

  it('is shown to an older Node.js', () => {
    const pretend = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.1.0' } });";
    const main = join(clone, 'dist/taxiway.cjs');
    const words = [
      '-e',
      `${pretend} process.argv.splice(1, 0, ${JSON.stringify(main)}); require(${JSON.stringify(main)})`,
    ];
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'taxiway: Node.js 24 or newer is required, this is 22.1.0; scripts/taxiway runs it with the right one\n',
    });
  });
});

describe('the build', () => {
  it('accepts every character of the program', { timeout: 60_000 }, async () => {
    const { file, module } = await bundleProgram();
    const packages = join(file, '../assets', PACKAGES);
    const scripts = readdirSync(packages).map((name) => join(packages, name));
    expect(scripts.length).toBeGreaterThan(0);
    for (const script of [module, ...scripts]) checkCharacters(readFileSync(script, 'utf8'));
  });

  it('rejects a character beyond Latin-1, and shows where it is', () => {
    const [before, after] = ['a'.repeat(57), 'b'.repeat(17)];
    expect(() => checkCharacters(`xx${before}ÿ/[б]/${after}xx`)).toThrow(
      new Error(`Write the character beyond Latin-1 as an escape: ${before}ÿ/[б]/${after}`),
    );
  });
});

describe('the web app', () => {
  it('shows commands as they are typed on the server', async () => {
    expect(replaceProgramName('Not sent (taxiway mail list)', 'scripts/taxiway')).toBe(
      'Not sent (scripts/taxiway mail list)',
    );
    await using fixture = await startFixture();
    const page = await fetch(`${fixture.url}/sign-in`, { headers: { accept: 'text/html' } });
    const text = await page.text();
    // Where the web app was not built, the server has no document.
    if (page.headers.get('content-type')?.startsWith('text/html') === true && text.includes('taxiway-origin')) {
      expect(text).toContain('<meta name="taxiway-program" content="taxiway">');
    }
  });
});
