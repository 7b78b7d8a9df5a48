// Finds the test files that call an operation, by its path in their text.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation } from '../../../src/http/operation.ts';
import { projectDir } from '../project.ts';

/** Folders whose tests call operations in unusual ways, or not through a server of their own. */
const unfit = /^test\/(?:crash|e2e|program|upgrades|packaging|support|dashboard)\//;
/** Files of one operation that are run. */
const MOST_FILES = 4;

/** Returns the test files, sorted. */
export function findTestsOf(operations: readonly Operation[]): string[] {
  const tests = readdirSync(join(projectDir, 'test'), { recursive: true, encoding: 'utf8' })
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.test.ts') && !unfit.test(name))
    .map((name) => ({ name, text: readFileSync(join(projectDir, name), 'utf8') }));
  const found = operations.flatMap(({ path }) => {
    const pattern = patternOf(path);
    const calling = tests.filter(({ text }) => pattern.test(text));
    // Small files are about few operations and run fast.
    calling.sort((left, right) => left.text.length - right.text.length);
    return calling.slice(0, MOST_FILES).map(({ name }) => name);
  });
  return [...new Set(found)].sort();
}

/** The end of the path as tests write it: with a parameter as an expression of a template, or as text. */
function patternOf(path: string): RegExp {
  const segments = path.split('/').filter(Boolean).slice(-3);
  const parts = segments.map((segment) =>
    segment.startsWith('{') ? '/(?:\\$\\{[^}]*\\}|[^/\\s\'"`$?]+)' : `/${segment.replaceAll('.', '\\.')}`,
  );
  return new RegExp(`${parts.join('')}(?=['"\`?\\s$])`);
}
