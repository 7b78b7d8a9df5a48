// Bundles the program for tests, and keeps what V8 compiles of it, because most of the time of a start would be spent on compiling.
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { commonOptions } from '../../scripts/lib/bundle-options.ts';
import { writeScript } from '../../scripts/lib/executable.ts';
import { buildSplitBundle } from '../../scripts/lib/package-bundle.ts';
import { FONT_ASSET, FONT_FILE } from '../../src/lib/assets.ts';
import type { SharedService } from '../support/shared-service.ts';
import { startOf, workerEntryPoints, workersFolder } from '../support/workers.ts';
import { type Action, deleteBuild, release, setIcon, workUntilKilled } from './actions.ts';
import { createInstallation, createWorkers } from './installation.ts';
import type { Program } from './program.ts';
import { createRandom } from './random.ts';
import { recover } from './recovery.ts';
import { uploadBuild } from './uploads.ts';
import { refresh } from './worker.ts';

const projectRoot = resolve(import.meta.dirname, '../..');

/** Bundles src/main.ts with what it carries; the database driver stays a package. */
export async function bundle(): Promise<SharedService & Program> {
  const cache = join(projectRoot, '.cache');
  mkdirSync(cache, { recursive: true });
  // Inside the project, where the driver is found.
  const folder = mkdtempSync(join(cache, 'crash-test-program-'));
  const assets = join(folder, 'assets');
  const source = join(projectRoot, 'src');
  const isCarried = (path: string) => !path.endsWith('.ts') && path !== join(source, 'dashboard');
  cpSync(source, assets, { recursive: true, filter: isCarried });
  cpSync(join(projectRoot, 'migrations'), join(assets, 'migrations'), { recursive: true });
  cpSync(join(projectRoot, FONT_FILE), join(assets, FONT_ASSET));
  for (const name of Object.keys(workerEntryPoints)) {
    // A copy, because another run may replace it.
    const thread = join(folder, `${name}.cjs`);
    copyFileSync(join(workersFolder, 'bundles', `${name}.cjs`), thread);
    writeFileSync(join(assets, `${name}.cjs`), startOf(thread, join(folder, 'compiled')));
  }
  const options = {
    ...commonOptions,
    format: 'cjs',
    external: ['better-sqlite3'] as string[],
  } satisfies BuildOptions;
  const definitions = {
    __TAXIWAY_ASSETS__: '"./assets"',
    __TAXIWAY_VERSION__: '"0.0.0-crash"',
    __TAXIWAY_COMMIT__: '"unknown"',
    __TAXIWAY_BUILT_AT__: '"2026-01-01T00:00:00.000Z"',
    'import.meta.dirname': '__dirname',
  };
  const module = join(folder, 'module.cjs');
  await buildSplitBundle(
    { ...options, define: definitions, supported: { 'dynamic-import': false } },
    { program: module, assets },
  );
  writeScript(module, join(folder, 'program.cjs'));
  const file = join(folder, 'taxiway.cjs');
  copyFileSync(join(import.meta.dirname, 'run-compiled.cjs'), file);
  const dieAt = join(folder, 'die-at.mjs');
  await build({ entryPoints: [join(import.meta.dirname, 'die-at.ts')], outfile: dieAt });
  const program = { file, module, dieAtWords: ['--import', dieAt] };
  await compile(program);
  return { ...program, folder, pids: [] };
}

/** What most tests of the program do. */
const actions: readonly Action[] = [uploadBuild, uploadBuild, release, setIcon, deleteBuild, refresh, recover];

/** Runs the program until it ends normally, when it writes what V8 compiled. Most tests kill it before. */
async function compile(program: Program): Promise<void> {
  using installation = await createInstallation(program, { isMigrated: true });
  const { running, client } = await installation.start();
  for (const worker of await createWorkers({ running, client }, 1, createRandom(1)))
    await workUntilKilled(worker, client, actions);
  running.child.kill('SIGTERM');
  const { code } = await running.ended;
  client.close();
  if (code !== 0) throw new Error(`The program ended with ${code}: ${running.output.stderr}`);
}
