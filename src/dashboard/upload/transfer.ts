// Uploads a package to its signed URL and reports progress.
import { type Sending, sendFile } from './send-file.ts';
import type { UploadMessage } from './upload-worker.ts';

export interface Progress {
  sent: number;
  total: number;
  /** Bytes per second over the last few seconds; undefined at the start. */
  rate: number | undefined;
}

/** The storage rejected the upload, or the connection was lost. */
export class TransferError extends Error {
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  constructor(status: number) {
    super(`The storage answered ${status}`);
    this.status = status;
  }
}

export interface Transfer extends Sending {
  /** The URL of the worker that sends it, if the page itself may not. */
  worker: string | undefined;
  signal: AbortSignal;
  onProgress(progress: Progress): void;
}

const WINDOW_MS = 5000;

/** Sends the file with PUT. Throws TransferError, or AbortError if the signal aborts. */
export async function uploadFile({ worker, signal, onProgress, ...sending }: Transfer): Promise<void> {
  const { size } = sending.file;
  const marks: { at: number; sent: number }[] = [];
  const onSent = (sent: number): void => {
    const now = performance.now();
    marks.push({ at: now, sent });
    while (marks.length > 2 && now - (marks[0]?.at ?? now) > WINDOW_MS) marks.shift();
    const first = marks[0];
    const seconds = first === undefined ? 0 : (now - first.at) / 1000;
    const rate = first !== undefined && seconds > 0.5 ? (sent - first.sent) / seconds : undefined;
    onProgress({ sent: Math.min(sent, size), total: size, rate });
  };
  const send =
    worker === undefined ? sendFile(sending, { signal, onSent }) : sendInWorker(worker, sending, signal, onSent);
  const status = await send;
  if (status < 200 || status >= 300) throw new TransferError(status);
}

/** Only a script that the server delivers for this container may send to it. */
function sendInWorker(
  worker: string,
  sending: Sending,
  signal: AbortSignal,
  onSent: (sent: number) => void,
): Promise<number> {
  const { origin } = new URL(sending.url);
  return runWorker(`${worker}?to=${encodeURIComponent(origin)}`, sending, signal, (data: UploadMessage) => {
    if ('status' in data) return data.status;
    onSent(data.sent);
    return undefined;
  });
}

/** Computes the SHA-256 checksum of a file in a worker. */
export function computeSha256(worker: string, file: File, signal: AbortSignal): Promise<string> {
  return runWorker(worker, file, signal, (data: { sha256: string } | { failed: true }) => {
    if ('sha256' in data) return data.sha256;
    throw new TransferError(0);
  });
}

/** Starts a worker with a message, and ends it when `read` returns a result or throws. Throws TransferError if it fails. */
function runWorker<Message, Result>(
  worker: string,
  message: unknown,
  signal: AbortSignal,
  read: (message: Message) => Result | undefined,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const running = new Worker(worker, { type: 'module' });
    const end = (): void => running.terminate();
    signal.addEventListener(
      'abort',
      () => {
        end();
        reject(signal.reason);
      },
      { once: true },
    );
    running.onmessage = ({ data }: MessageEvent<Message>) => {
      try {
        const result = read(data);
        if (result === undefined) return;
        resolve(result);
      } catch (error) {
        reject(error);
      }
      end();
    };
    running.onerror = () => {
      end();
      reject(new TransferError(0));
    };
    running.postMessage(message);
  });
}
