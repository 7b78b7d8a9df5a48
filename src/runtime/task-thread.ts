// A worker thread that runs one kind of task on untrusted input, so that no input can block or crash the server.
import { parentPort, Worker } from 'node:worker_threads';
import { MINUTE, SECOND } from '../lib/clock.ts';
import { startDeadline } from '../lib/deadline.ts';
import { AppError } from '../lib/errors.ts';
import { explainMissingFile } from '../lib/replaced-program.ts';

const IDLE_MS = 30 * SECOND;
const START_TIMEOUT_MS = MINUTE;

/** The task timed out or crashed its thread, because of its input. */
export class TaskFailed extends Error {}

export interface TaskThreadOptions {
  /** Path of the thread's entry file, or its bundle as a CommonJS script. */
  entry: string | { code: string };
  /** Milliseconds until a task's thread is terminated. */
  timeoutMs: number;
  /** Milliseconds until a thread is terminated that hasn't started. Its task is rejected. */
  startTimeoutMs?: number;
  /** Heap limit in MiB. */
  maxMemoryMb: number;
  /** Maximum number of waiting tasks; further tasks are rejected with 429. */
  maxWaiting: number;
}

export interface TaskThread<Task, Outcome> {
  /** Runs a task after all earlier ones. Rejects with TaskFailed or `rate_limit_exceeded`, or after close(). */
  run(task: Task): Promise<Outcome>;
  close(): Promise<void>;
}

interface Waiting<Task, Outcome> {
  task: Task;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

type FromThread<Outcome> = { ready: true } | { outcome: Outcome } | { failed: string };

/** Creates a thread that starts with its first task, runs one task at a time and ends after 30 idle seconds. */
export function createTaskThread<Task, Outcome>(options: TaskThreadOptions): TaskThread<Task, Outcome> {
  const { startTimeoutMs = START_TIMEOUT_MS } = options;
  const queue: Waiting<Task, Outcome>[] = [];
  let thread: Worker | undefined;
  let current: Waiting<Task, Outcome> | undefined;
  let isReady = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  function start(): Worker {
    const settings = {
      // The thread reads untrusted input, so it doesn't get the environment and its secrets.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: options.maxMemoryMb, maxYoungGenerationSizeMb: 16 },
    };
    const { entry } = options;
    const started =
      typeof entry === 'string' ? new Worker(entry, settings) : new Worker(entry.code, { ...settings, eval: true });
    started.on('message', (message: FromThread<Outcome>) => {
      if (started === thread) receive(message);
    });
    started.on('error', (error) => retire(started, explainMissingFile(error)));
    started.on('exit', () => retire(started, new Error('The thread ended')));
    isReady = false;
    return started;
  }

  function receive(message: FromThread<Outcome>): void {
    if ('ready' in message) {
      isReady = true;
      begin();
      return;
    }
    const done = current;
    current = undefined;
    if ('outcome' in message) done?.resolve(message.outcome);
    else done?.reject(new TaskFailed(message.failed));
    advance();
  }

  /** Sends the current task. The deadline starts here, so that the start of the thread doesn't count. */
  function begin(): void {
    if (current === undefined) return;
    clearTimeout(timer);
    timer = startDeadline(options.timeoutMs, () => end(new TaskFailed('The task took too long')));
    thread?.postMessage(current.task);
  }

  function advance(): void {
    clearTimeout(timer);
    current = isClosed ? undefined : queue.shift();
    if (current === undefined) {
      thread?.unref();
      timer = setTimeout(() => end(new Error('idle')), IDLE_MS);
      timer.unref();
      return;
    }
    try {
      thread ??= start();
    } catch (error) {
      current.reject(error);
      advance();
      return;
    }
    thread.ref();
    if (isReady) begin();
    else timer = startDeadline(startTimeoutMs, () => end(new Error('The thread did not start in time')));
  }

  /** Terminates the thread and rejects its running task. */
  function end(error: Error): void {
    const ended = thread;
    thread = undefined;
    isReady = false;
    clearTimeout(timer);
    const failed = current;
    current = undefined;
    failed?.reject(error);
    void ended?.terminate();
    if (queue.length > 0) advance();
  }

  function retire(ended: Worker, error: unknown): void {
    if (ended !== thread) return;
    // Before the thread is ready, it hasn't received the task.
    end(isReady ? new TaskFailed('The thread crashed') : error instanceof Error ? error : new Error(String(error)));
  }

  return {
    run: (task) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new Error('The thread is closed'));
        if (queue.length >= options.maxWaiting) return reject(tooBusy());
        queue.push({ task, resolve, reject });
        if (current === undefined) advance();
      }),
    async close() {
      isClosed = true;
      const closed = new Error('The thread is closed');
      for (const { reject } of queue.splice(0)) reject(closed);
      const ending = thread;
      end(closed);
      await ending?.terminate();
    },
  };
}

function tooBusy(): AppError {
  return new AppError('rate_limit_exceeded', 'The server is busy; try again later', {}, { 'retry-after': '5' });
}

/** Runs tasks in the thread. The whole body of an entry file. */
export function serveTasks<Task, Outcome>(perform: (task: Task) => Outcome | Promise<Outcome>): void {
  const port = parentPort;
  if (port === null) return;
  const send = (message: FromThread<Outcome>) => port.postMessage(message);
  port.on('message', (task: Task) => {
    Promise.resolve(task)
      .then(perform)
      .then(
        (outcome) => send({ outcome }),
        (error: unknown) => send({ failed: String(error) }),
      );
  });
  send({ ready: true });
}
