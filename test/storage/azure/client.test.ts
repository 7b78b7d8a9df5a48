// The client of customers' containers against Azurite.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createMovableClock, HOUR, MINUTE } from '../../../src/lib/clock.ts';
import {
  abortCopy,
  checkContainer,
  deleteBlob,
  getBlob,
  hasAzureCode,
  headBlob,
  listBlobs,
  pollCopy,
  putBlob,
  readBlob,
  startCopy,
} from '../../../src/storage/azure/blobs.ts';
import { type OpenContainer, openContainer } from '../../../src/storage/azure/open.ts';
import type { AzureCredential } from '../../../src/storage/azure/tokens.ts';
import { createTransport, type Transport } from '../../../src/storage/s3/transport.ts';
import { type AzureFront, startAzureFront } from '../../support/azure-front.ts';
import { type Azurite, startAzurite, whyNoAzurite } from '../../support/azurite.ts';

const missing = whyNoAzurite();

describe.skipIf(missing !== undefined)('client of a container', () => {
  let azurite: Azurite;
  let front: AzureFront;
  let transport: Transport;
  let clock = createMovableClock();
  let container: string;
  let opened: OpenContainer;

  beforeAll(async () => {
    azurite = await startAzurite();
    front = await startAzureFront(azurite);
    transport = createTransport();
    container = await front.createContainer();
  });
  afterAll(async () => {
    transport.close();
    await front.stop();
    await azurite.stop();
  });
  beforeEach(() => {
    front.reset();
    clock = createMovableClock();
    opened = open();
  });

  function open(given: { credential?: AzureCredential; container?: string; tenantId?: string } = {}): OpenContainer {
    const { account, tenantId, clientId } = front;
    const credential: AzureCredential = { kind: 'secret', secret: front.state.secret };
    return openContainer(
      { authorityHost: front.url, endpointSuffix: front.url },
      { account, container, tenantId, clientId, credential, ...given },
      { transport, clock, retries: { pauseMs: 1 } },
    );
  }

  const newKey = () => `packages/${randomUUID()}`;
  const bytes = Buffer.from('0123456789');

  it('stores, describes, reads and deletes a blob', async () => {
    const { client } = opened;
    const key = newKey();
    await checkContainer(client);
    expect(await headBlob(client, key)).toBeUndefined();
    const stored = await putBlob(client, key, bytes, { isNew: true });
    expect(stored).toMatchObject({ size: 10, etag: expect.stringMatching(/^"0x/) });
    expect(await headBlob(client, key)).toMatchObject({ size: 10, etag: stored.etag, metadata: {} });
    expect(await getBlob(client, key, 100)).toEqual(bytes);
    expect((await readBlob(client, key, { offset: 2, length: 3 })).bytes.toString()).toBe('234');
    expect((await readBlob(client, key, { offset: 8, length: 9, etag: stored.etag })).bytes.toString()).toBe('89');
    expect((await readBlob(client, key, { offset: 50, length: 9 })).bytes).toHaveLength(0);
    await expect(putBlob(client, key, bytes, { isNew: true })).rejects.toMatchObject({ code: 'exists' });
    await putBlob(client, key, Buffer.from('other'));
    await expect(readBlob(client, key, { offset: 0, length: 3, etag: stored.etag })).rejects.toMatchObject({
      code: 'changed',
    });
    expect(await deleteBlob(client, key)).toBe(true);
    expect(await deleteBlob(client, key)).toBe(false);
    expect(await getBlob(client, key, 100)).toBeUndefined();
    await expect(readBlob(client, key, { offset: 0, length: 3 })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('stores a large blob in blocks, and nothing if a chunk fails', async () => {
    const { client } = opened;
    const [key, other] = [newKey(), newKey()];
    async function* chunks(fails: boolean) {
      yield Buffer.from('0123');
      yield Buffer.from('4567');
      if (fails) throw new Error('the reader failed');
      yield Buffer.from('89');
    }
    expect(await putBlob(client, key, chunks(false), { blockBytes: 4 })).toMatchObject({ size: 10 });
    expect(await getBlob(client, key, 100)).toEqual(bytes);
    await expect(putBlob(client, other, chunks(true), { blockBytes: 4 })).rejects.toThrow('the reader failed');
    expect(await headBlob(client, other)).toBeUndefined();
  });

  it('lists blobs in pages', async () => {
    const { client } = opened;
    const prefix = newKey();
    for (const name of ['a', 'b', 'c']) await putBlob(client, `${prefix}/${name}`, bytes);
    const first = await listBlobs(client, { prefix: `${prefix}/`, limit: 2 });
    expect(first.items.map(({ key, size }) => [key, size])).toEqual([
      [`${prefix}/a`, 10],
      [`${prefix}/b`, 10],
    ]);
    const rest = await listBlobs(client, { prefix: `${prefix}/`, limit: 2, marker: first.next ?? '' });
    expect(rest.items.map(({ key }) => key)).toEqual([`${prefix}/c`]);
    expect(rest.next).toBeUndefined();
  });

  it('copies a blob and waits for the end', async () => {
    const { client } = opened;
    const [from, to] = [newKey(), newKey()];
    const { etag } = await putBlob(client, from, bytes);
    front.state.pendingPolls = 2;
    const copy = await startCopy(client, { from, to, etag, metadata: { reason: 'complete' } });
    expect(copy.isDone).toBe(false);
    expect(await pollCopy(client, to, copy)).toBeUndefined();
    expect(await pollCopy(client, to, copy)).toBeUndefined();
    expect(await pollCopy(client, to, copy)).toMatchObject({
      size: 10,
      metadata: { reason: 'complete' },
      copy: { id: copy.id, status: 'success' },
    });
    await abortCopy(client, to, copy);
    expect(await getBlob(client, to, 100)).toEqual(bytes);
    await expect(startCopy(client, { from, to, etag: '"0x1"' })).rejects.toMatchObject({ code: 'changed' });
    await expect(startCopy(client, { from: newKey(), to })).rejects.toMatchObject({ code: 'not_found' });
    await putBlob(client, to, bytes);
    await expect(pollCopy(client, to, copy)).rejects.toMatchObject({ code: 'changed' });
  });

  it('finds a copy whose start was done but not reported', async () => {
    const { client } = opened;
    const [from, to] = [newKey(), newKey()];
    await putBlob(client, from, bytes);
    front.state.faults = [{ method: 'PUT', path: new RegExp(to), times: 1, isAfter: true }];
    const copy = await startCopy(client, { from, to });
    expect(copy.isDone).toBe(true);
    expect(await pollCopy(client, to, copy)).toMatchObject({ size: 10 });
    // The service says so as long as the first copy runs.
    front.state.faults = [{ method: 'PUT', path: new RegExp(to), times: 1, status: 409, code: 'PendingCopyOperation' }];
    expect(await startCopy(client, { from, to })).toEqual({ id: copy.id, isDone: true });
  });

  it('signs URLs for one blob and one method', async () => {
    const { client, delegation } = opened;
    const [key, other] = [newKey(), newKey()];
    const expiresAt = new Date(clock.now().getTime() + HOUR);
    const put = await delegation.sign({ key, method: 'PUT', expiresAt });
    const headers = { 'x-ms-blob-type': 'BlockBlob' };
    expect((await fetch(put, { method: 'PUT', headers, body: bytes })).status).toBe(201);
    expect((await fetch(put)).status).toBe(403);
    expect((await fetch(put, { method: 'DELETE' })).status).toBe(403);
    const elsewhere = new URL(put);
    elsewhere.pathname = elsewhere.pathname.replace(key, other);
    expect((await fetch(elsewhere, { method: 'PUT', headers, body: bytes })).status).toBe(403);

    const get = await delegation.sign({
      key,
      method: 'GET',
      expiresAt,
      disposition: 'attachment; filename="a b+c&d.ipa"',
      contentType: 'application/octet-stream',
      cacheControl: 'private',
    });
    const answer = await fetch(get);
    expect([answer.status, await answer.text()]).toEqual([200, '0123456789']);
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="a b+c&d.ipa"');
    expect(answer.headers.get('cache-control')).toBe('private');
    expect((await fetch(get, { method: 'HEAD' })).status).toBe(200);
    expect((await fetch(get, { headers: { range: 'bytes=2-3' } })).status).toBe(206);
    expect((await fetch(get, { method: 'PUT', headers, body: bytes })).status).toBe(403);
    const longer = new URL(get);
    longer.searchParams.set('se', '2099-01-01T00:00:00Z');
    expect((await fetch(longer)).status).toBe(403);
    const renamed = new URL(get);
    renamed.searchParams.set('rscd', 'inline');
    expect((await fetch(renamed)).status).toBe(403);
    expect(await getBlob(client, key, 100)).toEqual(bytes);
    // One key for all of them.
    expect(front.log.filter((line) => line.includes('userdelegationkey'))).toHaveLength(1);
  });

  it('limits the lifetime of a signed URL to a day', async () => {
    const { delegation } = opened;
    const expiresAt = new Date(clock.now().getTime() + 30 * 24 * HOUR);
    const url = await delegation.sign({ key: newKey(), method: 'GET', expiresAt });
    const end = Date.parse(url.searchParams.get('se') ?? '');
    expect(end).toBeLessThanOrEqual(clock.now().getTime() + 24 * HOUR);
  });

  it('keeps a token until shortly before it expires, and replaces one that is rejected', async () => {
    const { client } = opened;
    await Promise.all([checkContainer(client), checkContainer(client)]);
    expect(front.tokensMade()).toBe(1);
    clock.advance(54 * MINUTE);
    await checkContainer(client);
    expect(front.tokensMade()).toBe(1);
    clock.advance(MINUTE);
    await checkContainer(client);
    expect(front.tokensMade()).toBe(2);
    front.reset();
    await checkContainer(client);
    expect(front.tokensMade()).toBe(1);
  });

  it('repeats after temporary failures, and not after others', async () => {
    const { client } = opened;
    front.state.faults = [{ path: /restype=container/, status: 503, code: 'ServerBusy', times: 2 }];
    await checkContainer(client);
    front.log.length = 0;
    front.state.faults = [{ path: /restype=container/, times: 1 }];
    await checkContainer(client);
    front.log.length = 0;
    front.state.faults = [{ path: /restype=container/, status: 403, code: 'AuthorizationFailure' }];
    await expect(checkContainer(client)).rejects.toMatchObject({
      code: 'unavailable',
      cause: {
        service: 'storage',
        status: 403,
        code: 'AuthorizationFailure',
        message: '403 AuthorizationFailure: Made to fail.',
      },
    });
    expect(front.log).toHaveLength(1);
  });

  it('tells a missing container from a missing blob', async () => {
    const { client } = open({ container: 'not-there' });
    const failure = await headBlob(client, newKey()).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'unavailable' });
    expect(hasAzureCode(failure, 'ContainerNotFound')).toBe(true);
  });

  it.each([
    ['an unknown tenant', { tenantId: '00000000-0000-4000-8000-000000000000' }, 'AADSTS90002'],
    ['a wrong secret', { credential: { kind: 'secret', secret: 'wrong' } }, 'AADSTS7000215'],
  ] as const)('names the code for %s', async (_name, given, code) => {
    const { client } = open(given);
    await expect(checkContainer(client)).rejects.toMatchObject({ cause: { service: 'entra', code } });
  });

  it('never repeats the secret in an error', async () => {
    front.state.tokenFault = {
      status: 401,
      code: 'AADSTS7000215',
      text: `Wrong: ${front.state.secret}\n\u0007\u202e!`,
    };
    await expect(checkContainer(opened.client)).rejects.toMatchObject({
      cause: { message: '401 AADSTS7000215: Wrong: \u2026 !' },
    });
  });

  describe('with hostile responses', () => {
    const list = () => listBlobs(opened.client, { prefix: 'packages', limit: 1 });
    it.each([
      ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/' }, body: '' }],
      ['a page of a proxy', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html></html>' }],
      ['a list without an end', { status: 200, body: Buffer.alloc(17 * 1024 * 1024, '<Blob>') }],
      ['a missing blob for a list', { status: 404, code: 'ContainerNotFound' }],
    ])('treats %s as a failure', async (_name, fault) => {
      front.state.faults = [{ path: /comp=list/, ...fault }];
      await expect(list()).rejects.toMatchObject({ code: 'unavailable' });
    });

    it('takes neither a page of a proxy nor another part for the content of a blob', async () => {
      const { client } = opened;
      const key = newKey();
      await putBlob(client, key, Buffer.from('0123456789'));
      const path = new RegExp(key);
      const page = { path, status: 200, headers: { 'content-type': 'text/html' }, body: '<html></html>' };
      const object = { etag: '"1"', 'last-modified': 'Thu, 01 Jan 2026 00:00:00 GMT' };
      const part = (range: string) => ({
        path,
        status: 206,
        headers: { ...object, 'content-range': range },
        body: '0123',
      });
      front.state.faults = [page];
      await expect(getBlob(client, key, 100)).rejects.toMatchObject({ code: 'unavailable' });
      for (const range of ['bytes 2-5/10', 'bytes 4-7/10', 'bytes 3-6/*']) {
        front.state.faults = [part(range)];
        await expect(readBlob(client, key, { offset: 3, length: 4 }), range).rejects.toMatchObject({
          code: 'unavailable',
        });
      }
      front.state.faults = [part('bytes 3-6/10')];
      expect(String((await readBlob(client, key, { offset: 3, length: 4 })).bytes)).toBe('0123');
    });

    it('reads deeply nested XML without a stack', async () => {
      const body = `<EnumerationResults>${'<Blob>'.repeat(200_000)}</EnumerationResults>`;
      front.state.faults = [{ path: /comp=list/, status: 200, body }];
      expect(await list()).toEqual({ items: [], next: undefined });
    });

    it('refuses a key whose texts would change what is signed', async () => {
      const key = (oid: string) =>
        `<UserDelegationKey><SignedOid>${oid}</SignedOid><SignedTid>b</SignedTid><SignedStart>2026-01-01T00:00:00Z</SignedStart><SignedExpiry>2026-01-02T00:00:00Z</SignedExpiry><SignedService>b</SignedService><SignedVersion>2025-11-05</SignedVersion><Value>${'A'.repeat(44)}</Value></UserDelegationKey>`;
      const expiresAt = new Date(clock.now().getTime() + HOUR);
      front.state.faults = [{ path: /userdelegationkey/, status: 200, body: key('a&#10;b') }];
      await expect(opened.delegation.sign({ key: newKey(), method: 'GET', expiresAt })).rejects.toMatchObject({
        code: 'unavailable',
      });
      front.state.faults = [{ path: /userdelegationkey/, status: 200, body: key('a') }];
      await expect(opened.delegation.sign({ key: newKey(), method: 'GET', expiresAt })).resolves.toBeInstanceOf(URL);
    });

    it.each(['{', '[]', '{"access_token":"a\\nb","token_type":"Bearer","expires_in":1}', '{"access_token":"a"}'])(
      'refuses the token response %s',
      async (body) => {
        const answering: Transport = {
          ...transport,
          send: async () => ({ status: 200, headers: {}, body: Buffer.from(body) }),
        };
        const { tokens } = openContainer(
          { authorityHost: front.url, endpointSuffix: front.url },
          { ...front, container, credential: { kind: 'secret', secret: 'x' } },
          { transport: answering, clock, retries: { attempts: 1 } },
        );
        await expect(tokens.load()).rejects.toThrow('no usable token');
      },
    );
  });

  it('takes no host from the names of a container', () => {
    for (const account of ['a.evil.example', 'x/../y', 'A', 'ab', 'evil#', '']) {
      expect(() =>
        openContainer(
          { authorityHost: 'a.test', endpointSuffix: 'b.test' },
          { ...front, account, container, credential: { kind: 'secret', secret: '' } },
          { transport, clock },
        ),
      ).toThrow(RangeError);
    }
    for (const name of ['$web', 'a--b', '-ab', 'ab', 'a/b', '..', 'A-b', 'x'.repeat(64)]) {
      expect(() => open({ container: name })).toThrow(RangeError);
    }
    expect(() => open({ tenantId: '../x' })).toThrow(RangeError);
    const { location } = openContainer(
      { authorityHost: 'a.test', endpointSuffix: 'b.test' },
      { ...front, account: 'acme', container: 'builds', credential: { kind: 'secret', secret: '' } },
      { transport, clock },
    ).client;
    expect(location.urlOf('a/b').toString()).toBe('https://acme.b.test/builds/a/b');
  });
});
