// Receives the body of a response in buffers that are reused. Node's own client allocates 64 KiB for each read from the network,
// whose release by the garbage collector costs more than passing the bytes on.
import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { CHUNK_BYTES, type ChunkSource } from '../send-chunks.ts';

/** A response whose body is read with `next`, which throws if the connection fails or is closed too early. */
export type Inflow = ChunkSource & {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Length of the body. */
  readonly length: number;
  close(): void;
};

type Head = { status: number; headers: Record<string, string>; bytes: number };

/** Of the final response, and of all interim ones together. */
const MAX_HEAD_BYTES = 64 * 1024;
const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]+$/;
/** Lines end with both, and one alone could be taken for an end by the next reader. */
const NOT_IN_HEADERS = /[\0\r\n]/;
/** The rest of a buffer isn't worth a read of its own. */
const MIN_ROOM_BYTES = 64 * 1024;
/** Received bytes that may wait for the client. */
const MAX_WAITING_BYTES = CHUNK_BYTES;

/**
 * Sends a GET on a connection of its own and waits for the head of the response. Returns undefined if its body has no stated
 * length. The connection is closed if nothing arrives for `silenceMs`, or when `signal` aborts.
 */
export async function receive(
  { url, headers }: { url: URL; headers: Readonly<Record<string, string>> },
  { silenceMs, signal }: { silenceMs: number; signal?: AbortSignal | undefined },
): Promise<Inflow | undefined> {
  // Loaded here, because servers that store everything themselves don't need it.
  const tls = url.protocol === 'https:' ? await import('node:tls') : undefined;
  const buffers = createBuffers();
  let failure: Error | undefined;
  let waiter: PromiseWithResolvers<void> | undefined;
  const onread: OnReadOpts = {
    buffer: () => buffers.room(),
    callback(count) {
      buffers.add(count);
      waiter?.resolve();
      return buffers.waiting() < MAX_WAITING_BYTES;
    },
  };
  const socket = connectTo(url, onread, tls?.connect);
  const fail = (error: unknown): void => {
    failure ??= error instanceof Error ? error : new Error(String(error));
    waiter?.reject(failure);
    socket.destroy();
  };
  const abort = (): void => fail(signal?.reason);
  // The service isn't silent if the client is slow.
  const silence = setTimeout(() => {
    if (waiter !== undefined) fail(new Error(`no response for ${silenceMs / 1000} s`));
  }, silenceMs);
  signal?.addEventListener('abort', abort, { once: true });
  socket.on('error', fail);
  socket.on('close', () => {
    fail(new Error('the connection was closed within the response'));
    clearTimeout(silence);
    signal?.removeEventListener('abort', abort);
  });
  if (signal?.aborted) abort();

  /** Waits until further bytes have arrived. */
  async function more(): Promise<void> {
    if (failure !== undefined) throw failure;
    waiter = Promise.withResolvers();
    silence.refresh();
    socket.resume();
    await waiter.promise.finally(() => {
      waiter = undefined;
    });
  }

  /** Takes the head of the final response. Interim ones come before it. */
  async function receiveHead(): Promise<Head> {
    let interimBytes = 0;
    while (interimBytes < MAX_HEAD_BYTES) {
      const head = readHead(buffers.peek());
      if (head === undefined) {
        await more();
        continue;
      }
      buffers.take(head.bytes);
      if (head.status >= 200) return head;
      interimBytes += head.bytes;
    }
    throw new Error('the interim responses are too long');
  }

  try {
    socket.write(requestOf(url, headers));
    const head = await receiveHead();
    const length = lengthOf(head);
    if (!(length > 0)) socket.destroy();
    if (Number.isNaN(length)) return undefined;
    let left = length;
    return {
      status: head.status,
      headers: head.headers,
      length,
      async next(limit) {
        buffers.release();
        if (left === 0) return Buffer.alloc(0);
        if (buffers.waiting() === 0) await more();
        else if (buffers.waiting() < MAX_WAITING_BYTES) socket.resume();
        const chunk = buffers.take(Math.min(limit, left));
        left -= chunk.length;
        if (left === 0) socket.destroy();
        return chunk;
      },
      close: () => socket.destroy(),
    };
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

/** Returns the length of the body, 0 if the response has no object, or NaN if it isn't stated. */
function lengthOf({ status, headers }: Head): number {
  if (status !== 200 && status !== 206) return 0;
  const { 'content-length': stated = '', 'transfer-encoding': coding } = headers;
  return coding === undefined && /^\d{1,15}$/.test(stated) ? Number(stated) : Number.NaN;
}

/** `connectTls` is given for https. */
function connectTo(
  { hostname, port }: URL,
  onread: OnReadOpts,
  connectTls: ((options: ConnectionOptions) => Socket) | undefined,
): Socket {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (connectTls === undefined) return connectTcp({ host, port: Number(port || 80), onread });
  const servername = isIP(host) === 0 ? { servername: host } : {};
  const options: ConnectionOptions & { onread: OnReadOpts } = {
    host,
    port: Number(port || 443),
    ALPNProtocols: ['http/1.1'],
    onread,
    ...servername,
  };
  return connectTls(options);
}

/** Neither a URL nor the validated headers contain line breaks. */
function requestOf({ host, pathname, search }: URL, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ host, ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}`);
  return [`GET ${pathname}${search} HTTP/1.1`, ...lines, '', ''].join('\r\n');
}

/** Returns the head of a response, or undefined if it's incomplete. Throws if it isn't one of HTTP/1. */
function readHead(bytes: Buffer): Head | undefined {
  const end = bytes.subarray(0, MAX_HEAD_BYTES).indexOf('\r\n\r\n');
  if (end < 0 && bytes.length < MAX_HEAD_BYTES) return undefined;
  const [first = '', ...lines] = bytes.toString('latin1', 0, Math.max(end, 0)).split('\r\n');
  const status = Number(/^HTTP\/1\.[01] ([1-5]\d\d)(?: |$)/.exec(first)?.[1]);
  if (Number.isNaN(status)) throw new Error('the response is not one of HTTP');
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon < 0 || !HEADER_NAME.test(line.slice(0, colon)) || NOT_IN_HEADERS.test(line)) {
      throw new Error('the response has an invalid header');
    }
    const key = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    // Several lengths or codings contradict each other.
    headers[key] = headers[key] === undefined ? value : `${headers[key]}, ${value}`;
  }
  return { status, headers, bytes: end + 4 };
}

/** Bytes in the order of their arrival, in contiguous parts of buffers of CHUNK_BYTES. */
function createBuffers() {
  type Part = { bytes: Buffer; taken: number; filled: number; uses: number };
  const idle: Buffer[] = [];
  const create = (): Part => ({
    bytes: idle.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES),
    taken: 0,
    filled: 0,
    uses: 0,
  });
  let filling = create();
  const parts: Part[] = [filling];
  const lent: Part[] = [];
  let waiting = 0;

  /** Keeps a buffer for later if all its bytes were sent and no more will be added. */
  function retire(part: Part): void {
    if (part === filling || part.uses > 0 || part.taken < part.filled) return;
    const index = parts.indexOf(part);
    if (index < 0) return;
    parts.splice(index, 1);
    if (idle.length < 2) idle.push(part.bytes);
  }

  return {
    waiting: () => waiting,
    /** Returns where the next bytes go. */
    room(): Buffer {
      if (CHUNK_BYTES - filling.filled < MIN_ROOM_BYTES) {
        const full = filling;
        filling = create();
        parts.push(filling);
        retire(full);
      }
      return filling.bytes.subarray(filling.filled);
    },
    /** Counts bytes that were written to the latest room. */
    add(count: number): void {
      filling.filled += count;
      waiting += count;
    },
    /** Returns all bytes that wait in the first buffer, without taking them. */
    peek(): Buffer {
      const [part = filling] = parts;
      return part.bytes.subarray(part.taken, part.filled);
    },
    /** Takes at most `limit` bytes, which stay valid until the second `release` after this. */
    take(limit: number): Buffer {
      const part = parts.find(({ taken, filled }) => taken < filled) ?? filling;
      const chunk = part.bytes.subarray(part.taken, Math.min(part.filled, part.taken + limit));
      part.taken += chunk.length;
      part.uses += 1;
      waiting -= chunk.length;
      lent.push(part);
      return chunk;
    },
    release(): void {
      while (lent.length > 1) {
        const part = lent.shift();
        if (part === undefined) return;
        part.uses -= 1;
        retire(part);
      }
    },
  };
}
