// Entry of the worker thread that reads untrusted packages, so that they can't block or crash the server.
import { getPriority, setPriority } from 'node:os';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { type InspectionOutcome, inspectPackage } from './inspect.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import type { ByteSource } from './source.ts';

/** Niceness added for inspections: 5 steps reduce the share to a third, so that a busy server still answers requests. */
const NICENESS_STEPS = 5;
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
  // Copied, because sending a view would send its whole underlying memory.
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
 * Lowers the priority of this thread below the threads that answer requests. Only Linux applies this to the thread alone and not
 * to the whole process.
 */
function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Math.min(LOWEST_PRIORITY, getPriority() + NICENESS_STEPS));
  } catch {
    // Some sandboxes forbid it. The inspection then runs at normal priority.
  }
}

if (parentPort) {
  lowerPriority();
  serve(parentPort);
}
