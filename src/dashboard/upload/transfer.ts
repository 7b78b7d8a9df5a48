// Uploads a package to its signed URL and reports progress.

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

export interface Transfer {
  url: string;
  headers: Record<string, string>;
  file: File;
  signal: AbortSignal;
  onProgress(progress: Progress): void;
}

const WINDOW_MS = 5000;

/** Sends the file with PUT. Throws TransferError, or AbortError if the signal aborts. */
export function uploadFile({ url, headers, file, signal, onProgress }: Transfer): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const marks: { at: number; sent: number }[] = [];
    request.open('PUT', url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded }) => {
      const now = performance.now();
      marks.push({ at: now, sent: loaded });
      while (marks.length > 2 && now - (marks[0]?.at ?? now) > WINDOW_MS) marks.shift();
      const first = marks[0];
      const seconds = first === undefined ? 0 : (now - first.at) / 1000;
      const rate = first !== undefined && seconds > 0.5 ? (loaded - first.sent) / seconds : undefined;
      onProgress({ sent: Math.min(loaded, file.size), total: file.size, rate });
    };
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) resolve();
      else reject(new TransferError(request.status));
    };
    request.onerror = () => reject(new TransferError(0));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener('abort', () => request.abort(), { once: true });
    if (signal.aborted) reject(signal.reason);
    else request.send(file);
  });
}

/** Computes the SHA-256 checksum of a file in a worker. */
export function computeSha256(worker: string, file: File, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
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
    running.onmessage = ({ data }: MessageEvent<{ sha256: string } | { failed: true }>) => {
      end();
      if ('sha256' in data) resolve(data.sha256);
      else reject(new TransferError(0));
    };
    running.onerror = () => {
      end();
      reject(new TransferError(0));
    };
    running.postMessage(file);
  });
}
