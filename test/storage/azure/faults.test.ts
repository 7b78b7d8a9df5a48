// A container that fails, lies or is slow: what the storage on it makes of that.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HOUR } from '../../../src/lib/clock.ts';
import { type AzureFront, startAzureFront } from '../../support/azure-front.ts';
import { type Azurite, startAzurite, whyNoAzurite } from '../../support/azurite.ts';
import { createTestContainer, type TestContainer } from './container.ts';

const missing = whyNoAzurite();
if (missing !== undefined) process.stdout.write(`failing containers skipped: ${missing}\n`);

describe.skipIf(missing !== undefined)('a failing container', () => {
  let azurite: Azurite;
  let front: AzureFront;
  let container: TestContainer;

  beforeAll(async () => {
    azurite = await startAzurite();
    front = await startAzureFront(azurite);
  });
  afterAll(async () => {
    await front?.stop();
    await azurite?.stop();
  });
  beforeEach(async () => {
    front.reset();
    container = await createTestContainer(front, { retries: { pauseMs: 1 } });
    await container.storage.put('builds/1', Buffer.from('0123456789'));
    front.log.length = 0;
  });
  afterEach(() => container?.close());

  type Faults = AzureFront['state']['faults'];
  const unavailable = { code: 'unavailable' };
  const expiresAt = () => new Date(Date.now() + HOUR);
  const copiesOf = (key: string) => front.log.filter((line) => line.startsWith('PUT') && line.includes(key)).length;

  const temporary: [string, Faults[number]][] = [
    [
      'a throttled request',
      { status: 503, code: 'ServerBusy', times: 2, headers: { 'retry-after': '0', 'x-ms-error-code': 'ServerBusy' } },
    ],
    ['too many requests', { status: 429, code: 'TooManyRequests', times: 2 }],
    ['an internal error', { status: 500, code: 'InternalError', times: 1 }],
    ['a time-out of the service', { status: 500, code: 'OperationTimedOut', times: 1 }],
    ['a closed connection', { times: 2 }],
    ['a lost response', { times: 1, isAfter: true }],
  ];

  it.each(temporary)('is asked again after %s', async (_name, fault) => {
    const { storage } = container;
    const broken = (more: Partial<Faults[number]>) => {
      front.state.faults = [{ ...fault, ...more }];
    };
    broken({ method: 'HEAD' });
    expect(await storage.head('builds/1')).toMatchObject({ size: 10 });
    broken({ method: 'GET', path: /builds/ });
    expect(String(await storage.read('builds/1', 2, 3))).toBe('234');
    broken({ method: 'GET', path: /comp=list/ });
    expect((await storage.list('builds/', { limit: 5 })).items).toHaveLength(1);
    broken({ method: 'PUT', path: /builds\/2/ });
    expect(await storage.put('builds/2', Buffer.from('abc'))).toMatchObject({ size: 3 });
    broken({ method: 'PUT', path: /builds\/3/ });
    expect(await storage.move('builds/1', 'builds/3')).toMatchObject({ size: 10, isSourceLeft: true });
    broken({ method: 'DELETE' });
    await storage.delete('builds/2');
    expect(await storage.head('builds/2')).toBeUndefined();
    broken({ method: 'POST', path: /userdelegationkey/ });
    const fresh = container.open();
    expect(
      (await fetch((await fresh.signGet({ key: 'builds/3', expiresAt: expiresAt(), subject: 'x' })).url)).status,
    ).toBe(200);
  });

  it.each([
    ...temporary.map(([name, fault]): [string, Faults[number]] => [name, { ...fault, times: -1, isAfter: false }]),
    ['a refused request', { status: 403, code: 'AuthorizationPermissionMismatch' }],
    ['an expired signature because of a wrong clock', { status: 403, code: 'AuthenticationFailed' }],
    ['a disabled account', { status: 403, code: 'AccountIsDisabled' }],
    ['a missing container', { status: 404, code: 'ContainerNotFound' }],
    ['a container that is being deleted', { status: 409, code: 'ContainerBeingDeleted' }],
    ['a page of a proxy', { status: 404, body: '<html>', headers: { 'content-type': 'text/html' } }],
    ['a redirect', { status: 302, body: '', headers: { location: 'http://127.0.0.1:9/' } }],
    ['a success without an object', { status: 200, body: '<html>', headers: { 'content-type': 'text/html' } }],
  ] satisfies [string, Faults[number]][])('is unavailable, and nothing is missing, after %s', async (_name, fault) => {
    const { storage } = container;
    front.state.faults = [{ ...fault, path: /builds|comp=list|userdelegationkey/ }];
    await expect(storage.head('builds/1')).rejects.toMatchObject(unavailable);
    await expect(storage.head('builds/1', { tailBytes: 4 })).rejects.toMatchObject(unavailable);
    await expect(storage.read('builds/1', 0, 3)).rejects.toMatchObject(unavailable);
    await expect(storage.list('builds/', { limit: 5 })).rejects.toMatchObject(unavailable);
    await expect(storage.put('builds/2', Buffer.from('abc'))).rejects.toMatchObject(unavailable);
    await expect(storage.move('builds/1', 'builds/2')).rejects.toMatchObject(unavailable);
    expect(await storage.deleteMany(['builds/1', 'builds/2'])).toMatchObject([
      { key: 'builds/1', error: unavailable },
      { key: 'builds/2', error: unavailable },
    ]);
    const fresh = container.open();
    await expect(fresh.signPut({ key: 'builds/2', expiresAt: expiresAt(), subject: 'x' })).rejects.toMatchObject(
      unavailable,
    );
    front.state.faults = [];
    expect(await storage.head('builds/1')).toMatchObject({ size: 10 });
  });

  describe('copies', () => {
    it('in the background, and is asked until the copy is complete', async () => {
      const storage = container.open({ copy: { waitMs: 60_000, pauseMs: 1 } });
      front.state.pendingPolls = 5;
      expect(await storage.move('builds/1', 'builds/2')).toMatchObject({ size: 10 });
      expect(copiesOf('builds/2')).toBe(1);
    });

    it('for longer than a request waits, and the next one continues the same copy', async () => {
      const storage = container.open({ copy: { waitMs: 0, pauseMs: 1 } });
      front.state.pendingPolls = 2;
      const slow = { code: 'unavailable', cause: { code: 'PendingCopyOperation' } };
      await expect(storage.move('builds/1', 'builds/2')).rejects.toMatchObject(slow);
      // Its bytes may be incomplete.
      expect(await storage.head('builds/2')).toBeUndefined();
      front.state.faults = [{ method: 'PUT', path: /builds\/2/, status: 409, code: 'PendingCopyOperation' }];
      expect(await storage.move('builds/1', 'builds/2')).toMatchObject({ size: 10 });
      expect(String(await storage.get('builds/2'))).toBe('0123456789');
    });

    it('and fails', async () => {
      const { storage } = container;
      const { etag = '' } = (await storage.head('builds/1')) ?? {};
      const headers = {
        etag: '"0x1"',
        'last-modified': new Date(0).toUTCString(),
        'content-length': '0',
        'x-ms-copy-id': 'a',
        'x-ms-copy-status': 'failed',
        'x-ms-copy-status-description': '500 InternalServerError',
      };
      front.state.faults = [{ method: 'HEAD', path: /builds\/2/, status: 200, headers, body: '' }];
      await expect(storage.move('builds/1', 'builds/2', { etag, size: 10 })).rejects.toMatchObject({
        code: 'unavailable',
        cause: { code: 'CopyFailed' },
      });
      // An incomplete copy is no object.
      expect(await storage.head('builds/2')).toBeUndefined();
    });

    it('nothing else than what was inspected', async () => {
      const { storage } = container;
      const { etag = '' } = (await storage.head('builds/1')) ?? {};
      await storage.put('builds/1', Buffer.from('other 9876'));
      await expect(storage.move('builds/1', 'builds/2', { etag, size: 10 })).rejects.toMatchObject({ code: 'changed' });
      const { etag: newer = '' } = (await storage.head('builds/1')) ?? {};
      // Replaced between the copy and its confirmation.
      front.state.faults = [
        {
          method: 'HEAD',
          path: /builds\/2/,
          times: 1,
          isAfter: true,
          run: async () => void (await container.open().put('builds/1', Buffer.from('third 9876'))),
        },
      ];
      await expect(storage.move('builds/1', 'builds/2', { etag: newer, size: 10 })).rejects.toMatchObject({
        code: 'changed',
      });
    });
  });

  it('is unavailable when the service or Entra never responds, for each kind of request', async () => {
    const hasty = () => container.open({ retries: { attempts: 2, pauseMs: 5 }, haste: 50 });
    const never = () => new Promise(() => undefined);
    const storage = hasty();
    front.state.faults = [{ path: /builds|comp=list|userdelegationkey/, until: never }];
    await expect(storage.head('builds/1')).rejects.toMatchObject(unavailable);
    await expect(storage.read('builds/1', 0, 3)).rejects.toMatchObject(unavailable);
    await expect(storage.put('builds/2', Buffer.from('abc'))).rejects.toMatchObject(unavailable);
    await expect(storage.move('builds/1', 'builds/2')).rejects.toMatchObject(unavailable);
    await expect(storage.list('builds/', { limit: 5 })).rejects.toMatchObject(unavailable);
    await expect(storage.delete('builds/1')).rejects.toMatchObject(unavailable);
    await expect(storage.signPut({ key: 'builds/2', expiresAt: expiresAt(), subject: 'x' })).rejects.toMatchObject(
      unavailable,
    );
    front.state.faults = [];
    front.state.tokenFault = { status: -1, code: '', text: '' };
    await expect(hasty().head('builds/1')).rejects.toMatchObject(unavailable);
  });

  it('reads one version of an object only', async () => {
    const { storage } = container;
    const { etag } = (await storage.head('builds/1')) ?? {};
    await storage.put('builds/1', Buffer.from('9876543210'));
    await expect(storage.read('builds/1', 0, 3, { etag })).rejects.toMatchObject({ code: 'changed' });
  });

  it('reads a bounded number of pages of a container full of other names, and continues after them', async () => {
    const { storage } = container;
    const page = (next: string) =>
      `<?xml version="1.0"?><EnumerationResults><Blobs><Blob><Name>no object</Name></Blob></Blobs><NextMarker>${next}</NextMarker></EnumerationResults>`;
    const headers = { 'content-type': 'application/xml' };
    const lists = () => front.log.filter((line) => line.includes('comp=list'));
    front.log.length = 0;
    front.state.faults = [{ method: 'GET', path: /comp=list/, status: 200, body: page('m1'), headers }];
    expect(await storage.list('builds/', { limit: 5 })).toEqual({ items: [], next: '' });
    expect(lists()).toHaveLength(20);
    front.log.length = 0;
    front.state.faults = [{ method: 'GET', path: /comp=list/, status: 200, body: page(''), headers, times: 1 }];
    expect(await storage.list('builds/', { after: '', limit: 5 })).toEqual({ items: [], next: undefined });
    expect(lists()).toEqual([expect.stringContaining('marker=m1')]);
    expect((await storage.list('builds/', { limit: 5 })).items).toHaveLength(1);
  });

  it('deletes an object whose copy is running', async () => {
    const { storage } = container;
    front.state.faults = [{ method: 'DELETE', path: /builds\/1/, times: 1, status: 409, code: 'PendingCopyOperation' }];
    await storage.delete('builds/1');
    expect(await front.listNames(container.name)).toEqual([]);
  });

  it('reports what its check could not do', async () => {
    front.state.role = 'reader';
    expect(await container.storage.check()).toMatchObject({
      ok: false,
      detail: expect.stringContaining('403 AuthorizationPermissionMismatch'),
    });
  });
});
