// Bodies that are slow, broken or too large are rejected in the envelope, with the permissions at their end.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { organizationMemberships } from '../../src/data/tables/tables.ts';
import { formGateOf, readBody } from '../../src/http/body.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { leastCpu } from '../support/cpu.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

/** Sends raw pieces one after the other, running `between` in the middle; answers everything that came back. */
async function sendRaw(pieces: (string | Buffer)[], between: () => void = () => undefined): Promise<string> {
  const socket = connect(fixture.app.config.server.port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  const closed = new Promise((resolve) => socket.on('close', resolve));
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) {
      await sleep(100);
      between();
    }
    socket.write(piece);
  }
  // A connection that stays open is read until nothing more has come for a while.
  const isQuiet = async () => {
    for (let before = ''; answer === '' || answer !== before; await sleep(200)) before = answer;
  };
  await Promise.race([closed, isQuiet(), sleep(50_000)]);
  socket.destroy();
  return answer;
}

const head = (length: number | string, more = '') =>
  `POST /api/v1/projects?organization_id=${fixture.organization_id} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ` +
  `${fixture.admin.access_token}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${more}Connection: close\r\n\r\n`;

const iconPath = () => `/api/v1/projects/${fixture.ios_project_id}/icon`;

describe('a connection', () => {
  it.each([
    ['of a health check', () => 'GET /health/ready HTTP/1.1\r\nHost: x\r\n\r\n', '"status":"ready"'],
    [
      'after a body',
      () => `${head(46).replace('Connection: close\r\n', '')}{"name":"Half-closed client","platform":"ios"}`,
      '201',
    ],
    ['of several requests', () => 'GET /health/ready HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3), '200'],
  ])('that the client closes on its side %s gets the responses, and is closed', async (_, sent, expected) => {
    const socket = connect({ port: fixture.app.config.server.port, host: '127.0.0.1', allowHalfOpen: true });
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    const ended = once(socket, 'end');
    const requests = sent();
    socket.end(requests);
    await ended;
    expect(received).toContain(expected);
    expect(received.split('HTTP/1.1 2')).toHaveLength(requests.split('HTTP/1.1').length);
  });
  it('that the client closes on its side within a body gets no response that stores a part', async () => {
    const socket = connect({ port: fixture.app.config.server.port, host: '127.0.0.1', allowHalfOpen: true });
    const ended = once(socket, 'end');
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    socket.end(`${head(100)}{"name":"Cut","platform":"ios"}`);
    await ended;
    expect(received).not.toMatch(/^HTTP\/1.1 2/);
  });
  it('stays open for a client that takes a second to finish a rejected body', async () => {
    const socket = connect(fixture.app.config.server.port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk;
    });
    const refused = head(2_000_000).replace('Connection: close\r\n', '');
    socket.write(refused);
    await expect.poll(() => received).toMatch(/^HTTP\/1.1 413 /);
    await sleep(1_000);
    socket.write(Buffer.alloc(2_000_000, 0x20));
    socket.write('GET /api/v1/platforms HTTP/1.1\r\nHost: x\r\n\r\n');
    await expect.poll(() => received).toContain('["ios","android"]');
    socket.destroy();
  });
});

describe('a body', () => {
  it('that is not UTF-8 is rejected', async () => {
    const answer = await sendRaw([head(2), Buffer.from([0xff, 0xfe])]);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain('"type":"json_invalid"');
  });
  it('that is compressed is rejected with the reason, also if it is a form', async () => {
    const body = gzipSync('{"name":"Compressed","platform":"ios"}');
    const gzip = 'Content-Encoding: gzip\r\n';
    const form = 'multipart/form-data; boundary=b';
    for (const sent of [
      head(body.length, gzip),
      head(body.length, gzip.replace('gzip', 'GZIP, identity')),
      head(body.length, gzip)
        .replace('POST /api/v1/projects?', `POST ${iconPath()}?`)
        .replace('application/json', form),
    ]) {
      const answer = await sendRaw([sent, body]);
      expect(answer).toMatch(/^HTTP\/1.1 415 /);
      expect(answer).toContain('"message":"Send the body without compression"');
    }
    const plain = '{"name":"Identity","platform":"ios"}';
    expect(await sendRaw([head(plain.length, 'Content-Encoding: Identity\r\n'), plain])).toMatch(/^HTTP\/1.1 201 /);
  });
  it('with thousands of spaces between its codings is rejected quickly', async () => {
    const spaced = `Content-Encoding: identity,${' '.repeat(15_000)}x\r\n`;
    const cost = await leastCpu(
      100,
      async () => expect(await sendRaw([head(2, spaced)])).toMatch(/^HTTP\/1.1 415 /),
      2,
    );
    expect(cost).toBeLessThan(100);
  });
  it('with a length above the limit is rejected before it is sent, and the response arrives', async () => {
    const answer = await sendRaw([head(5_000_000), Buffer.alloc(1_000_000, 0x20)]);
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    expect(answer).toContain('"error":"payload_too_large"');
  });
  it('of a caller who lost access during the upload is rejected', async () => {
    const body = JSON.stringify({ name: 'late', platform: 'ios' });
    const answer = await sendRaw([head(body.length) + body.slice(0, 5), body.slice(5)], () => {
      fixture.app.db.delete(organizationMemberships).run();
    });
    expect(answer).toMatch(/^HTTP\/1.1 404 /);
  });
});

describe('a form with files', () => {
  const steady = async (bytesPerSecond: number, seconds: number) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const stream = new PassThrough();
      const result = readBody(stream, undefined, 10_000_000, 32_768).then(
        (body) => body.length,
        (error: Error) => error.message,
      );
      for (let second = 0; second < seconds; second += 1) {
        stream.write(Buffer.alloc(bytesPerSecond));
        await new Promise((resolve) => setImmediate(resolve));
        vi.advanceTimersByTime(1_000);
      }
      stream.end();
      return await result;
    } finally {
      vi.useRealTimers();
    }
  };

  it('may be as slow as a phone with a bad connection, but not slower', async () => {
    expect(await steady(32_768, 20)).toBe(20 * 32_768);
    expect(await steady(32_767, 20)).toBe('The body was sent too slowly');
    // The first seconds don't count.
    expect(await steady(0, 5)).toBe(0);
    expect(await steady(0, 6)).toBe('The body was sent too slowly');
    expect(await steady(100_000, 30)).toBe('The body was sent too slowly');
  });

  it('that arrives in chunks of one byte takes few blocks, because each would take several hundred bytes', async () => {
    const stream = new PassThrough();
    const concat = vi.spyOn(Buffer, 'concat');
    try {
      const received = readBody(stream, undefined, 10_000);
      for (let sent = 0; sent < 10_000; sent += 1) stream.write('x');
      stream.end();
      expect(String(await received)).toBe('x'.repeat(10_000));
      expect(Math.max(...concat.mock.calls.map(([parts]) => parts.length))).toBe(4);
    } finally {
      concat.mockRestore();
    }
  });

  it('waits in memory with at most 16 KiB until it is read', async () => {
    const limits: number[] = [];
    const note = (message: unknown) => {
      const { request, server } = message as { request: IncomingMessage; server: Server };
      const address = server.address();
      const isOurs = typeof address === 'object' && address?.port === fixture.app.config.server.port;
      if (isOurs) limits.push(request.readableHighWaterMark);
    };
    subscribe('http.server.request.start', note);
    try {
      await sendRaw([head(2), '{}']);
    } finally {
      unsubscribe('http.server.request.start', note);
    }
    expect(limits).toEqual([16 * 1024]);
  });

  it('frees its place immediately if its sender disconnected while it waited', async () => {
    const stream = new PassThrough();
    stream.destroy();
    await new Promise((resolve) => stream.once('close', resolve));
    const outcome = readBody(stream, '10', 10_000_000, 32_768).catch((error: Error) => error.message);
    expect(await Promise.race([outcome, sleep(1_000, 'still waiting')])).toBe('The body is incomplete');
  });

  it('is received from one network in two of four places, so that others can send', async () => {
    const gate = formGateOf(fixture.app);
    const running: string[] = [];
    const ends: (() => void)[] = [];
    const hold = (address: string) =>
      gate(address, async () => {
        running.push(address);
        await new Promise<void>((resolve) => ends.push(resolve));
      });
    const all = ['192.0.2.1', '192.0.2.1', '192.0.2.1', '2001:db8::1', '2001:db8::2', '2001:db8::3'].map(hold);
    await new Promise((resolve) => setImmediate(resolve));
    expect(running).toEqual(['192.0.2.1', '192.0.2.1', '2001:db8::1', '2001:db8::2']);
    while (running.length < all.length || ends.length > 0) {
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(all);
    await expect(gate('192.0.2.1', async () => 'free')).resolves.toBe('free');
  });
});

describe('an invalid request', () => {
  it('gets the envelope', async () => {
    const answer = await sendRaw(['NONSENSE\r\n\r\n']);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain('{"error":"invalid_input"');
  });
  it.each([
    ['with an invalid Host', 'POST /api/v1/login HTTP/1.1\r\nHost: a b<>\r\nContent-Length: 0\r\n'],
    ['with two Hosts', 'GET /api/v1/version HTTP/1.1\r\nHost: x\r\nhOST: y\r\n'],
    ['with the same Host twice', 'GET /api/v1/version HTTP/1.1\r\nHost: x\r\nHost: x\r\n'],
    ['with two Hosts and a body', 'POST /api/v1/login HTTP/1.1\r\nHost: x\r\nHost: y\r\nContent-Length: 0\r\n'],
    ['with two Hosts to the storage', 'GET /storage/v1/x HTTP/1.1\r\nHost: x\r\nHost: y\r\n'],
    ['with two Hosts to the web app', 'GET /projects HTTP/1.1\r\nHost: x\r\nHost: y\r\nAccept: text/html\r\n'],
    ['without a Host', 'GET /api/v1/version HTTP/1.1\r\n'],
    ['with a backslash in its path', 'GET /\\elsewhere HTTP/1.1\r\nHost: x\r\n'],
    ['with an invalid address', 'GET http://[x/ HTTP/1.1\r\nHost: x\r\n'],
    ['for the server as a whole', 'OPTIONS * HTTP/1.1\r\nHost: x\r\n'],
    ['of two lengths', 'POST /api/v1/login HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n'],
  ])('%s gets the envelope with an id', async (_what, request) => {
    const answer = await sendRaw([`${request}Connection: close\r\n\r\n`]);
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/i);
    expect(answer).toContain('{"error":"invalid_input"');
  });
  it.each([
    ['an operation with a body', 'POST', '/api/v1/login'],
    ['an operation without one', 'POST', '/api/v1/login/logout'],
    ['the storage', 'PUT', '/storage/v1/x'],
    ['an unknown path', 'POST', '/nothing'],
  ])('with broken chunks to %s is rejected', async (_what, method, path) => {
    const request = `${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    for (const pieces of [[`${request}zz\r\n{}\r\n0\r\n\r\n`], [`${request}2\r\n{}\r\n`, 'zz\r\n']]) {
      // What needs no body may be answered before it's read.
      expect(await sendRaw(pieces)).toMatch(/^HTTP\/1.1 4\d\d [\s\S]*(?:"error":|<Error>)/);
    }
    expect(await sendRaw([`${request}2\r\n{`, '}\r\n-1\r\n'])).toMatch(/^HTTP\/1.1 4\d\d /);
  });
  it('with broken chunks in a body that is read returns 400', async () => {
    const request =
      'POST /api/v1/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n';
    for (const pieces of [[`${request}zz\r\n{}`], [`${request}2\r\n{}\r\n`, '\r\n'], [request, '0x2\r\n{}\r\n']]) {
      const answer = await sendRaw(pieces);
      expect(answer).toMatch(/^HTTP\/1.1 400 /);
      expect(answer).toContain('{"error":"invalid_input"');
      // One answer alone.
      expect(answer.split('HTTP/1.1')).toHaveLength(2);
    }
  });
  it('is not one with an older form, or with an unnecessary Expect header', async () => {
    expect(await sendRaw(['GET /api/v1/platforms HTTP/1.0\r\n\r\n'])).toMatch(/^HTTP\/1.1 200 .*\["ios","android"\]$/s);
    const odd = 'GET /api/v1/platforms HTTP/1.1\r\nHost: x\r\nExpect: nothing\r\nConnection: close\r\n\r\n';
    expect(await sendRaw([odd])).toMatch(/^HTTP\/1.1 200 /);
  });
  it('with too many headers gets the envelope too', async () => {
    const answer = await sendRaw([`GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(40_000)}\r\n\r\n`]);
    expect(answer).toMatch(/^HTTP\/1.1 431 /);
    expect(answer).toContain(
      '"error":"payload_too_large","message":"The headers, with the address, can have at most 16384 bytes"',
    );
  });
});
