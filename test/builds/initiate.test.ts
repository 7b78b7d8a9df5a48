// Starting uploads: reserved identities and rejected requests.
import { readdirSync, statfsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StorageError } from '../../src/core/storage.ts';
import { HOUR, SECOND } from '../../src/lib/clock.ts';
import { eventually, rawPut } from '../storage/storage-harness.ts';
import { buildApk } from '../support/fixtures.ts';
import { auditMark, auditRows, expectInvalid, expectRefusal, type Json } from '../support/harness.ts';
import {
  type BuildScenario,
  complete,
  initiate,
  type Pending,
  sendBytes,
  startBuildScenario,
  uploadBuild,
} from './scenario.ts';

const LIMIT = 64 * 1024;
let scenario: BuildScenario;

beforeAll(async () => {
  scenario = await startBuildScenario({ config: { limits: { build_size_bytes: LIMIT } } });
});
afterAll(() => scenario?.fixture.stop());

describe('a server whose disk is almost full', () => {
  it('rejects initiate until there is space, and reserves nothing', async () => {
    const { fixture, ci, android } = scenario;
    const body = { version_name: 'reserve', build_number: 1 };
    const { hasRoom } = fixture.app.storage;
    fixture.app.storage.hasRoom = async () => false;
    const answer = await ci.post<Json>('/api/v1/builds/initiate', body, { ...android });
    fixture.app.storage.hasRoom = hasRoom;
    expectRefusal(answer, 503, 'storage_backend_unavailable');
    expect([answer.headers.get('retry-after'), answer.body.message]).toEqual(['60', 'The storage is full']);
    expect((await ci.post('/api/v1/builds/initiate', body, { ...android })).status).toBe(201);
  });

  it('keeps the configured reserve', async () => {
    const whole = { reserve_bytes: 2 ** 50, reserve_percent: 50 };
    await using other = await startBuildScenario({ config: { storage: { local: whole } } });
    const { bavail, blocks } = statfsSync(other.fixture.config.server.data_dir);
    const answer = await other.ci.post(
      '/api/v1/builds/initiate',
      { version_name: '1', build_number: 1 },
      { ...other.android },
    );
    expect(answer.status).toBe(bavail > blocks / 2 ? 201 : 503);
  });
});

describe('the pending uploads of one project', () => {
  it('can have a limited number of unfinished bytes together', async () => {
    const local = { uploading_bytes_per_project: 3_000 };
    await using other = await startBuildScenario({
      config: { limits: { build_size_bytes: 1_000 }, storage: { local } },
    });
    const [first, second, third] = await Promise.all([
      initiate(other.ci, other.android),
      initiate(other.ci, other.android),
      initiate(other.admin, other.ios),
    ]);
    const unfinished = connect(Number(new URL(first.upload_url).port), '127.0.0.1');
    unfinished.write(rawPut(first.upload_url, { 'Content-Length': 2_000 }));
    const incoming = join(other.fixture.config.storage.local.directory, 'incoming');
    await eventually(() => expect(readdirSync(incoming)).toHaveLength(1));
    expect(await sendBytes(second, Buffer.alloc(2_000))).toBe(503);
    expect(await sendBytes(third, Buffer.alloc(2_000))).toBe(201);
    unfinished.destroy();
    await eventually(() => expect(readdirSync(incoming)).toEqual([]));
    expect(await sendBytes(second, Buffer.alloc(2_000))).toBe(201);
  });
});

describe('initiating an upload', () => {
  it('reserves a version and returns a signed URL for an hour', async () => {
    const { fixture, ci, android } = scenario;
    const before = auditMark(fixture);
    const now = fixture.clock.now().getTime();
    const answer = await ci.post<Json>(
      '/api/v1/builds/initiate',
      { version_name: '2.0', build_number: 7, bundle_identifier: null, unknown: 'ignored' },
      { ...android },
    );
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual({
      pending_upload_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      upload_url: expect.stringContaining(`${fixture.config.server.base_url}/storage/v1/pending/`),
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      required_headers: { 'x-ms-blob-type': 'BlockBlob' },
      max_size_bytes: LIMIT,
    });
    const lifetime = Date.parse(String(answer.body.expires_at)) - now;
    // Links expire with a whole second.
    expect(lifetime).toBeGreaterThan(HOUR - SECOND);
    expect(lifetime).toBeLessThan(HOUR + 10_000);
    expect(auditRows(fixture, { after: before })).toEqual([]);
  });

  it('accepts bytes until the millisecond at which it expires', async () => {
    await using other = await startBuildScenario();
    const { fixture, ci, android } = other;
    fixture.clock.set(new Date('2040-01-01T12:00:00.700Z'));
    const pending = await initiate(ci, android);
    const end = Date.parse(pending.expires_at);
    fixture.clock.set(new Date(end - 1));
    expect(await sendBytes(pending, buildApk())).toBe(201);
    fixture.clock.set(new Date(end));
    expect(await sendBytes(pending, buildApk())).toBe(403);
    expectRefusal(await complete(ci, android, pending.pending_upload_id), 400, 'operation_not_allowed');
  });

  const whole = { version_name: '9', build_number: 1 };
  it.each<[string, unknown, string[]]>([
    ['nothing', {}, ['body.version_name: missing', 'body.build_number: missing']],
    ['no version', { build_number: 1 }, ['body.version_name: missing']],
    ['no number', { version_name: '9' }, ['body.build_number: missing']],
    [
      'a missing version beside a wrong number',
      { build_number: '1' },
      ['body.build_number: int_type', 'body.version_name: missing'],
    ],
    [
      'null for both',
      { version_name: null, build_number: null },
      ['body.version_name: string_type', 'body.build_number: int_type'],
    ],
    [
      'nothing, not left to the package',
      { identity_from_package: false },
      ['body.version_name: missing', 'body.build_number: missing'],
    ],
    ['a choice that is a text', { ...whole, identity_from_package: 'true' }, ['body.identity_from_package: bool_type']],
    ['no object', [], ['body: dict_type']],
    ['an empty version', { ...whole, version_name: '' }, ['body.version_name: string_too_short']],
    ['a long version', { ...whole, version_name: 'v'.repeat(256) }, ['body.version_name: string_too_long']],
    [
      'a version with a line break',
      { ...whole, version_name: '1\r\nX: y' },
      ['body.version_name: string_pattern_mismatch'],
    ],
    ['a version that is a number', { ...whole, version_name: 1 }, ['body.version_name: string_type']],
    ['a negative number', { ...whole, build_number: -1 }, ['body.build_number: greater_than_equal']],
    ['a number past 2^53 - 1', { ...whole, build_number: 2 ** 53 }, ['body.build_number: less_than_equal']],
    ['a fraction', { ...whole, build_number: 1.5 }, ['body.build_number: int_type']],
    ['a number as text', { ...whole, build_number: '1' }, ['body.build_number: int_type']],
    [
      'a file name with a NUL',
      { ...whole, original_filename: 'a\u0000.apk' },
      ['body.original_filename: string_pattern_mismatch'],
    ],
    ['endless notes', { ...whole, release_notes: 'n'.repeat(10_001) }, ['body.release_notes: string_too_long']],
  ])('rejects %s', async (_name, body, expected) => {
    expectInvalid(await scenario.ci.post('/api/v1/builds/initiate', body, { ...scenario.android }), ...expected);
  });

  it('accepts the largest and the smallest build number', async () => {
    const { ci, android } = scenario;
    for (const build_number of [0, Number.MAX_SAFE_INTEGER]) await initiate(ci, android, { build_number });
  });

  it('rejects a version of a pending upload, but not the same one in another project', async () => {
    const { admin, ci, android, ios } = scenario;
    const identity = { version_name: '3.0', build_number: 1 };
    await initiate(ci, android, identity);
    const again = await ci.post('/api/v1/builds/initiate', identity, { ...android });
    expect(expectRefusal(again, 409, 'already_exists')).toEqual({ claimed_by: 'pending_upload' });
    await initiate(ci, android, { ...identity, build_number: 2 });
    await initiate(ci, android, { ...identity, version_name: '3.0.1' });
    await initiate(admin, ios, identity);
  });

  it('rejects a version of a build, also of a revoked one', async () => {
    const { admin, ci, android } = scenario;
    const identity = { version_name: '3.1', build_number: 1 };
    const build = await uploadBuild(ci, android, buildApk(), identity);
    for (const _ of ['active', 'revoked']) {
      const again = await ci.post('/api/v1/builds/initiate', identity, { ...android });
      expect(expectRefusal(again, 409, 'already_exists')).toEqual({
        claimed_by: 'build',
        build_id: build.identifier,
      });
      expect((await admin.post(`/api/v1/builds/${build.identifier}/revoke`)).status).toBe(200);
    }
  });

  it('reserves nothing if the storage cannot sign', async () => {
    const { fixture, ci, android } = scenario;
    const { signPut } = fixture.app.storage;
    const identity = { version_name: '3.2', build_number: 1 };
    fixture.app.storage.signPut = () => Promise.reject(new StorageError('unavailable', 'out of order'));
    const answer = await ci.post('/api/v1/builds/initiate', identity, { ...android });
    fixture.app.storage.signPut = signPut;
    expectRefusal(answer, 503, 'storage_backend_unavailable');
    expect(answer.headers.get('retry-after')).toBe('5');
    await initiate(ci, android, identity);
  });
});

describe('counted limits', () => {
  it('allow 25 pending uploads per project for 50 simultaneous requests', async () => {
    await using other = await startBuildScenario();
    const { ci, admin, android, ios } = other;
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        ci.post<Pending>('/api/v1/builds/initiate', { version_name: '1', build_number: index }, { ...android }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(25);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(25);
    for (const answer of refused) expectRefusal(answer, 429, 'rate_limit_exceeded');
    await initiate(admin, ios);

    const taken = answers.find(({ status }) => status === 201)?.body;
    if (taken === undefined) throw new Error('nothing was accepted');
    const identity = { version_name: '1', build_number: answers.findIndex(({ status }) => status === 201) };
    expectRefusal(await ci.post('/api/v1/builds/initiate', identity, { ...android }), 409, 'already_exists');
    await sendBytes(taken, buildApk());
    expect((await complete(ci, android, taken.pending_upload_id)).status).toBe(201);
    await initiate(ci, android);
  });

  it('reserve a version once for simultaneous requests', async () => {
    const { ci, android } = scenario;
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        ci.post('/api/v1/builds/initiate', { version_name: 'race', build_number: 1 }, { ...android }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
  });
});
