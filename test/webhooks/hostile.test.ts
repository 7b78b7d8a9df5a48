// Hostile endpoints: they hang, drip, flood, redirect, close connections, or have misleading names.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createResolve } from '../../src/outbound/resolve.ts';
import { type PostOutcome, type PostRequest, post } from '../../src/webhooks/post.ts';
import { close, drip, flood, hang, type Receiver, redirectTo, startReceiver } from './receiver.ts';

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver?.[Symbol.asyncDispose]());

const LOOPBACK_REFUSAL =
  "webhooks can't be sent to loopback addresses, unless webhooks.allow_loopback is true in the server's configuration";
const body = Buffer.from('{"id":"1"}');
const local = { allow_private_networks: true, allow_loopback: true };
const strict = { allow_private_networks: true, allow_loopback: false };
const never: PostRequest['resolve'] = async (host) => {
  throw new Error(`${host} is not to be looked up`);
};

async function send(url: string, more: Partial<PostRequest> = {}): Promise<PostOutcome> {
  return await post({
    url,
    headers: { 'content-type': 'application/json' },
    body,
    policy: local,
    resolve: never,
    timeoutMs: 30_000,
    signal: new AbortController().signal,
    ...more,
  });
}

/** Opens a TCP server that does with each connection what it is told; answers its address. */
async function listenRaw(greet: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    greet(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Writes the same text for as long as someone reads it. */
function pump(socket: Socket, text: string): void {
  const chunk = Buffer.from(text);
  const write = () => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', write);
  write();
}

describe('an endpoint', () => {
  it('that never responds fails at the deadline, and its connection is closed', async () => {
    receiver.answer('/hang', hang);
    const outcome = await send(`${receiver.url}/hang`, { timeoutMs: 400 });
    expect(outcome).toMatchObject({ statusCode: null, error: 'not reached', reason: 'no response within 0.4 s' });
    await expect.poll(() => receiver.connections.size).toBe(0);
  });

  it('that sends a body without end is disconnected, and its status counts', async () => {
    let sent = 0;
    receiver.answer('/drip', (response, request) => {
      response.on('close', () => {
        sent = request.socket.bytesWritten;
      });
      drip(response, request);
    });
    const outcome = await send(`${receiver.url}/drip`);
    expect(outcome).toMatchObject({ statusCode: 200, error: null });
    await expect.poll(() => receiver.connections.size).toBe(0);
    // The bytes of one second, and not of thirty.
    expect(sent).toBeLessThan(700);
  });

  it('that floods is disconnected after a few bytes', async () => {
    let sent = 0;
    receiver.answer('/flood', (response, request) => {
      response.on('close', () => {
        sent = request.socket.bytesWritten;
      });
      flood(response, request);
    });
    const outcome = await send(`${receiver.url}/flood`);
    expect(outcome).toMatchObject({ statusCode: 200, error: null });
    await expect.poll(() => receiver.connections.size).toBe(0);
    // What lay in the buffers of the connection is counted, too.
    expect(sent).toBeLessThan(20_000_000);
  });

  it.each([301, 302, 303, 307, 308])('with a redirect %i is not followed', async (status) => {
    receiver.received.length = 0;
    receiver.answer('/from', redirectTo(`${receiver.url}/to`, status));
    expect(await send(`${receiver.url}/from`)).toMatchObject({
      statusCode: status,
      error: `responded with ${status}; redirects aren't followed`,
    });
    expect(receiver.received.map(({ path }) => path)).toEqual(['/from']);
  });

  it('that closes the connection is reported as such', async () => {
    receiver.answer('/close', close);
    expect(await send(`${receiver.url}/close`)).toMatchObject({
      statusCode: null,
      error: 'not reached',
      reason: 'the connection was closed without a response',
    });
  });

  it('that does not exist is reported as such', async () => {
    expect(await send('http://127.0.0.1:2/')).toMatchObject({
      statusCode: null,
      error: 'not reached',
      reason: 'the connection was refused',
    });
  });

  it.each([
    [
      'drips its headers',
      'no response within 0.4 s',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const timer = setInterval(() => socket.write('x-more: 1\r\n'), 50);
        socket.on('close', () => clearInterval(timer));
      },
    ],
    [
      'sends headers without end',
      'the response has too many headers',
      (socket: Socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        pump(socket, `x-more: ${'x'.repeat(4_000)}\r\n`);
      },
    ],
    [
      'sends informational responses without end',
      'no response within 0.4 s',
      (socket: Socket) => {
        const timer = setInterval(() => socket.write('HTTP/1.1 102 Processing\r\n\r\n'), 10);
        socket.on('close', () => clearInterval(timer));
      },
    ],
    [
      'speaks another protocol',
      "the response isn't HTTP",
      (socket: Socket) => {
        socket.write('220 mail.example.com ESMTP ready\r\n');
      },
    ],
    [
      'switches to another protocol',
      'the connection was closed without a response',
      (socket: Socket) => {
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
      },
    ],
    [
      'sends informational responses as fast as it can',
      'too many informational responses',
      (socket: Socket) => pump(socket, 'HTTP/1.1 103 Early Hints\r\nx-more: 1\r\n\r\n'.repeat(500)),
    ],
    [
      'sends empty lines without end',
      "the response isn't HTTP",
      (socket: Socket) => pump(socket, '\r\n'.repeat(30_000)),
    ],
    ['sends nothing and reads nothing', 'no response within 0.4 s', (socket: Socket) => void socket.pause()],
  ])('that %s fails', async (_name, reason, greet) => {
    const outcome = await send(await listenRaw(greet), reason.includes('0.4 s') ? { timeoutMs: 400 } : {});
    expect(outcome).toMatchObject({ statusCode: null, error: 'not reached', reason });
  });

  it('that sends few bytes in many chunks is disconnected after a few bytes', async () => {
    let read = 0;
    const url = await listenRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      pump(socket, `1;${'x'.repeat(8_000)}\r\nx\r\n`);
      socket.on('close', () => {
        read = socket.bytesWritten;
      });
    });
    const outcome = await send(url);
    expect(outcome).toMatchObject({ statusCode: 200, error: null });
    await expect.poll(() => read).toBeGreaterThan(0);
    // What lay in the buffers of the connection is counted, too.
    expect(read).toBeLessThan(20_000_000);
  });

  it('is aborted by the signal', async () => {
    receiver.answer('/hang', hang);
    const outcome = await send(`${receiver.url}/hang`, { signal: AbortSignal.timeout(50) });
    expect(outcome).toMatchObject({ statusCode: null, error: 'not reached' });
    expect(outcome.reason).not.toContain('no response within');
  });
});

describe('the name of an endpoint', () => {
  const port = () => new URL(receiver.url).port;
  const named = () => `http://hook.example.com:${port()}/named`;

  it('is resolved at each request, and the connection uses the result', async () => {
    receiver.received.length = 0;
    const asked: string[] = [];
    const resolve: PostRequest['resolve'] = async (host) => {
      asked.push(host);
      return ['127.0.0.1'];
    };
    expect(await send(named(), { resolve })).toMatchObject({ statusCode: 200 });
    expect(await send(named(), { resolve })).toMatchObject({ statusCode: 200 });
    expect(asked).toEqual(['hook.example.com', 'hook.example.com']);
    expect(receiver.received.map(({ headers }) => headers.host)).toEqual(Array(2).fill(`hook.example.com:${port()}`));
  });

  it('that resolves to a forbidden address the second time is then rejected', async () => {
    receiver.received.length = 0;
    const answers = [['127.0.0.1'], ['169.254.169.254'], ['::ffff:169.254.169.254']];
    const resolve: PostRequest['resolve'] = async () => answers.shift() ?? [];
    const outcomes = [];
    for (let count = 0; count < 4; count += 1) outcomes.push((await send(named(), { resolve })).reason);
    expect(outcomes).toEqual([
      null,
      "webhooks can't be sent to link-local addresses",
      "webhooks can't be sent to link-local addresses",
      'the name has no address',
    ]);
    expect(receiver.received).toHaveLength(1);
  });

  it('with an allowed and a forbidden address connects only to the allowed one', async () => {
    const resolve: PostRequest['resolve'] = async () => ['169.254.169.254', 'fe80::1', '0.0.0.0', '127.0.0.1'];
    expect(await send(named(), { resolve })).toMatchObject({ statusCode: 200 });
  });

  it('with a public address and one of the network reveals nothing about the latter', async () => {
    const url = new URL(await listenRaw((socket) => socket.write('220 mail.example.com ESMTP ready\r\n')));
    url.hostname = 'hooks.example.com';
    expect(await send(url.href, { resolve: async () => ['127.0.0.1', '8.8.8.8'] })).toMatchObject({
      error: 'not reached',
      reason: "the response isn't HTTP",
    });
  });

  it('with very many addresses connects to only a few of them', async () => {
    const closed = [1, 2, 3, 4].map((last) => `127.1.0.${last}`);
    const resolve = (more: string[]) => async () => [...closed, ...more];
    expect(await send(named(), { resolve: resolve(['127.0.0.1']) })).toMatchObject({
      statusCode: null,
      error: 'not reached',
      reason: 'the connection was refused',
    });
    closed.pop();
    expect(await send(named(), { resolve: resolve(['127.0.0.1']) })).toMatchObject({
      statusCode: 200,
    });
  });

  it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])('of %s is rejected unless loopback is allowed', async (address) => {
    receiver.received.length = 0;
    const outcome = await send(named(), { policy: strict, resolve: async () => [address] });
    expect(outcome.reason).toBe(LOOPBACK_REFUSAL);
    expect(receiver.received).toEqual([]);
  });

  it('with unresponsive name servers takes no longer than the deadline', async () => {
    const outcome = await send(named(), { resolve: () => new Promise(() => undefined), timeoutMs: 400 });
    expect(outcome).toMatchObject({ statusCode: null, error: 'not reached', reason: 'no response within 0.4 s' });
  });

  it('of this machine is rejected for its own resolver too', async () => {
    const resolveHost = createResolve();
    for (const host of ['localhost', 'LOCALHOST.', 'a.localhost']) {
      const outcome = await send(`http://${host}:${port()}/`, { policy: strict, resolve: resolveHost });
      expect(outcome.reason).toBe(LOOPBACK_REFUSAL);
    }
    const options = { resolve: resolveHost };
    expect(await send(`http://localhost:${port()}/`, options)).toMatchObject({ statusCode: 200 });
  });

  it('is not needed if the URL has an address, which is still checked', async () => {
    const outcome = await send(`http://[::ffff:127.0.0.1]:${port()}/`, { policy: strict });
    expect(outcome.reason).toBe(LOOPBACK_REFUSAL);
  });
});

describe('an https endpoint', () => {
  let folder: string;
  let server: SecureServer;
  let url: string;
  let reached = 0;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'webhook-tls-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=hook.example.com', '-addext', 'subjectAltName=DNS:hook.example.com'];
    const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    execFileSync('openssl', [...words, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' });
    server = createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_request, response) => {
      reached += 1;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `https://hook.example.com:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  });

  it('with an untrusted certificate gets no data', async () => {
    const outcome = await send(url, { resolve: async () => ['127.0.0.1'] });
    expect(outcome).toMatchObject({ statusCode: null, error: 'not reached', reason: 'the certificate is self-signed' });
    expect(reached).toBe(0);
  });

  it('is not trusted because of the environment', async () => {
    const name = 'NODE_TLS_REJECT_UNAUTHORIZED';
    process.env[name] = '0';
    onTestFinished(() => {
      delete process.env[name];
    });
    const outcome = await send(url, { resolve: async () => ['127.0.0.1'] });
    expect(outcome.reason).toBe('the certificate is self-signed');
    expect(reached).toBe(0);
  });

  it('without TLS is reported as such', async () => {
    const plain = `https://127.0.0.1:${new URL(receiver.url).port}/`;
    expect(await send(plain, { timeoutMs: 5_000 })).toMatchObject({
      statusCode: null,
      error: 'not reached',
      reason: 'TLS handshake failed',
    });
  });
});

describe('the reported error in a private network', () => {
  const open = { allow_private_networks: true, allow_loopback: false };
  const closed = { allow_private_networks: false, allow_loopback: false };
  const to =
    (address: string): PostRequest['resolve'] =>
    async () => [address];

  it.each([
    ['a name without an address', async () => []],
    ['an address of this machine', to('127.0.0.1')],
    ['a link-local address', to('169.254.169.254')],
    ['a name server that fails', () => Promise.reject(Object.assign(new Error('x'), { code: 'ESERVFAIL' }))],
  ] as [string, PostRequest['resolve']][])(
    'is not more than "not reached" with private networks allowed: %s',
    async (_, resolve) => {
      const outcome = await send('http://hook.example.com:2/', { policy: local, resolve });
      expect(outcome).toMatchObject({
        statusCode: null,
        error: 'not reached',
        reason: expect.not.stringMatching(/^not reached$/),
      });
    },
  );

  it('is why a public address was not reached', async () => {
    const outcome = await send('http://hook.example.com/', { policy: open, resolve: to('192.0.2.1') });
    expect(outcome.statusCode).toBeNull();
    expect(outcome.error).toBe(outcome.reason);
    expect(outcome.error).not.toBe('not reached');
  });

  it('is the rejection if private networks are not allowed', async () => {
    const outcome = await send('http://hook.example.com/', { policy: closed, resolve: to('10.255.255.1') });
    expect(outcome.error).toBe(
      "webhooks can't be sent to private network addresses, unless webhooks.allow_private_networks is true in the server's configuration",
    );
  });

  it.each([25, 22, 6000, 10080])(
    'is that port %i belongs to another protocol, at each request, unless it is allowed',
    async (number) => {
      const url = `http://192.0.2.1:${number}/`;
      const error = `port ${number} is reserved for another protocol`;
      expect(await send(url, { policy: open })).toMatchObject({ statusCode: null, error });
      const allowed = await send(url, { policy: { ...open, allow_ports: [number] } });
      expect(allowed.error).not.toBe(error);
    },
  );
});
