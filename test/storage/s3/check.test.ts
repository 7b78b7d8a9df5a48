// taxiway check of a bucket: what works, which permission is missing, and the rules for uploads by browsers.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkBucket } from '../../../src/checks/bucket.ts';
import { configFrom } from '../../../src/config.ts';
import { CEPH_KEYS, type Ceph, startCeph, whyNoCeph } from '../../support/ceph.ts';
import { type Bucket, createBucket } from './bucket.ts';
import { type FaultProxy, startFaultProxy } from './proxy.ts';

const missing = whyNoCeph();
if (missing !== undefined) process.stdout.write(`check of a bucket skipped: ${missing}\n`);

describe.skipIf(missing !== undefined)('the check of a bucket', () => {
  let ceph: Ceph;
  let bucket: Bucket;
  let proxy: FaultProxy;
  let folder: string;

  beforeAll(async () => {
    ceph = await startCeph();
    proxy = await startFaultProxy(ceph.url);
    folder = await mkdtemp(join(tmpdir(), 'taxiway-check-'));
  });
  afterAll(async () => {
    await proxy?.stop();
    await ceph?.stop();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    proxy.fault = undefined;
    bucket?.close();
    bucket = await createBucket(ceph);
  });

  const config = (more: object = {}) =>
    configFrom({
      server: { data_dir: folder, base_url: 'https://builds.example.com' },
      storage: {
        backend: 's3',
        s3: {
          endpoint: proxy.url,
          bucket: bucket.name,
          prefix: 'some/folder',
          force_path_style: true,
          access_key_id: CEPH_KEYS.accessKeyId,
          secret_access_key: CEPH_KEYS.secretAccessKey,
          ...more,
        },
      },
    });
  const check = async (more: object = {}, isSettingCors = false) => {
    const { findings, documents } = await checkBucket(config(more), { isSettingCors });
    return { lines: findings.map(({ status, name, detail }) => `${status} ${name}: ${detail}`), documents };
  };

  it('tries everything, prints the CORS rules, and can set them next to others', async () => {
    const before = await check();
    expect(before.lines).toEqual([
      expect.stringMatching(
        /^ok bucket: uploads, ranges, copies, lists and deletions work in test-.*keys: configuration/,
      ),
      expect.stringContaining('warn bucket CORS: browsers may not upload from https://builds.example.com'),
    ]);
    expect(before.documents).toEqual([expect.stringContaining('"https://builds.example.com"')]);
    const cors =
      '<CORSConfiguration><CORSRule><AllowedOrigin>https://other.example</AllowedOrigin><AllowedMethod>GET</AllowedMethod></CORSRule></CORSConfiguration>';
    await bucket.client.call({ method: 'PUT', query: { cors: '' }, body: Buffer.from(cors) });
    for (let times = 0; times < 2; times += 1) {
      const after = await check({}, true);
      expect(after.lines.at(-1)).toBe('ok bucket CORS: browsers may upload from https://builds.example.com');
      expect(after.documents).toEqual([]);
    }
    const rules = String((await bucket.client.call({ method: 'GET', query: { cors: '' } })).body);
    expect(rules.match(/<CORSRule>/g)).toHaveLength(2);
    expect(rules).toContain('https://other.example');
    expect((await bucket.storage.list('', { limit: 9 })).items).toEqual([]);
  });

  it('keeps rules for other methods and origins when it sets its own', async () => {
    const shared =
      '<CORSRule><ID>shared</ID><AllowedOrigin>https://builds.example.com</AllowedOrigin>' +
      '<AllowedOrigin>https://other.example</AllowedOrigin><AllowedMethod>GET</AllowedMethod></CORSRule>';
    const outdated =
      '<CORSRule><AllowedOrigin>https://builds.example.com</AllowedOrigin><AllowedMethod>PUT</AllowedMethod></CORSRule>';
    const cors = `<CORSConfiguration>${shared}${outdated}</CORSConfiguration>`;
    await bucket.client.call({ method: 'PUT', query: { cors: '' }, body: Buffer.from(cors) });
    for (let times = 0; times < 2; times += 1) {
      const { lines } = await check({}, true);
      expect(lines.at(-1)).toBe('ok bucket CORS: browsers may upload from https://builds.example.com');
    }
    const rules = String((await bucket.client.call({ method: 'GET', query: { cors: '' } })).body);
    expect(rules.match(/<CORSRule>/g)).toHaveLength(2);
    expect(rules).toContain('<ID>shared</ID>');
    expect(rules.match(/<AllowedHeader>content-type</g)).toHaveLength(1);
  });

  it('changes no rules that it cannot read', async () => {
    const foreign =
      '<CORSConfiguration><CORSRule a="b"><AllowedOrigin>*</AllowedOrigin></CORSRule></CORSConfiguration>';
    proxy.fault = ({ method, url }) =>
      method === 'GET' && url.includes('cors') ? { kind: 'respond', status: 200, body: foreign } : undefined;
    const { lines } = await check({}, true);
    expect(lines[0]).toContain('the CORS rules of the bucket have an unknown form');
  });

  it.each([
    ['s3:ListBucket', 'LIST'],
    ['s3:PutObject', 'PUT check/'],
    ['s3:GetObject', 'GET check/'],
    ['s3:DeleteObject', 'DELETE many'],
  ])('names the missing permission %s and prints the policy', async (permission, name) => {
    proxy.fault = (seen) =>
      seen.name.startsWith(name) ? { kind: 'respond', status: 403, code: 'AccessDenied' } : undefined;
    const { lines, documents } = await check();
    expect(lines[0]).toBe(`fail bucket: ${permission} is missing: 403 AccessDenied: said so`);
    expect(documents[0]).toContain(`"arn:aws:s3:::${bucket.name}/some/folder/*"`);
    expect(documents[0]).toContain('"s3:ListBucket"');
  });

  it('names wrong keys, a wrong bucket, an unreachable service and a wrong clock', async () => {
    expect((await check({ secret_access_key: 'wrong' })).lines[0]).toContain('SignatureDoesNotMatch');
    expect((await check({ bucket: 'no-such-bucket' })).lines).toEqual([expect.stringContaining('NoSuchBucket')]);
    expect((await check({ endpoint: 'http://127.0.0.1:1' })).lines).toEqual([expect.stringContaining('ECONNREFUSED')]);
    proxy.fault = () => ({
      kind: 'respond',
      status: 403,
      code: 'RequestTimeTooSkewed',
      headers: { date: new Date(Date.now() + 3_600_000).toUTCString() },
    });
    const { lines } = await check();
    expect(lines).toContainEqual(
      expect.stringMatching(
        /^fail bucket clock: the clock of this machine is (3599|3600) s behind that of the service$/,
      ),
    );
  });
});
