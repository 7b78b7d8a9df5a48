// Traces: what a collector receives of requests, statements, jobs and outgoing requests, and what happens without it.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemContext } from '../../src/core/transact.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createTracing } from '../../src/runtime/tracing.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';

interface Received {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Record<string, unknown> }[];
  status: { code?: number };
}

let collector: Server;
let endpoint: string;
let status: number;
let answer: string;
let spans: Received[];
let resources: Record<string, unknown>[];
let requests: { url: string | undefined; authorization: string | undefined }[];
beforeEach(async () => {
  [status, answer, spans, resources, requests] = [200, '', [], [], []];
  collector = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    requests.push({ url: request.url, authorization: request.headers.authorization });
    if (status === 200) {
      for (const { resource, scopeSpans } of JSON.parse(Buffer.concat(chunks).toString()).resourceSpans) {
        resources.push(attributesOf(resource));
        for (const scope of scopeSpans) spans.push(...scope.spans);
      }
    }
    response.writeHead(status).end(answer);
  });
  await new Promise<void>((listening) => collector.listen(0, '127.0.0.1', listening));
  endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
});
afterEach(() => {
  collector.closeAllConnections();
  collector.close();
});

function attributesOf({ attributes }: Pick<Received, 'attributes'>): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

/** Runs a server with a collector and returns when the collector has received everything. */
async function trace(
  work: (fixture: Fixture) => unknown,
  config: { authorization?: string; sample_percent?: number } = {},
): Promise<void> {
  await using fixture = await startFixture({ config: { tracing: { endpoint, ...config } } });
  await work(fixture);
}

const named = (pattern: RegExp) => spans.filter(({ name }) => pattern.test(name));

const SIGN_UP = /^POST \/api\/v1\/developers$/;
const signUp = (url: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/api/v1/developers`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ email: 'mary@example.com', password: 'correct horse battery', display_name: 'Mary' }),
  });

describe('a request', () => {
  it('is a span with its route, status and id, and the statements are its children without values', async () => {
    let requestId: string | null = null;
    await trace(async ({ url }) => {
      const response = await signUp(url);
      requestId = response.headers.get('x-request-id');
      expect(response.status).toBe(202);
    });
    expect(requests[0]?.url).toBe('/v1/traces');
    expect(resources[0]).toMatchObject({ 'service.name': 'taxiway', 'service.version': expect.any(String) });
    const [request] = named(SIGN_UP);
    if (request === undefined) throw new Error('the request has no span');
    expect(request).toMatchObject({ kind: 2, status: {} });
    expect(request.traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(request.parentSpanId).toBeUndefined();
    expect(attributesOf(request)).toEqual({
      'http.request.method': 'POST',
      'http.route': '/api/v1/developers',
      'http.response.status_code': '202',
      'taxiway.request_id': requestId,
    });
    const statements = spans.filter(({ parentSpanId }) => parentSpanId === request.spanId);
    expect(statements.map(({ name }) => name)).toContain('INSERT');
    for (const { traceId, kind, startTimeUnixNano, endTimeUnixNano } of statements) {
      expect({ traceId, kind }).toEqual({ traceId: request.traceId, kind: 3 });
      expect(BigInt(startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(request.startTimeUnixNano));
      expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano));
    }
    expect(JSON.stringify(spans)).not.toContain('mary@example.com');
  });

  it('that fails in the server has an error status, and one that is refused has not', async () => {
    await trace(async ({ app, url }) => {
      await fetch(`${url}/api/v1/developers/me`);
      app.db.$client.exec(
        'CREATE TEMP TRIGGER fail BEFORE INSERT ON main.developers BEGIN SELECT RAISE(ABORT, 1); END',
      );
      expect((await signUp(url)).status).toBe(500);
    });
    const [refused] = named(/^GET \/api\/v1\/developers\/me$/);
    expect(refused?.status).toEqual({});
    expect(refused && attributesOf(refused)['http.response.status_code']).toBe('401');
    const [failed] = named(SIGN_UP);
    expect(failed?.status).toEqual({ code: 2 });
  });

  it('continues the trace of a caller that records it', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    await trace(({ url }) => signUp(url, { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }), { sample_percent: 0 });
    const [request] = named(SIGN_UP);
    expect(request).toMatchObject({ traceId, parentSpanId: '00f067aa0ba902b7' });
  });

  it.each([
    ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00', 100, 0],
    ['00-00000000000000000000000000000000-00f067aa0ba902b7-01', 0, 0],
    ['ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', 0, 0],
    ['nonsense', 0, 0],
    ['nonsense', 100, 1],
  ])('with the traceparent %s, with %i percent recorded, has %i spans', async (traceparent, percent, expected) => {
    await trace(({ url }) => signUp(url, { traceparent }), { sample_percent: percent });
    expect(named(SIGN_UP)).toHaveLength(expected);
    if (percent === 0) expect(spans).toEqual([]);
  });

  it('has the id of its trace in the log', async () => {
    const lines: Record<string, unknown>[] = [];
    await trace(async ({ app, url }) => {
      app.log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
      await signUp(url);
    });
    expect(lines.find(({ msg, method }) => msg === 'request' && method === 'POST')?.trace_id).toBe(
      named(SIGN_UP)[0]?.traceId,
    );
  });
});

describe('other work', () => {
  it('has spans: jobs, cleanup jobs and outgoing requests, without their paths', async () => {
    await trace(async (fixture) => {
      const { app, url } = fixture;
      app.jobs.register('example', () => undefined);
      systemContext(app).transact((tx) => tx.enqueue({ kind: 'example' }), { bookkeeping: true });
      await fixture.drain();
      await fixture.sweep('orphaned-objects');
      await app.fetch(`${url}/api/v1/developers/me?secret=1`);
    });
    expect(named(/^job example$/)).toHaveLength(1);
    expect(named(/^sweep orphaned-objects$/)).toHaveLength(1);
    const outgoing = spans.find(({ name, kind }) => name === 'GET' && kind === 3);
    expect(outgoing && attributesOf(outgoing)).toEqual({
      'http.request.method': 'GET',
      'server.address': '127.0.0.1',
      'http.response.status_code': '401',
    });
    expect(outgoing?.status).toEqual({ code: 2 });
    expect(JSON.stringify(spans)).not.toContain('secret=1');
  });
});

describe('a trace', () => {
  it('has a limited number of spans, of which the request is always one', () => {
    const received: string[] = [];
    const tracing = createTracing({ clock: systemClock, samplePercent: 0, receive: ({ name }) => received.push(name) });
    const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    tracing.run({ name: 'request', parent }, () => {
      for (let index = 0; index < 500; index += 1) tracing.run({ name: 'statement' }, () => undefined);
    });
    expect(received).toHaveLength(301);
    expect(received.at(-1)).toBe('request');
  });

  it('has no jobs that it only woke', async () => {
    await trace(async (fixture) => {
      const { app } = fixture;
      app.jobs.register('woken', () => undefined);
      app.tracing?.run({ name: 'outer' }, () =>
        systemContext(app).transact((tx) => tx.enqueue({ kind: 'woken' }), { bookkeeping: true }),
      );
      await fixture.drain();
    });
    const [outer, woken] = [named(/^outer$/)[0], named(/^job woken$/)[0]];
    expect(woken?.parentSpanId).toBeUndefined();
    expect(woken?.traceId).not.toBe(outer?.traceId);
  });
});

describe('the collector', () => {
  it('that never answers delays the stop by a second at most', async () => {
    collector.removeAllListeners('request');
    collector.on('request', () => undefined);
    const startedAt = performance.now();
    await trace(({ url }) => signUp(url));
    expect(performance.now() - startedAt).toBeLessThan(8_000);
  });

  it('gets the Authorization header', async () => {
    await trace(({ url }) => signUp(url), { authorization: 'Bearer key' });
    expect(requests[0]?.authorization).toBe('Bearer key');
  });

  it('may refuse spans: they are counted and logged once, and requests are answered', async () => {
    status = 503;
    const lines: Record<string, unknown>[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const { createTraceExporter } = await import('../../src/runtime/trace-exporter.ts');
    const exporter = createTraceExporter({ endpoint, authorization: '', log, fetch });
    const span = {
      ...{ traceId: 'a', spanId: 'b', parentId: undefined, name: 'n', kind: 'internal' as const },
      ...{ startedAt: 1, endedAt: 2, attributes: { half: 0.5 }, hasFailed: false },
    };
    exporter.receive(span);
    await exporter.flush();
    exporter.receive(span);
    await exporter.flush();
    expect(exporter.dropped()).toBe(2);
    expect(lines.map(({ msg, reason }) => ({ msg, reason }))).toEqual([
      { msg: 'traces not sent', reason: 'status 503' },
    ]);
    status = 200;
    exporter.receive(span);
    await exporter.stop();
    expect(spans[0]?.attributes).toEqual([{ key: 'half', value: { doubleValue: 0.5 } }]);
    expect(spans[0]).toMatchObject({ startTimeUnixNano: '1000000', endTimeUnixNano: '2000000' });
    expect(exporter.dropped()).toBe(2);
  });

  it('may refuse a part of the spans, be unreachable, and have a key or an account in its address', async () => {
    answer = JSON.stringify({ partialSuccess: { rejectedSpans: '1', errorMessage: 'too old' } });
    const lines: Record<string, unknown>[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const { createTraceExporter } = await import('../../src/runtime/trace-exporter.ts');
    const send = async (to: string, authorization = '') => {
      const exporter = createTraceExporter({ endpoint: to, authorization, log, fetch });
      const span = { traceId: 'a', spanId: 'b', parentId: undefined, name: 'n', kind: 'internal' } as const;
      for (let left = 3; left > 0; left -= 1) {
        exporter.receive({ ...span, startedAt: 1, endedAt: 2, attributes: {}, hasFailed: false });
      }
      await exporter.stop();
      return exporter.dropped();
    };
    expect(await send(`${endpoint}/ingest?key=abc`)).toBe(1);
    expect(requests[0]?.url).toBe('/ingest/v1/traces?key=abc');
    for (const none of ['{}', '{"partialSuccess":{"rejectedSpans":-2}}']) {
      answer = none;
      expect(await send(endpoint)).toBe(0);
    }
    const account = endpoint.replace('//', '//mary%40example.com:50%@');
    expect(await send(account)).toBe(0);
    expect(await send(account, 'Bearer key')).toBe(0);
    const basic = `Basic ${Buffer.from('mary@example.com:50%').toString('base64')}`;
    expect(requests.slice(-2).map(({ authorization }) => authorization)).toEqual([basic, 'Bearer key']);
    expect(await send('http://127.0.0.1:2')).toBe(3);
    expect(lines.map(({ reason, dropped }) => [reason, dropped])).toEqual([
      ['rejected', 1],
      ['ECONNREFUSED', 3],
    ]);
  });
});
