// The sources of name lookups, and the cost of unresponsive name servers.
import { createSocket } from 'node:dgram';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createResolve, type NameSources } from '../../src/outbound/resolve.ts';
import { post } from '../../src/webhooks/post.ts';

const [A, AAAA] = [1, 28] as const;
const NO_SUCH_NAME = 3;
const going = new AbortController().signal;

/** What the name server says: addresses as bytes by type; undefined for silence; null where there is no such name. */
type Zone = Record<string, { [type: number]: number[][] | undefined } | null>;

let folder: string;
let hostsFile: string;
let zone: Zone;
let asked: string[];
let lookedUp: string[];
let servers: string[];
const server = createSocket('udp4');

beforeAll(async () => {
  server.on('message', (query, from) => {
    const { name, type, end } = readQuestion(query);
    asked.push(name);
    const known = zone[name];
    const records = known === null || known === undefined ? [] : known[type];
    if (known === undefined || records === undefined) return;
    server.send(writeAnswer(query.subarray(0, end), type, known === null ? NO_SUCH_NAME : 0, records), from.port);
  });
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  servers = [`127.0.0.1:${server.address().port}`];
});
afterAll(() => server.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webhook-names-'));
  hostsFile = join(folder, 'hosts');
  zone = {};
  asked = [];
  lookedUp = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** RFC 1035 section 4.1; each record names the question by a pointer and may be kept for no time. */
function writeAnswer(question: Buffer, type: number, code: number, records: number[][]): Buffer {
  const head = Buffer.from(question);
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(records.length, 6);
  head.writeUInt32BE(0, 8);
  const lines = records.map((data) => [0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length, ...data]);
  return Buffer.concat([head, Buffer.from(lines.flat())]);
}

function create(more: Partial<NameSources> = {}) {
  return createResolve({
    hostsFile,
    servers,
    async lookUp(name) {
      lookedUp.push(name);
      return ['192.0.2.9'];
    },
    ...more,
  });
}

describe('the name of a host', () => {
  const ipv6 = [0x20, 0x01, 0x0d, 0xb8, ...Array<number>(11).fill(0), 1];

  it.each(['localhost', 'LOCALHOST.', 'a.localhost'])('of this machine is not looked up: %s', async (name) => {
    expect(await create()(name, going)).toEqual(['127.0.0.1', '::1']);
    expect([asked, lookedUp]).toEqual([[], []]);
  });

  it('in the hosts file is not looked up elsewhere, and the file is read again when it changes', async () => {
    writeFileSync(hostsFile, '# 192.0.2.1 hook.example\n192.0.2.2\tHook.example ci # x\n2001:db8::2 hook.example\n');
    const resolve = create();
    expect(await resolve('HOOK.example.', going)).toEqual(['192.0.2.2', '2001:db8::2']);
    expect(await resolve('ci', going)).toEqual(['192.0.2.2']);
    writeFileSync(hostsFile, '192.0.2.33 hook.example\r\n');
    expect(await resolve('hook.example', going)).toEqual(['192.0.2.33']);
    expect([asked, lookedUp]).toEqual([[], []]);
  });

  it('is looked up at the name servers, for addresses of both kinds', async () => {
    zone['hook.example'] = {
      [A]: [
        [192, 0, 2, 3],
        [192, 0, 2, 4],
      ],
      [AAAA]: [ipv6],
    };
    expect(await create()('hook.example', going)).toEqual(['192.0.2.3', '192.0.2.4', '2001:db8::1']);
    expect(lookedUp).toEqual([]);
  });

  it('with addresses of one kind needs no other', async () => {
    zone['six.example'] = { [A]: [], [AAAA]: [ipv6] };
    expect(await create()('six.example', going)).toEqual(['2001:db8::1']);
    expect(lookedUp).toEqual([]);
  });

  it('is resolved immediately if the name server never responds for one kind', async () => {
    zone['old.example'] = { [A]: [[192, 0, 2, 5]] };
    expect(await create()('old.example', going)).toEqual(['192.0.2.5']);
    // Once for each kind: the name server isn't asked again.
    expect(asked).toEqual(['old.example', 'old.example']);
  });

  it('that name servers do not know is looked up by the system, which may have search domains', async () => {
    zone.jenkins = null;
    zone['empty.example'] = { [A]: [], [AAAA]: [] };
    expect(await create()('jenkins', going)).toEqual(['192.0.2.9']);
    expect(await create()('empty.example', going)).toEqual(['192.0.2.9']);
    expect(lookedUp).toEqual(['jenkins', 'empty.example']);
  });

  it('in .local is only looked up by the system, also if no name server responds', async () => {
    expect(await create()('printer.local', going)).toEqual(['192.0.2.9']);
    expect([asked, lookedUp]).toEqual([[], ['printer.local']]);
  });

  it('is looked up by the system if there is no name server', async () => {
    // Nothing listens there.
    expect(await create({ servers: ['127.0.0.1:1'] })('hook.example', going)).toEqual(['192.0.2.9']);
  });

  it('with unresponsive name servers is not looked up by the system, whose threads it would block', async () => {
    const resolve = create({ serverTimeoutMs: 50 });
    await expect(resolve('silent.example', going)).rejects.toMatchObject({ code: 'EAI_AGAIN' });
    // Each server is asked twice for addresses of each kind. What was sent last may arrive after the rejection.
    await expect.poll(() => asked).toEqual(Array(4).fill('silent.example'));
    expect(lookedUp).toEqual([]);
  });

  it('is no longer looked up when the request is aborted', async () => {
    const request = new AbortController();
    const outcome = create({ serverTimeoutMs: 60_000 })('silent.example', request.signal);
    await expect.poll(() => asked).toEqual(['silent.example', 'silent.example']);
    request.abort();
    await expect(outcome).rejects.toMatchObject({ name: 'AbortError' });
    expect([asked, lookedUp]).toEqual([['silent.example', 'silent.example'], []]);
  });

  it('that a name server resolves to a forbidden address is not reached', async () => {
    zone['metadata.example'] = { [A]: [[169, 254, 169, 254]], [AAAA]: [] };
    const outcome = await post({
      url: 'http://metadata.example/',
      headers: {},
      body: Buffer.from('{}'),
      policy: { allow_private_networks: true, allow_loopback: true },
      resolve: create(),
      timeoutMs: 30_000,
      signal: going,
    });
    const reason = "webhooks can't be sent to link-local addresses";
    expect(outcome).toEqual({ statusCode: null, error: 'not reached', reason });
  });
});

describe("the system's resolver", () => {
  it('gets one name at a time, and none of aborted requests', async () => {
    let running = 0;
    let max = 0;
    const ends: (() => void)[] = [];
    const resolve = create({
      async lookUp(name) {
        lookedUp.push(name);
        running += 1;
        max = Math.max(max, running);
        await new Promise<void>((end) => ends.push(end));
        running -= 1;
        return ['192.0.2.9'];
      },
    });
    const breaker = new AbortController();
    const beginning = () => vi.waitUntil(() => ends.shift(), { timeout: 50_000 });
    const first = resolve('a.local', going);
    // The hosts file is read before each lookup, so names that are asked for together arrive in any order.
    const endFirst = await beginning();
    const outcomes = Promise.allSettled([first, resolve('b.local', breaker.signal), resolve('c.local', going)]);
    breaker.abort();
    endFirst();
    const endSecond = await beginning();
    endSecond();
    expect((await outcomes).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect([lookedUp, max]).toEqual([['a.local', 'c.local'], 1]);
  });
});
