// Requests for own containers: sending, validation, withdrawal, the operator's decision, and what never appears anywhere.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { approveRequest, rejectRequest } from '../../src/byosa/operator.ts';
import { systemContext } from '../../src/core/transact.ts';
import { jobs, storageRequests } from '../../src/data/tables/tables.ts';
import { whyNoAzurite } from '../support/azurite.ts';
import {
  ABSENT,
  api,
  auditMark,
  auditRows,
  comparable,
  expectInvalid,
  expectRefusal,
  type Json,
} from '../support/harness.ts';
import { addPerson } from '../support/people.ts';
import { type ByosaWorld, type Report, startByosa } from './scenario.ts';

const missing = whyNoAzurite();

describe.skipIf(missing !== undefined)('the request for an own container', () => {
  let world: ByosaWorld;
  beforeAll(async () => {
    world = await startByosa();
  });
  afterAll(() => world?.stop());
  beforeEach(() => world.reset());

  const success = {
    success: true,
    failure_stage: null,
    responsibility: null,
    summary: null,
    remediation: [],
    docs_url: null,
    failure_detail: null,
  };
  const submit = (more: Json = {}) => world.client.post(world.request, world.body(more));
  const read = () => world.client.get(world.request);
  const operator = () => systemContext(world.fixture.app);
  const row = () => world.fixture.app.db.select().from(storageRequests).get();

  it('is validated automatically and awaits approval', async () => {
    const { fixture, front, client, container, request } = world;
    const mark = auditMark(fixture);
    const sent = await submit();
    expect(sent.status).toBe(201);
    const identifier = String(sent.body.identifier);
    const expected = {
      identifier,
      organization_id: fixture.organization_id,
      tenant_id: front.tenantId,
      client_id: front.clientId,
      storage_account: front.account,
      container,
      authentication: 'secret',
      requested_at: expect.any(String),
      requested_by_developer_id: fixture.admin.developer_id,
      cors_rule: {
        allowed_origins: [new URL(fixture.config.server.base_url).origin],
        allowed_methods: ['PUT'],
        allowed_headers: ['content-type', 'x-ms-blob-type'],
        exposed_headers: ['ETag'],
        max_age_seconds: 3600,
      },
      decided_at: null,
      rejection_reason: null,
    };
    const unknown = { status: 'validating', validated_at: null, validation: null, browser_uploads: null };
    expect(sent.body).toEqual({ ...expected, ...unknown });
    await fixture.drain();
    expect((await client.get(request)).body).toEqual({
      ...expected,
      status: 'awaiting_approval',
      validated_at: expect.any(String),
      validation: success,
      browser_uploads: 'blocked',
    });
    expect(await front.listNames(container)).toEqual([]);
    const { storage_account, container: name, tenant_id, client_id, authentication } = sent.body;
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      {
        event: 'storage_onboarding_requested',
        type: 'storage_onboarding_request',
        identifier,
        actorKind: 'developer',
        details: { storage_account, container: name, tenant_id, client_id, authentication },
      },
    ]);
  });

  it('works without a secret if the application trusts this server', async () => {
    const { fixture, front, client, storage } = world;
    const { federation } = (await client.get<{ federation: Record<string, string> }>(storage)).body;
    expect(federation).toEqual({
      issuer: `${fixture.config.server.base_url}/public/v1/federation`,
      subject: `organization:${fixture.organization_id}`,
      audience: 'api://AzureADTokenExchange',
    });
    // The keys as anyone reads them.
    const published = await api(fixture, null).get<{ jwks_uri: string; issuer: string }>(
      '/public/v1/federation/.well-known/openid-configuration',
    );
    expect(published.body.issuer).toBe(federation.issuer);
    const path = new URL(published.body.jwks_uri).pathname;
    const keys = await api(fixture, null).get<{ keys: Json[] }>(path);
    expect(keys.body.keys).toEqual([
      { kty: 'RSA', n: expect.any(String), e: 'AQAB', kid: expect.any(String), use: 'sig', alg: 'RS256' },
    ]);
    front.state.issuerKeys = async () => keys.body.keys;
    front.state.trust = { issuer: federation.issuer ?? '', subject: federation.subject ?? '' };
    expect((await submit({ client_secret: undefined })).body.authentication).toBe('federation');
    await fixture.drain();
    expect((await read()).body.status).toBe('awaiting_approval');

    // Another organization that names the same application isn't trusted.
    front.state.trust = { issuer: federation.issuer ?? '', subject: `organization:${ABSENT}` };
    const { body } = await client.post<Report>(world.diagnostics);
    expect([body.failure_stage, body.responsibility]).toEqual(['token_exchange', 'customer']);
    expect(body.remediation.join(' ')).toContain(federation.subject);
  });

  it('is missing with a bare error, which other failures of the same path are not', async () => {
    const { fixture, client, request } = world;
    const bare = await read();
    expect([bare.status, bare.text]).toEqual([404, '{"error":"not_found"}']);
    const absent = await client.get(request.replace(fixture.organization_id, ABSENT));
    expectRefusal(absent, 404, 'not_found');
    const other = await api(fixture).post('/api/v1/organizations', { name: 'Other' });
    const outsider = await addPerson(fixture, { organizations: { [other.text]: 'admin' } });
    expect(comparable(await outsider.client.get(request))).toEqual(comparable(absent));
    expectRefusal(await client.delete(request), 404, 'not_found');
    expectRefusal(await client.post(world.diagnostics), 400, 'operation_not_allowed');
  });

  it('is for admins who signed in', async () => {
    const { fixture, request, storage, diagnostics, body } = world;
    const manager = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'manager' } });
    const token = api(fixture, fixture.project_access_token);
    for (const path of [request, storage]) {
      expectRefusal(await manager.client.get(path), 403, 'insufficient_role');
      expectRefusal(await token.get(path), 403, 'permission_denied');
      expectRefusal(await api(fixture, null).get(path), 401, 'unauthorized');
    }
    expectRefusal(await manager.client.post(request, body()), 403, 'insufficient_role');
    expectRefusal(await manager.client.delete(request), 403, 'insufficient_role');
    expectRefusal(await manager.client.post(diagnostics), 403, 'insufficient_role');
    expectRefusal(await token.post(diagnostics), 403, 'permission_denied');
    expectRefusal(await manager.client.get('/api/v1/system/storage-requests'), 404, 'not_found');
  });

  it('rejects names that could lead elsewhere, by field', async () => {
    expectInvalid(
      await world.client.post(world.request, {}),
      'body.tenant_id: missing',
      'body.client_id: missing',
      'body.storage_account: missing',
      'body.container: missing',
    );
    for (const name of ['a.evil.example', 'evil/', '127.0.0.1', 'A', `${'x'.repeat(24)}.`]) {
      const answer = await submit({ storage_account: name });
      expectRefusal(answer, 400, 'validation_error');
      expect(answer.text).toContain('"storage_account"');
    }
    expectInvalid(await submit({ container: '$web' }), 'body.container: value_error');
    expectInvalid(await submit({ container: 'a--b' }), 'body.container: value_error');
    expectInvalid(await submit({ tenant_id: 'common' }), 'body.tenant_id: uuid_parsing');
    expectInvalid(await submit({ client_secret: '' }), 'body.client_secret: string_too_short');
    expectInvalid(await submit({ client_secret: 'a b' }), 'body.client_secret: string_pattern_mismatch');
    expect(row()).toBeUndefined();
  });

  it('can be replaced after a failure, not while it awaits validation or approval', async () => {
    const { fixture, front } = world;
    const gate = Promise.withResolvers<void>();
    front.state.role = 'none';
    front.state.faults = [{ times: 1, until: () => gate.promise }];
    const first = await submit();
    expectRefusal(await submit(), 409, 'already_exists');
    gate.resolve();
    await fixture.drain();
    expect((await read()).body.status).toBe('validation_failed');
    front.state.role = 'contributor';
    const second = await submit();
    expect(second.status).toBe(201);
    expect(second.body.identifier).not.toBe(first.body.identifier);
    await fixture.drain();
    expect((await read()).body.status).toBe('awaiting_approval');
    expectRefusal(await submit(), 409, 'already_exists');
  });

  it('is one request if several are sent concurrently', async () => {
    const statuses = (await Promise.all([submit(), submit(), submit()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([201, 409, 409]);
  });

  it('can be withdrawn at any time before the decision', async () => {
    const { fixture, client, request } = world;
    const sent = await submit();
    await fixture.drain();
    const mark = auditMark(fixture);
    expect((await client.delete(request)).status).toBe(204);
    expect((await read()).text).toBe('{"error":"not_found"}');
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'storage_onboarding_withdrawn', identifier: sent.body.identifier, actorKind: 'developer' },
    ]);
    await submit();
    await fixture.drain();
    approveRequest(operator(), row()?.id ?? '');
    expectRefusal(await client.delete(request), 400, 'operation_not_allowed');
  });

  it('stays withdrawn if that happens during the validation', async () => {
    const { fixture, front, client, request } = world;
    const reached = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const until = () => {
      reached.resolve();
      return gate.promise;
    };
    front.state.faults = [{ path: /comp=list/, times: 1, until }];
    await submit();
    const running = fixture.drain();
    await reached.promise;
    expect((await client.delete(request)).status).toBe(204);
    const second = await submit({ client_secret: 'another' });
    gate.resolve();
    await running;
    await fixture.drain();
    // The result of the first isn't that of the second.
    expect((await read()).body).toMatchObject({
      identifier: second.body.identifier,
      status: 'validation_failed',
      validation: { failure_stage: 'token_exchange' },
    });
  });

  it('is validated again after the server was killed in between, and leaves nothing behind', async () => {
    const { fixture, front, container } = world;
    front.state.role = 'none';
    const sent = await submit();
    await fixture.drain();
    front.state.role = 'contributor';
    // What a killed validation leaves.
    const left = `taxiway-validation/${sent.body.identifier}/${ABSENT}`;
    const { openRequested } = await import('../../src/byosa/access.ts');
    const { putBlob } = await import('../../src/storage/azure/blobs.ts');
    const request = row();
    if (request === undefined) throw new Error('no request');
    await putBlob(openRequested(fixture.app, request).client, left, Buffer.from('taxiway'));
    expect(await front.listNames(container)).toEqual([left]);
    fixture.app.db.update(storageRequests).set({ status: 'validating', validatedAt: null, report: null }).run();
    const { runValidateJob } = await import('../../src/byosa/requests.ts');
    await runValidateJob(operator(), { request_id: sent.body.identifier });
    expect((await read()).body.status).toBe('awaiting_approval');
    expect(await front.listNames(container)).toEqual([]);
    // A job that runs twice changes nothing.
    front.state.role = 'none';
    await runValidateJob(operator(), { request_id: sent.body.identifier });
    expect((await read()).body.status).toBe('awaiting_approval');
    await runValidateJob(operator(), { request_id: ABSENT });
  });

  it('is approved only after a successful validation, and decided once', async () => {
    const { fixture, front } = world;
    front.state.role = 'none';
    const sent = await submit();
    const id = String(sent.body.identifier);
    const refusal = (work: () => unknown) => {
      try {
        work();
        return 'none';
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    expect(refusal(() => approveRequest(operator(), id))).toBe('operation_not_allowed');
    await fixture.drain();
    expect(refusal(() => approveRequest(operator(), id))).toBe('operation_not_allowed');
    front.state.role = 'contributor';
    expect((await world.client.post<Report>(world.diagnostics)).body).toEqual(success);
    const mark = auditMark(fixture);
    approveRequest(operator(), id);
    expect((await read()).body).toMatchObject({ status: 'approved', decided_at: expect.any(String) });
    const { account, container } = { account: front.account, container: world.container };
    expect((await world.client.get(world.storage)).body).toMatchObject({
      backend: 'azure',
      container: { storage_account: account, container, activated_at: expect.any(String), unreachable_since: null },
    });
    // The secret is with the container now.
    expect(row()?.clientSecretEncrypted).toBeNull();
    expect((await world.client.post<Report>(world.diagnostics)).body).toEqual(success);
    expect(refusal(() => approveRequest(operator(), id))).toBe('operation_not_allowed');
    expect(refusal(() => rejectRequest(operator(), id, 'too late'))).toBe('operation_not_allowed');
    expect(refusal(() => approveRequest(operator(), ABSENT))).toBe('not_found');
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'accepted', type: 'storage_onboarding_request', identifier: id, actorKind: 'system' },
    ]);
    // A failed check of an approved container is shown and decides nothing.
    front.state.role = 'none';
    await world.client.post(world.diagnostics);
    expect((await read()).body).toMatchObject({ status: 'approved', validation: { failure_stage: 'container_check' } });
  });

  it('replaces the credentials of a container that is in use, and can be withdrawn without consequences', async () => {
    const { fixture, client, front, storage, request, diagnostics } = world;
    await submit();
    await fixture.drain();
    approveRequest(operator(), row()?.id ?? '');
    const before = (await client.get<{ container: Json }>(storage)).body.container;
    front.state.secret = 'a-new-secret';
    expect((await client.post<Report>(diagnostics)).body.failure_stage).toBe('token_exchange');
    await submit({ client_secret: 'not-right' });
    expect((await client.delete(request)).status).toBe(204);
    expect((await client.get<{ container: Json }>(storage)).body.container).toEqual(before);
    await submit({ client_secret: 'a-new-secret' });
    await fixture.drain();
    approveRequest(operator(), row()?.id ?? '');
    expect((await client.get<{ container: Json }>(storage)).body.container).toEqual(before);
    expect((await client.post<Report>(diagnostics)).body).toEqual(success);
  });

  it('is rejected with a reason, and its secret is deleted', async () => {
    const { fixture, client, diagnostics } = world;
    const sent = await submit();
    await fixture.drain();
    const mark = auditMark(fixture);
    rejectRequest(operator(), String(sent.body.identifier), 'Another region, please');
    expect((await read()).body).toMatchObject({ status: 'rejected', rejection_reason: 'Another region, please' });
    expect(row()?.clientSecretEncrypted).toBeNull();
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'storage_onboarding_rejected', actorKind: 'system', details: { reason: 'Another region, please' } },
    ]);
    expectRefusal(await client.post(diagnostics), 400, 'operation_not_allowed');
    expect((await submit()).status).toBe(201);
    expect(() => rejectRequest(operator(), row()?.id ?? '', 'two\nlines')).toThrow('one line');
  });

  it('goes with its organization', async () => {
    const { fixture } = world;
    const other = await api(fixture).post('/api/v1/organizations', { name: 'Short-lived' });
    const path = `/api/v1/organizations/${other.text}`;
    expect((await api(fixture).post(`${path}/byosa/onboarding-request`, world.body())).status).toBe(201);
    expect((await api(fixture).delete(path)).status).toBe(204);
    await fixture.drain();
    expect(row()).toBeUndefined();
    expect(
      fixture.app.db
        .select()
        .from(jobs)
        .all()
        .filter(({ state }) => state === 'dead'),
    ).toEqual([]);
  });

  it('keeps the secret out of answers, audit trail, jobs, database and log', async () => {
    const { fixture, front, client, diagnostics, storage } = world;
    const secret = 'very-secret-0123456789';
    front.state.secret = secret;
    front.state.tokenFault = { status: 401, code: 'AADSTS7000215', text: `Invalid client secret ${secret}` };
    const sent = await submit();
    await fixture.drain();
    front.state.tokenFault = undefined;
    const texts = [
      sent.text,
      (await read()).text,
      (await client.post(diagnostics)).text,
      (await client.get(storage)).text,
      (await client.get('/api/v1/system/storage-requests')).text,
      JSON.stringify(auditRows(fixture)),
      JSON.stringify(fixture.app.db.select().from(jobs).all()),
      JSON.stringify(row()),
    ];
    for (const text of texts) expect(text).not.toContain(secret);
    fixture.app.db.$client.pragma('wal_checkpoint(TRUNCATE)');
    expect(readFileSync(fixture.config.database.file).includes(secret)).toBe(false);
    // It was used nevertheless.
    expect((await read()).body.status).toBe('awaiting_approval');
  });

  it('shows the operator all requests', async () => {
    const { fixture, client } = world;
    await submit();
    await fixture.drain();
    const { body } = await client.get<{ items: Json[]; has_more: boolean }>('/api/v1/system/storage-requests');
    expect(body).toMatchObject({ items: [{ status: 'awaiting_approval' }], has_more: false });
    expect(body.items[0]?.organization_name).toEqual(expect.any(String));
  });
});
