// Identities and sessions of a removed connection: they stop counting immediately, and a job deletes them in steps.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemContext } from '../../src/core/transact.ts';
import { runSsoLeftoversJob, SSO_LEFTOVERS_JOB } from '../../src/sso/leftovers.ts';
import {
  findProviderOf,
  findSsoSession,
  insertIdentity,
  insertSsoSession,
  loadConnection,
} from '../../src/sso/store.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, auditRows, createAccount } from '../support/harness.ts';
import { countTurns } from '../support/turns.ts';
import { type Issuer, startIssuer } from './issuer.ts';
import { settings } from './oidc-scenario.ts';
import { makeProvider, type Provider, signAnswer } from './provider.ts';
import { begin, connect, cookiesOf, deliver, ssoPath } from './scenario.ts';

/** More than a job deletes. */
const MANY = 10_500;

let fixture: Fixture;
let provider: Provider;
let path: string;
let held: Record<string, unknown>[];
beforeEach(async () => {
  fixture = await startFixture();
  provider = await makeProvider();
  path = ssoPath(fixture.organization_id);
  held = [];
  fixture.app.jobs.register(SSO_LEFTOVERS_JOB, (_ctx, payload) => void held.push(payload));
  await connect(fixture, provider);
});
afterEach(() => fixture?.stop());

const sqlite = () => fixture.app.db.$client;
const rows = (table: 'sso_identities' | 'sso_sessions') =>
  sqlite().prepare<[], { entity_id: string; name_id: string; developer_id?: string }>(`SELECT * FROM ${table}`).all();
const sizes = () => [rows('sso_identities').length, rows('sso_sessions').length];

async function signIn(nameId: string, email = `${nameId}@example.test`) {
  const started = await begin(fixture);
  const xml = signAnswer(provider, started.target, { nameId, email });
  const response = await deliver(fixture, xml, { cookie: started.cookie });
  if (response.status !== 302) throw new Error(String(auditRows(fixture).at(-1)?.details.reason));
  const cookie = cookiesOf(response.headers);
  const me = await (await fetch(`${fixture.url}/api/v1/developers/me`, { headers: { cookie } })).json();
  const { session_id: sessionId } = sqlite()
    .prepare('SELECT session_id FROM sso_sessions WHERE name_id = ? ORDER BY session_id DESC')
    .get(nameId) as { session_id: string };
  return { cookie, sessionId, developerId: (me as { identifier: string }).identifier };
}

/** Stores an identity and a session as a sign-in does. */
function addRows(nameId: string): void {
  const { app, organization_id: organizationId, admin } = fixture;
  const rest = { nameIdFormat: null, sessionIndex: null, createdAt: 0, authenticatedAt: 0, idTokenEncrypted: null };
  systemContext(app).transact(
    (tx) => {
      const connection = loadConnection(tx, organizationId);
      insertIdentity(tx, connection, nameId, admin.developer_id);
      insertSsoSession(tx, connection, { ...rest, sessionId: tx.ids.next(), nameId });
    },
    { bookkeeping: true },
  );
}

/** Copies the rows of a person, under other names. */
function multiply(table: 'sso_identities' | 'sso_sessions', nameId: string, times: number): void {
  const fresh: Record<string, string> = { name_id: "'copy-' || n", session_id: "'copy-' || n" };
  const columns = sqlite().prepare<[string], string>('SELECT name FROM pragma_table_info(?)').pluck().all(table);
  sqlite()
    .prepare(
      `WITH RECURSIVE numbers(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < ${times})
        INSERT INTO ${table} SELECT ${columns.map((name) => fresh[name] ?? name).join(', ')} FROM ${table}, numbers WHERE name_id = ?`,
    )
    .run(nameId);
}

/** Runs the jobs that were queued. Returns how many it took. */
async function runHeldJobs(): Promise<number> {
  let jobs = 0;
  for (await fixture.drain(); held.length > 0; await fixture.drain()) {
    for (const payload of held.splice(0)) await runSsoLeftoversJob(systemContext(fixture.app), payload);
    jobs += 1;
  }
  return jobs;
}

describe('a removed connection', () => {
  it('deletes a few identities and sessions in the request', async () => {
    addRows('kim');
    expect((await api(fixture).delete(path)).status).toBe(204);
    expect(sizes()).toEqual([0, 0]);
    await fixture.drain();
    expect(held).toEqual([]);
  });

  it('deletes many in steps, also while another connection is used, whose rows stay', async () => {
    addRows('kim');
    multiply('sso_identities', 'kim', MANY);
    multiply('sso_sessions', 'kim', 500);
    expect((await api(fixture).delete(path)).status).toBe(204);
    expect(sizes()).toEqual([MANY + 1 - 200, 501]);
    await connect(fixture, provider);
    addRows('kim');
    await fixture.drain();
    const [payload = {}] = held.splice(0);
    const ctx = systemContext(fixture.app);
    // Others get a turn after each step.
    expect(await countTurns(() => runSsoLeftoversJob(ctx, payload))).toBeGreaterThanOrEqual(49);
    expect(sizes()).toEqual([MANY + 2 - 51 * 200, 502]);
    expect(await runHeldJobs()).toBe(1);
    expect([rows('sso_identities'), rows('sso_sessions')].map(([row]) => row?.name_id)).toEqual(['kim', 'kim']);
    expect(sizes()).toEqual([1, 1]);
  });

  it('lets nobody sign in with an identity that is still stored, and the same identity be added again', async () => {
    const kim = await signIn('kim');
    multiply('sso_identities', 'kim', 300);
    await api(fixture).delete(path);
    expect(rows('sso_identities').some(({ name_id: name }) => name === 'copy-299')).toBe(true);
    await connect(fixture, provider);
    // A copy of Kim's identity, which would sign in as Kim.
    const other = await signIn('copy-299', 'other@example.test');
    expect(other.developerId).not.toBe(kim.developerId);
    expect((await signIn('copy-299', 'other@example.test')).developerId).toBe(other.developerId);
    expect((await signIn('kim')).developerId).toBe(kim.developerId);
    await runHeldJobs();
    expect(rows('sso_identities').map(({ name_id: name }) => name)).toEqual(['copy-299', 'kim']);
  });

  it('is no longer the provider of its accounts, nor the origin of its sessions', async () => {
    const kim = await signIn('kim');
    const { app, organization_id: organizationId } = fixture;
    multiply('sso_identities', 'kim', 300);
    const origin = () => findSsoSession(app, organizationId, kim.sessionId)?.nameId;
    const logOut = () => fetch(`${fixture.url}${path}/logout`, { headers: { cookie: kim.cookie }, redirect: 'manual' });
    expect([origin(), findProviderOf(app, kim.developerId)]).toEqual(['kim', organizationId]);
    await api(fixture).delete(path);
    expect(sizes()).toEqual([101, 1]);
    expect([origin(), findProviderOf(app, kim.developerId)]).toEqual([undefined, undefined]);
    expect((await logOut()).status).toBe(404);
    await connect(fixture, provider);
    expect([origin(), findProviderOf(app, kim.developerId)]).toEqual([undefined, undefined]);
    expect((await logOut()).status).toBe(404);
    await runHeldJobs();
    expect(sizes()).toEqual([0, 0]);
  });
});

describe('a connection', () => {
  let issuer: Issuer;
  beforeEach(async () => {
    issuer = await startIssuer();
  });
  afterEach(() => issuer.stop());

  it('of another protocol keeps the sessions, but no identities', async () => {
    const { app, organization_id: organizationId } = fixture;
    const kim = await signIn('kim');
    multiply('sso_identities', 'kim', 300);
    expect((await api(fixture).put(path, settings(issuer))).status).toBe(200);
    expect(sizes()).toEqual([101, 1]);
    expect(findProviderOf(app, kim.developerId)).toBeUndefined();
    expect(findSsoSession(app, organizationId, kim.sessionId)).toMatchObject({ nameId: 'kim' });
    await runHeldJobs();
    expect(sizes()).toEqual([0, 1]);
  });

  it('of an earlier version keeps its identities and sessions when it is replaced', async () => {
    const { app, organization_id: organizationId } = fixture;
    const { developer_id: developerId } = await createAccount(fixture, { email: 'kim@example.test' });
    sqlite().exec('UPDATE sso_connections SET identity_key = NULL, session_key = NULL');
    const kim = await signIn('kim');
    expect(kim.developerId).toBe(developerId);
    expect(rows('sso_identities').map(({ entity_id: entity }) => entity)).toEqual([provider.entityId]);
    await connect(fixture, provider);
    expect((await signIn('kim', 'kim@example.test')).developerId).toBe(developerId);
    expect(findSsoSession(app, organizationId, kim.sessionId)).toMatchObject({ nameId: 'kim' });
    await api(fixture).delete(path);
    expect(sizes()).toEqual([0, 0]);
  });
});
