// What a proxy does for a server in front of which it ends https: a certificate of its own, for localhost.
import { request as requestPlain } from 'node:http';
import { createServer, request as requestSecure } from 'node:https';
import type { AddressInfo } from 'node:net';
import { toPem } from '../../src/certificates/pem.ts';
import { createIdentity } from '../inspection/build-signature.ts';

export interface HttpsFront {
  /** https://localhost:… */
  url: string;
  /** The certificate in PEM, for those who shall trust it. */
  certificate: string;
  /** Hands every request on to this address from now on. */
  passTo(url: string): void;
  /** A request without cookies from somebody who trusts the certificate. Follows no redirect. */
  send(address: string, options?: SendOptions): Promise<Answer>;
  stop(): Promise<void>;
}

interface SendOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  bytes: Buffer;
  text: string;
}

/** Starts one on a free port. */
export async function startHttpsFront(): Promise<HttpsFront> {
  const identity = createIdentity('localhost');
  const certificate = toPem('CERTIFICATE', identity.certificate);
  const key = identity.key.export({ type: 'pkcs8', format: 'pem' });
  let target = '';
  const server = createServer({ key, cert: certificate }, (incoming, outgoing) => {
    const headers = { ...incoming.headers, 'x-forwarded-for': '192.0.2.7', 'x-forwarded-proto': 'https' };
    const onwards = requestPlain(new URL(incoming.url ?? '/', target), { method: incoming.method, headers });
    onwards.on('response', (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    onwards.on('error', () => outgoing.destroy());
    incoming.pipe(onwards);
  });
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;

  function send(address: string, { method = 'GET', headers = {}, body }: SendOptions = {}): Promise<Answer> {
    return new Promise((settle, reject) => {
      const request = requestSecure(address, { method, headers, ca: certificate, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          settle({ status: response.statusCode ?? 0, headers: response.headers, bytes, text: bytes.toString() });
        });
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  return {
    url,
    certificate,
    passTo(address) {
      target = address;
    },
    send,
    stop: () =>
      new Promise((settle) => {
        server.close(() => settle());
        server.closeAllConnections();
      }),
  };
}
