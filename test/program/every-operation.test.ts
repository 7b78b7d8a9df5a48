// The access matrix, generated from the declarations: every operation with every kind of caller, through the listener of a
// server. Handlers are replaced by one that returns the operation's id, so that access differs from every error and from other
// operations, and requests change nothing.
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { organizations } from '../../src/data/tables/tables.ts';
import { maxBytesOf } from '../../src/http/body.ts';
import { buildOpenApi } from '../../src/http/openapi.ts';
import { isFileBody, isFormBody, isRawBody, type Operation } from '../../src/http/operation.ts';
import { operations } from '../../src/operations.ts';
import {
  effectiveProjectRole,
  organizationRoleReaches,
  permissions,
  projectRoleReaches,
  scopesCover,
} from '../../src/permissions.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { addCallers, type Caller } from '../support/callers.ts';
import { deliver } from '../support/harness.ts';
import { type Listening, listen } from '../support/listening.ts';
import { addResources, addressOf, type Resources } from '../support/resources.ts';

const REACHED = 299;
let fixture: Fixture;
let callers: Caller[];
let resources: Resources;
let withoutBodies: Listening;
let withBodies: Listening;

beforeAll(async () => {
  fixture = await startFixture();
  callers = await addCallers(fixture, fixture.organization_id, fixture.android_project_id);
  resources = await addResources(fixture);
  const parts = { app: fixture.app, clientAddress: () => '192.0.2.1' };
  const reach = ({ id }: Operation) => ({
    run: () => ({ isReply: true as const, status: REACHED, headers: { 'x-operation': id }, body: null }),
  });
  // Of installs and their apps test/sdk tells who is refused, and that it is before their bodies are looked at.
  const openToAll = ({ access }: Operation) =>
    access.kind === 'anonymous' ? { access: { kind: 'anonymous' } as const } : {};
  withBodies = await listen({
    ...parts,
    operations: operations.map((row) => ({ ...row, ...openToAll(row), ...reach(row) })),
  });
  withoutBodies = await listen({
    ...parts,
    operations: operations.map(({ body: _, ...row }) => ({ ...row, ...reach(row) })),
  });
});
afterAll(async () => {
  await Promise.all([withBodies?.stop(), withoutBodies?.stop()]);
  await fixture?.stop();
});

const protectedOperations = operations.filter((row) => row.access.kind !== 'anonymous');
const title = (row: Operation) => `${row.method.toUpperCase()} ${row.path}`;

const { paths: described } = buildOpenApi(operations, 'https://builds.acme.test') as {
  paths: Record<string, Record<string, { security: Record<string, unknown>[] }>>;
};

/** The credentials that the description of an operation names, undefined for an operation that it omits. */
function describedCredentials(row: Operation): string[] | undefined {
  return described[row.path]?.[row.method]?.security.flatMap((scheme) => Object.keys(scheme));
}

/** How a description names the credential of a caller. */
const schemeNames = {
  nobody: [],
  session: ['access_token', 'access_cookie'],
  personal_access_token: ['personal_access_token'],
  project_access_token: ['project_access_token'],
};

interface Sent {
  headers?: Record<string, string>;
  body?: string | FormData;
}

async function ask(server: Listening, row: Operation, token: string | null, { headers: given = {}, body }: Sent = {}) {
  const headers = token === null ? given : { ...given, authorization: `Bearer ${token}` };
  const url = new URL(addressOf(resources, row), server.url);
  const answer = await deliver(url, { method: row.method.toUpperCase(), headers, ...(body && { body }) });
  if (answer.status !== REACHED) return `${answer.status} ${(JSON.parse(answer.text) as { error?: string }).error}`;
  const reached = answer.headers.get('x-operation');
  return reached === row.id ? 'allowed' : `answered by ${reached}`;
}

/** What the declaration and permissions.ts promise (docs/specification/conventions.md#order-of-checks). */
function promised(row: Operation, caller: Caller): string {
  const { access } = row;
  if (access.kind === 'anonymous') return 'allowed';
  if (caller.kind === 'nobody') return '401 unauthorized';
  const isToken = caller.kind !== 'session';
  if (access.isInteractive === true && isToken) return '403 permission_denied';
  const isProjectToken = caller.kind === 'project_access_token';
  if (access.kind === 'developer' && isProjectToken) {
    return access.admitsProjectToken === true ? 'allowed' : '403 permission_denied';
  }
  const needsAddress = row.method !== 'get' || (access.kind === 'project' && access.isDownload === true);
  const isExempt = access.kind === 'developer' && access.allowsUnverified === true;
  if (!caller.isVerified && needsAddress && !isExempt) return '403 email_not_verified';
  if (access.kind === 'developer') {
    return caller.scopes !== null && !scopesCover(caller.scopes, 'read') ? '403 permission_denied' : 'allowed';
  }
  if (caller.organizationRole === null) return '404 not_found';
  const needed = permissions[access.permission];
  if (needed.level === 'organization') {
    if (isProjectToken) return 'projectToken' in needed ? 'allowed' : '403 permission_denied';
    if (caller.scopes !== null && !scopesCover(caller.scopes, needed.scope)) return '403 permission_denied';
    return organizationRoleReaches(caller.organizationRole, needed.role) ? 'allowed' : '403 insufficient_role';
  }
  const role = isProjectToken
    ? (caller.projectRole ?? undefined)
    : effectiveProjectRole(caller.organizationRole, caller.projectRole ?? undefined);
  if (role === undefined) return '404 not_found';
  if (caller.scopes !== null && !scopesCover(caller.scopes, needed.scope)) return '403 permission_denied';
  if (projectRoleReaches(role, needed.role)) return 'allowed';
  return isToken ? '403 permission_denied' : '404 not_found';
}

describe('every operation', () => {
  it('is declared once, with one id and one address', () => {
    expect(new Set(operations.map((row) => row.id)).size).toBe(operations.length);
    expect(new Set(operations.map(title)).size).toBe(operations.length);
  });

  it.each(protectedOperations.map((row) => [title(row), row] as const))(
    '%s returns the expected status for each caller',
    async (_title, row) => {
      const answers: Record<string, string> = {};
      const expected: Record<string, string> = {};
      for (const caller of callers) {
        answers[caller.name] = await ask(withoutBodies, row, caller.token);
        expected[caller.name] = promised(row, caller);
      }
      expect(answers).toEqual(expected);
      const accepted = callers
        .filter(({ name }) => answers[name] === 'allowed')
        .flatMap(({ kind }) => schemeNames[kind]);
      const credentials = describedCredentials(row);
      if (credentials !== undefined) expect(credentials).toEqual([...new Set(accepted)]);
    },
  );
});

describe('every operation with a tenant', () => {
  const tenants = protectedOperations.filter((row) => row.access.kind !== 'developer');

  it.each(tenants.map((row) => [title(row), row] as const))(
    '%s hides resources that do not exist',
    async (_title, row) => {
      const foreign = fixture.app.ids.next();
      const names = [...row.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
      const located =
        row.access.kind === 'organization' || row.access.kind === 'project' ? row.access.tenant : undefined;
      const name = located?.in === 'path' ? located.parameter : 'organization_id';
      const place = names.includes(name)
        ? addressOf(resources, row).replace(resources.pathId(row, name), foreign)
        : addressOf(resources, row).replace(fixture.organization_id, foreign);
      const headers = { authorization: `Bearer ${fixture.admin.access_token}` };
      const response = await withoutBodies.request(place, { method: row.method.toUpperCase(), headers });
      expect([response.status, await response.json()]).toEqual([
        404,
        { error: 'not_found', message: 'Not found', details: {} },
      ]);
    },
  );

  it.each(tenants.map((row) => [title(row), row] as const))('%s rejects contradicting ids', async (_title, row) => {
    const headers = { authorization: `Bearer ${fixture.admin.access_token}` };
    const other = fixture.app.ids.next();
    for (const ids of [[other], [fixture.organization_id, other], [other, fixture.organization_id]]) {
      const url = new URL(addressOf(resources, row), 'http://localhost');
      url.searchParams.delete('organization_id');
      for (const id of ids) url.searchParams.append('organization_id', id);
      const response = await withoutBodies.request(`${url.pathname}${url.search}`, {
        method: row.method.toUpperCase(),
        headers,
      });
      expect(response.status).toBe(404);
    }
  });

  const locks = [
    ['suspended', 'billing_suspended'],
    ['awaiting_payment', 'payment_required'],
    ['grace', 'trial_ended'],
  ] as const;
  it.each(locks)('is rejected by the lock %s as %s for writes and downloads', async (lockReason, code) => {
    const setLock = (value: typeof lockReason | null) =>
      fixture.app.db.update(organizations).set({ lockReason: value }).run();
    setLock(lockReason);
    onTestFinished(() => void setLock(null));
    const answers: Record<string, string> = {};
    const expected: Record<string, string> = {};
    for (const row of tenants) {
      answers[title(row)] = await ask(withoutBodies, row, fixture.admin.access_token);
      const isDownload = row.access.kind === 'project' && row.access.isDownload === true;
      // The ways out of a lock, and disabling single sign-on.
      const isExempt = row.access.kind === 'organization' && row.access.isLockExempt === true;
      const isRefused = isDownload ? lockReason !== 'suspended' : row.method !== 'get' && !isExempt;
      expected[title(row)] = isRefused ? `402 ${code}` : 'allowed';
    }
    expect(answers).toEqual(expected);
  });

  it('rejects members without two-factor authentication after the grace period', async () => {
    const day = 24 * 3_600_000;
    const now = fixture.clock.now().getTime();
    const setPolicy = (mfaRequiredAt: number | null) =>
      fixture.app.db.update(organizations).set({ mfaRequiredAt, mfaGracePeriodDays: 7 }).run();
    const askAll = async () =>
      new Set(await Promise.all(tenants.map((row) => ask(withoutBodies, row, fixture.admin.access_token))));
    setPolicy(now - 6 * day);
    expect(await askAll()).toEqual(new Set(['allowed']));
    // The administrator joined when the fixture started, which is when its own grace period begins.
    fixture.app.db.$client.prepare('UPDATE organization_memberships SET created_at = ?').run(now - 30 * day);
    setPolicy(now - 8 * day);
    expect(await askAll()).toEqual(new Set(['403 mfa_enrollment_required']));
    setPolicy(null);
  });
});

describe('every list', () => {
  const lists = operations.filter((row) => row.query?.shape.cursor !== undefined && row.access.kind !== 'anonymous');
  const read = async (row: Operation, cursor: string) => {
    const url = new URL(addressOf(resources, row), fixture.url);
    if (cursor !== '') url.searchParams.set('cursor', cursor);
    const answer = await fetch(url, { headers: { authorization: `Bearer ${fixture.admin.access_token}` } });
    return [answer.status, (await answer.text()).match(/"(?:identifier|grant_id|next_cursor)":[^,}]+/g)];
  };

  it.each(lists.map((row) => [title(row), row] as const))(
    '%s starts at the first page for a malformed cursor',
    async (_title, row) => {
      const first = await read(row, '');
      // The things of this test hold no group and no tester.
      expect([200, 404]).toContain(first[0]);
      for (const cursor of ['x', 'x'.repeat(1_001), '\u{1f600}'.repeat(600), '/'.repeat(2_000)]) {
        expect(await read(row, cursor)).toEqual(first);
      }
    },
  );
});

describe('every operation with a body', () => {
  const withJson = operations.filter(
    ({ body }) => body !== undefined && !isFileBody(body) && !isRawBody(body) && !isFormBody(body),
  );
  const withForm = operations.filter((row) => row.body !== undefined && isFormBody(row.body));
  const withFile = operations.filter((row) => row.body !== undefined && isFileBody(row.body));
  const json = { 'content-type': 'application/json' };

  it.each(withJson.map((row) => [title(row), row] as const))('%s rejects invalid ones', async (_title, row) => {
    const token = row.access.kind === 'anonymous' ? null : fixture.admin.access_token;
    expect(await ask(withBodies, row, token, { headers: json, body: '{"broken":' })).toBe('400 validation_error');
    expect(await ask(withBodies, row, token, { headers: json, body: '[]' })).toBe('400 validation_error');
    expect(await ask(withBodies, row, token, { headers: json, body: '"text"' })).toBe('400 validation_error');
    expect(await ask(withBodies, row, token, { headers: { 'content-type': 'text/plain' }, body: '{}' })).toBe(
      '415 unsupported_media_type',
    );
    const max = maxBytesOf(row);
    const padded = (size: number) => JSON.stringify({ padding: 'x'.repeat(size - '{"padding":""}'.length) });
    expect(await ask(withBodies, row, token, { headers: json, body: padded(max + 1) })).toBe('413 payload_too_large');
    expect(await ask(withBodies, row, token, { headers: json, body: padded(max) })).not.toMatch(/^413/);
    const latin = { 'content-type': 'application/json; charset=iso-8859-1' };
    expect(await ask(withBodies, row, token, { headers: latin, body: '{}' })).toBe('415 unsupported_media_type');
  });

  it('limits its body to a number of kilobytes, and to 16 for anonymous callers unless it declares more', () => {
    const bounds = withJson.map((row) => [row.id, row.access.kind === 'anonymous', maxBytesOf(row) / 1024] as const);
    const others = bounds.filter(([, isAnonymous, kibibytes]) => kibibytes !== (isAnonymous ? 16 : 128));
    expect(others).toEqual([
      ['putSso', false, 512],
      ['completeSsoLogin', true, 256],
      ['handleOidcLogout', true, 128],
    ]);
  });

  it.each(withFile.map((row) => [title(row), row] as const))('%s accepts multipart only', async (_title, row) => {
    const { access_token: token } = fixture.admin;
    expect(await ask(withBodies, row, token, { headers: json, body: '{}' })).toBe('415 unsupported_media_type');
    const empty = new FormData();
    empty.set('other', 'x');
    expect(await ask(withBodies, row, token, { body: empty })).toBe('400 validation_error');
  });

  it.each(withForm.map((row) => [title(row), row] as const))('%s accepts a form only', async (_title, row) => {
    const token = row.access.kind === 'anonymous' ? null : fixture.admin.access_token;
    expect(await ask(withBodies, row, token, { headers: json, body: '{}' })).toBe('415 unsupported_media_type');
  });

  it.each(
    withJson
      .filter((row) => row.access.kind === 'project' || row.access.kind === 'organization')
      .map((row) => [title(row), row] as const),
  )('%s says nothing about its body to a stranger', async (_title, row) => {
    const stranger = callers.find((caller) => caller.name === 'stranger')?.token ?? '';
    const answer = await ask(withBodies, row, stranger, { headers: json, body: '{"broken":' });
    expect(answer).toBe('404 not_found');
  });
});
