// Requests to the providers. Only configured addresses are asked; redirects aren't followed; time and size are limited; answers
// are never shown as they are.
import type { Context } from '../core/context.ts';
import { readBoundedText } from '../lib/bounded-text.ts';
import { AppError } from '../lib/errors.ts';
import { version } from '../lib/version.ts';
import { storeStateOf } from './state.ts';

const MAX_ANSWER_BYTES = 1024 * 1024;
const DEFAULT_RETRY_SECONDS = 30;
/** A longer wait that a provider asks for isn't repeated to clients. */
const MAX_RETRY_SECONDS = 3_600;

interface StoreRequest {
  method: 'GET' | 'POST' | 'DELETE';
  url: string;
  /** The bearer token, if there is one. */
  token?: string;
  /** Sent as JSON, or as a form if it is URLSearchParams. */
  body?: URLSearchParams | object;
}

/** An answer that the provider gave to the question: a success, or an error with status 400 to 499 other than 429. */
export interface StoreAnswer {
  status: number;
  /** The parsed JSON; undefined without a body. */
  body: unknown;
  /** When to ask again if the answer means that the provider can't be asked now. */
  retryAfterSeconds: number;
}

/** Creates the error for a provider that can't be asked now. Nothing has changed. */
export function unavailable(retryAfterSeconds = DEFAULT_RETRY_SECONDS): AppError {
  return new AppError('store_connection_unavailable', undefined, {}, { 'retry-after': String(retryAfterSeconds) });
}

/**
 * Sends a request and returns the provider's answer. Throws `store_connection_unavailable` if there is none: 429, 5xx, a
 * time-out, a redirect, or something that isn't JSON.
 */
export async function askStore(ctx: Context, { method, url, token, body }: StoreRequest): Promise<StoreAnswer> {
  const isForm = body instanceof URLSearchParams;
  const headers = {
    accept: 'application/json',
    'user-agent': `taxiway/${version.version}`,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined || isForm ? {} : { 'content-type': 'application/json' }),
  };
  const signal = AbortSignal.any([storeStateOf(ctx).stopping, AbortSignal.timeout(ctx.config.stores.timeout_ms)]);
  const { host } = new URL(url);
  let response: Response;
  let text: string;
  try {
    response = await ctx.fetch(url, {
      method,
      headers,
      redirect: 'manual',
      signal,
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    });
    text = await readBoundedText(response, MAX_ANSWER_BYTES);
  } catch (error) {
    ctx.log.warn({ host, reason: reasonOf(error) }, 'store not reached');
    throw unavailable();
  }
  const { status } = response;
  const retryAfterSeconds = retryAfterOf(response, ctx.clock.now());
  if (status === 429 || status >= 500 || status < 200 || (status >= 300 && status < 400)) {
    ctx.log.warn({ host, status }, 'store not available');
    throw unavailable(retryAfterSeconds);
  }
  try {
    return { status, body: text === '' ? undefined : JSON.parse(text), retryAfterSeconds };
  } catch {
    ctx.log.warn({ host, status }, 'the response of the store is not JSON');
    throw unavailable();
  }
}

/** The name or code of an error. Its message can contain the URL, which has a device's identifier. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.name;
}

/** Reads Retry-After in both of its forms (RFC 9110 section 10.2.3), in seconds. */
function retryAfterOf({ headers }: Response, now: Date): number {
  const value = headers.get('retry-after') ?? '';
  const seconds = /^\d+$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - now.getTime()) / 1000);
  return seconds >= 1 ? Math.min(seconds, MAX_RETRY_SECONDS) : DEFAULT_RETRY_SECONDS;
}
