// The chunks of the web app depend on its sources, and not on the order in which they're read. What pages share is in a few of them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import {
  listStaticImports,
  planSharedChunks,
  type SharedFiles,
  splitWell,
} from '../../scripts/lib/dashboard-chunks.ts';

/** Writes the sources of a small web app, and returns their folder and what builds them. */
function writeApp(files: Record<string, string>, entries: string[]) {
  const root = mkdtempSync(join(tmpdir(), 'taxiway-chunks-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const folder = join(root, 'src/dashboard');
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const buildApp = async (shared?: SharedFiles) => {
    const { metafile } = await build({
      entryPoints: entries.map((name) => join(folder, name)),
      outdir: join(root, 'out'),
      absWorkingDir: root,
      bundle: true,
      splitting: true,
      format: 'esm',
      write: false,
      metafile: true,
      plugins: [splitWell(folder, { file: join(folder, 'start.tsx'), name: 'start' }, shared)],
    });
    return metafile;
  };
  return { root, buildApp };
}

it('a page that is read before the file that loads it later refers to the initial load', async () => {
  const { buildApp } = writeApp(
    {
      'start.tsx': 'export const start = () => 1;\n',
      'page.tsx': 'export const Page = () => 2;\n',
      'early.tsx': "import { Page } from './page.tsx';\nconsole.log(Page());\n",
      'main.tsx': "import './one.tsx';\n",
      'one.tsx': "import './two.tsx';\n",
      'two.tsx': "void import('./page.tsx').then(({ Page }) => Page());\n",
    },
    ['early.tsx', 'main.tsx'],
  );
  const metafile = await buildApp();
  const imported = metafile.inputs['src/dashboard/page.tsx']?.imports.map(({ path }) => path);
  expect(imported).toEqual(['src/dashboard/start.tsx']);
});

it('what pages share is in one chunk for each group, and a large part that few of them use stays alone', async () => {
  const pages = ['home', 'sign-in', 'audit', 'builds', 'webhooks', 'about'];
  const { root, buildApp } = writeApp(
    {
      'start.tsx': 'export const start = () => 1;\n',
      'main.tsx': `import { start } from './start.tsx';\nconsole.log(start());\n${pages.map((name) => `void import('./${name}.tsx').then(({ Page }) => Page());`).join('\n')}`,
      'icon.tsx': "export const icon = 'icon';\n",
      'field.tsx': "export const field = 'field';\n",
      'table.tsx': "export const table = 'table';\n",
      'chart.tsx': `export const chart = '${'chart'.repeat(1000)}';\n`,
      'home.tsx': "import { icon } from './icon.tsx';\nexport const Page = () => console.log(icon);\n",
      'sign-in.tsx': "import { field } from './field.tsx';\nexport const Page = () => console.log(field);\n",
      'audit.tsx':
        "import { table } from './table.tsx';\nimport { chart } from './chart.tsx';\nimport { field } from './field.tsx';\nexport const Page = () => console.log(table, chart, field);\n",
      'about.tsx': 'export const Page = () => 1;\n',
      'webhooks.tsx': "import { table } from './table.tsx';\nexport const Page = () => console.log(table);\n",
      'builds.tsx':
        "import { table } from './table.tsx';\nimport { chart } from './chart.tsx';\nimport { icon } from './icon.tsx';\nexport const Page = () => console.log(table, chart, icon);\n",
    },
    ['main.tsx'],
  );
  const groups: Record<string, number> = { home: 0, 'sign-in': 1 };
  const plan = planSharedChunks(await buildApp(), (file) => groups[basename(file, '.tsx')] ?? 2, root);
  expect(listChunks(await buildApp(plan), pages)).toEqual({
    home: ['icon', 'start'],
    'sign-in': ['field', 'icon', 'start'],
    audit: ['chart', 'field', 'icon', 'start', 'table'],
    builds: ['chart', 'field', 'icon', 'start', 'table'],
    webhooks: ['field', 'icon', 'start', 'table'],
    about: ['start'],
  });
});

/** Returns what each page loads with itself: for each chunk, the names of its files. */
function listChunks(metafile: Metafile, pages: readonly string[]): Record<string, string[]> {
  const pathOf = (name: string) => Object.keys(metafile.outputs).find((path) => path.includes(`/${name}-`)) ?? '';
  return Object.fromEntries(
    pages.map((name) => [
      name,
      listStaticImports(metafile, pathOf(name))
        .slice(1)
        .map((path) =>
          Object.keys(metafile.outputs[path]?.inputs ?? {})
            .map((file) => basename(file, '.tsx'))
            .join(' '),
        )
        .toSorted(),
    ]),
  );
}
