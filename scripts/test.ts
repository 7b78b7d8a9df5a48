// Runs all checks and counts their results. The last line is "N passed, N failed", with ", N skipped" if any were skipped.

import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type ProgramName, type Provided, programsFor, startProviding } from './lib/external-programs.ts';
import { findImportCycles, findImportProblems } from './lib/imports.ts';
import { tarballPath } from './lib/library.ts';
import { makeMemoryFolder } from './lib/memory-folder.ts';
import {
  cacheDir,
  distDir,
  outputDir,
  projectDir,
  runBeside,
  runPackageCommand,
  say,
  startPackageCommand,
} from './lib/project.ts';
import { findRecipeProblems } from './lib/recipes.ts';
import { type CheckResult, smokeTest } from './lib/smoke.ts';
import { tryTarball } from './lib/smoke-package.ts';
import { type Counts, readReport } from './lib/vitest-report.ts';

const help = `scripts/test [options] [file…]

  --only LIST     some phases, with commas between: types, lint, unused, recipes, main, e2e, executable, package
  --executable    also build the executable and the npm package, and try each in an empty folder
  --quick         types, lint, unused code, the tests of parts that need no server and those of the whole program, every
                  operation included: for the inner loop
  --pictures      also keep pictures of the pages in ci-output/screens, which takes longer
  --crash         100 kills with a random seed in the crash tests, one before every third step, and one on both sides of each
                  request to a storage service, instead of 20 with a fixed seed, one before every twelfth step, and one between
                  two requests

Words that are no options choose test files by a part of their path, and run only these.
With CI=true a part that cannot be had is a failure, otherwise it is skipped.
`;

/** The result of a phase, and its log. */
type Outcome = Counts & { log?: string };

const isCi = process.env.CI === 'true';
const none: Counts = { passed: 0, failed: 0, skipped: 0, failures: [] };

function pass(): Outcome {
  return { ...none, passed: 1 };
}

function reportMissing(reason: string): Outcome {
  return isCi ? { ...none, failed: 1, failures: [reason] } : { ...none, skipped: 1, failures: [`skipped: ${reason}`] };
}

async function runTool(path: string, args: string[]): Promise<Outcome> {
  const { code, output } = await startPackageCommand(path, args);
  return code === 0 ? pass() : { ...none, failed: 1, failures: [output.trim()] };
}

/** Checks the types of the program, then those of the web app, which have the browser's globals. */
async function checkTypes(): Promise<Outcome> {
  // Several threads check shared types several times: together they take twice the time, which other checks use.
  const words = ['--noEmit', '--singleThreaded'];
  const program = await runTool('typescript/bin/tsc', words);
  return program.failed > 0 ? program : runTool('typescript/bin/tsc', [...words, '-p', 'src/dashboard']);
}

/** Checks the types of the recipes in CONTRIBUTING.md. */
async function checkRecipes(): Promise<Outcome> {
  const problems = await findRecipeProblems();
  return problems.length === 0 ? pass() : { ...none, failed: 1, failures: problems };
}

/** Checks style, and that imports run one way. */
async function checkStyle(): Promise<Outcome> {
  const scripts = import.meta.dirname;
  const problems = [...findImportProblems(join(scripts, '../src')), ...findImportCycles(scripts)];
  if (problems.length > 0) return { ...none, failed: 1, failures: problems };
  return runTool('@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '--colors=off', '.']);
}

function runVitest(project: string, filters: readonly string[], env: NodeJS.ProcessEnv = process.env): Outcome {
  const file = join(cacheDir, `vitest-${project}.json`);
  rmSync(file, { force: true });
  const words = ['run', '--project', project, '--reporter=json', `--outputFile=${file}`, ...filters];
  if (filters.length > 0) words.push('--passWithNoTests');
  const folder = makeMemoryFolder();
  const variables = folder === undefined ? env : { ...env, TMPDIR: folder.path };
  try {
    const { code, output } = runPackageCommand('vitest/vitest.mjs', words, variables);
    return { ...readReport(file, code), log: output };
  } finally {
    folder?.remove();
  }
}

/** Waits for an external program, which is installed beside the checks. */
type Providing = (name: ProgramName) => Promise<Provided>;

/** Tests skip themselves if their external program isn't available. This function reports why. */
async function withExternalPrograms(
  filters: readonly string[],
  provided: Providing,
  work: () => Outcome,
): Promise<Outcome> {
  const results = await Promise.all(programsFor(filters).map(provided));
  const missing = results.flatMap((result) => result.missing ?? []).map(reportMissing);
  const outcome = work();
  return {
    ...outcome,
    failed: outcome.failed + missing.reduce((sum, { failed }) => sum + failed, 0),
    failures: [...outcome.failures, ...missing.flatMap(({ failures }) => failures)],
  };
}

async function runBrowserTests(filters: readonly string[], provided: Providing): Promise<Outcome> {
  const folder = join(projectDir, 'test/e2e');
  if (!existsSync(folder) || !readdirSync(folder).some((name) => name.endsWith('.test.ts'))) return none;
  const { missing, path } = await provided('chromium');
  if (missing !== undefined) return reportMissing(missing);
  return withExternalPrograms(filters, provided, () =>
    runVitest('e2e', filters, { ...process.env, TAXIWAY_CHROMIUM: path }),
  );
}

async function tryExecutable(): Promise<Outcome> {
  const built = await buildArtifact([]);
  if (built.code !== 0) return { ...none, failed: 1, failures: [built.output.trim()] };
  return countChecks(await smokeTest(join(distDir, process.platform === 'win32' ? 'taxiway.exe' : 'taxiway')));
}

async function tryPackage(): Promise<Outcome> {
  const built = await buildArtifact(['--package']);
  if (built.code !== 0) return { ...none, failed: 1, failures: [built.output.trim()] };
  const results = await tryTarball(tarballPath());
  return 'missing' in results ? reportMissing(results.missing) : countChecks(results);
}

const runBuild = (words: readonly string[]) =>
  runBeside(process.execPath, [join(projectDir, 'scripts/build.ts'), ...words]);

/** The bundle of this run, of which the executable and the package consist. */
let bundle: ReturnType<typeof runBuild> | undefined;

async function buildArtifact(words: readonly string[]): ReturnType<typeof runBuild> {
  bundle ??= runBuild(['--bundle-only']);
  const built = await bundle;
  return built.code === 0 ? runBuild([...words, '--no-bundle']) : built;
}

/** Counts the checks of a build artifact, and the build itself as one passed check. */
function countChecks(results: CheckResult[]): Outcome {
  const failed = results.filter(({ failure }) => failure !== undefined);
  const skipped = results.filter((result) => result.skipped !== undefined);
  return {
    passed: 1 + results.length - failed.length - skipped.length,
    failed: failed.length,
    skipped: skipped.length,
    failures: [
      ...failed.map(({ name, failure }) => `${name}\n    ${failure}`),
      ...skipped.map((result) => `skipped: ${result.name}: ${result.skipped}`),
    ],
  };
}

/** Prints one line for the phase and its failures, and writes its complete output to a file. */
function report(name: string, outcome: Outcome, milliseconds: number): void {
  const counts = `${outcome.passed} passed, ${outcome.failed} failed${outcome.skipped ? `, ${outcome.skipped} skipped` : ''}`;
  say(`${name.padEnd(12)}${counts.padEnd(34)}${(milliseconds / 1000).toFixed(1)} s`);
  for (const failure of outcome.failures) say(`\n  ${failure.replaceAll('\n', '\n  ')}\n`);
  if (outcome.failed > 0 && outcome.log) {
    mkdirSync(outputDir, { recursive: true });
    writeFileSync(join(outputDir, `${name}.log`), outcome.log);
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      only: { type: 'string' },
      executable: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      crash: { type: 'boolean', default: false },
      pictures: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  mkdirSync(cacheDir, { recursive: true });
  // The compiler spends a third of its time on collecting garbage unless it may use more memory.
  process.env.GOGC ??= '400';
  if (values.crash) {
    process.env.TAXIWAY_CRASH_KILLS ??= '100';
    process.env.TAXIWAY_CRASH_STRIDE ??= '3';
    process.env.TAXIWAY_CRASH_SEED ??= String(Date.now() % 1_000_000_000);
  }
  if (values.pictures) process.env.TAXIWAY_PICTURES = '1';
  const usual = [
    'types',
    'lint',
    'unused',
    'recipes',
    'main',
    'e2e',
    ...(values.executable ? ['executable', 'package'] : []),
  ];
  const quick = ['types', 'lint', 'unused', 'quick'];
  const chosen = values.quick ? quick : (values.only?.split(',') ?? (positionals.length > 0 ? ['main', 'e2e'] : usual));
  // Installing programs waits for the network most of the time.
  const provided = startProviding([
    ...(chosen.includes('main') || chosen.includes('e2e') ? programsFor(positionals) : []),
    ...(chosen.includes('e2e') ? ['chromium' as const] : []),
  ]);
  // The phases of a group run side by side: the checks use one core each, and trying an artifact waits much of the time. Tests use all cores.
  const groups: Record<string, () => Outcome | Promise<Outcome>>[] = [
    {
      types: checkTypes,
      lint: checkStyle,
      // Finds unused files, exports and packages (knip.jsonc).
      unused: () => runTool('knip/bin/knip.js', ['--no-progress']),
      recipes: checkRecipes,
    },
    { main: () => withExternalPrograms(positionals, provided, () => runVitest('main', positionals)) },
    { quick: () => runVitest('main', positionals, { ...process.env, TAXIWAY_TEST_QUICK: 'true' }) },
    { e2e: () => runBrowserTests(positionals, provided) },
    { executable: tryExecutable, package: tryPackage },
  ];
  const names = groups.flatMap((group) => Object.keys(group));
  const unknown = chosen.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new TypeError(`there is no phase named ${unknown}: ${names.join(', ')}`);
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const group of groups) {
    const phases = Object.entries(group).filter(([name]) => chosen.includes(name));
    const results = phases.map(async ([name, phase]) => {
      const started = performance.now();
      const outcome = await Promise.resolve()
        .then(phase)
        .catch((error: unknown) => ({ ...none, failed: 1, failures: [String(error)] }));
      return { name, outcome, milliseconds: performance.now() - started };
    });
    for (const { name, outcome, milliseconds } of await Promise.all(results)) {
      if (outcome !== none) report(name, outcome, milliseconds);
      total.passed += outcome.passed;
      total.failed += outcome.failed;
      total.skipped += outcome.skipped;
    }
  }
  if (total.passed + total.failed + total.skipped === 0) throw new TypeError('nothing to run');
  say(`${total.passed} passed, ${total.failed} failed${total.skipped > 0 ? `, ${total.skipped} skipped` : ''}`);
  process.exitCode = total.failed > 0 ? 1 : 0;
}

main().catch((error: unknown) => {
  process.stderr.write(`scripts/test: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof TypeError ? 2 : 1;
});
