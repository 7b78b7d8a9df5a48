// A server whose objects are in a bucket: uploads, installs and cleanup jobs, and how often they ask the service.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PartialConfig } from '../../../src/config.ts';
import { DAY, HOUR, MINUTE } from '../../../src/lib/clock.ts';
import { startFixture } from '../../../src/testing/fixture.ts';
import { complete, initiate, sendBytes, uploadAnswer } from '../../builds/scenario.ts';
import { type InstallScenario, startInstallScenario } from '../../install/scenario.ts';
import { CEPH_KEYS, type Ceph, startCeph, whyNoCeph } from '../../support/ceph.ts';
import { buildApk, buildIpa, buildPng, sha256 } from '../../support/fixtures.ts';
import { api, expectRefusal, type Json } from '../../support/harness.ts';
import { type Bucket, createBucket } from './bucket.ts';
import { type Fault, type FaultProxy, startFaultProxy } from './proxy.ts';

const missing = whyNoCeph();
if (missing !== undefined) process.stdout.write(`server on S3 skipped: ${missing}\n`);

const LIMIT = 40 * 1024 * 1024;

describe.skipIf(missing !== undefined)('a server on S3', () => {
  let ceph: Ceph;
  let proxy: FaultProxy;
  let bucket: Bucket;
  let scenario: InstallScenario;

  const configFor = (name: string, more: object = {}): PartialConfig => ({
    storage: {
      backend: 's3',
      s3: {
        endpoint: proxy.url,
        public_endpoint: ceph.url,
        bucket: name,
        prefix: 'some/folder',
        force_path_style: true,
        access_key_id: CEPH_KEYS.accessKeyId,
        secret_access_key: CEPH_KEYS.secretAccessKey,
        ...more,
      },
    },
    limits: { build_size_bytes: LIMIT },
  });
  const keys = async (prefix = '') =>
    (await bucket.storage.list(prefix, { limit: 1000 })).items.map(({ key }) => key).sort();
  const requests = () => proxy.takeNames().map((name) => name.replace(/[0-9a-f-]{36}/, 'ID'));

  beforeAll(async () => {
    ceph = await startCeph();
    proxy = await startFaultProxy(ceph.url);
    bucket = await createBucket(ceph);
    scenario = await startInstallScenario({ config: configFor(bucket.name) });
  });
  afterAll(async () => {
    await scenario?.fixture.stop();
    bucket?.close();
    await proxy?.stop();
    await ceph?.stop();
  });
  beforeEach(async () => {
    proxy.fault = undefined;
    await scenario.fixture.drain();
    proxy.takeNames();
  });

  describe('an upload', () => {
    it('needs one request at initiate, and three round trips at complete', async () => {
      const { ci, android, fixture } = scenario;
      const bytes = buildApk();
      const pending = await initiate(ci, android, { size_bytes: bytes.length });
      expect(requests().length).toBeLessThanOrEqual(1);
      expect(new URL(pending.upload_url).origin).toBe(ceph.url);
      expect(pending.required_headers).toEqual({});
      expect(await sendBytes(pending, bytes)).toBe(200);
      const answer = await complete(ci, android, pending.pending_upload_id, sha256(bytes));
      expect(answer.status, answer.text).toBe(201);
      expect(answer.body).toMatchObject({ size_bytes: bytes.length, inspection_status: 'ok', has_icon: true });
      const [first, ...rest] = requests();
      expect(first).toBe('GET pending/ID');
      expect(rest.filter((name) => name !== 'DELETE many').sort()).toEqual([
        'COPY builds/ID/package.apk',
        'PUT builds/ID/icon',
      ]);
      await fixture.drain();
      expect(await keys(`pending/${pending.pending_upload_id}`)).toEqual([]);
      const again = await complete(ci, android, pending.pending_upload_id, sha256(bytes));
      expect(again.body.identifier).toBe(answer.body.identifier);
    });

    it('of a large package is inspected with one more request', async () => {
      const { ci, android, fixture } = scenario;
      const parts = [1, 2, 3].map((n) => ({ name: `assets/${n}`, data: Buffer.alloc(10_000_000, n), isStored: true }));
      const bytes = buildApk({ parts });
      const pending = await initiate(ci, android);
      await sendBytes(pending, bytes);
      proxy.takeNames();
      expect((await complete(ci, android, pending.pending_upload_id, sha256(bytes))).status).toBe(201);
      const names = requests();
      expect(names.slice(0, 2)).toEqual(['GET pending/ID', 'GET pending/ID']);
      expect(names.indexOf('COPY builds/ID/package.apk')).toBeLessThanOrEqual(3);
      await fixture.drain();
    });

    it('accepts only the stated size and type', async () => {
      const { ci, android } = scenario;
      const pending = await initiate(ci, android, { size_bytes: 10, content_type: 'application/zip' });
      expect(pending.required_headers).toEqual({ 'content-type': 'application/zip' });
      expect(await sendBytes(pending, Buffer.alloc(11))).toBe(403);
      const other = { ...pending, required_headers: { 'content-type': 'text/html' } };
      expect(await sendBytes(other, Buffer.alloc(10))).toBe(403);
      expect(await sendBytes(pending, Buffer.alloc(10))).toBe(200);
    });

    it('that is too large is refused at initiate if it is stated, and removed at complete', async () => {
      const { ci, android } = scenario;
      const body = { version_name: '9', build_number: 9, size_bytes: LIMIT + 1 };
      expectRefusal(await ci.post('/api/v1/builds/initiate', body, { ...android }), 413, 'payload_too_large');
      const pending = await initiate(ci, android);
      expect(await sendBytes(pending, Buffer.alloc(LIMIT + 1))).toBe(200);
      expectRefusal(await complete(ci, android, pending.pending_upload_id), 413, 'payload_too_large');
      expect(await keys(`pending/${pending.pending_upload_id}`)).toEqual([]);
    });

    it('that appears again after complete has no effect and is removed', async () => {
      await using other = await startFixture({ config: configFor(bucket.name, { prefix: 'again' }) });
      const storage = bucket.open({ prefix: 'again' });
      const ci = api(other, other.project_access_token);
      const android = { organization_id: other.organization_id, project_id: other.android_project_id };
      const bytes = buildApk();
      const pending = await initiate(ci, android);
      await sendBytes(pending, bytes);
      expect((await complete(ci, android, pending.pending_upload_id, sha256(bytes))).status).toBe(201);
      await other.drain();
      expect(await sendBytes(pending, Buffer.from('something else'))).toBe(200);
      expect((await storage.list('pending/', { limit: 9 })).items).toHaveLength(1);
      expect((await complete(ci, android, pending.pending_upload_id, sha256(bytes))).status).toBe(201);
      other.clock.advance(HOUR + 1);
      await other.drain();
      expect((await storage.list('pending/', { limit: 9 })).items).toEqual([]);
      const [stored] = (await storage.list('builds/', { limit: 9 })).items.filter(({ key }) => key.endsWith('.apk'));
      expect(stored?.size).toBe(bytes.length);
    });

    it('passes none of its own headers on to downloads', async () => {
      const { ci, android } = scenario;
      const bytes = buildApk();
      const pending = await initiate(ci, android);
      const headers = { 'content-encoding': 'gzip', 'content-type': 'text/html', 'content-disposition': 'inline' };
      expect(await sendBytes({ ...pending, required_headers: headers }, bytes)).toBe(200);
      const answer = await complete(ci, android, pending.pending_upload_id, sha256(bytes));
      const { body } = await ci.get<Json>(`/api/v1/builds/${answer.body.identifier}/download`);
      const download = await fetch(scenario.reach(String(body.download_url)));
      expect(download.headers.get('content-encoding')).toBeNull();
      expect(download.headers.get('content-type')).toBe('application/vnd.android.package-archive');
      expect(download.headers.get('content-disposition')).toMatch(/^attachment/);
      expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true);
    });

    it('without bytes cannot be completed', async () => {
      const { ci, android } = scenario;
      const pending = await initiate(ci, android);
      expectRefusal(await complete(ci, android, pending.pending_upload_id), 400, 'operation_not_allowed');
    });
  });

  describe('while the service cannot be reached', () => {
    it('initiate, complete and download are refused with 503, and metadata can be read', async () => {
      const { ci, android } = scenario;
      const build = await uploadAnswer(ci, android, buildApk());
      const pending = await initiate(ci, android);
      await sendBytes(pending, buildApk());
      await scenario.fixture.drain();
      proxy.fault = () => ({ kind: 'reset' });
      // The last success is remembered for a second.
      await new Promise((done) => setTimeout(done, 1_100));
      const identity = { version_name: 'down', build_number: 1 };
      for (const answer of [
        await ci.post('/api/v1/builds/initiate', identity, { ...android }),
        await complete(ci, android, pending.pending_upload_id),
        await ci.get(`/api/v1/builds/${build.identifier}/download`),
      ]) {
        expectRefusal(answer, 503, 'storage_backend_unavailable');
        expect(answer.headers.get('retry-after')).toBe('5');
      }
      expect((await ci.get(`/api/v1/builds/${build.identifier}`)).status).toBe(200);
      const ready = await ci.get<{ checks: { storage: { ok: boolean } } }>('/health/ready');
      expect([ready.status, ready.body.checks.storage.ok]).toEqual([503, false]);
      proxy.fault = undefined;
      expect((await ci.post('/api/v1/builds/initiate', identity, { ...android })).status).toBe(201);
      expect((await complete(ci, android, pending.pending_upload_id)).status).toBe(201);
    });
  });

  describe('an install', () => {
    it('asks the service nothing for page and manifest, and leads to the bucket for the package', async () => {
      const { fixture, ios, android, follow, base } = scenario;
      const package1 = await scenario.publish(ios, buildIpa());
      await fixture.drain();
      proxy.takeNames();
      const page = await follow(`${base}/install/channels/${package1.channelId}`);
      expect([page.status, requests()]).toEqual([200, []]);
      const manifest = await follow(`${base}${package1.path}/manifest.plist`);
      expect([manifest.status, requests()]).toEqual([200, []]);
      const link = /<string>(https:[^<]+\/download)<\/string>/.exec(await manifest.text())?.[1] ?? '';
      const head = await follow(link, { method: 'HEAD' });
      expect(head.status).toBe(302);
      const sized = await fetch(head.headers.get('location') ?? '', { method: 'HEAD' });
      expect([sized.status, sized.headers.get('content-length')]).toEqual([200, String(package1.build.size_bytes)]);
      const found = await follow(link);
      const target = new URL(found.headers.get('location') ?? '');
      expect([found.status, target.origin]).toEqual([302, ceph.url]);
      expect(target.searchParams.get('X-Amz-Expires')).toBe('300');
      const bytes = await fetch(target);
      expect(bytes.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+\.ipa"$/);
      expect(
        createHash('sha256')
          .update(Buffer.from(await bytes.arrayBuffer()))
          .digest('hex'),
      ).toBe(package1.digest);
      const package2 = await scenario.publish(android, buildApk());
      expect(await scenario.digest(`${base}${package2.path}/download`)).toBe(package2.digest);
      expect(await scenario.analytics(package1.channelId)).toMatchObject({ total_downloads: 1 });
    });

    it('gets one link for HEAD, GET and ranges from the API', async () => {
      const { ci, android, reach } = scenario;
      const bytes = buildApk();
      const build = await uploadAnswer(ci, android, bytes);
      const { body } = await ci.get<{ download_url: string }>(`/api/v1/builds/${build.identifier}/download`);
      const link = reach(body.download_url);
      expect(new URL(link).pathname).toMatch(/^\/storage\/v1\/builds\//);
      const redirect = await fetch(link, { redirect: 'manual' });
      expect(new URL(redirect.headers.get('location') ?? '').searchParams.get('X-Amz-Expires')).toBe('300');
      for (const method of ['HEAD', 'GET']) {
        const answer = await fetch(link, { method });
        expect([answer.status, answer.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
        await answer.arrayBuffer();
      }
      const part = await fetch(link, { headers: { range: 'bytes=0-3' } });
      expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, bytes.subarray(0, 4)]);
      expect((await fetch(`${link}0`)).status).toBe(403);
      expect((await fetch(link, { method: 'PUT', body: 'x' })).status).toBe(405);
    });

    it('of a package that was removed from the bucket is refused', async () => {
      const { ci, android } = scenario;
      const build = await uploadAnswer(ci, android, buildApk());
      await scenario.fixture.drain();
      const key = (await keys('builds/')).findLast((name) => name.endsWith('.apk')) ?? '';
      await bucket.storage.delete(key);
      expectRefusal(await ci.get(`/api/v1/builds/${build.identifier}/download`), 503, 'storage_backend_unavailable');
    });
  });

  it('shows icons from memory, and new ones after a change', async () => {
    const { staff, android } = scenario;
    const client = await staff();
    const path = `/api/v1/projects/${android.project_id}/icon`;
    const icon = buildPng(64, 64);
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(icon)]), 'icon.png');
    expect((await client.send('POST', path, { rawBody: form })).status).toBeLessThan(300);
    proxy.takeNames();
    const shown = await client.get(path);
    expect([shown.status, requests()]).toEqual([200, []]);
  });

  describe('cleanup jobs', () => {
    it('delete objects without a row, and nothing of another server', async () => {
      const { fixture } = scenario;
      const orphan = `builds/${fixture.app.ids.next()}/package.apk`;
      await bucket.storage.put(orphan, Buffer.from('x'));
      await fixture.sweep('orphaned-objects');
      expect(await keys(orphan)).toEqual([orphan]);
      await using other = await startFixture({ config: configFor(bucket.name) });
      other.clock.advance(3 * DAY);
      await expect(other.sweep('orphaned-objects')).rejects.toThrow('belongs to another server');
      expect(await keys(orphan)).toEqual([orphan]);
      fixture.clock.advance(3 * DAY);
      for (let runs = 0; runs < 3; runs += 1) await fixture.sweep('orphaned-objects');
      expect(await keys(orphan)).toEqual([]);
    });
  });

  describe('with proxy_downloads', () => {
    it('passes bytes, ranges and conditions through, and reports failures', async () => {
      await using other = await startFixture({
        config: configFor(bucket.name, { prefix: 'proxied', proxy_downloads: true }),
      });
      const ci = api(other, other.project_access_token);
      const android = { organization_id: other.organization_id, project_id: other.android_project_id };
      const bytes = buildApk({ parts: [{ name: 'assets/1', data: Buffer.alloc(3_000_000, 7), isStored: true }] });
      const build = await uploadAnswer(ci, android, bytes);
      const { body } = await ci.get<Json>(`/api/v1/builds/${build.identifier}/download`);
      const link = String(body.download_url);
      const whole = await fetch(link, { redirect: 'manual' });
      expect([whole.status, whole.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
      expect(whole.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+\.apk"$/);
      expect(whole.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'");
      expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
      const etag = whole.headers.get('etag') ?? '';
      const get = (headers: Record<string, string>, method = 'GET') =>
        fetch(link, { method, headers, redirect: 'manual' });
      const part = await get({ range: 'bytes=5-9', 'if-range': etag });
      expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, bytes.subarray(5, 10)]);
      // A weak tag and what isn't a date identify no bytes.
      for (const other of ['"another"', `W/${etag}`, 'W/"another"', 'yesterday', 'Sat, 01 Jan 2000 00:00:00 GMT']) {
        const changed = await get({ range: 'bytes=5-9', 'if-range': other });
        expect([other, changed.status, (await changed.arrayBuffer()).byteLength]).toEqual([other, 200, bytes.length]);
      }
      const dated = await get({ range: 'bytes=5-9', 'if-range': part.headers.get('last-modified') ?? '' });
      expect([dated.status, (await dated.arrayBuffer()).byteLength]).toEqual([206, 5]);
      const withoutMeaning: Record<string, string>[] = [
        { range: 'pages=1-2' },
        { range: 'bytes=x-y' },
        { 'if-modified-since': 'yesterday' },
        { 'if-unmodified-since': 'tomorrow' },
      ];
      for (const ignored of withoutMeaning) {
        const full = await get(ignored);
        expect([ignored, full.status, (await full.arrayBuffer()).byteLength]).toEqual([ignored, 200, bytes.length]);
      }
      expect((await get({ 'if-none-match': etag })).status).toBe(304);
      expect((await get({ range: 'bytes=99999999-' })).status).toBe(416);
      const head = await get({}, 'HEAD');
      expect([head.status, head.headers.get('content-length')]).toEqual([200, String(bytes.length)]);
      proxy.fault = () => ({ kind: 'chunk' });
      const chunked = await get({});
      expect([chunked.status, chunked.headers.get('content-length')]).toEqual([200, null]);
      expect(Buffer.from(await chunked.arrayBuffer()).equals(bytes)).toBe(true);
      proxy.fault = ({ name }) => (name.startsWith('GET') ? { kind: 'cut' } : undefined);
      await expect((await get({})).arrayBuffer()).rejects.toThrow();
      // Temporary failures are repeated, because phones give up at the first one.
      for (const fault of [{ kind: 'respond', status: 503, code: 'SlowDown' }, { kind: 'reset' }] satisfies Fault[]) {
        for (const method of ['GET', 'HEAD']) {
          let left = 2;
          proxy.fault = () => {
            left -= 1;
            return left >= 0 ? fault : undefined;
          };
          const repeated = await get({}, method);
          expect([method, repeated.status, repeated.headers.get('etag')]).toEqual([method, 200, etag]);
          await repeated.arrayBuffer();
        }
      }
      // Without a stated length.
      const html = '<html>Maintenance</html>';
      const headers = { 'transfer-encoding': 'chunked' };
      proxy.fault = () => ({ kind: 'respond', status: 200, body: html, headers });
      const page = await get({});
      expect([page.status, page.headers.get('retry-after')]).toEqual([503, '5']);
      proxy.fault = () => ({ kind: 'reset' });
      const down = await get({});
      expect([down.status, down.headers.get('retry-after')]).toEqual([503, '5']);
    });

    it('never completes a download of a damaged package', async () => {
      await using other = await startFixture({
        config: configFor(bucket.name, { prefix: 'damaged', proxy_downloads: true }),
      });
      const storage = bucket.open({ prefix: 'damaged' });
      const ci = api(other, other.project_access_token);
      const android = { organization_id: other.organization_id, project_id: other.android_project_id };
      const bytes = buildApk();
      const build = await uploadAnswer(ci, android, bytes);
      await other.drain();
      const link = async () =>
        String((await ci.get<Json>(`/api/v1/builds/${build.identifier}/download`)).body.download_url);
      // Bytes that were verified within a day aren't verified again.
      other.clock.advance(DAY + 1);
      const read = await fetch(await link());
      expect(Buffer.from(await read.arrayBuffer()).equals(bytes)).toBe(true);
      other.clock.advance(DAY + 1);
      const earlier = await link();
      proxy.fault = ({ method }) => (method === 'GET' ? { kind: 'corrupt' } : undefined);
      const download = async () => (await (await fetch(earlier)).arrayBuffer()).byteLength;
      await expect(download()).rejects.toThrow();
      proxy.fault = undefined;
      other.clock.advance(MINUTE);
      expect((await fetch(earlier)).status).toBe(503);
      // The refused download made the server read the package again.
      await other.drain();
      const again = await fetch(earlier);
      expect(Buffer.from(await again.arrayBuffer()).equals(bytes)).toBe(true);

      const [stored] = (await storage.list('builds/', { limit: 9 })).items.filter(({ key }) => key.endsWith('.apk'));
      await storage.put(stored?.key ?? '', bytes.subarray(1));
      for (const method of ['GET', 'HEAD']) {
        const answer = await fetch(earlier, { method });
        expect([answer.status, answer.headers.get('retry-after')], method).toEqual([503, '60']);
      }
    });
  });
});
