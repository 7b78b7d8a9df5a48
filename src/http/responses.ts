// Converts results, replies and errors to responses, with their headers and log line.

import { basePathOf } from '../config/base-path.ts';
import type { Actor, RequestFacts } from '../core/actor.ts';
import type { App } from '../core/context.ts';
import { type AppError, envelope } from '../lib/errors.ts';
import type { Answer } from './exchange.ts';
import { jsonShapeOf, type Operation } from './operation.ts';
import { compileProjection } from './projection.ts';
import { isReply, type Reply, writeBody } from './reply.ts';
import { toAppError } from './unexpected-errors.ts';

const baseHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** A request with what its log line contains. */
export interface AnsweredRequest {
  facts: RequestFacts;
  /** The path of its operation, or `unrouted`. */
  route: string;
  /** Monotonic, as from `performance.now()`. */
  startedAt: number;
  /** Missing if the request was rejected before its credential was checked. */
  actor?: Actor;
}

/** Writes the JSON of a result. */
type JsonWriter = (result: unknown) => string;

/** Longer texts aren't kept, so that those of 10,000 results, which the cache of rows has room for, take at most 40 MB. */
const MAX_KEPT_LENGTH = 2_000;

/**
 * Returns the function that writes the declared fields of a result as JSON, or undefined if the operation doesn't return JSON. In
 * tests, where recording is enforced, it throws if a result violates its declaration; otherwise checking would cost too much.
 */
export function createJsonWriter(
  app: Pick<App, 'isRecordingEnforced'>,
  { id, returns, isResultKept }: Pick<Operation, 'id' | 'returns' | 'isResultKept'>,
): JsonWriter | undefined {
  const shape = jsonShapeOf(returns);
  if (shape === undefined) return undefined;
  const check = (result: unknown) => {
    const shown = shape.safeParse(result);
    if (!shown.success) throw new Error(`the result of ${id} violates its declaration: ${shown.error.message}`);
    return shown.data;
  };
  const show = app.isRecordingEnforced ? check : compileProjection(shape);
  const write = (result: unknown) => JSON.stringify(show(result));
  return isResultKept === true ? keepTexts(write) : write;
}

/** Keeps the text of each result for as long as the result exists. Writing a build takes a seventh of the time of its request. */
function keepTexts(write: JsonWriter): JsonWriter {
  const texts = new WeakMap<object, string>();
  return (result) => {
    const kept = texts.get(result as object);
    if (kept !== undefined) return kept;
    const text = write(result);
    if (text.length <= MAX_KEPT_LENGTH) texts.set(result as object, text);
    return text;
  };
}

/** Converts a handler's result to the response that its operation declares. */
export function toAnswer(
  app: App,
  { status }: Operation,
  result: unknown,
  facts: RequestFacts,
  write: JsonWriter | undefined,
): Answer {
  if (isReply(result)) return replyAnswer(app, result, status, facts);
  if (write === undefined) return { status, headers: { ...baseHeaders, 'x-request-id': facts.id }, body: null };
  return jsonAnswer(status, write(result), facts);
}

function jsonAnswer(status: number, body: string, facts: RequestFacts): Answer {
  return {
    status,
    headers: { ...baseHeaders, 'content-type': 'application/json', 'x-request-id': facts.id },
    body,
  };
}

/** Converts a reply to a response, with its own status or else the given one. */
export function replyAnswer(
  { config }: Pick<App, 'config'>,
  result: Reply,
  status: number,
  { id }: Pick<RequestFacts, 'id'>,
): Answer {
  const headers: Answer['headers'] = { ...baseHeaders, 'x-request-id': id, ...result.headers };
  if (result.cookies !== undefined && result.cookies.length > 0) headers['set-cookie'] = result.cookies;
  return { status: result.status ?? status, headers, body: writeBody(result, basePathOf(config)) };
}

/** Converts a response to 304 if the client already has its `etag` (RFC 9110 section 13.1.2). */
export function withoutKnownContent(answer: Answer, ifNoneMatch: string | undefined): Answer {
  const { etag } = answer.headers;
  if (typeof etag !== 'string' || ifNoneMatch === undefined || answer.status !== 200) return answer;
  const strip = (tag: string) => tag.trim().replace(/^W\//, '');
  const isKnown = ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => strip(tag) === strip(etag));
  if (!isKnown) return answer;
  const { 'content-type': _, ...headers } = answer.headers;
  return { status: 304, headers, body: null };
}

/** Converts an error to the envelope, or to the page returned by `show`. Logs the request, and server errors with their cause. */
export function answerError(
  app: App,
  request: AnsweredRequest,
  thrown: unknown,
  show?: (error: AppError) => Reply | undefined,
): Answer {
  const { facts, route } = request;
  const error = toAppError(thrown);
  app.health.note(thrown);
  if (error.code === 'internal_error') app.log.error({ request_id: facts.id, route, err: thrown }, 'internal error');
  else if (error.status >= 500 && error !== thrown) {
    app.log.error({ request_id: facts.id, route, err: thrown }, 'required service failed');
  }
  logRequest(app, request, error.status);
  const page = show?.(error);
  const answer =
    page === undefined
      ? jsonAnswer(error.status, JSON.stringify(envelope(error)), facts)
      : replyAnswer(app, page, error.status, facts);
  return { ...answer, headers: { ...answer.headers, ...error.headers } };
}

/** Writes the log line of a request and counts it in the metrics. */
export function logRequest(app: App, { facts, route, startedAt, actor }: AnsweredRequest, status: number): void {
  const milliseconds = performance.now() - startedAt;
  app.metrics?.observeRequest(facts.method, route, status, milliseconds);
  app.tracing?.note({ 'http.response.status_code': status, 'taxiway.request_id': facts.id }, status >= 500);
  const { slow_request_ms: limit } = app.config.log;
  if (limit > 0 && milliseconds >= limit) {
    const ms = Math.round(milliseconds);
    app.log.warn({ request_id: facts.id, method: facts.method, route, status, ms }, 'slow request');
  }
  if (!app.log.isLevelEnabled('info')) return;
  app.log.info(
    {
      request_id: facts.id,
      method: facts.method,
      route,
      status,
      ms: Math.round(milliseconds * 100) / 100,
      trace_id: app.tracing?.currentTraceId(),
      actor: actor !== undefined && 'id' in actor ? actor.id : actor?.kind,
      ip: facts.ipAddress,
    },
    'request',
  );
}
