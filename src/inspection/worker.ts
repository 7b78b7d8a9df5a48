// Entry of the worker thread that reads untrusted packages, so that they can neither block nor bring down the server.
import { getPriority, setPriority } from 'node:os';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { type InspectionOutcome, inspectPackage } from './inspect.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import type { ByteSource } from './source.ts';

/** Steps of niceness, of which 5 leave a third of the share of other threads: inspections go on beside a busy server. */
const STEPS_BACK = 5;
const LOWEST_PRIORITY = 19;

type Waiting = Map<number, { resolve: (bytes: Buffer) => void; reject: (error: Error) => void }>;

function createRemoteSource(port: MessagePort, waiting: Waiting, job: number, size: number): ByteSource {
  let reads = 0;
  return {
    size,
    read(offset, length) {
      reads += 1;
      const read = reads;
      return new Promise((resolve, reject) => {
        waiting.set(read, { resolve, reject });
        port.postMessage({ type: 'read', job, read, offset, length } satisfies FromWorker);
      });
    },
  };
}

function sendOutcome(port: MessagePort, job: number, outcome: InspectionOutcome): void {
  if (outcome.status !== 'ok' || !outcome.icon) {
    port.postMessage({ type: 'done', job, outcome } satisfies FromWorker);
    return;
  }
  // A copy of its own, because sending a view sends all of the memory behind it.
  const png = Buffer.from(new Uint8Array(outcome.icon.png).buffer);
  const copied = { ...outcome, icon: { ...outcome.icon, png } };
  port.postMessage({ type: 'done', job, outcome: copied } satisfies FromWorker, [png.buffer]);
}

function serve(port: MessagePort): void {
  const waiting: Waiting = new Map();
  port.on('message', (message: ToWorker) => {
    if (message.type === 'bytes') {
      const read = waiting.get(message.read);
      waiting.delete(message.read);
      if (message.bytes) read?.resolve(Buffer.from(message.bytes.buffer));
      else read?.reject(new Error('The source failed.'));
      return;
    }
    const { job, size, platform } = message;
    waiting.clear();
    inspectPackage(createRemoteSource(port, waiting, job, size), platform).then(
      (outcome) => sendOutcome(port, job, outcome),
      (error: unknown) => port.postMessage({ type: 'failed', job, message: String(error) } satisfies FromWorker),
    );
  });
  port.postMessage({ type: 'ready' } satisfies FromWorker);
}

/**
 * Lets the threads that answer requests go first where the processors are busy. Only on Linux does this change the thread
 * alone and not the whole program.
 */
function stepBack(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.min(LOWEST_PRIORITY, getPriority() + STEPS_BACK));
  } catch {
    // Some sandboxes forbid it; then the inspection runs as all else.
  }
}

if (parentPort) {
  stepBack();
  serve(parentPort);
}
