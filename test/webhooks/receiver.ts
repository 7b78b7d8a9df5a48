// A webhook endpoint: a real HTTP server that records requests and responds as configured.
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The body, parsed. */
  json: Record<string, unknown>;
}

export type Behaviour = (response: ServerResponse, request: IncomingMessage) => void;

export interface Receiver extends AsyncDisposable {
  url: string;
  received: Received[];
  /** What it got at a path, oldest first. */
  at(path: string): Received[];
  /** What a path answers from now on; 200 unless told. */
  answer(path: string, behaviour: Behaviour | number): void;
  /** Connections that are open now. */
  connections: Set<Socket>;
  /** Most requests that were unanswered at once. */
  max(): number;
  waitFor(count: number, path?: string): Promise<void>;
}

export const hang: Behaviour = () => undefined;

/** One byte of a body without an end every 50 ms. */
export const drip: Behaviour = (response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write('x'), 50);
  response.on('close', () => clearInterval(timer));
};

/** As many bytes as the connection takes. */
export const flood: Behaviour = (response) => {
  response.writeHead(200);
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const pump = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', pump);
  pump();
};

export const close: Behaviour = (_response, request) => request.socket.destroy();

export const redirectTo =
  (location: string, status = 302): Behaviour =>
  (response) =>
    response.writeHead(status, { location }).end();

/** Answers 200 after so many milliseconds. */
export const slowly =
  (milliseconds: number): Behaviour =>
  (response) => {
    setTimeout(() => response.end('ok'), milliseconds);
  };

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const behaviours = new Map<string, Behaviour | number>();
  const connections = new Set<Socket>();
  let open = 0;
  let max = 0;
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const chunks: Buffer[] = [];
    open += 1;
    max = Math.max(max, open);
    response.on('close', () => {
      open -= 1;
    });
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      received.push({ path, headers: request.headers, body, json: JSON.parse(body.toString('utf8') || '{}') });
      const behaviour = behaviours.get(path) ?? 200;
      if (typeof behaviour === 'number') response.writeHead(behaviour).end();
      else behaviour(response, request);
    });
  });
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const at = (path: string) => received.filter((one) => one.path === path);
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    at,
    connections,
    answer: (path, behaviour) => void behaviours.set(path, behaviour),
    max: () => max,
    async waitFor(count, path) {
      const giveUpAt = Date.now() + 50_000;
      const arrived = () => (path === undefined ? received : at(path)).length;
      while (arrived() < count) {
        if (Date.now() > giveUpAt) throw new Error(`${arrived()} of ${count} requests came`);
        await sleep(10);
      }
    },
    async [Symbol.asyncDispose]() {
      for (const socket of connections) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
