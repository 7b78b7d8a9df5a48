// The requests to providers. Address, time and size are limited, and redirects aren't followed.
import type { IncomingMessage } from 'node:http';
import type { App } from '../core/context.ts';
import { createByteQueue } from '../lib/byte-queue.ts';
import { hostnameOf, hostOf } from '../lib/url-host.ts';
import { version } from '../lib/version.ts';
import type { AddressPolicy } from '../outbound/addresses.ts';
import { writeReason } from '../outbound/reasons.ts';
import { describeError, describeForUser, Refusal, sendRequest, type Target } from '../outbound/request.ts';
import type { Resolve } from '../outbound/resolve.ts';
import { ProviderProblem } from './problem.ts';

/** For all steps of one request. */
export const REQUEST_TIMEOUT_MS = 5_000;
const MAX_BODY_BYTES = 256 * 1024;

/** What openid-client passes to a replacement of fetch. */
interface FetchOptions {
  method: string;
  headers: Record<string, string>;
  body?: unknown;
}

export type ProviderFetch = (url: string, options: FetchOptions) => Promise<Response>;

/**
 * Returns whether the server may send requests to a URL, and browsers to it: https, or http on this machine if the
 * operator allows it.
 */
export function isProviderUrl({ config }: Pick<App, 'config'>, text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username + url.password !== '' || text.includes('#') || !/^[\x21-\x7e]+$/.test(text)) {
    return false;
  }
  return url.protocol === 'https:' || (url.protocol === 'http:' && config.sso.allow_loopback && isLoopback(url));
}

function isLoopback(url: URL): boolean {
  const host = hostnameOf(url);
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/** Creates the fetch of an app. `stopping` aborts its requests. Rejects with ProviderProblem. */
export function createProviderFetch(
  app: Pick<App, 'config' | 'log'>,
  resolve: Resolve,
  stopping: AbortSignal,
  timeoutMs = REQUEST_TIMEOUT_MS,
): ProviderFetch {
  const { allow_private_networks, allow_loopback } = app.config.sso;
  const policy: AddressPolicy = { allow_private_networks, allow_loopback, what: 'requests', table: 'sso' };
  return async (url, { method, headers, body }) => {
    if (!isProviderUrl(app, url)) throw new ProviderProblem('its URLs must use https');
    const target: Target = { isPublic: false };
    const deadline = new AbortController();
    const late = () => new Refusal(writeReason('no_complete_response', { seconds: timeoutMs / 1_000 }));
    const timer = setTimeout(() => deadline.abort(late()), timeoutMs);
    const signal = AbortSignal.any([stopping, deadline.signal]);
    try {
      const answer = await sendRequest(
        {
          method: method === 'POST' ? 'POST' : 'GET',
          url,
          headers: { ...headers, 'user-agent': `Taxiway/${version.version}`, 'accept-encoding': 'identity' },
          body: body === undefined || body === null ? undefined : Buffer.from(String(body)),
          policy,
          resolve,
        },
        target,
        signal,
      );
      return toResponse(answer, await readBody(answer, signal));
    } catch (error) {
      const cause: unknown = signal.aborted ? signal.reason : error;
      // The operator may know more than the admin of an organization.
      app.log.warn({ host: hostOf(url), reason: describeError(cause) }, 'identity provider not reached');
      throw new ProviderProblem(describeForUser(cause, target, policy));
    } finally {
      clearTimeout(timer);
    }
  };
}

function readBody(answer: IncomingMessage, signal: AbortSignal): Promise<Buffer> {
  return new Promise((done, fail) => {
    const { socket } = answer;
    const begunAt = socket.bytesRead;
    const received = createByteQueue();
    const stop = () => answer.destroy(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    answer.on('data', (chunk: Buffer) => {
      received.add(chunk);
      // Raw bytes are counted too, because the framing of a body can be far larger than the body.
      if (Math.max(received.size(), (socket.bytesRead - begunAt) / 2) <= MAX_BODY_BYTES) return;
      answer.destroy(new Refusal(writeReason('too_large', { kibibytes: MAX_BODY_BYTES / 1024 })));
    });
    answer.on('end', () => done(received.all()));
    answer.on('error', fail);
    answer.on('close', () => {
      signal.removeEventListener('abort', stop);
      fail(new Refusal(writeReason('closed')));
    });
  });
}

function toResponse({ statusCode = 0, headers }: IncomingMessage, body: Buffer): Response {
  if (statusCode < 200 || statusCode > 599) throw new Refusal(writeReason('responded', { status: statusCode }));
  const hasBody = ![204, 205, 304].includes(statusCode);
  const kept = ['content-type', 'www-authenticate'].flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as [string, string]] : [];
  });
  return new Response(hasBody ? new Uint8Array(body) : null, { status: statusCode, headers: kept });
}
