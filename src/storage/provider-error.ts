// Error responses of the storage in the provider's XML format instead of the API's envelope.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { escapeXml } from '../lib/xml-text.ts';

/** An error response: HTTP status, the provider's code, a message for the client, and headers. */
export class ProviderError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'ProviderError';
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** The response for an object whose owner knows that it's damaged. */
export function damagedObject(): ProviderError {
  const message = 'The stored object is damaged.';
  return new ProviderError(503, 'BlobDamaged', message, { 'Retry-After': '60' });
}

const LINGER_MS = 5_000;

/**
 * Sends an error response. If the client is still sending the body, the connection is closed afterwards, but only when the
 * client had time to read the response, because closing with unread data would discard it.
 */
export function answerRefusal(req: IncomingMessage, res: ServerResponse, refusal: ProviderError): void {
  if (res.headersSent || res.destroyed) return;
  const body = Buffer.from(
    `<?xml version="1.0" encoding="utf-8"?><Error><Code>${escapeXml(refusal.code)}</Code><Message>${escapeXml(refusal.message)}</Message></Error>`,
  );
  res.statusCode = refusal.status;
  for (const [name, value] of Object.entries(refusal.headers)) res.setHeader(name, value);
  res.setHeader('Content-Type', 'application/xml');
  res.setHeader('Content-Length', body.length);
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('x-ms-error-code', refusal.code);
  if (req.complete || req.method === 'GET' || req.method === 'HEAD') {
    res.end(req.method === 'HEAD' ? undefined : body);
    return;
  }
  res.setHeader('Connection', 'close');
  res.write(body);
  const timer = setTimeout(finish, LINGER_MS);
  req.once('end', finish);
  req.once('close', finish);
  req.on('error', finish);
  // A client that closed its side sends no more, but the request only ends with its connection, which waits for this response.
  req.socket.once('end', finish);
  req.resume();

  function finish(): void {
    clearTimeout(timer);
    req.socket.off('end', finish);
    res.end();
  }
}
