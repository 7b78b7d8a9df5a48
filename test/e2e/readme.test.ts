// What README.md says is true: its walk runs as it stands, its programs compile and print what they say, its words exist.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { readApiDemos, sha256 } from '../support/fixtures.ts';
import { openBrowser, visit } from './browser.ts';
import { mainFile, projectDir, type RunningServer, runProgram, runTaxiway, startServer } from './program.ts';

const readme = readFileSync(join(projectDir, 'README.md'), 'utf8');
const blocks = [...readme.matchAll(/^```(\w*)( walk)?\n([\s\S]*?)^```$/gm)].map(([, language, mark, text]) => ({
  language,
  isWalk: mark !== undefined,
  text: text ?? '',
}));

function textsIn(language: string): string[] {
  return blocks.filter((block) => block.language === language).map(({ text }) => text);
}

describe('the walk', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server?.remove());

  it('leads from an empty folder to an installed build, typed as it stands', async () => {
    const walk = blocks.filter(({ isWalk }) => isWalk).map(({ text }) => text);
    const script = walk.join('\n').replaceAll('http://localhost:8080', server.setupLink.replace(/\/setup\/.*/, ''));
    const email = /EMAIL=(\S+)/.exec(script)?.[1] ?? '';
    const password = /PASSWORD='([^']+)'/.exec(script)?.[1] ?? '';
    await createAdministrator(server.setupLink, email, password);

    const command = `#!/bin/sh\nexec '${process.execPath}' '${mainFile}' "$@"\n`;
    writeFileSync(join(server.folder, 'taxiway'), command, { mode: 0o755 });
    writeFileSync(join(server.folder, 'app.apk'), readApiDemos());
    const env = { PATH: process.env.PATH ?? '', HOME: server.folder };
    const { code, stdout, stderr } = await runProgram('bash', ['--norc', '-e', '-c', script], {
      cwd: server.folder,
      env,
    });
    expect(code, stderr).toBe(0);
    const fromCommand = /^install {3}(\S+)$/m.exec(stdout)?.[1];
    const fromCurl = /^Install page of release [\w-]{36}: (\S+)$/m.exec(stdout)?.[1];
    expect(fromCurl).toBe(fromCommand);

    await expectOnPhone(fromCurl ?? '', 'Version 1.0.1 (101)', 'Sent by curl');
  });

  async function createAdministrator(link: string, email: string, password: string): Promise<void> {
    await visit(await openBrowser(), `${link}?plain`, { device: 'desktop' }, async ({ page }) => {
      await page.getByLabel('Your name').fill('You');
      await page.getByLabel('Email address').fill(email);
      await page.getByLabel('Password').fill(password);
      await page.getByLabel('Organization').fill('Yours');
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'Taxiway is ready' }).waitFor();
    });
  }

  async function expectOnPhone(address: string, version: string, notes: string): Promise<void> {
    await visit(await openBrowser(), address, { device: 'android' }, async ({ page }) => {
      expect(await page.getByText(version).isVisible()).toBe(true);
      expect(await page.getByText(notes).isVisible()).toBe(true);
      const started = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Download and install' }).click();
      expect(sha256(readFileSync(await (await started).path()))).toBe(sha256(readApiDemos()));
    });
  }
});

describe('each program', () => {
  // Inside the project, so that the packages it uses are found.
  const folder = join(projectDir, '.cache/readme');
  const files = textsIn('ts').map((text, index) => ({ text, file: join(folder, `example-${index}.ts`) }));
  /** What the package exports, from its sources. */
  const sources = { taxiway: 'src/index.ts', 'taxiway/testing': 'src/testing.ts' };
  beforeAll(() => {
    mkdirSync(folder, { recursive: true });
    for (const { text, file } of files) writeFileSync(file, text);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('has the right types', async () => {
    const paths = Object.fromEntries(Object.entries(sources).map(([name, path]) => [name, [join(projectDir, path)]]));
    const config = { extends: '../../tsconfig.json', compilerOptions: { paths }, include: ['*.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const compiler = join(projectDir, 'node_modules/typescript/bin/tsc');
    expect(files.length).toBeGreaterThan(0);
    const { stdout, stderr } = await runProgram(process.execPath, [compiler, '-p', folder], { cwd: folder });
    expect(stderr).toBe('');
    // The sources have a check of their own.
    expect(stdout.split('\n').filter((line) => line.startsWith('example-'))).toEqual([]);
  });

  it.each(files)('prints what its comments say (%#)', async ({ text, file }) => {
    const resolved = text.replace(/from '(taxiway(?:\/testing)?)'/g, (whole, name: keyof typeof sources) =>
      whole.replace(name, join(projectDir, sources[name])),
    );
    writeFileSync(file, resolved);
    const printed = [...text.matchAll(/^console\.log\(.*\);(?: \/\/ (\w+))?/gm)].map(([, value]) => value);
    const { code, stdout, stderr } = await runProgram(process.execPath, [file], { cwd: folder });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('{'));
    expect(lines).toEqual(printed.map((value) => value ?? expect.stringMatching(/^http:/)));
  });
});

describe('each word', () => {
  it('of the command line is one that the program knows', async () => {
    const calls = textsIn('sh').flatMap((text) => [...text.matchAll(/(?:^|[ /])taxiway (?!taxiway)([a-z]+)(.*)$/gm)]);
    expect(calls.length).toBeGreaterThan(3);
    for (const [, name = '', words = ''] of calls) {
      const { code, stdout } = await runTaxiway([name, '--help'], { cwd: tmpdir() });
      expect({ name, code }).toEqual({ name, code: 0 });
      for (const [option] of words.replace(/#.*/, '').matchAll(/--[a-z-]+/g)) expect(stdout).toContain(` ${option}`);
    }
  });

  it.each(textsIn('toml').map((text) => ({ text })))('of a configuration is taken (%#)', ({ text }) => {
    const folder = mkdtempSync(join(tmpdir(), 'taxiway-readme-'));
    try {
      writeFileSync(join(folder, 'config.toml'), text);
      writeFileSync(join(folder, 'secret-key'), 'x'.repeat(40));
      const config = loadConfig({ cwd: folder, env: {} });
      expect(config).toMatchObject({ limits: (parse(text) as { limits: object }).limits });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('that points to a file of the project points to one', () => {
    const targets = [...readme.matchAll(/\]\(([\w./-]+)\)|src="([^"]+)"/g)].map(
      ([, link, image]) => link ?? image ?? '',
    );
    expect(targets).toContain('config.example.toml');
    for (const target of targets) expect(() => readFileSync(join(projectDir, target)), target).not.toThrow();
    for (const [, script = ''] of readme.matchAll(/`?((?:scripts|\.ci)\/[a-z]+)/g)) {
      expect(() => readFileSync(join(projectDir, script)), script).not.toThrow();
    }
  });
});
