// Traces: requests, jobs and cleanup jobs with their SQL statements and outgoing requests, as spans of OpenTelemetry.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import type Sqlite from 'better-sqlite3';
import { measureStatements } from '../data/slow-queries.ts';
import type { Clock } from '../lib/clock.ts';

export type SpanKind = 'internal' | 'server' | 'client';
export type Attributes = Record<string, string | number>;

/** A finished span. Times are in milliseconds since the epoch. */
export interface Span {
  traceId: string;
  spanId: string;
  parentId: string | undefined;
  name: string;
  kind: SpanKind;
  startedAt: number;
  endedAt: number;
  attributes: Attributes;
  hasFailed: boolean;
}

interface SpanFacts {
  name: string;
  kind?: SpanKind;
  attributes?: Attributes;
  /** The traceparent header of the caller (W3C Trace Context, section 3.2). */
  parent?: string | undefined;
}

export interface Tracing {
  /** Runs work in a span, which ends with it or with its promise. Spans that begin in it become its children. */
  run<T>(facts: SpanFacts, work: () => T): T;
  /** Runs work outside of the current span, because it isn't part of it. */
  detach<T>(work: () => T): T;
  /** Adds attributes to the current span, and whether its work failed. Without a span, does nothing. */
  note(attributes: Attributes, hasFailed?: boolean): void;
  /** Returns the id of the current trace, for the log. */
  currentTraceId(): string | undefined;
}

export interface TracingParts {
  clock: Clock;
  /** The share of traces that are recorded, from 0 to 100. Callers decide for their own traces. */
  samplePercent: number;
  /** Receives each finished span. Must not throw. */
  receive(span: Span): void;
}

interface OpenSpan {
  traceId: string;
  spanId: string;
  attributes: Attributes;
  hasFailed: boolean;
  /** Shared by the spans of a trace. */
  trace: { spans: number };
}

/** A trace that isn't recorded, so that its children aren't either. */
const UNRECORDED = 'unrecorded';

/** A sweep or a long job could otherwise fill the memory. */
const MAX_SPANS_PER_TRACE = 300;
const MAX_SQL_LENGTH = 500;

/** Creates the tracing of a server. */
export function createTracing({ clock, samplePercent, receive }: TracingParts): Tracing {
  const current = new AsyncLocalStorage<OpenSpan | typeof UNRECORDED>();

  function open({ attributes = {}, parent }: SpanFacts): OpenSpan | typeof UNRECORDED {
    const outer = current.getStore();
    if (outer === UNRECORDED) return UNRECORDED;
    const spanId = randomBytes(8).toString('hex');
    const own = { attributes: { ...attributes }, hasFailed: false, spanId };
    if (outer !== undefined) return { ...own, traceId: outer.traceId, trace: outer.trace };
    const caller = parseTraceParent(parent);
    const isRecorded = caller?.isSampled ?? Math.random() * 100 < samplePercent;
    if (!isRecorded) return UNRECORDED;
    return { ...own, traceId: caller?.traceId ?? randomBytes(16).toString('hex'), trace: { spans: 0 } };
  }

  function parentOf({ parent }: SpanFacts): string | undefined {
    const outer = current.getStore();
    return typeof outer === 'object' ? outer.spanId : parseTraceParent(parent)?.spanId;
  }

  function run<T>(facts: SpanFacts, work: () => T): T {
    const span = open(facts);
    if (span === UNRECORDED) return current.run(UNRECORDED, work);
    const isFirst = current.getStore() === undefined;
    const parentId = parentOf(facts);
    const startedAt = clock.time();
    const begin = performance.now();
    const end = (): void => {
      span.trace.spans += 1;
      if (span.trace.spans > MAX_SPANS_PER_TRACE && !isFirst) return;
      const { traceId, spanId, attributes, hasFailed } = span;
      const endedAt = startedAt + (performance.now() - begin);
      const { name, kind = 'internal' } = facts;
      receive({ traceId, spanId, parentId, name, kind, startedAt, endedAt, attributes, hasFailed });
    };
    const fail = (error: unknown): never => {
      span.hasFailed = true;
      end();
      throw error;
    };
    let result: T;
    try {
      result = current.run(span, work);
    } catch (error) {
      return fail(error);
    }
    if (!(result instanceof Promise)) {
      end();
      return result;
    }
    return result.then((value) => {
      end();
      return value;
    }, fail) as T;
  }

  return {
    run,
    detach: (work) => current.exit(work),
    note(attributes, hasFailed = false) {
      const span = current.getStore();
      if (typeof span !== 'object') return;
      Object.assign(span.attributes, attributes);
      span.hasFailed ||= hasFailed;
    },
    currentTraceId() {
      const span = current.getStore();
      return typeof span === 'object' ? span.traceId : undefined;
    },
  };
}

/** Returns the caller's trace, or undefined if the header is missing or invalid. */
function parseTraceParent(header: string | undefined) {
  const match = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/.exec(
    header?.slice(0, 200) ?? '',
  );
  const [, traceId = '', spanId = '', flags = ''] = match ?? [];
  if (match === null || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Records each SQL statement that runs within a span, without its values. */
export function traceStatements(client: Sqlite.Database, tracing: Tracing): void {
  measureStatements(client, (source, run) => {
    if (tracing.currentTraceId() === undefined) return run();
    const text = source.replace(/\s+/g, ' ').trim();
    const name = /^\w+/.exec(text)?.[0].toUpperCase() ?? 'SQL';
    const attributes = { 'db.system.name': 'sqlite', 'db.query.text': text.slice(0, MAX_SQL_LENGTH) };
    return tracing.run({ name, kind: 'client', attributes }, run);
  });
}

/** Returns a `fetch` whose requests are spans. The trace isn't sent to the other side. */
export function traceFetch(original: typeof fetch, tracing: Tracing): typeof fetch {
  return (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const method = init?.method ?? (input instanceof Request ? input.method : 'GET');
    // Paths and queries can contain secrets.
    const attributes = { 'http.request.method': method, 'server.address': url.hostname };
    return tracing.run({ name: method, kind: 'client', attributes }, async () => {
      const response = await original(input, init);
      tracing.note({ 'http.response.status_code': response.status }, response.status >= 400);
      return response;
    });
  };
}
