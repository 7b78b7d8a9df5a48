// HTTP requests to the S3 service: connections are reused, and every request has deadlines and a limit on its response.
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { createByteQueue } from '../../lib/byte-queue.ts';
import { type Inflow, receive } from './inflow.ts';

type WireRequest = {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
};

export type WireAnswer = {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
};

/** `silenceMs`: without any progress. `totalMs`: until the whole response has arrived. */
export type Deadlines = { readonly silenceMs: number; readonly totalMs: number };

export type Transport = {
  /** Sends a request and reads the whole response. Rejects if a deadline passes or the response is larger than `maxBytes`. */
  send(request: WireRequest, limits: Deadlines & { maxBytes: number }): Promise<WireAnswer>;
  /** Sends a request and returns the response, whose body the caller reads. `signal` aborts the request and the response. */
  open(request: WireRequest, options: { silenceMs: number; signal?: AbortSignal }): Promise<IncomingMessage>;
  /**
   * Sends a GET and returns the response, whose body the caller reads with less work than that of `open`. Returns undefined if the
   * response doesn't state its length.
   */
  receive(request: WireRequest, options: { silenceMs: number; signal?: AbortSignal }): Promise<Inflow | undefined>;
  close(): void;
};

/** The service closes idle connections, often after 20 seconds or more. */
const IDLE_CONNECTION_MS = 15_000;
const MAX_CONNECTIONS = 128;

/** Opens no connection until the first request. */
export function createTransport(): Transport {
  const options = {
    keepAlive: true,
    keepAliveMsecs: 10_000,
    maxFreeSockets: 16,
    maxSockets: MAX_CONNECTIONS,
    timeout: IDLE_CONNECTION_MS,
  };
  const plain = { start: httpRequest, agent: new HttpAgent(options) };
  let secure: ReturnType<typeof openSecure> | undefined;

  /** Loads the module with the first request, because servers that store everything themselves send none. */
  async function openSecure() {
    const { Agent, request } = await import('node:https');
    return { start: request, agent: new Agent(options) };
  }

  function clientFor({ protocol }: URL) {
    if (protocol !== 'https:') return plain;
    secure ??= openSecure();
    return secure;
  }

  async function open(
    { method, url, headers, body }: WireRequest,
    { silenceMs, signal }: { silenceMs: number; signal?: AbortSignal },
  ): Promise<IncomingMessage> {
    const { start, agent } = await clientFor(url);
    return new Promise((resolve, reject) => {
      const request = start(url, {
        method,
        agent,
        headers: body === undefined ? { ...headers } : { ...headers, 'content-length': body.byteLength },
        ...(signal === undefined ? {} : { signal }),
      });
      // Also applies to the connection and to the pauses within the response.
      request.setTimeout(silenceMs, () => request.destroy(new Error(`no response for ${silenceMs / 1000} s`)));
      request.on('error', reject);
      request.on('response', resolve);
      request.on('close', () => reject(new Error('the connection was closed without a response')));
      request.end(body);
    });
  }

  async function send(request: WireRequest, limits: Deadlines & { maxBytes: number }): Promise<WireAnswer> {
    const { silenceMs, totalMs, maxBytes } = limits;
    const deadline = new AbortController();
    const timer = setTimeout(
      () => deadline.abort(new Error(`no complete response within ${totalMs / 1000} s`)),
      totalMs,
    );
    try {
      const response = await open(request, { silenceMs, signal: deadline.signal });
      const received = createByteQueue();
      for await (const chunk of response as AsyncIterable<Buffer>) {
        if (received.size() + chunk.length > maxBytes) {
          response.destroy();
          throw new Error(`the response has more than ${maxBytes} bytes`);
        }
        received.add(chunk);
      }
      if (!response.complete) throw new Error('the connection was closed within the response');
      const { statusCode: status = 0, headers } = response;
      return { status, headers, body: received.all() };
    } catch (error) {
      throw deadline.signal.aborted ? deadline.signal.reason : error;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    send,
    open,
    receive,
    close() {
      plain.agent.destroy();
      void secure?.then(({ agent }) => agent.destroy());
    },
  };
}
