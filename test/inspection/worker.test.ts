// Inspections run next to the server: limited in time and memory, fair, restartable, and without delaying requests.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { build } from 'esbuild';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { createInspector, type Inspector, type InspectorOptions } from '../../src/inspection/run.ts';
import { inspectionWorker } from '../../src/lib/assets.ts';
import { bufferSource, buildApk, buildIpa, readApiDemos } from '../support/fixtures.ts';
import { until } from '../support/until.ts';

const workerPath = resolve(import.meta.dirname, '../../src/inspection/worker.ts');
const opened: Inspector[] = [];

function start(options: Partial<InspectorOptions> = {}): Inspector {
  const inspector = createInspector({
    workerEntry: inspectionWorker(),
    timeoutMs: 60_000,
    maxMemoryMb: 128,
    concurrency: 2,
    ...options,
  });
  opened.push(inspector);
  return inspector;
}

/** A worker that announces itself and then runs `body` for every inspection; `job` is its number, `port` its way back. */
function fakeWorker(body: string): { code: string } {
  const code = `const { parentPort: port } = require('node:worker_threads');
    port.on('message', ({ type, job, size }) => { if (type === 'inspect') { ${body} } });
    port.postMessage({ type: 'ready' });`;
  return { code };
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((inspector) => inspector.close()));
});

it('returns the same as a direct inspection, including the icon', async () => {
  const inspector = start({ workerEntry: workerPath });
  const outcome = await inspector.inspect(bufferSource(readApiDemos()), 'android', 'us');
  if (outcome.status !== 'ok') throw new Error(outcome.reason);
  expect(outcome.inspection.bundle_identifier).toBe('io.appium.android.apis');
  expect(outcome.icon?.width).toBe(96);
  expect(Buffer.isBuffer(outcome.icon?.png)).toBe(true);
  expect(outcome.icon?.png.subarray(1, 4).toString()).toBe('PNG');
});

it('runs from a bundle, as in the executable', async () => {
  const { outputFiles } = await build({
    entryPoints: [workerPath],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'cjs',
    target: 'node24',
    keepNames: true,
    logLevel: 'error',
  });
  const inspector = start({ workerEntry: { code: outputFiles[0]?.text ?? '' } });
  const outcomes = await Promise.all([
    inspector.inspect(bufferSource(buildIpa()), 'ios', 'us'),
    inspector.inspect(bufferSource(buildApk()), 'android', 'us'),
    inspector.inspect(bufferSource(Buffer.from('nothing')), 'ios', 'us'),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['ok', 'ok', 'unreadable']);
});

it('stops an inspection that takes too long, and continues', async () => {
  const inspector = start({
    workerEntry: fakeWorker(
      'if (size === 1) for (;;); port.postMessage({ type: "done", job, outcome: { status: "rejected", reason: "fine" } });',
    ),
    // Far longer than the inspections that end automatically.
    timeoutMs: 1_500,
    concurrency: 1,
  });
  const outcomes = await Promise.all(
    [1, 2, 1, 2].map((size) => inspector.inspect(bufferSource(Buffer.alloc(size)), 'ios', 'us')),
  );
  expect(outcomes).toEqual([
    { status: 'unreadable', reason: 'Reading the archive took too long.' },
    { status: 'rejected', reason: 'fine' },
    { status: 'unreadable', reason: 'Reading the archive took too long.' },
    { status: 'rejected', reason: 'fine' },
  ]);
});

it('does not count the time that the process was paused', async () => {
  const timeoutMs = 2_000;
  const inspector = start({ timeoutMs });
  const source = bufferSource(buildIpa());
  let isPaused = false;
  const pausing = {
    size: source.size,
    read(offset: number, length: number) {
      // As in a pause, the timers are due before the worker can get its bytes.
      if (!isPaused) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, timeoutMs + 100);
      isPaused = true;
      return source.read(offset, length);
    },
  };
  expect((await inspector.inspect(pausing, 'ios', 'us')).status).toBe('ok');
  expect(isPaused).toBe(true);
});

it('rejects an inspection whose worker does not start in time, and starts another one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'taxiway-worker-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const mark = JSON.stringify(join(folder, 'second'));
  // The first one never announces itself.
  const { code } = fakeWorker(
    'port.postMessage({ type: "done", job, outcome: { status: "rejected", reason: "fine" } });',
  );
  const inspector = start({
    workerEntry: {
      code: `const fs = require('node:fs');
        if (fs.existsSync(${mark})) { ${code} } else { fs.writeFileSync(${mark}, ''); setInterval(() => {}, 1_000); }`,
    },
    startTimeoutMs: 3_000,
    concurrency: 1,
  });
  const inspect = () => inspector.inspect(bufferSource(Buffer.alloc(1)), 'ios', 'us');
  const [hanging, next] = await Promise.allSettled([inspect(), inspect()]);
  expect(hanging).toMatchObject({
    status: 'rejected',
    reason: { message: 'The inspection worker did not start in time.' },
  });
  expect(next).toEqual({ status: 'fulfilled', value: { status: 'rejected', reason: 'fine' } });
});

it('stops an inspection that uses too much memory, and continues', async () => {
  const body =
    'const hoard = []; if (size === 1) for (;;) hoard.push({ own: [hoard.length] }); port.postMessage({ type: "done", job, outcome: { status: "rejected", reason: "fine" } });';
  const inspector = start({ workerEntry: fakeWorker(body), maxMemoryMb: 32, concurrency: 1 });
  const outcomes = await Promise.all(
    [1, 2].map((size) => inspector.inspect(bufferSource(Buffer.alloc(size)), 'ios', 'us')),
  );
  expect(outcomes).toEqual([
    { status: 'unreadable', reason: 'Reading the archive takes too much memory.' },
    { status: 'rejected', reason: 'fine' },
  ]);
});

it.each([
  ['throws', 'throw new Error("boom");'],
  ['ends itself', 'process.exit(0);'],
])('counts a package as unreadable when its worker %s', async (_what, body) => {
  const inspector = start({ workerEntry: fakeWorker(body) });
  const outcome = await inspector.inspect(bufferSource(Buffer.alloc(1)), 'ios', 'us');
  expect(outcome).toEqual({ status: 'unreadable', reason: "The archive can't be read." });
});

it('lets the server respond in the meantime', async () => {
  const inspector = start({ workerEntry: fakeWorker('for (;;);'), timeoutMs: 400 });
  const pending = inspector.inspect(bufferSource(Buffer.alloc(1)), 'ios', 'us');
  let turns = 0;
  let isDone = false;
  void pending.then(() => {
    isDone = true;
  });
  while (!isDone) {
    turns += 1;
    await nextTurn();
  }
  expect(turns).toBeGreaterThan(1_000);
});

it("rejects packages beyond an owner's limit, and accepts new ones later", async () => {
  const inspector = start({ concurrency: 1, maxWaitingOfOwner: 2 });
  const bytes = buildIpa();
  const answers = await Promise.allSettled(
    Array.from({ length: 6 }, () => inspector.inspect(bufferSource(bytes), 'ios', 'us')),
  );
  const refused = answers.filter((answer) => answer.status === 'rejected');
  expect(refused).toHaveLength(3);
  for (const { reason } of refused) expect(reason).toMatchObject({ code: 'storage_backend_unavailable', status: 503 });
  expect((await inspector.inspect(bufferSource(bytes), 'ios', 'us')).status).toBe('ok');
});

it.each([1, 2])('runs no more than %i inspections simultaneously, in their order', async (concurrency) => {
  const inspector = start({ concurrency });
  const begun: number[] = [];
  let running = 0;
  let max = 0;
  const bytes = buildIpa();
  const jobs = Array.from({ length: 6 }, async (_, index) => {
    const source = bufferSource(bytes);
    const noticing = {
      size: source.size,
      read(offset: number, length: number) {
        if (!begun.includes(index)) {
          begun.push(index);
          running += 1;
          max = Math.max(max, running);
        }
        return source.read(offset, length);
      },
    };
    const outcome = await inspector.inspect(noticing, 'ios', `owner ${index}`);
    running -= 1;
    return outcome.status;
  });
  expect(await Promise.all(jobs)).toEqual(Array(6).fill('ok'));
  expect(max).toBeLessThanOrEqual(concurrency);
  // Two workers take packages in order and may still begin to read in another, as threads run when the machine lets them.
  expect(concurrency === 1 ? begun : begun.toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
});

describe('next to the server', () => {
  it.skipIf(process.platform !== 'linux')('workers have a lower priority if the processors are busy', async () => {
    await start().inspect(bufferSource(buildIpa()), 'ios', 'us');
    const niceness = readdirSync('/proc/self/task').flatMap((thread) => {
      // A thread may have ended.
      const line = existsSync(`/proc/self/task/${thread}/stat`)
        ? readFileSync(`/proc/self/task/${thread}/stat`, 'utf8')
        : '';
      return line === '' ? [] : Number(line.slice(line.lastIndexOf(')') + 2).split(' ')[16]);
    });
    expect(niceness).toContain(Math.min(19, getPriority() + 5));
    expect(niceness).toContain(getPriority());
  });

  it('decompression bombs leave the thread of the server short work', async () => {
    const huge = Array.from({ length: 2_500 }, (_, index) => `${index}`.padStart(60, '0'));
    const entitlements = Object.fromEntries(huge.slice(0, 600).map((name) => [name, 'x'.repeat(512)]));
    const entries = Array.from({ length: 60_000 }, (_, index) => ({
      name: `Payload/Sample.app/${index}`,
      data: Buffer.alloc(0),
      isStored: true,
    }));
    const bombs = [
      buildIpa({ profile: { ProvisionedDevices: huge, Entitlements: entitlements } }),
      buildIpa({ parts: entries }),
      buildIpa({ infoPlist: Buffer.alloc(2 * 1024 * 1024, '<array>') }),
      buildIpa({ parts: [{ name: 'large', data: Buffer.alloc(32 * 1024 * 1024), isStored: true }] }),
    ];
    const inspector = start({ timeoutMs: 60_000 });
    // The thread of the server copies the bytes that a worker asks for, and reads what it answers. It does nothing else.
    let bytesOfTurn = 0;
    let most = 0;
    const counted = (bytes: Buffer) => {
      const source = bufferSource(bytes);
      return {
        size: source.size,
        read(offset: number, length: number) {
          if (bytesOfTurn === 0) void nextTurn().then(() => (bytesOfTurn = 0));
          bytesOfTurn += length;
          most = Math.max(most, bytesOfTurn);
          return source.read(offset, length);
        },
      };
    };
    const done = await Promise.all(bombs.map((bytes, index) => inspector.inspect(counted(bytes), 'ios', `${index}`)));
    expect(done.map(({ status }) => status)).toEqual(['ok', 'ok', 'unreadable', 'ok']);
    // Two workers, each with one read.
    expect(most).toBeLessThanOrEqual(2 * 4 * 1024 * 1024);
    const sizes = done.map((outcome) => JSON.stringify(outcome).length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(512 * 1024);
  });
});

describe('owners', () => {
  /** Answers an inspection only when it is let go, so that the order of turns shows. */
  function startHolding(options: Partial<InspectorOptions> = {}) {
    const begun: string[] = [];
    const held: (() => void)[] = [];
    const inspector = start({ workerEntry: holdingWorker, ...options });
    const inspect = (owner: string, name: string) => {
      const gate = Promise.withResolvers<Buffer>();
      const read = () => {
        begun.push(name);
        held.push(() => gate.resolve(Buffer.alloc(1)));
        return gate.promise;
      };
      return inspector.inspect({ size: 1, read }, 'ios', owner).then(
        () => 'done',
        (error: { code?: string }) => error.code,
      );
    };
    const letGo = async (count: number) => {
      await until(() => held.length >= count);
      for (const release of held.splice(0)) release();
    };
    return { begun, held, inspect, letGo };
  }
  const holdingWorker = fakeWorker(`
    port.once('message', () => port.postMessage({ type: 'done', job, outcome: { status: 'rejected', reason: 'fine' } }));
    port.postMessage({ type: 'read', job, read: 1, offset: 0, length: 1 });`);

  it('take turns, regardless of their number of packages', async () => {
    const { begun, inspect, letGo } = startHolding({ concurrency: 1 });
    const jobs = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => inspect(name.slice(0, 1), name));
    for (let turn = 0; turn < jobs.length; turn += 1) await letGo(1);
    expect(await Promise.all(jobs)).toEqual(Array(6).fill('done'));
    // The second one came before anyone else.
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('leave one worker to the others', async () => {
    const { begun, held, inspect, letGo } = startHolding({ concurrency: 3 });
    const many = ['a1', 'a2', 'a3', 'a4'].map((name) => inspect('a', name));
    await until(() => held.length === 2);
    const other = inspect('b', 'b1');
    await until(() => held.length === 3);
    expect(begun.toSorted()).toEqual(['a1', 'a2', 'b1']);
    await letGo(3);
    expect(await other).toBe('done');
    await letGo(2);
    expect(await Promise.all(many)).toEqual(Array(4).fill('done'));
  });

  it('are only rejected because of their own packages', async () => {
    const { inspect, letGo } = startHolding({ concurrency: 1, maxWaitingOfOwner: 2 });
    const many = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => inspect('a', name));
    const other = inspect('b', 'b1');
    for (let turn = 0; turn < 4; turn += 1) await letGo(1);
    const refused = 'storage_backend_unavailable';
    expect(await Promise.all(many)).toEqual(['done', 'done', 'done', refused, refused]);
    expect(await other).toBe('done');
  });

  it('with the longest queue lose an entry if too many wait in total', async () => {
    const { inspect, letGo } = startHolding({ concurrency: 1, maxWaiting: 4 });
    const many = ['a1', 'a2', 'a3', 'a4', 'a5'].map((name) => inspect('a', name));
    const others = ['b1', 'b2', 'b3'].map((name) => inspect('b', name));
    for (let turn = 0; turn < 5; turn += 1) await letGo(1);
    const refused = 'storage_backend_unavailable';
    expect(await Promise.all(many)).toEqual(['done', 'done', 'done', refused, refused]);
    // As many as the other owner has left.
    expect(await Promise.all(others)).toEqual(['done', 'done', refused]);
  });
});

describe('reads', () => {
  it("that fail reject the inspection with the source's error", async () => {
    const inspector = start({ concurrency: 1 });
    const broken = { size: 1_000, read: () => Promise.reject(new Error('disk gone')) };
    await expect(inspector.inspect(broken, 'ios', 'us')).rejects.toThrow('disk gone');
    expect((await inspector.inspect(bufferSource(buildIpa()), 'ios', 'us')).status).toBe('ok');
  });

  it.each([
    ['before the package', -1, 10],
    ['past its end', 5, 10],
    ['of too many bytes', 0, 1e12],
    ['of no number', 'NaN', 1],
  ])('are rejected for a worker: %s', async (_what, offset, length) => {
    const body = `port.on('message', ({ type, bytes }) => {
      if (type === 'bytes') port.postMessage({ type: 'done', job, outcome: { status: 'rejected', reason: String(bytes) } });
    }); port.postMessage({ type: 'read', job, read: 1, offset: ${offset}, length: ${length} });`;
    const source = bufferSource(Buffer.alloc(10));
    const outcome = await start({ workerEntry: fakeWorker(body) }).inspect(source, 'ios', 'us');
    expect([outcome, source.counted.reads]).toEqual([{ status: 'rejected', reason: 'null' }, 0]);
  });
});

describe('close', () => {
  it('rejects running, waiting and new inspections', async () => {
    const inspector = start({ workerEntry: fakeWorker('for (;;);'), concurrency: 1 });
    const pending = [1, 2].map((size) => inspector.inspect(bufferSource(Buffer.alloc(size)), 'ios', 'us'));
    const settled = Promise.allSettled(pending);
    await nextTurn();
    await inspector.close();
    const closed = { status: 'rejected', reason: new Error('The inspector is closed.') };
    expect(await settled).toEqual([closed, closed]);
    await expect(inspector.inspect(bufferSource(Buffer.alloc(1)), 'ios', 'us')).rejects.toThrow('closed');
  });

  it('can be called before the first inspection, and twice', async () => {
    const inspector = start();
    await inspector.close();
    await inspector.close();
  });
});

it('reports that no worker can be started instead of a damaged package', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'inspection-'));
  const path = join(folder, 'broken.mjs');
  writeFileSync(path, 'throw new Error("no start");');
  const inspector = start({ workerEntry: path });
  await expect(inspector.inspect(bufferSource(buildIpa()), 'ios', 'us')).rejects.toThrow('no start');
  rmSync(folder, { recursive: true });
});

it('says to restart the server if the file of the worker was replaced', async () => {
  const inspector = start({ workerEntry: join(tmpdir(), 'replaced-inspection-worker.cjs') });
  await expect(inspector.inspect(bufferSource(buildIpa()), 'ios', 'us')).rejects.toThrow(
    "The program's files were replaced or are incomplete: restart the server, or install it again",
  );
});

it('passes no environment to the worker', async () => {
  const body =
    'port.postMessage({ type: "done", job, outcome: { status: "rejected", reason: JSON.stringify(Object.keys(process.env)) } });';
  const outcome = await start({ workerEntry: fakeWorker(body) }).inspect(bufferSource(Buffer.alloc(1)), 'ios', 'us');
  expect(outcome).toEqual({ status: 'rejected', reason: '[]' });
});
