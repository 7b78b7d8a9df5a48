// Records the examples of the API reference: runs tests, and chooses one exchange with a server for each operation.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Examples } from '../src/http/openapi-examples.ts';
import type { Operation } from '../src/http/operation.ts';
import { operations } from '../src/operations.ts';
import { provideAzurite } from './lib/azurite.ts';
import { examplesFile, findExampleProblem } from './lib/examples/check.ts';
import { chooseExamples, writeExamples } from './lib/examples/choose.ts';
import { findTestsOf } from './lib/examples/find-tests.ts';
import { examplesFolderVariable, type Recorded } from './lib/examples/recorded.ts';
import { readOptions } from './lib/options.ts';
import { cacheDir, projectDir, runPackageCommand, say } from './lib/project.ts';

const help = `scripts/examples [options] [test file…]

Records the examples of the API reference in ${examplesFile}, from what tests send to a server and what it returns.
Without test files, runs those that call the operations whose example is missing or not valid anymore. Valid examples stay.

  --all        runs all tests, and chooses all examples again
  --from DIR   chooses from what an earlier run recorded there, without running tests
  --keep DIR   keeps what is recorded there
`;

const { values, positionals } = readOptions('scripts/examples', {
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    from: { type: 'string' },
    keep: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

const file = join(projectDir, examplesFile);

function readKnown(): Examples {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

function findProblems(examples: Examples): { operation: Operation; problem: string }[] {
  return operations
    .filter(({ isInternal }) => isInternal !== true)
    .flatMap((operation) => {
      const problem = findExampleProblem(operation, examples[operation.id]);
      return problem === undefined ? [] : [{ operation, problem }];
    });
}

/** Runs test files and returns what they recorded. Failed tests don't matter, because examples are checked. */
function record(files: readonly string[]): Recorded[] {
  mkdirSync(cacheDir, { recursive: true });
  // Tests of containers are skipped without it.
  const missing = files.some((name) => name.includes('byosa')) || files.length === 0 ? provideAzurite() : undefined;
  if (missing !== undefined) say(missing);
  const folder = values.keep ?? mkdtempSync(join(cacheDir, 'examples-'));
  mkdirSync(folder, { recursive: true });
  try {
    const words = ['run', '--project', 'main', '--passWithNoTests', ...files];
    const { code, output } = runPackageCommand('vitest/vitest.mjs', words, {
      ...process.env,
      [examplesFolderVariable]: folder,
    });
    if (code !== 0) say(`Some tests failed:\n${output.split('\n').slice(-12).join('\n')}`);
    return readRecorded(folder);
  } finally {
    if (values.keep === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

function readRecorded(folder: string): Recorded[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  return files.flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line): Recorded => JSON.parse(line)),
  );
}

function collect(known: Examples): Recorded[] {
  if (values.from !== undefined) return readRecorded(values.from);
  if (values.all || positionals.length > 0) return record(positionals);
  const missing = findProblems(known);
  for (const { operation, problem } of missing) say(`${operation.id} ${problem.split('\n')[0]}`);
  const files = findTestsOf(missing.map(({ operation }) => operation));
  if (files.length === 0) return [];
  say(`Running ${files.length} test files: ${files.join(' ')}`);
  return record(files);
}

if (values.help) process.stdout.write(help);
else {
  const known = readKnown();
  const examples = chooseExamples(operations, collect(known), known, !values.all);
  writeFileSync(file, writeExamples(examples));
  const problems = findProblems(examples);
  for (const { operation, problem } of problems)
    say(`${operation.id} (${operation.method.toUpperCase()} ${operation.path}) ${problem.split('\n')[0]}`);
  say(`${examplesFile}  ${Object.keys(examples).length} operations, ${problems.length} without a valid example`);
  if (problems.length > 0) process.exitCode = 1;
}
