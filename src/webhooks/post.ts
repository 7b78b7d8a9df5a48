// Sends a webhook to its URL. The time and the response size are limited.
import type { IncomingMessage } from 'node:http';
import type { AddressPolicy } from '../outbound/addresses.ts';
import { writeReason } from '../outbound/reasons.ts';
import { describeError, describeForUser, Refusal, sendRequest, type Target } from '../outbound/request.ts';
import type { Resolve } from '../outbound/resolve.ts';

export interface PostRequest {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  policy: AddressPolicy;
  resolve: Resolve;
  /** For all steps: lookup, connection, request and status of the response. */
  timeoutMs: number;
  /** Aborts the request. */
  signal: AbortSignal;
}

export interface PostOutcome {
  /** Null without a response. */
  statusCode: number | null;
  /** The error, for the managers of the subscription; null after a status of 200 to 299. Never contains the address. */
  error: string | null;
  /** The same for the operator, who may know more. */
  reason: string | null;
}

/** The response is read up to these limits, so that the receiver can finish it. Only its status is used. */
const MAX_ANSWER_BYTES = 64 * 1024;
const ANSWER_PATIENCE_MS = 1_000;
/** Sends a POST and returns the result. Never throws. Each request uses its own connection. */
export async function post(request: PostRequest): Promise<PostOutcome> {
  const { timeoutMs } = request;
  const deadline = new AbortController();
  const timer = setTimeout(
    () => deadline.abort(new Refusal(writeReason('no_response', { seconds: timeoutMs / 1_000 }))),
    timeoutMs,
  );
  const signal = AbortSignal.any([request.signal, deadline.signal]);
  const target: Target = { isPublic: false };
  try {
    const answer = await sendRequest({ ...request, method: 'POST' }, target, signal);
    await discard(answer, signal);
    const statusCode = answer.statusCode ?? 0;
    const error = describeStatus(statusCode);
    return { statusCode, error, reason: error };
  } catch (error) {
    const cause = signal.aborted ? signal.reason : error;
    return {
      statusCode: null,
      error: describeForUser(cause, target, request.policy),
      reason: describeError(cause),
    };
  } finally {
    clearTimeout(timer);
  }
}

/** Reads the rest of a response up to the limits, then closes the connection. */
function discard(answer: IncomingMessage, signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const { socket } = answer;
    const begunAt = socket.bytesRead;
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      answer.destroy();
      done();
    };
    const timer = setTimeout(finish, ANSWER_PATIENCE_MS);
    signal.addEventListener('abort', finish, { once: true });
    answer.on('data', () => {
      // Raw bytes are counted, because the framing of a body can be far larger than the body.
      if (socket.bytesRead - begunAt > MAX_ANSWER_BYTES) finish();
    });
    answer.on('error', finish);
    answer.on('close', finish);
  });
}

function describeStatus(status: number): string | null {
  if (status >= 200 && status <= 299) return null;
  return writeReason(status >= 300 && status <= 399 ? 'redirected' : 'responded', { status });
}
