// Sends spans to an OpenTelemetry collector, as JSON over HTTP (OTLP 1.x, opentelemetry.io/docs/specs/otlp).
import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { readBoundedText } from '../lib/bounded-text.ts';
import { SECOND } from '../lib/clock.ts';
import { withoutAccount } from '../lib/url-account.ts';
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
  /** The Authorization header; empty for that of the user name and password in the address, if it has any. */
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
const MAX_ANSWER_BYTES = 64 * 1024;
const kinds = { internal: 1, server: 2, client: 3 } as const satisfies Record<SpanKind, number>;
const FAILED = 2;

/** Creates the exporter of a server. While the collector is unreachable, spans are dropped; the server never waits for it. */
export function createTraceExporter({ endpoint, authorization, log, fetch }: ExporterParts): TraceExporter {
  const { url, authorization: ownAuthorization } = withoutAccount(endpoint);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`;
  const credential = authorization === '' ? ownAuthorization : authorization;
  let waiting: Span[] = [];
  let dropped = 0;
  let hasFailed = false;
  let sending: Promise<void> | undefined;
  const stopping = new AbortController();
  const timer = setInterval(() => void flush(), FLUSH_MS).unref();

  async function send(spans: readonly Span[]): Promise<void> {
    let reason: string;
    let lost = spans.length;
    try {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/json', ...(credential === '' ? {} : { authorization: credential }) },
        body: JSON.stringify(toMessage(spans)),
        signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      lost = response.ok ? Math.min(lost, await countRejected(response)) : lost;
      if (lost === 0) {
        hasFailed = false;
        return;
      }
      reason = response.ok ? 'rejected' : `status ${response.status}`;
      await response.body?.cancel();
    } catch (error) {
      reason = describe(error);
    }
    dropped += lost;
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

/** A collector that accepts only a part of the spans says so in a successful response. */
async function countRejected(response: Response): Promise<number> {
  try {
    const answer = JSON.parse(await readBoundedText(response, MAX_ANSWER_BYTES));
    return Math.max(0, Number(answer.partialSuccess.rejectedSpans) || 0);
  } catch {
    return 0;
  }
}

/** Returns the system's code of a failed connection. The message could contain the address, which may have a key in it. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return error.cause instanceof Error && 'code' in error.cause ? String(error.cause.code) : error.name;
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
