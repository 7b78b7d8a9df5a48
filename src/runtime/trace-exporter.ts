// Sends spans to an OpenTelemetry collector, as JSON over HTTP (OTLP 1.x, opentelemetry.io/docs/specs/otlp).
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { SECOND } from '../lib/clock.ts';
import { version } from '../lib/version.ts';
import type { Attributes, Span, SpanKind } from './tracing.ts';

export interface TraceExporter {
  receive(span: Span): void;
  /** Number of spans that weren't sent, because the collector didn't accept them or too many waited. */
  dropped(): number;
  /** Sends what waits. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

interface ExporterParts {
  /** The address of the collector; `/v1/traces` is appended. */
  endpoint: string;
  /** The Authorization header; empty for none. */
  authorization: string;
  log: Pick<Logger, 'warn'>;
  fetch: typeof fetch;
}

const FLUSH_MS = 5 * SECOND;
const BATCH = 500;
const MAX_WAITING = 5_000;
const TIMEOUT_MS = 10 * SECOND;
/** A stopping server sends what waits for at most this long. */
const STOP_MS = SECOND;
const MAX_ATTRIBUTE_LENGTH = 1_000;
const kinds = { internal: 1, server: 2, client: 3 } as const satisfies Record<SpanKind, number>;
const FAILED = 2;

/** Creates the exporter of a server. While the collector is unreachable, spans are dropped; the server never waits for it. */
export function createTraceExporter({ endpoint, authorization, log, fetch }: ExporterParts): TraceExporter {
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
  let waiting: Span[] = [];
  let dropped = 0;
  let hasFailed = false;
  let sending: Promise<void> | undefined;
  const stopping = new AbortController();
  const timer = setInterval(() => void flush(), FLUSH_MS).unref();

  async function send(spans: readonly Span[]): Promise<void> {
    let reason: string;
    try {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/json', ...(authorization === '' ? {} : { authorization }) },
        body: JSON.stringify(toMessage(spans)),
        signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      await response.body?.cancel();
      if (response.ok) {
        hasFailed = false;
        return;
      }
      reason = `status ${response.status}`;
    } catch (error) {
      reason = error instanceof Error ? error.name : 'unknown';
    }
    dropped += spans.length;
    // Once until it works again.
    if (!hasFailed) log.warn({ reason, dropped }, 'traces not sent');
    hasFailed = true;
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0 && !stopping.signal.aborted) {
      const batch = waiting.slice(0, BATCH);
      waiting = waiting.slice(BATCH);
      await send(batch);
    }
  }

  function flush(): Promise<void> {
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
    return sending;
  }

  return {
    receive(span) {
      if (waiting.length >= MAX_WAITING) {
        dropped += 1;
        return;
      }
      waiting.push(span);
      if (waiting.length === BATCH) void flush();
    },
    dropped: () => dropped,
    flush,
    async stop() {
      clearInterval(timer);
      const end = setTimeout(() => stopping.abort(), STOP_MS);
      await flush();
      clearTimeout(end);
      dropped += waiting.length;
    },
  };
}

const resource = () => ({
  'service.name': 'taxiway',
  'service.version': version.version,
  'service.instance.id': hostname(),
});

function toMessage(spans: readonly Span[]): unknown {
  const scope = { name: 'taxiway', version: version.version };
  return {
    resourceSpans: [
      { resource: { attributes: toAttributes(resource()) }, scopeSpans: [{ scope, spans: spans.map(toSpan) }] },
    ],
  };
}

function toSpan({ traceId, spanId, parentId, name, kind, startedAt, endedAt, attributes, hasFailed }: Span) {
  return {
    traceId,
    spanId,
    ...(parentId === undefined ? {} : { parentSpanId: parentId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: toNanoseconds(startedAt),
    endTimeUnixNano: toNanoseconds(endedAt),
    attributes: toAttributes(attributes),
    status: hasFailed ? { code: FAILED } : {},
  };
}

/** 64-bit integers are texts in the JSON of protocol buffers. */
const toNanoseconds = (ms: number): string => String(BigInt(Math.round(ms * 1_000)) * 1_000n);

function toAttributes(attributes: Attributes) {
  return Object.entries(attributes).map(([key, value]) => ({
    key,
    value:
      typeof value === 'string'
        ? { stringValue: value.slice(0, MAX_ATTRIBUTE_LENGTH) }
        : Number.isInteger(value)
          ? { intValue: String(value) }
          : { doubleValue: value },
  }));
}
