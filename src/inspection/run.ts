// Runs inspections in worker threads, with limits on their number, time and memory. Organizations take turns.

import { Worker } from 'node:worker_threads';
import { definePart } from '../core/parts.ts';
import { inspectionWorker } from '../lib/assets.ts';
import { MINUTE } from '../lib/clock.ts';
import { startDeadline } from '../lib/deadline.ts';
import { codeOf } from '../lib/error-code.ts';
import { AppError } from '../lib/errors.ts';
import { addToQueue, type Lines, removeFromQueue, takeNext } from '../lib/fair-queue.ts';
import { explainMissingFile } from '../lib/replaced-program.ts';
import type { Platform } from '../platforms.ts';
import type { InspectionOutcome } from './inspect.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import type { ByteSource } from './source.ts';

const maxReadBytes = 8 * 1024 * 1024;
const jobsPerWorker = 200;
const idleMs = 30_000;
const START_TIMEOUT_MS = MINUTE;

export interface InspectorOptions {
  /** Path of worker.ts, or the code of its bundle as a CommonJS script. */
  readonly workerEntry: string | { code: string };
  /** Milliseconds until a worker is terminated and its package counts as unreadable. */
  readonly timeoutMs: number;
  /** Milliseconds until a worker is terminated that hasn't started. Its inspection is rejected. */
  readonly startTimeoutMs?: number;
  /**
   * Heap limit of a worker in MiB. Only a second line of defense: V8 doesn't stop every thread cleanly at its limit, and buffers
   * are outside the heap, so the readers have their own budgets far below it.
   */
  readonly maxMemoryMb: number;
  /** Concurrent inspections. If it's more than one, an owner may use all but one, so that one owner never blocks all workers. */
  readonly concurrency: number;
  /** Maximum number of waiting inspections per owner; further ones are rejected with 503. */
  readonly maxWaitingOfOwner?: number;
  /** Maximum number of waiting inspections in total; a further one replaces the newest of the longest queue. */
  readonly maxWaiting?: number;
}

export interface Inspector {
  /**
   * Inspects a package of `owner`, an organization; waiting owners take turns. The outcome is `unreadable` if inspection takes too
   * long, needs too much memory or crashes its worker. Rejects if the source fails (with its error), too many inspections wait, no
   * worker can be started, or after close().
   */
  inspect(source: ByteSource, platform: Platform, owner: string): Promise<InspectionOutcome>;
  /** Terminates all workers. Running and waiting inspections are rejected. */
  close(): Promise<void>;
}

interface Job {
  readonly number: number;
  readonly owner: string;
  readonly source: ByteSource;
  readonly platform: Platform;
  readonly resolve: (outcome: InspectionOutcome) => void;
  readonly reject: (error: unknown) => void;
  sourceError: unknown;
}

interface Slot {
  readonly worker: Worker;
  isReady: boolean;
  job: Job | null;
  jobsDone: number;
  timer: NodeJS.Timeout | null;
}

function tooBusy(): AppError {
  const message =
    'Too many packages of this organization are waiting to be inspected; send the complete request again in a few seconds';
  return new AppError('storage_backend_unavailable', message, {}, { 'retry-after': '5' });
}

/** Creates an inspector. Workers start with the first inspection, are reused, and stop after 30 idle seconds. */
export function createInspector(options: InspectorOptions): Inspector {
  const { workerEntry, timeoutMs, maxMemoryMb, concurrency, maxWaitingOfOwner = 40, maxWaiting = 400 } = options;
  const { startTimeoutMs = START_TIMEOUT_MS } = options;
  const slots = new Set<Slot>();
  const lines: Lines<Job> = new Map();
  let jobs = 0;
  let isClosed = false;

  function startSlot(): Slot {
    const settings = {
      // The worker reads untrusted data, so it doesn't get the environment, which contains secrets.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 },
    };
    const worker =
      typeof workerEntry === 'string'
        ? new Worker(workerEntry, settings)
        : new Worker(workerEntry.code, { ...settings, eval: true });
    const slot: Slot = { worker, isReady: false, job: null, jobsDone: 0, timer: null };
    slots.add(slot);
    worker.on('message', (message: FromWorker) => receive(slot, message));
    worker.on('error', (error) => retire(slot, explainMissingFile(error)));
    worker.on('exit', () => retire(slot, new Error('The inspection worker ended.')));
    return slot;
  }

  function receive(slot: Slot, message: FromWorker): void {
    if (message.type === 'ready') {
      slot.isReady = true;
      if (slot.job) beginJob(slot, slot.job);
      return;
    }
    const { job } = slot;
    if (!job || message.job !== job.number) return;
    if (message.type === 'read') void serveRead(slot, job, message.read, message.offset, message.length);
    else if (message.type === 'failed')
      finishJob(slot, () => job.reject(job.sourceError ?? new Error(message.message)));
    else finishJob(slot, () => job.resolve(restoreIcon(message.outcome)));
  }

  async function serveRead(slot: Slot, job: Job, read: number, offset: number, length: number): Promise<void> {
    let bytes: Uint8Array<ArrayBuffer> | null = null;
    try {
      const isInside = offset >= 0 && length >= 0 && length <= maxReadBytes && offset + length <= job.source.size;
      if (!isInside) throw new Error('The inspection worker requested bytes outside of the package.');
      bytes = new Uint8Array(await job.source.read(offset, length));
    } catch (error) {
      job.sourceError = error;
    }
    if (slot.job === job)
      slot.worker.postMessage({ type: 'bytes', read, bytes } satisfies ToWorker, bytes ? [bytes.buffer] : []);
  }

  function awaitStart(slot: Slot): void {
    const end = () => retire(slot, new Error('The inspection worker did not start in time.'));
    setTimer(slot, startDeadline(startTimeoutMs, end));
  }

  // The timeout starts when the worker is ready, so that a busy machine doesn't count against the package.
  function beginJob(slot: Slot, job: Job): void {
    const end = () => {
      finishJob(slot, () => job.resolve({ status: 'unreadable', reason: 'Reading the archive took too long.' }), false);
      endSlot(slot);
    };
    setTimer(slot, startDeadline(timeoutMs, end));
    const { number, source, platform } = job;
    slot.worker.postMessage({ type: 'inspect', job: number, size: source.size, platform } satisfies ToWorker);
  }

  function finishJob(slot: Slot, settle: () => void, isReusable = true): void {
    setTimer(slot, null);
    slot.job = null;
    slot.jobsDone += 1;
    settle();
    if (!isReusable) return;
    if (slot.jobsDone >= jobsPerWorker) endSlot(slot);
    else {
      slot.worker.unref();
      setTimer(slot, setTimeout(() => endSlot(slot), idleMs).unref());
    }
    schedule();
  }

  function endSlot(slot: Slot): void {
    setTimer(slot, null);
    slots.delete(slot);
    void slot.worker.terminate();
    schedule();
  }

  // A worker exited unexpectedly. If it wasn't ready, this says nothing about the package.
  function retire(slot: Slot, error: unknown): void {
    if (!slots.delete(slot)) return;
    setTimer(slot, null);
    const { job } = slot;
    slot.job = null;
    void slot.worker.terminate();
    if (job && slot.isReady) job.resolve({ status: 'unreadable', reason: explain(error) });
    else job?.reject(error);
    schedule();
  }

  const turnRules = {
    runningOf: (owner: string) => [...slots].filter(({ job }) => job?.owner === owner).length,
    maxRunning: Math.max(1, concurrency - 1),
  };

  function schedule(): void {
    if (isClosed) return;
    for (;;) {
      const idle = [...slots].find((slot) => slot.job === null);
      if (!idle && slots.size >= concurrency) return;
      const job = takeNext(lines, turnRules);
      if (!job) return;
      try {
        const slot = idle ?? startSlot();
        slot.job = job;
        slot.worker.ref();
        if (slot.isReady) beginJob(slot, job);
        else awaitStart(slot);
      } catch (error) {
        job.reject(error);
      }
    }
  }

  /** Whether another job of an owner can wait, if necessary by dropping a job from the longest queue. */
  function makeRoom(owner: string): boolean {
    const own = lines.get(owner)?.size ?? 0;
    if (own >= maxWaitingOfOwner) return false;
    const sizes = [...lines].map(([other, line]) => ({ other, size: line.size }));
    if (sizes.reduce((total, { size }) => total + size, 0) < maxWaiting) return true;
    const longest = sizes.reduce((max, line) => (line.size > max.size ? line : max), { other: owner, size: own });
    const newest = [...(lines.get(longest.other) ?? [])].at(-1);
    if (longest.size <= own + 1 || newest === undefined) return false;
    removeFromQueue(lines, longest.other, newest);
    newest.reject(tooBusy());
    return true;
  }

  return {
    inspect(source, platform, owner) {
      return new Promise((resolve, reject) => {
        if (isClosed) return reject(new Error('The inspector is closed.'));
        if (!makeRoom(owner)) return reject(tooBusy());
        jobs += 1;
        addToQueue(lines, owner, { number: jobs, owner, source, platform, resolve, reject, sourceError: undefined });
        schedule();
      });
    },
    async close() {
      isClosed = true;
      const closed = new Error('The inspector is closed.');
      for (const line of lines.values()) for (const job of line) job.reject(closed);
      lines.clear();
      const ending = [...slots];
      slots.clear();
      for (const slot of ending) {
        setTimer(slot, null);
        slot.job?.reject(closed);
        slot.job = null;
      }
      await Promise.all(ending.map((slot) => slot.worker.terminate()));
    },
  };
}

function setTimer(slot: Slot, timer: NodeJS.Timeout | null): void {
  if (slot.timer) clearTimeout(slot.timer);
  slot.timer = timer;
}

function explain(error: unknown): string {
  const isMemory = codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY';
  return isMemory ? 'Reading the archive takes too much memory.' : "The archive can't be read.";
}

// Buffers sent by a worker arrive as plain byte arrays.
function restoreIcon(outcome: InspectionOutcome): InspectionOutcome {
  if (outcome.status !== 'ok' || !outcome.icon) return outcome;
  const { png } = outcome.icon;
  return { ...outcome, icon: { ...outcome.icon, png: Buffer.from(png.buffer, png.byteOffset, png.byteLength) } };
}

// The time of the process and not of the processor: inspections run at low priority on a busy machine.
const TIMEOUT_MS = 20_000;
const MEMORY_MB = 128;

/** The inspector of an app. */
export const inspectorOf = definePart<Inspector>({
  open: () =>
    createInspector({ workerEntry: inspectionWorker(), timeoutMs: TIMEOUT_MS, maxMemoryMb: MEMORY_MB, concurrency: 2 }),
  close: (inspector) => inspector.close(),
});
