// Upgrades that are killed before single steps or run out of disk space: the next one completes them, and the copy is kept.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/data/database.ts';
import { migrateDatabase, migrationStatus } from '../../src/data/migrate.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { mountDisk } from '../support/memory-disk.ts';
import { columnsOf, readTables, unpackDatabase } from '../upgrades/released.ts';
import { bundleProgram, type Program, runHere, runProgram } from './program.ts';
import { CRASH_SEED, CRASH_STRIDE, createRandom } from './random.ts';

const COPY = 'taxiway.db.before-0006_icon_colors';
/** More than an upgrade has. */
const MOST_STEPS = 5_000;

let program: Program;
let folder: string;
beforeAll(async () => {
  program = await bundleProgram();
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'taxiway-upgrade-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (file: string) => openDatabase({ file, synchronous: 'full', busyTimeoutMs: 1_000 }).$client;

let original: ReturnType<typeof readOriginal> | undefined;
/** What the database of version 0.2.0 contained. */
function originalContent() {
  original ??= readOriginal();
  return original;
}

function readOriginal() {
  using original = unpackDatabase('0.2.0.db.gz');
  const client = original.open().$client;
  const columns = columnsOf(client);
  const rows = readTables(client, columns);
  const { applied } = migrationStatus(client);
  client.close();
  return { columns, rows, applied };
}

/** Expects the database to be upgraded with all rows, and the copy to be the original. */
function expectUpgraded(data: string): void {
  const { columns, rows, applied } = originalContent();
  const client = open(join(data, 'taxiway.db'));
  expect(migrationStatus(client)).toMatchObject({ waiting: [], unknown: [] });
  expect(readTables(client, columns)).toEqual(rows);
  expect(client.pragma('integrity_check', { simple: true })).toBe('ok');
  client.close();
  const names = readdirSync(data).filter((name) => /\.(before|rehearsal|undone)|\.part$/.test(name));
  expect(names).toEqual([COPY]);
  const copy = open(join(data, COPY));
  expect(migrationStatus(copy).applied).toEqual(applied);
  expect(readTables(copy, columns)).toEqual(rows);
  copy.close();
}

async function run(words: string[], dieAt?: number) {
  if (dieAt === undefined) return { isKilled: false, ...(await runHere(folder, words)) };
  const running = runProgram(program, folder, words, {
    env: { DIE_AT: String(dieAt), DIE_ARMED: 'start' },
    nodeWords: program.dieAtWords,
  });
  const { code, signal } = await running.ended;
  return { code, isKilled: signal === 'SIGKILL', ...running.output };
}

describe('an upgrade that is killed before a step', () => {
  it('is completed by the next one, with the copy from before it', { timeout: 240_000 }, async () => {
    const random = createRandom(CRASH_SEED);
    const data = join(folder, 'data');
    const copies = join(folder, 'copies');
    mkdirSync(copies);
    unpackDatabase('0.2.0.db.gz', data);
    const steps: number[] = [];
    let step = random.between(1, CRASH_STRIDE);
    for (; step < MOST_STEPS; step += random.between(CRASH_STRIDE * 3, CRASH_STRIDE * 8)) steps.push(step);
    // One process for all deaths: what it would leave by dying before a step is copied.
    const running = runProgram(program, folder, ['migrate'], {
      env: { DIE_ARMED: 'start', COPY_AT: steps.join(), COPY_FROM: data, COPY_TO: copies },
      nodeWords: program.dieAtWords,
    });
    expect((await running.ended).code, running.output.stderr).toBe(0);
    expectUpgraded(data);

    const deaths = steps.filter((at) => existsSync(join(copies, String(at))));
    expect(deaths.length).toBeGreaterThan(3);
    expect(deaths.length).toBeLessThan(steps.length);
    for (const at of deaths) {
      rmSync(data, { recursive: true });
      renameSync(join(copies, String(at)), data);
      const { code, stderr } = await run(['migrate']);
      expect(code, `after step ${at}: ${stderr}`).toBe(0);
      expectUpgraded(data);
    }
  });

  it('can be undone instead, also by a command that is killed', { timeout: 240_000 }, async () => {
    const { rows, columns, applied } = originalContent();
    const upgraded = join(folder, 'upgraded');
    unpackDatabase('0.2.0.db.gz', join(upgraded, 'data'));
    expect((await runHere(upgraded, ['migrate'])).code).toBe(0);
    let deaths = 0;
    for (let dieAt = 4; ; dieAt += 9) {
      const data = join(folder, 'data');
      rmSync(data, { recursive: true, force: true });
      cpSync(join(upgraded, 'data'), data, { recursive: true });
      const { isKilled } = await run(['migrate', '--undo', '--yes'], dieAt);
      // The command had done its work if there is no copy.
      if (existsSync(join(data, COPY))) {
        const { code, stderr } = await run(['migrate', '--undo', '--yes']);
        expect(code, `after step ${dieAt}: ${stderr}`).toBe(0);
      }
      const client = open(join(data, 'taxiway.db'));
      expect(migrationStatus(client).applied).toEqual(applied);
      expect(readTables(client, columns)).toEqual(rows);
      client.close();
      if (!isKilled) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(1);
  });
});

describe('an upgrade on a full disk', () => {
  it('changes nothing before the copy is complete, and continues when there is space', ({ skip }) => {
    const mounted = mountDisk(2_400, join(folder, 'disk'));
    if (typeof mounted === 'string') return skip(mounted);
    using disk = mounted;
    const data = join(disk.folder, 'data');
    unpackDatabase('0.2.0.db.gz', data);
    const upgrade = () => {
      const client = open(join(data, 'taxiway.db'));
      try {
        return migrateDatabase(client, systemClock);
      } finally {
        client.close();
      }
    };
    // The database has 1.4 MB, so its copy doesn't fit.
    expect(upgrade).toThrow('database or disk is full');
    expect(readdirSync(data)).toEqual(['taxiway.db']);
    // With the copy, there's no room for all migrations.
    disk.resize(3_000);
    expect(upgrade).toThrow('database or disk is full');
    expect(readdirSync(data)).toContain(COPY);
    disk.resize(20_000);
    expect(upgrade().length).toBeGreaterThan(0);
    expectUpgraded(data);
  });
});
