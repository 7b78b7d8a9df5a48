// Reads and changes at the same time, on this disk and on one whose flushes take 300 ms longer.
import { spawnSync } from 'node:child_process';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, boundRow, type Kit, type Row } from './benchmark.ts';
import { type ServerFixture, startServerFixture } from './server-fixture.ts';

const DELAY_MS = 300;
const WRITERS = 20;
const READERS = 4;
const READ_PAUSE_MS = 5;
const SECONDS = 20;
const WARM_UP_MS = 2_000;

export const slowDiskBench: Bench = {
  name: 'slow-disk',
  summary: `reads beside ${WRITERS} writers, on this disk and with ${DELAY_MS} ms more for each flush`,
  async run(kit) {
    const shim = compileShim(kit);
    const rows = await measure(kit, 'this disk', {});
    if (shim === undefined) return rows;
    return [...rows, ...(await measure(kit, `${DELAY_MS} ms more for each flush`, { LD_PRELOAD: shim }))];
  },
};

/** Compiles what delays flushes. Returns undefined without a C compiler. */
function compileShim({ folder, say }: Kit): string | undefined {
  const shim = join(folder, 'delayed-flush.so');
  const source = join(import.meta.dirname, 'delayed-flush.c');
  const { status } = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', shim, source, '-ldl'], { stdio: 'inherit' });
  if (status === 0) return shim;
  say('slow-disk: flushes are not delayed, because there is no C compiler (cc)');
  return undefined;
}

async function measure(kit: Kit, disk: string, env: Record<string, string>): Promise<Row[]> {
  const fixture = await kit.use(
    startServerFixture(join(kit.folder, disk.replaceAll(' ', '-')), {
      logLevel: 'warn',
      config: { limits: { pending_uploads_per_project: 1_000_000_000 }, log: { level: 'warn' } },
      env: { FLUSH_DELAY_MS: String(DELAY_MS), ...env },
    }),
  );
  const { reads, changes } = await load(fixture);
  const at = (part: number) => reads[Math.floor(reads.length * part)] ?? Number.NaN;
  const note = `median ${at(0.5).toFixed(1)} ms, longest ${at(0.9999).toFixed(0)} ms, ${reads.length} reads`;
  const rate = (changes / SECONDS).toFixed(0);
  return [
    boundRow({
      name: `reads beside ${WRITERS} writers, ${disk}: p99`,
      measured: at(0.99),
      below: 50,
      unit: 'ms',
      note,
    }),
    {
      name: `changes of ${WRITERS} writers, ${disk}`,
      measured: `${rate}/s`,
      baseline: '',
      ratio: '',
      goal: '',
      isMet: null,
    },
  ];
}

/** Changes and reads for some seconds. Returns the sorted latencies of the reads in milliseconds. */
async function load(fixture: ServerFixture): Promise<{ reads: number[]; changes: number }> {
  const { organizationId, androidProjectId } = fixture;
  const agent = new Agent({ keepAlive: true });
  const project = `organization_id=${organizationId}&project_id=${androidProjectId}`;
  const reads: number[] = [];
  let changes = 0;
  let number = 0;
  const begin = performance.now() + WARM_UP_MS;
  const end = begin + SECONDS * 1_000;

  async function write(): Promise<void> {
    while (performance.now() < end) {
      number += 1;
      const identity = { version_name: `1.${number}`, build_number: number };
      await ask(fixture, agent, 'POST', `/api/v1/builds/initiate?${project}`, identity);
      if (performance.now() > begin && performance.now() < end) changes += 1;
    }
  }

  async function read(): Promise<void> {
    while (performance.now() < end) {
      const askedAt = performance.now();
      await ask(fixture, agent, 'GET', `/api/v1/projects/${androidProjectId}?organization_id=${organizationId}`);
      if (askedAt > begin) reads.push(performance.now() - askedAt);
      await sleep(READ_PAUSE_MS);
    }
  }

  await Promise.all([...Array.from({ length: WRITERS }, write), ...Array.from({ length: READERS }, read)]);
  agent.destroy();
  return { reads: reads.toSorted((left, right) => left - right), changes };
}

function ask({ url, token }: ServerFixture, agent: Agent, method: string, path: string, json?: unknown): Promise<void> {
  return new Promise((done, fail) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = request(`${url}${path}`, { method, agent, headers }, (response) => {
      response.resume();
      if ((response.statusCode ?? 0) >= 300) fail(new Error(`${method} ${path} answered ${response.statusCode}`));
      response.on('end', done);
    });
    sent.on('error', fail);
    sent.end(json === undefined ? undefined : JSON.stringify(json));
  });
}
