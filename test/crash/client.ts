// Requests to a server that may be killed: responses are complete or missing.
import { Agent, type IncomingMessage, request } from 'node:http';

/** The request got no whole answer: whether it was done is not known. */
export class Unanswered extends Error {}

export interface Answer<Body = Record<string, unknown>> {
  status: number;
  headers: IncomingMessage['headers'];
  bytes: Buffer;
  /** The parsed body of a JSON answer, else an empty object. */
  body: Body;
}

export interface Ask {
  token?: string | undefined;
  /** Sent as JSON. */
  json?: unknown;
  bytes?: Buffer;
  headers?: Record<string, string>;
  /** Sends only so many bytes of `bytes` and breaks the connection. */
  breakAfter?: number;
}

/** Connections of one run of the server. `close` drops them. */
export interface Client {
  ask<Body = Record<string, unknown>>(method: string, url: string, ask?: Ask): Promise<Answer<Body>>;
  close(): void;
}

export function connect(base: string): Client {
  const agent = new Agent({ keepAlive: true });
  return {
    close: () => agent.destroy(),
    ask: (method, path, ask = {}) =>
      new Promise((answer, fail) => {
        const bytes = ask.json === undefined ? ask.bytes : Buffer.from(JSON.stringify(ask.json));
        const sent = request(new URL(path, base), {
          method,
          agent,
          headers: {
            ...(ask.token === undefined ? {} : { authorization: `Bearer ${ask.token}` }),
            ...(ask.json === undefined ? {} : { 'content-type': 'application/json' }),
            ...(bytes === undefined ? {} : { 'content-length': bytes.length }),
            ...ask.headers,
          },
        });
        const lose = (error: Error): void => fail(new Unanswered(`${method} ${path.split('?')[0]}: ${error.message}`));
        sent.on('error', lose);
        sent.on('response', (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', lose);
          response.on('end', () => {
            const whole = Buffer.concat(chunks);
            const isJson = response.headers['content-type']?.startsWith('application/json') === true;
            const body = isJson ? JSON.parse(whole.toString('utf8')) : {};
            answer({ status: response.statusCode ?? 0, headers: response.headers, bytes: whole, body });
          });
        });
        if (bytes === undefined || ask.breakAfter === undefined) sent.end(bytes);
        else sent.write(bytes.subarray(0, ask.breakAfter), () => setTimeout(() => sent.destroy(), 5));
      }),
  };
}
