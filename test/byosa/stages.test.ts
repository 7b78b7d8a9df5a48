// Each stage at which the validation of a container can fail, and whose turn it is then.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { storageRequests } from '../../src/data/tables/tables.ts';
import type { AzureFront } from '../support/azure-front.ts';
import { whyNoAzurite } from '../support/azurite.ts';
import { expectRefusal, type Json } from '../support/harness.ts';
import { type ByosaWorld, type Report, startByosa } from './scenario.ts';

const missing = whyNoAzurite();

interface Case {
  name: string;
  state?: Partial<AzureFront['state']>;
  body?: Json;
  stage: string;
  by: 'customer' | 'platform';
  detail: RegExp;
}

const cases: Case[] = [
  {
    name: 'a wrong secret',
    body: { client_secret: 'wrong' },
    ...{ stage: 'token_exchange', by: 'customer', detail: /^401 AADSTS7000215: Invalid client secret provided\.$/ },
  },
  {
    name: 'an unknown tenant',
    body: { tenant_id: '00000000-0000-4000-8000-000000000000' },
    ...{ stage: 'token_exchange', by: 'customer', detail: /^400 AADSTS90002/ },
  },
  {
    name: 'an unknown application',
    body: { client_id: '00000000-0000-4000-8000-000000000000' },
    ...{ stage: 'token_exchange', by: 'customer', detail: /^400 AADSTS700016/ },
  },
  {
    name: 'an application that is switched off',
    state: { tokenFault: { status: 401, code: 'AADSTS7000112', text: 'Application is disabled.' } },
    ...{ stage: 'token_exchange', by: 'customer', detail: /^401 AADSTS7000112/ },
  },
  {
    name: 'no trust in this server',
    body: { client_secret: null },
    ...{ stage: 'token_exchange', by: 'customer', detail: /^400 AADSTS700211/ },
  },
  {
    name: 'keys of this server that Entra ID cannot read',
    body: { client_secret: null },
    state: { tokenFault: { status: 400, code: 'AADSTS50166', text: 'Request to External OIDC endpoint failed.' } },
    ...{ stage: 'token_exchange', by: 'platform', detail: /^400 AADSTS50166/ },
  },
  {
    name: 'Entra ID being away',
    state: { tokenFault: { status: 0, code: '', text: '' } },
    ...{ stage: 'token_exchange', by: 'platform', detail: /^no response: ECONNRESET$/ },
  },
  { name: 'no role', state: { role: 'none' }, ...{ stage: 'container_check', by: 'customer', detail: /^403 Author/ } },
  {
    name: 'a role on the container alone, without delegation keys',
    state: { role: 'container only' },
    ...{ stage: 'container_check', by: 'customer', detail: /^403 AuthorizationPermissionMismatch/ },
  },
  {
    name: 'the firewall of the account',
    state: { faults: [{ path: /restype=container$/, status: 403, code: 'AuthorizationFailure' }] },
    ...{ stage: 'container_check', by: 'customer', detail: /^403 AuthorizationFailure/ },
  },
  {
    name: 'a storage that stays busy',
    state: { faults: [{ path: /restype=container$/, status: 503, code: 'ServerBusy' }] },
    ...{ stage: 'container_check', by: 'platform', detail: /^503 ServerBusy/ },
  },
  {
    name: 'a missing container',
    body: { container: 'not-there' },
    ...{ stage: 'container_not_found', by: 'customer', detail: /^404 ContainerNotFound/ },
  },
  {
    name: 'the role Reader',
    state: { role: 'reader' },
    ...{ stage: 'put_marker', by: 'customer', detail: /^403 AuthorizationPermissionMismatch/ },
  },
  {
    name: 'a role without deleting',
    state: { role: 'no delete' },
    ...{ stage: 'delete_marker', by: 'customer', detail: /^403 AuthorizationPermissionMismatch/ },
  },
  {
    name: 'an immutability policy',
    state: { faults: [{ method: 'DELETE', status: 409, code: 'BlobImmutableDueToPolicy' }] },
    ...{ stage: 'delete_marker', by: 'customer', detail: /^409 BlobImmutableDueToPolicy/ },
  },
  {
    name: 'a list that is refused',
    state: { faults: [{ path: /comp=list/, status: 403, code: 'AuthorizationPermissionMismatch' }] },
    ...{ stage: 'list_container', by: 'customer', detail: /^403 AuthorizationPermissionMismatch/ },
  },
  {
    name: 'a list that is a page of a proxy',
    state: { faults: [{ path: /comp=list/, status: 200, body: '<html></html>' }] },
    ...{ stage: 'list_container', by: 'platform', detail: /^the response to a list request isn't a list$/ },
  },
  {
    name: 'soft delete',
    state: { keepsDeleted: true },
    ...{ stage: 'soft_delete_residue', by: 'customer', detail: /^the deleted blob is still in the container$/ },
  },
];

describe.skipIf(missing !== undefined)('the validation of a container', () => {
  let world: ByosaWorld;
  beforeAll(async () => {
    world = await startByosa();
  });
  afterAll(() => world?.stop());
  beforeEach(() => world.reset());

  it.each(cases)('names the stage for $name', async ({ state, body, stage, by, detail }) => {
    const { fixture, front, client, request, diagnostics } = world;
    Object.assign(front.state, state);
    await client.post(request, world.body(body));
    await fixture.drain();
    const stored = await client.get<{ status: string; validation: Report }>(request);
    expect(stored.body.status).toBe('validation_failed');
    expect(stored.body.validation).toEqual({
      success: false,
      failure_stage: stage,
      responsibility: by,
      summary: expect.stringMatching(/\S/),
      remediation: expect.arrayContaining([expect.any(String)]),
      docs_url: `${fixture.config.server.base_url}/docs/storage.html#own-azure-containers`,
      failure_detail: expect.stringMatching(detail),
    });
    const now = await client.post<Report>(diagnostics);
    expect([now.status, now.body]).toEqual([200, stored.body.validation]);
  });

  it('names the operator if the stored secret cannot be decrypted', async () => {
    const { fixture, client, request, diagnostics } = world;
    await client.post(request, world.body());
    await fixture.drain();
    fixture.app.db.update(storageRequests).set({ clientSecretEncrypted: 'v1.damaged' }).run();
    expect((await client.post<Report>(diagnostics)).body.success).toBe(false);
    expect((await client.get(request)).body).toMatchObject({
      status: 'validation_failed',
      validation: { failure_stage: 'token_exchange', responsibility: 'platform' },
    });
  });

  it('succeeds if a delete was done but not reported', async () => {
    const { fixture, front, client, request } = world;
    front.state.faults = [{ method: 'DELETE', times: 1, isAfter: true }];
    await client.post(request, world.body());
    await fixture.drain();
    expect((await client.get(request)).body.status).toBe('awaiting_approval');
  });

  it('succeeds in accounts without versions', async () => {
    const { fixture, front, client, request } = world;
    front.state.faults = [{ path: /include=deleted%2Cversions/, status: 400, code: 'UnsupportedQueryParameter' }];
    await client.post(request, world.body());
    await fixture.drain();
    expect((await client.get(request)).body.status).toBe('awaiting_approval');
  });

  it('continues a failed request when the cause is gone', async () => {
    const { fixture, front, client, request, diagnostics } = world;
    front.state.role = 'reader';
    await client.post(request, world.body());
    await fixture.drain();
    front.state.role = 'contributor';
    expect((await client.post<Report>(diagnostics)).body.success).toBe(true);
    expect((await client.get(request)).body).toMatchObject({
      status: 'awaiting_approval',
      validation: { success: true },
    });
  });

  it('shows whether browsers can upload, which is optional', async () => {
    const { fixture, front, client, request, diagnostics } = world;
    await client.post(request, world.body());
    await fixture.drain();
    expect((await client.get(request)).body).toMatchObject({ status: 'awaiting_approval', browser_uploads: 'blocked' });
    const { origin } = new URL(fixture.config.server.base_url);
    const all = {
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'GET,PUT',
      'access-control-allow-headers': 'Content-Type, X-Ms-Blob-Type',
    };
    const answers: [Record<string, string>, number, string | null][] = [
      [all, 200, 'allowed'],
      [{ ...all, 'access-control-allow-origin': '*' }, 200, 'allowed'],
      [{ ...all, 'access-control-allow-headers': '*', 'access-control-allow-methods': '*' }, 200, 'allowed'],
      [{ ...all, 'access-control-allow-origin': 'https://elsewhere.example' }, 200, 'blocked'],
      [{ ...all, 'access-control-allow-methods': 'GET' }, 200, 'blocked'],
      [{ ...all, 'access-control-allow-headers': 'content-type' }, 200, 'blocked'],
      [all, 403, 'blocked'],
      // A redirect isn't followed.
      [{ ...all, location: front.url }, 302, 'blocked'],
      [all, 503, null],
    ];
    for (const [headers, status, expected] of answers) {
      front.state.faults = [{ method: 'OPTIONS', status, headers, body: '' }];
      expect((await client.post<Report>(diagnostics)).body.success).toBe(true);
      expect((await client.get(request)).body.browser_uploads).toBe(expected);
    }
    front.state.faults = [{ method: 'OPTIONS' }];
    await client.post(diagnostics);
    expect((await client.get(request)).body).toMatchObject({ status: 'awaiting_approval', browser_uploads: null });
    front.state.faults = [{ method: 'OPTIONS', status: 200, headers: all, body: 'x'.repeat(100_000) }];
    await client.post(diagnostics);
    expect((await client.get(request)).body.browser_uploads).toBeNull();
    expect(front.log.find((line) => line.startsWith('OPTIONS'))).toContain(
      `/${world.container}/taxiway-validation/cors`,
    );
  });

  it('runs once at a time for an organization', async () => {
    const { fixture, front, client, request, diagnostics } = world;
    await client.post(request, world.body());
    await fixture.drain();
    const reached = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const until = () => {
      reached.resolve();
      return gate.promise;
    };
    front.state.faults = [{ path: /comp=list/, times: 1, until }];
    const first = client.post(diagnostics);
    await reached.promise;
    const second = await client.post(diagnostics);
    expectRefusal(second, 429, 'rate_limit_exceeded');
    expect(second.headers.get('retry-after')).toBe('5');
    gate.resolve();
    expect((await first).status).toBe(200);
  });
});
