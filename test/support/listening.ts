// A server that listens with the listener of production, for operations that a test declares itself.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHttpListener, type HttpParts } from '../../src/http/http.ts';

export interface Listening {
  url: string;
  /** Sends a request to a path. Redirects are not followed. */
  request(path: string, init?: RequestInit): Promise<Response>;
  stop(): Promise<void>;
}

/** Listens on a free port until `stop`. */
export async function listen(parts: HttpParts): Promise<Listening> {
  const server = createServer({ requireHostHeader: false }, createHttpListener(parts));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    request: (path, init) => fetch(`${url}${path}`, { redirect: 'manual', ...init }),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
