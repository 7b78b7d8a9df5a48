// Sends the bytes of a package to its signed link, and tells how far it is.

export interface Progress {
  sent: number;
  total: number;
  /** Bytes a second, over the last seconds; undefined in the first moments. */
  rate: number | undefined;
}

/** The storage refused, or the connection was lost on the way. */
export class TransferFailure extends Error {
  /** 0 where there was no answer. */
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

/** PUTs the file. Throws TransferFailure, or an AbortError when the signal says so. */
export function sendBytes({ url, headers, file, signal, onProgress }: Transfer): Promise<void> {
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
      else reject(new TransferFailure(request.status));
    };
    request.onerror = () => reject(new TransferFailure(0));
    request.onabort = () => reject(signal.reason);
    signal.addEventListener('abort', () => request.abort(), { once: true });
    if (signal.aborted) reject(signal.reason);
    else request.send(file);
  });
}

/** The fingerprint of a file, computed beside the page. */
export function computeHash(worker: string, file: File, signal: AbortSignal): Promise<string> {
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
      else reject(new TransferFailure(0));
    };
    running.onerror = () => {
      end();
      reject(new TransferFailure(0));
    };
    running.postMessage(file);
  });
}
