// Imports between the folders of src/ run one way.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findImportCycles, findImportProblems } from '../../scripts/lib/imports.ts';

function problemsOf(files: Record<string, string>): string[] {
  const root = mkdtempSync(join(tmpdir(), 'taxiway-imports-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return findImportProblems(root);
}

it('are accepted from the own folder and from folders before it', () => {
  const files = {
    'http/a.ts': "import { b } from './b.ts';\nimport type { C } from '../core/c.ts';\n",
    'http/b.ts': 'export const b = 1;\n',
    'core/c.ts': 'export interface C {}\n',
  };
  expect(problemsOf(files)).toEqual([]);
});

it('are reported from later folders, also for types and dynamic imports', () => {
  const files = {
    'core/a.ts': "import type { B } from '../builds/b.ts';\nexport const load = () => import('../web/c.ts');\n",
    'builds/b.ts': 'export interface B {}\n',
    'web/c.ts': 'export {};\n',
  };
  expect(problemsOf(files)).toEqual([
    'src/core/a.ts imports src/builds/b.ts, which comes after it in the order',
    'src/core/a.ts imports src/web/c.ts, which comes after it in the order',
  ]);
});

it('are reported for cycles between the files of a folder', () => {
  const files = {
    'builds/a.ts': "import { b } from './b.ts';\nexport const a = b;\n",
    'builds/b.ts': "export { c as b } from './c.ts';\n",
    'builds/c.ts': "import type { a } from './a.ts';\nexport const c: typeof a = 1;\n",
  };
  expect(problemsOf(files)).toEqual(['These files import each other: builds/a.ts, builds/b.ts, builds/c.ts']);
});

it('run in no cycle among the scripts', () => {
  expect(findImportCycles(join(import.meta.dirname, '../../scripts'))).toEqual([]);
});

it('are rejected for a folder that is not in the order', () => {
  expect(() => problemsOf({ 'elsewhere/a.ts': '' })).toThrow('src/elsewhere is missing from the order');
});
