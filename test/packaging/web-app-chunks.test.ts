// The chunks of the web app depend on its sources, and not on the order in which they're read.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { splitWell } from '../../scripts/lib/dashboard-chunks.ts';

it('a page that is read before the file that loads it later refers to the initial load', async () => {
  const root = mkdtempSync(join(tmpdir(), 'taxiway-chunks-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const folder = join(root, 'src/dashboard');
  mkdirSync(folder, { recursive: true });
  const files: Record<string, string> = {
    'start.tsx': 'export const start = () => 1;\n',
    'page.tsx': 'export const Page = () => 2;\n',
    'early.tsx': "import { Page } from './page.tsx';\nconsole.log(Page());\n",
    'main.tsx': "import './one.tsx';\n",
    'one.tsx': "import './two.tsx';\n",
    'two.tsx': "void import('./page.tsx').then(({ Page }) => Page());\n",
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const { metafile } = await build({
    entryPoints: ['early.tsx', 'main.tsx'].map((name) => join(folder, name)),
    outdir: join(root, 'out'),
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    format: 'esm',
    write: false,
    metafile: true,
    plugins: [splitWell(folder, { file: join(folder, 'start.tsx'), name: 'start' })],
  });
  const imported = metafile.inputs['src/dashboard/page.tsx']?.imports.map(({ path }) => path);
  expect(imported).toEqual(['src/dashboard/start.tsx']);
});
