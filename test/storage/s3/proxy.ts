// An HTTP proxy in front of a real S3 service that counts requests and fails on request: before or after the service did the work.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  /** Such as `PUT builds/1`, `COPY builds/1`, `LIST`, `DELETE many`; keys without bucket and prefix. */
  name: string;
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  at: number;
}

export type Fault =
  | { kind: 'respond'; status: number; code?: string; headers?: Record<string, string>; body?: string }
  /** Closes the connection instead of sending the request on. */
  | { kind: 'reset' }
  /** Sends the request on, and closes the connection instead of sending the response back. */
  | { kind: 'lose' }
  | { kind: 'hang' }
  | { kind: 'delay'; ms: number }
  /** Sends the response in chunks, without its length. */
  | { kind: 'chunk' }
  /** Changes the last byte of the response's body. */
  | { kind: 'corrupt' }
  /** Sends half of the response's body, or nothing of a response without a body, and closes the connection. */
  | { kind: 'cut' }
  /** Runs and doesn't send the request on. */
  | { kind: 'instead'; run(): Promise<void> | void }
  /** Runs and then sends the request on. */
  | { kind: 'before'; run(): Promise<void> | void }
  /** Runs after the service responded, before the response is sent back. */
  | { kind: 'after'; run(): Promise<void> | void };

export interface FaultProxy {
  url: string;
  seen: SeenRequest[];
  /** Returns the names of the requests since the last call. */
  takeNames(): string[];
  /** Decides about every request; undefined passes it. */
  fault: ((seen: SeenRequest) => Fault | undefined) | undefined;
  stop(): Promise<void>;
}

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const server = createServer((req, res) => {
    void handle(req, res).catch(() => res.destroy());
  });
  const proxy: FaultProxy = {
    url: '',
    seen: [],
    takeNames: () => proxy.seen.splice(0).map(({ name }) => name),
    fault: undefined,
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = req;
    const seen = { name: nameOf(req), method, url, headers, at: performance.now() };
    proxy.seen.push(seen);
    const fault = proxy.fault?.(seen);
    const body = await readAll(req);
    if (fault?.kind === 'reset') return void req.socket.destroy();
    if (fault?.kind === 'instead') await fault.run();
    if (fault?.kind === 'instead' || fault?.kind === 'hang') return;
    if (fault?.kind === 'delay') await new Promise((done) => setTimeout(done, fault.ms));
    if (fault?.kind === 'before') await fault.run();
    if (fault?.kind === 'respond') {
      const text = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${fault.code}</Code><Message>said so</Message></Error>`;
      const type = fault.body === undefined ? 'application/xml' : 'text/html';
      res.writeHead(fault.status, { 'content-type': type, ...fault.headers });
      res.end(method === 'HEAD' ? undefined : (fault.body ?? text));
      return;
    }
    const answer = await new Promise<IncomingMessage>((done, fail) => {
      const { port, hostname } = new URL(target);
      const sent = request({ hostname, port, method, path: url, headers, agent: false }, done);
      sent.on('error', fail);
      sent.end(body);
    });
    const answered = await readAll(answer);
    if (fault?.kind === 'after') await fault.run();
    // A response without a body would be whole, and the client would use the connection for its next request.
    const isCutWhole = fault?.kind === 'cut' && answered.length < 2;
    if (fault?.kind === 'lose' || isCutWhole) return void req.socket.destroy();
    if (fault?.kind === 'corrupt') answered.writeUInt8((answered.at(-1) ?? 0) ^ 1, answered.length - 1);
    if (fault?.kind === 'chunk') delete answer.headers['content-length'];
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    if (fault?.kind !== 'cut') {
      res.end(answered);
      return;
    }
    res.write(answered.subarray(0, Math.floor(answered.length / 2)), () => req.socket.destroy());
  }

  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}

function nameOf({ method = '', url = '', headers }: IncomingMessage): string {
  const { pathname, searchParams } = new URL(url, 'http://proxy');
  const key = pathname.replace(/^\/[^/]+\/?(?:some\/folder\/)?/, '');
  if (searchParams.has('list-type')) return 'LIST';
  if (searchParams.has('delete')) return 'DELETE many';
  const isCopy = headers['x-amz-copy-source'] !== undefined;
  return `${isCopy ? 'COPY' : method}${key === '' ? '' : ` ${key}`}${searchParams.has('uploadId') ? ' part' : ''}`;
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
