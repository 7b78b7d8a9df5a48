// The effect of hostile packages on other requests: the slowest of many reads during their inspection.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildIpa } from '../test/support/fixtures.ts';
import { type Bench, boundRow, type Row } from './benchmark.ts';
import { call, complete, upload } from './client.ts';
import { startProbe } from './probe.ts';
import { runProgram } from './processes.ts';
import { type ServerFixture, startServerFixture } from './server-fixture.ts';
import { readTurns, showTurn, watchTurns } from './turns.ts';

const OF_EACH = 12;
const AT_ONCE = 4;
const READ_EVERY_MS = 5;
const MAX_STALL_MS = 100;

export const bombBench: Bench = {
  name: 'bomb',
  summary: 'the slowest read while hostile packages are inspected, beside the same on an idle server',
  async run(kit) {
    const turnsFile = join(kit.folder, 'turns.json');
    const fixture = await startServerFixture(join(kit.folder, 'fixture'), {
      ...watchTurns(turnsFile),
      logLevel: 'warn',
    });
    const times = { begin: 0, end: 0 };
    let rows: Row[];
    try {
      const bombs = writeBombs(kit.folder);
      await runProgram('sync', []);
      await sleep(2_000);
      const idle = await watch(fixture, () => sleep(5_000));
      times.begin = Date.now();
      const busy = await watch(fixture, () => sendAll(fixture, bombs));
      times.end = Date.now();
      kit.say(`  idle: ${show(idle)}\n  beside bombs: ${show(busy)}`);
      rows = [stallRow(idle, busy)];
    } finally {
      await fixture.stop();
    }
    const turns = readTurns(turnsFile).filter(({ at }) => at >= times.begin && at <= times.end);
    for (const turn of turns.slice(0, 5)) kit.say(`  turn of ${showTurn(turn)}`);
    return rows;
  },
};

async function watch(fixture: ServerFixture, work: () => Promise<unknown>): Promise<number[]> {
  const probe = startProbe({
    url: `${fixture.url}/api/v1/organizations`,
    token: fixture.token,
    everyMs: READ_EVERY_MS,
  });
  await work();
  return (await probe.stop()).toSorted((one, other) => one - other);
}

/** Uploads and completes each package several times, some concurrently, and checks the server's health at the end. */
async function sendAll(fixture: ServerFixture, files: readonly string[]): Promise<void> {
  const left = Array.from({ length: OF_EACH }, () => files).flat();
  const takeTurns = async () => {
    for (let file = left.pop(); file !== undefined; file = left.pop())
      await complete(fixture, await upload(fixture, fixture.iosProjectId, left.length + 1, file));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, takeTurns));
  await call(fixture, 'GET', '/health/ready');
}

function writeBombs(folder: string): string[] {
  const names = Array.from({ length: 2_500 }, (_, index) => `${index}`.padStart(60, '0'));
  const empty = Array.from({ length: 60_000 }, (_, index) => ({
    name: `Payload/Sample.app/${index}`,
    data: Buffer.alloc(0),
    isStored: true,
  }));
  const bombs = [
    buildIpa({
      profile: {
        ProvisionedDevices: names,
        Entitlements: Object.fromEntries(names.slice(0, 600).map((name) => [name, 'x'.repeat(512)])),
      },
    }),
    buildIpa({ parts: empty }),
    buildIpa({ infoPlist: Buffer.alloc(2 * 1024 * 1024, '<array>') }),
    buildIpa({ parts: [{ name: 'large', data: Buffer.alloc(32 * 1024 * 1024), isStored: true }] }),
    buildIpa({ parts: [{ name: 'dense', data: Buffer.alloc(64 * 1024 * 1024) }] }),
  ];
  return bombs.map((bytes, index) => {
    const file = join(folder, `bomb-${index}.ipa`);
    writeFileSync(file, bytes);
    return file;
  });
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

const show = (sorted: readonly number[]): string =>
  `${sorted.length} reads, median ${at(sorted, 0.5).toFixed(1)} ms, p99 ${at(sorted, 0.99).toFixed(1)} ms, slowest ${at(sorted, 1).toFixed(1)} ms`;

function stallRow(idle: readonly number[], busy: readonly number[]): Row {
  return boundRow({
    name: 'slowest read beside hostile packages',
    measured: at(busy, 1),
    baseline: `${Math.round(at(idle, 1))} ms idle`,
    below: MAX_STALL_MS,
    unit: 'ms',
    note: `${busy.length} reads, p99 ${Math.round(at(busy, 0.99))} ms`,
  });
}
