// Failures of the S3 service: repeated, told apart, and one error in the end.
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { S3Storage } from '../../../src/storage/s3/backend.ts';
import { createCredentials } from '../../../src/storage/s3/credentials.ts';
import { createTransport } from '../../../src/storage/s3/transport.ts';
import { type Ceph, startCeph, whyNoCeph } from '../../support/ceph.ts';
import { type Bucket, createBucket } from './bucket.ts';
import { type Fault, type FaultProxy, type SeenRequest, startFaultProxy } from './proxy.ts';

const missing = whyNoCeph();
if (missing !== undefined) process.stdout.write(`failures of S3 skipped: ${missing}\n`);

/** Headers of a response that has an object. */
const OBJECT = { etag: '"1"', 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT', 'content-length': '10' };

describe.skipIf(missing !== undefined)('a failing S3 service', () => {
  let ceph: Ceph;
  let bucket: Bucket;
  let proxy: FaultProxy;
  let storage: S3Storage;

  beforeAll(async () => {
    ceph = await startCeph();
    proxy = await startFaultProxy(ceph.url);
    bucket = await createBucket(ceph);
  });
  afterAll(async () => {
    bucket?.close();
    await proxy?.stop();
    await ceph?.stop();
  });
  beforeEach(async () => {
    proxy.fault = undefined;
    // On a busy machine, attempts take longer than a request may.
    storage = bucket.open({ endpoint: proxy.url, retries: { pauseMs: 5, budgetMs: 60_000 }, checkLifetimeMs: 0 });
    await bucket.storage.put('pending/1', Buffer.from('0123456789'));
    await bucket.storage.deleteMany(['builds/1', 'icons/1']);
    proxy.takeNames();
  });

  /** Fails the first `count` matching requests. */
  const failing = (count: number, fault: Fault, matches: (seen: SeenRequest) => boolean = () => true) => {
    let left = count;
    proxy.fault = (seen) => {
      if (left === 0 || !matches(seen)) return undefined;
      left -= 1;
      return fault;
    };
  };

  const temporary: [string, Fault][] = [
    ['500 InternalError', { kind: 'respond', status: 500, code: 'InternalError' }],
    ['503 SlowDown', { kind: 'respond', status: 503, code: 'SlowDown' }],
    [
      '429 with Retry-After',
      { kind: 'respond', status: 429, code: 'TooManyRequests', headers: { 'retry-after': '0' } },
    ],
    ['a 502 page of a proxy', { kind: 'respond', status: 502, body: '<html>Bad gateway</html>' }],
    ['a lost connection', { kind: 'reset' }],
    ['a lost response', { kind: 'lose' }],
    ['a response cut short', { kind: 'cut' }],
  ];

  it.each(temporary)('is asked again after %s', async (_name, fault) => {
    failing(2, fault);
    expect(String(await storage.read('pending/1', 2, 3))).toBe('234');
    failing(1, fault);
    expect(await storage.put('icons/1', Buffer.from('icon'))).toMatchObject({ size: 4 });
    failing(2, fault, ({ name }) => name.startsWith('COPY'));
    const head = await bucket.storage.head('pending/1');
    expect(await storage.move('pending/1', 'builds/1', head)).toMatchObject({ size: 10 });
    expect(String(await bucket.storage.read('builds/1', 0, 20))).toBe('0123456789');
    failing(2, fault);
    expect(await storage.deleteMany(['builds/1'])).toEqual([]);
    expect(await bucket.storage.head('builds/1')).toBeUndefined();
  });

  it.each([...temporary, ['no response', { kind: 'hang' }] satisfies [string, Fault]])(
    'is unavailable after three attempts with %s',
    async (_name, fault) => {
      if (fault.kind === 'hang') {
        storage = bucket.open({ endpoint: proxy.url, retries: { pauseMs: 5 }, haste: 50 });
      }
      failing(100, fault);
      await expect(storage.head('pending/1', { tailBytes: 5 })).rejects.toMatchObject({ code: 'unavailable' });
      expect(proxy.takeNames()).toHaveLength(3);
    },
  );

  it('that cannot be connected to is unavailable soon', async () => {
    storage = bucket.open({ endpoint: 'http://127.0.0.1:1', retries: { pauseMs: 5 } });
    await expect(storage.hasRoom()).rejects.toMatchObject({ code: 'unavailable' });
    await expect(storage.head('pending/1')).rejects.toMatchObject({ code: 'unavailable' });
    const expected = { code: 'unavailable' };
    await expect(storage.move('pending/1', 'builds/1', { etag: '"x"', size: 1 })).rejects.toMatchObject(expected);
    expect(await storage.check()).toMatchObject({ ok: false, detail: expect.stringContaining('ECONNREFUSED') });
    expect(await storage.deleteMany(['a', 'b'])).toEqual([
      { key: 'a', error: expect.objectContaining(expected) },
      { key: 'b', error: expect.objectContaining(expected) },
    ]);
  });

  it('is unavailable, and its objects are not missing, if the bucket is missing or a proxy has no such page', async () => {
    for (const fault of [
      { kind: 'respond', status: 404, code: 'NoSuchBucket' },
      { kind: 'respond', status: 404, body: '<html>Not found</html>' },
      { kind: 'respond', status: 403, code: 'AccessDenied' },
    ] satisfies Fault[]) {
      failing(100, fault);
      await expect(storage.head('pending/1')).rejects.toMatchObject({ code: 'unavailable' });
      await expect(storage.head('pending/1', { tailBytes: 9 })).rejects.toMatchObject({ code: 'unavailable' });
      await expect(storage.get('pending/1')).rejects.toMatchObject({ code: 'unavailable' });
      await expect(storage.delete('pending/1')).rejects.toMatchObject({ code: 'unavailable' });
    }
  });

  it('is unavailable if a proxy responds to every request with a page', async () => {
    for (const headers of [{}, { 'content-type': 'application/xhtml+xml' }]) {
      failing(100, { kind: 'respond', status: 200, body: '<html><body>Maintenance</body></html>', headers });
      const expected = { code: 'unavailable' };
      await expect(storage.hasRoom()).rejects.toMatchObject(expected);
      await expect(storage.put('icons/1', Buffer.from('icon'))).rejects.toMatchObject(expected);
      await expect(storage.get('pending/1')).rejects.toMatchObject(expected);
      await expect(storage.delete('pending/1')).rejects.toMatchObject(expected);
      expect(await storage.deleteMany(['pending/1'])).toEqual([
        { key: 'pending/1', error: expect.objectContaining(expected) },
      ]);
    }
    proxy.fault = undefined;
    expect(String(await storage.get('pending/1'))).toBe('0123456789');
  });

  it('that responds with 200 and an error has not copied', async () => {
    const head = await bucket.storage.head('pending/1');
    failing(1, { kind: 'respond', status: 200, code: 'InternalError' }, ({ name }) => name.startsWith('COPY'));
    expect(await storage.move('pending/1', 'builds/1', head)).toMatchObject({ size: 10 });
    expect(proxy.takeNames()).toEqual(['COPY builds/1', 'COPY builds/1']);
    failing(9, { kind: 'respond', status: 200, code: 'AccessDenied' }, ({ name }) => name.startsWith('COPY'));
    await expect(storage.move('pending/1', 'builds/1', head)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('reports a full bucket as full', async () => {
    for (const code of ['QuotaExceeded', 'XMinioStorageFull']) {
      failing(9, { kind: 'respond', status: 403, code });
      await expect(storage.put('icons/1', Buffer.from('x'))).rejects.toMatchObject({ code: 'full' });
    }
  });

  it('copies nothing else than what was inspected, even if it ignores conditions', async () => {
    const head = await bucket.storage.head('pending/1');
    // Replaced between the two requests; Ceph copies the new bytes nevertheless.
    failing(
      1,
      {
        kind: 'before',
        async run() {
          await bucket.storage.put('pending/1', Buffer.from('abcdefghij'));
        },
      },
      ({ name }) => name.startsWith('COPY'),
    );
    await expect(storage.move('pending/1', 'builds/1', head)).rejects.toMatchObject({ code: 'changed' });
  });

  it('reads one version of an object only', async () => {
    const head = await bucket.storage.head('pending/1');
    await bucket.storage.put('pending/1', Buffer.from('abcdefghij'));
    const read = storage.read('pending/1', 0, 3, { etag: head?.etag });
    await expect(read).rejects.toMatchObject({ code: 'changed' });
  });

  it('is asked for a part whose range it ignores, and returns that part', async () => {
    const whole = { kind: 'respond', status: 200, body: '0123456789', headers: OBJECT } satisfies Fault;
    failing(2, whole);
    expect(String(await storage.read('pending/1', 3, 4))).toBe('3456');
    expect(await storage.head('pending/1', { tailBytes: 4 })).not.toHaveProperty('tail');
  });

  it.each([
    ['no range', undefined],
    ['an earlier one', 'bytes 2-5/10'],
    ['a later one', 'bytes 7-9/10'],
    ['one of an unknown size', 'bytes 3-6/*'],
  ])('is unavailable if the part in a response has %s', async (_name, contentRange) => {
    const headers = { ...OBJECT, 'content-length': '4', ...(contentRange && { 'content-range': contentRange }) };
    failing(2, { kind: 'respond', status: 206, body: '0123', headers });
    const expected = { code: 'unavailable' };
    await expect(storage.read('pending/1', 3, 4)).rejects.toMatchObject(expected);
    await expect(storage.head('pending/1', { tailBytes: 4 })).rejects.toMatchObject(expected);
  });

  it('lists everything although a page is empty, and never ends a list early or again and again', async () => {
    const page = (rest: string): Fault => ({
      kind: 'respond',
      status: 200,
      body: `<ListBucketResult><IsTruncated>true</IsTruncated>${rest}</ListBucketResult>`,
    });
    const token = '<NextContinuationToken>some/folder/pending/0</NextContinuationToken>';
    failing(1, page(token));
    const { items, next } = await storage.list('pending/', { limit: 10 });
    expect({ keys: items.map(({ key }) => key), next }).toEqual({ keys: ['pending/1'], next: undefined });
    const [, second] = proxy.seen;
    expect(new URL(second?.url ?? '', proxy.url).searchParams.get('continuation-token')).toBe('some/folder/pending/0');
    const object =
      '<Contents><Key>some/folder/pending/1</Key><Size>1</Size><LastModified>2026-01-01T00:00:00Z</LastModified></Contents>';
    for (const endless of [page(''), page(token), page(object)]) {
      failing(9, endless);
      await expect(storage.list('pending/', { limit: 10 })).rejects.toMatchObject({ code: 'unavailable' });
    }
    failing(9, page(object));
    await expect(storage.list('pending/', { after: 'pending/1', limit: 1 })).rejects.toMatchObject({
      code: 'unavailable',
    });
  });

  it('copies in parts above a limit, of the same version only', async () => {
    const bytes = Buffer.alloc(11 * 1024 * 1024, 'abc');
    await bucket.storage.put('pending/2', bytes);
    const head = await bucket.storage.head('pending/2');
    storage = bucket.open({ endpoint: proxy.url, maxCopyBytes: 5 * 1024 * 1024, retries: { pauseMs: 5 } });
    proxy.takeNames();
    expect(await storage.move('pending/2', 'builds/2', head)).toMatchObject({ size: bytes.length });
    expect(proxy.takeNames().filter((name) => name.startsWith('COPY'))).toHaveLength(3);
    expect((await bucket.storage.get('builds/2'))?.equals(bytes)).toBe(true);
    failing(9, { kind: 'respond', status: 412, code: 'PreconditionFailed' }, ({ name }) => name.startsWith('COPY'));
    await expect(storage.move('pending/2', 'builds/3', head)).rejects.toMatchObject({ code: 'changed' });
    expect(await bucket.storage.head('builds/3')).toBeUndefined();
    proxy.fault = undefined;
    const uploads = await bucket.client.call({ method: 'GET', query: { uploads: '' } });
    expect(String(uploads.body)).not.toContain('<Upload>');
  });

  it('stores an object in parts although a response is lost', async () => {
    async function* chunks(): AsyncGenerator<Buffer> {
      for (let count = 0; count < 3; count += 1) yield Buffer.alloc(6 * 1024 * 1024, String(count));
    }
    storage = bucket.open({ endpoint: proxy.url, parts: { partBytes: 5 * 1024 * 1024 }, retries: { pauseMs: 5 } });
    failing(1, { kind: 'lose' }, ({ method, name }) => method === 'POST' && name.endsWith('part'));
    expect(await storage.put('exports/1.zip', chunks())).toMatchObject({ size: 18 * 1024 * 1024 });
    expect(await bucket.storage.head('exports/1.zip')).toMatchObject({ size: 18 * 1024 * 1024 });
  });

  it('keeps small objects in memory until they change', async () => {
    await storage.put('icons/1', Buffer.from('one'));
    proxy.takeNames();
    expect(String(await storage.get('icons/1'))).toBe('one');
    expect(proxy.takeNames()).toEqual([]);
    await storage.deleteMany(['icons/1']);
    expect(await storage.get('icons/1')).toBeUndefined();
  });

  it('is claimed by the first server only', async () => {
    const other = bucket.open();
    expect(await storage.claim('one')).toBe(true);
    expect(await other.claim('two')).toBe(false);
    expect(await bucket.open().claim('one')).toBe(true);
    expect(await bucket.open({ prefix: 'another' }).claim('two')).toBe(true);
    // The key of the first server is rotated; repeated, in case it was interrupted.
    expect(await bucket.open().claim('three', 'two')).toBe(false);
    for (const previous of ['one', 'one']) expect(await bucket.open().claim('three', previous)).toBe(true);
    expect(await bucket.open().claim('one')).toBe(false);
    // A service without conditions for writes, such as Backblaze B2.
    const refused = { kind: 'respond', status: 501, code: 'NotImplemented' } satisfies Fault;
    failing(9, refused, ({ headers }) => headers['if-none-match'] !== undefined);
    const openThird = () => bucket.open({ endpoint: proxy.url, prefix: 'third' });
    expect(await openThird().claim('one')).toBe(true);
    expect(await openThird().claim('two')).toBe(false);
  });

  describe('with keys that rotate', () => {
    it('is asked again with the new keys of a file', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'taxiway-keys-'));
      const file = join(folder, 'credentials');
      const write = (id: string) =>
        writeFile(file, `[default]\naws_access_key_id = ${id}\naws_secret_access_key = TESTSECRET\n`);
      const transport = createTransport();
      try {
        await write('WRONGKEY');
        const openWithFile = () =>
          bucket.openWith(
            createCredentials({
              accessKeyId: '',
              secretAccessKey: '',
              sessionToken: '',
              credentialsFile: file,
              region: 'us-east-1',
              env: {},
              transport,
            }),
          );
        storage = openWithFile();
        await expect(storage.read('pending/1', 0, 3)).rejects.toMatchObject({ code: 'unavailable' });
        await write('TESTKEY');
        expect(String(await storage.read('pending/1', 0, 3))).toBe('012');
        // So is a request whose response is passed on.
        for (const method of ['GET', 'HEAD'] as const) {
          await write('WRONGKEY');
          const { client } = openWithFile();
          await client.presign({ method, key: 'pending/1' }, 1_000);
          await write('TESTKEY');
          const answer = await client.open({ method, key: 'pending/1' }, { silenceMs: 5_000 });
          expect([method, answer.statusCode]).toEqual([method, 200]);
          answer.resume();
        }
      } finally {
        transport.close();
        await rm(folder, { recursive: true });
      }
    });
  });
});

describe('credentials of a cloud machine', () => {
  let server: Server;
  let url: string;
  let requests: string[] = [];
  const answers = new Map<string, string>();
  const transport = createTransport();

  beforeAll(async () => {
    server = createServer((req, res) => {
      requests.push(`${req.method} ${req.url}`);
      const answer = answers.get(`${req.method} ${req.url}`);
      res.writeHead(answer === undefined ? 404 : 200);
      req.resume();
      res.end(answer);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    transport.close();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  beforeEach(() => {
    requests = [];
    answers.clear();
  });

  const source = (env: Record<string, string>, now?: () => number, credentialsFile = '') =>
    createCredentials({
      accessKeyId: '',
      secretAccessKey: '',
      sessionToken: '',
      credentialsFile,
      region: 'eu-central-1',
      env: { HOME: '/nonexistent', ...env },
      transport,
      metadataUrl: url,
      ...(now === undefined ? {} : { now }),
    });
  const json = (id: string, expiration: string) =>
    JSON.stringify({ AccessKeyId: id, SecretAccessKey: 's', Token: 't', Expiration: expiration });

  it('come from the environment', async () => {
    const found = source({ AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 's', AWS_SESSION_TOKEN: 't' });
    expect(await found.load()).toEqual({ accessKeyId: 'id', secretAccessKey: 's', sessionToken: 't' });
    expect([found.describe(), requests]).toEqual(['environment', []]);
  });

  it('come from the instance metadata, and are renewed before they expire', async () => {
    let now = Date.parse('2026-01-31T12:00:00Z');
    const role = '/latest/meta-data/iam/security-credentials/';
    answers.set('PUT /latest/api/token', 'token').set(`GET ${role}`, 'builds');
    answers.set(`GET ${role}builds`, json('one', '2026-01-31T18:00:00Z'));
    const found = source({}, () => now);
    const [first] = await Promise.all([found.load(), found.load(), found.load()]);
    expect(first).toMatchObject({ accessKeyId: 'one', sessionToken: 't' });
    expect(requests).toHaveLength(3);
    answers.set(`GET ${role}builds`, json('two', '2026-02-01T00:00:00Z'));
    now += 5.7 * 3_600_000;
    expect((await found.load()).accessKeyId).toBe('one');
    now += 0.1 * 3_600_000;
    expect((await found.load()).accessKeyId).toBe('two');
    // Still valid ones are used while the source fails.
    answers.clear();
    now += 5.9 * 3_600_000;
    expect((await found.load()).accessKeyId).toBe('two');
    now += 3_600_000;
    await expect(found.load()).rejects.toThrow('no credentials');
  });

  it('come from a container role and from a web identity', async () => {
    answers.set('GET /role', json('container', '2030-01-31T18:00:00Z'));
    expect((await source({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/role` }).load()).accessKeyId).toBe('container');
    const folder = await mkdtemp(join(tmpdir(), 'taxiway-keys-'));
    await writeFile(join(folder, 'token'), 'a.b.c\n');
    answers.set(
      'POST /',
      '<AssumeRoleWithWebIdentityResponse><Credentials><AccessKeyId>web</AccessKeyId><SecretAccessKey>s</SecretAccessKey>' +
        '<SessionToken>t</SessionToken><Expiration>2030-01-31T18:00:00Z</Expiration></Credentials></AssumeRoleWithWebIdentityResponse>',
    );
    const env = {
      AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, 'token'),
      AWS_ROLE_ARN: 'arn:aws:iam::1:role/builds',
      AWS_ENDPOINT_URL_STS: url,
    };
    expect(await source(env).load()).toMatchObject({ accessKeyId: 'web', sessionToken: 't' });
    await rm(folder, { recursive: true });
  });

  it.each(['credentials_file', 'AWS_WEB_IDENTITY_TOKEN_FILE', 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE'])(
    'are not read from a named pipe as %s, which would never end',
    async (key) => {
      const folder = await mkdtemp(join(tmpdir(), 'taxiway-keys-'));
      const pipe = join(folder, 'pipe');
      execFileSync('mkfifo', [pipe]);
      const env = { [key]: pipe, AWS_ROLE_ARN: 'arn:aws:iam::1:role/builds', AWS_CONTAINER_CREDENTIALS_FULL_URI: url };
      const found = source(env, undefined, key === 'credentials_file' ? pipe : '');
      await expect(found.load()).rejects.toThrow(`the credentials file ${pipe} can't be read: it is a named pipe`);
      expect(requests).toEqual([]);
      await rm(folder, { recursive: true });
    },
  );

  it('are in no error message, also not from a malformed response', async () => {
    const secret = 'wJalrXUtnFEMI';
    for (const body of [`{"AccessKeyId":"id","SecretAccessKey":${secret}}`, `"${secret}"`, 'null', secret]) {
      answers.set('GET /role', body);
      const failure = await source({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/role` })
        .load()
        .catch((error: unknown) => inspect(error, { depth: 9 }));
      expect(failure).toMatch(/^Error: the credentials of the machine's role (can't be read|are incomplete)/);
      expect(failure).not.toContain(secret.slice(0, 5));
    }
  });

  it('say what to do if there are none', async () => {
    await expect(source({}).load()).rejects.toThrow('set access_key_id and secret_access_key');
  });
});
