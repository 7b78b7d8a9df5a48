// Kills `taxiway backup` and `taxiway restore` before single steps on disk and database.
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failingFlush } from '../support/failing-flush.ts';
import { workUntilKilled } from './actions.ts';
import { createInstallation, createWorkers, type Installation } from './installation.ts';
import { bundleProgram, type Program, runHere, runProgram } from './program.ts';
import { CRASH_SEED, CRASH_STRIDE, createRandom } from './random.ts';
import { uploadBuild } from './uploads.ts';
import type { Worker } from './worker.ts';

const BUILDS = 4;

let program: Program;
let installation: Installation;
/** Below it: `backups`, made once, and folders of installations. */
let workshop: string;

beforeAll(async () => {
  process.stdout.write(`crash test of backups: TAXIWAY_CRASH_SEED=${CRASH_SEED} repeats its choices\n`);
  program = await bundleProgram();
  workshop = mkdtempSync(join(tmpdir(), 'taxiway-crash-backup-'));
  installation = await createInstallation(program, { isMigrated: true });
  const run = await installation.start();
  const [worker] = (await createWorkers(run, 1, createRandom(CRASH_SEED))) as [Worker];
  await workUntilKilled(
    worker,
    run.client,
    Array.from({ length: BUILDS }, () => uploadBuild),
  );
  run.running.child.kill('SIGTERM');
  await run.running.ended;
  run.client.close();
});
afterAll(() => {
  installation?.[Symbol.dispose]();
  rmSync(workshop, { recursive: true, force: true });
});

interface Death {
  dieAt?: number;
  /** The data folder; that of the installation by default. */
  dataDir?: string;
}

/** Runs a command to its end, or kills it before a step. */
async function run(words: string[], { dieAt, dataDir }: Death = {}) {
  const env = { ...installation.env, ...(dataDir === undefined ? {} : { TAXIWAY_SERVER__DATA_DIR: dataDir }) };
  if (dieAt === undefined) return { isKilled: false, ...(await runHere(installation.folder, words, env)) };
  const running = runProgram(program, installation.folder, words, {
    env: { ...env, DIE_AT: String(dieAt), DIE_ARMED: 'start' },
    nodeWords: program.dieAtWords,
  });
  const { code, signal } = await running.ended;
  return { code, isKilled: signal === 'SIGKILL', ...running.output };
}

async function expectSuccess(words: string[], death: Death = {}): Promise<string> {
  const { code, stdout, stderr } = await run(words, death);
  expect(code, `${words.join(' ')}: ${stderr}`).toBe(0);
  return stdout;
}

/** Calls `attempt` with steps to die before, until it survives. Returns how often it died. */
async function dieAgainAndAgain(attempt: (dieAt: number) => Promise<boolean>): Promise<number> {
  const random = createRandom(CRASH_SEED);
  let deaths = 0;
  for (let dieAt = random.between(1, CRASH_STRIDE); await attempt(dieAt); dieAt += random.between(1, 4 * CRASH_STRIDE))
    deaths += 1;
  return deaths;
}

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .toSorted();

describe('a backup that is killed before a step', { timeout: 240_000 }, () => {
  for (const kind of ['a folder', 'a single file']) {
    it(`leaves ${kind} whose backups can be verified, and the next one completes it`, async () => {
      const place = join(workshop, kind === 'a folder' ? 'killed' : 'killed.backup');
      let complete = 0;
      const deaths = await dieAgainAndAgain(async (dieAt) => {
        const { isKilled } = await run(['backup', place, '--json'], { dieAt });
        if (existsSync(place)) {
          const { code, stdout, stderr } = await run(['verify', place, '--json']);
          // Before the first one is complete, there is none.
          if (complete > 0) expect(code, `after step ${dieAt}: ${stdout}${stderr}`).toBe(0);
        }
        if (isKilled && dieAt % 2 === 0) {
          await expectSuccess(['backup', place, '--json']);
          complete += 1;
        }
        return isKilled;
      });
      expect(deaths).toBeGreaterThan(30 / CRASH_STRIDE);
      expect(complete).toBeGreaterThan(0);
      await expectSuccess(['backup', place, '--drill']);
      const leftBehind = readdirSync(join(installation.folder, 'data')).filter((name) => name.startsWith('.taxiway-'));
      expect(leftBehind).toEqual([]);
    });
  }
});

describe('a restore that is killed before a step', { timeout: 240_000 }, () => {
  it('is no installation, and the next one starts over', async () => {
    const place = join(workshop, 'whole');
    await expectSuccess(['backup', place]);
    const source = join(installation.folder, 'data');
    const dataDir = join(workshop, 'restored');
    const deaths = await dieAgainAndAgain(async (dieAt) => {
      rmSync(dataDir, { recursive: true, force: true });
      const { isKilled } = await run(['restore', place], { dieAt, dataDir });
      const situation = `after step ${dieAt}`;
      if (!existsSync(join(dataDir, 'taxiway.db'))) {
        const isBegun = existsSync(join(dataDir, '.restoring'));
        if (isBegun) {
          const refused = await run(['serve'], { dataDir });
          expect(refused.code, situation).toBe(1);
          expect(refused.stderr, situation).toContain('was interrupted');
        }
        await expectSuccess(['restore', place], { dataDir });
      }
      // Also after a kill between the database and the end.
      await expectSuccess(['check', '--json'], { dataDir });
      await expectSuccess(['verify', '--json'], { dataDir });
      // A backup deletes what is left behind when the database is there already.
      await expectSuccess(['backup', join(workshop, 'again')], { dataDir });
      const isTemporary = (name: string) => /^\.taxiway-|^\.restoring|\.part$/.test(name);
      expect(readdirSync(dataDir).filter(isTemporary), situation).toEqual([]);
      const objects = (folder: string) => join(folder, 'blobs', 'objects');
      expect(listFiles(objects(dataDir)), situation).toEqual(listFiles(objects(source)));
      expect(readFileSync(join(dataDir, 'secret.key')), situation).toEqual(readFileSync(join(source, 'secret.key')));
      return isKilled;
    });
    expect(deaths).toBeGreaterThan(50 / CRASH_STRIDE);
  });

  it('does not run beside another one, or beside a server', async () => {
    const place = join(workshop, 'whole');
    const dataDir = join(workshop, 'served');
    await expectSuccess(['restore', place], { dataDir });
    const copy = join(workshop, 'locked');
    cpSync(dataDir, copy, { recursive: true });
    const server = runProgram(program, installation.folder, ['serve'], {
      env: { ...installation.env, TAXIWAY_SERVER__DATA_DIR: copy },
    });
    await server.ready();
    // Made by the restore, and again when the server started.
    rmSync(join(copy, 'backup.lock'), { force: true });
    const refused = await run(['restore', place], { dataDir: copy });
    const file = join(copy, 'taxiway.db');
    const reason = `a server or another restore uses ${file}: stop it, or set another server.data_dir or database.file`;
    expect(refused).toMatchObject({ code: 1, stderr: `taxiway: ${reason}\n` });
    expect(existsSync(join(copy, 'backup.lock'))).toBe(false);
    await server.kill();
  });
});

describe('a restore whose last flush fails', () => {
  it('says so, and is an installation with all packages', { timeout: 60_000 }, async () => {
    const place = join(workshop, 'flushed');
    await expectSuccess(['backup', place]);
    const dataDir = join(workshop, 'unflushed');
    const file = join(dataDir, 'database', 'taxiway.db');
    const env = { ...installation.env, TAXIWAY_SERVER__DATA_DIR: dataDir, TAXIWAY_DATABASE__FILE: file };
    const failing = failingFlush(workshop, { whileExists: file, suffix: '/database' });
    if (failing === undefined) {
      if (process.env.CI === 'true') throw new Error('a C compiler on Linux is required with CI=true');
      return process.stdout.write('restore whose last flush fails: no C compiler on Linux\n');
    }
    const restoring = runProgram(program, installation.folder, ['restore', place], { env: { ...env, ...failing } });
    expect(await restoring.ended, restoring.output.stderr).toEqual({ code: 1, signal: null });
    expect(restoring.output.stderr).toContain('EIO');
    const objects = (folder: string) => listFiles(join(folder, 'blobs', 'objects'));
    expect(objects(dataDir)).toEqual(objects(join(installation.folder, 'data')));
    for (const command of ['check', 'verify']) {
      const { code, stdout } = await runHere(installation.folder, [command, '--json'], env);
      expect(code, stdout).toBe(0);
    }
  });
});
