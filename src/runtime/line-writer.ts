// Writes lines to a file descriptor without blocking. A log without a reader must not stop the server.
import { constants, openSync, writeSync } from 'node:fs';

export interface LineWriter {
  /** Writes complete lines, each with its newline. */
  write(lines: string): void;
  /** Number of lines dropped since the start. */
  dropped(): number;
}

export interface LineWriterParts {
  /** Writes some of the bytes and returns their number. Throws EAGAIN if writing would block. */
  writeSome(bytes: Buffer): number;
  /** Called when lines are written again, with the number of lines dropped since the last call. */
  onRecovered(dropped: number): void;
}

const MAX_WAITING_BYTES = 1024 * 1024;
const RETRY_MS = 50;
/** An exiting process waits this long for a slow reader. A reader that stopped reading doesn't delay the exit. */
const STALLED_AFTER_MS = 1_000;
const NEWLINE = 10;

/** Returns a writer that buffers up to 1 MiB while the reader is behind. Further lines are dropped and counted. */
export function createLineWriter({ writeSome, onRecovered }: LineWriterParts): LineWriter {
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  let dropped = 0;
  let unreported = 0;
  let retry: NodeJS.Timeout | undefined;
  let progressAt = 0;

  function drop(bytes: Buffer): void {
    const lines = countLines(bytes);
    dropped += lines;
    unreported += lines;
  }

  /** Writes as much as possible. Returns false if the rest must wait. */
  function flushWaiting(): boolean {
    for (let [next] = waiting; next !== undefined; [next] = waiting) {
      let written: number;
      try {
        written = writeSome(next);
      } catch (error) {
        if (isTemporary(error)) return false;
        // The reader is gone or the disk of the log file is full. Later lines may succeed.
        drop(next);
        written = next.length;
        waitingBytes -= written;
        waiting.shift();
        continue;
      }
      if (written > 0) progressAt = performance.now();
      waitingBytes -= written;
      if (written >= next.length) waiting.shift();
      else waiting[0] = next.subarray(written);
      if (waiting.length === 0 && unreported > 0) report();
    }
    return true;
  }

  function report(): void {
    const count = unreported;
    unreported = 0;
    onRecovered(count);
  }

  function retryLater(): void {
    retry ??= setTimeout(() => {
      retry = undefined;
      if (!flushWaiting()) retryLater();
    }, RETRY_MS);
    if (performance.now() - progressAt > STALLED_AFTER_MS) retry.unref();
  }

  return {
    write(lines) {
      const bytes = Buffer.from(lines);
      if (waitingBytes + bytes.length > MAX_WAITING_BYTES && waiting.length > 0) {
        drop(bytes);
        return;
      }
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (retry === undefined && !flushWaiting()) retryLater();
    },
    dropped: () => dropped,
  };
}

/**
 * Returns a function that writes to standard output (1) or standard error (2) without blocking. Node makes pipes and sockets
 * non-blocking when it creates their stream, except on Windows. Files never block for long.
 */
export function openDescriptor(fd: 1 | 2): LineWriterParts['writeSome'] {
  const stream = fd === 1 ? process.stdout : process.stderr;
  const target = stream.isTTY ? reopenTerminal(fd) : fd;
  return (bytes) => writeSync(target, bytes);
}

/** Reopens a terminal in non-blocking mode, because a terminal paused with Ctrl-S blocks its writers. */
function reopenTerminal(fd: number): number {
  if (process.platform !== 'linux') return fd;
  try {
    return openSync(`/proc/self/fd/${fd}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // Without /proc, or if the terminal belongs to another user, a log that may block is better than none.
    return fd;
  }
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
}

function isTemporary(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'EAGAIN' || code === 'EINTR';
}
