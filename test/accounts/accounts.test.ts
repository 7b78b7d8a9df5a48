// Developers: creating accounts, and reading and changing one's own.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDeveloper, listDevelopers, type NewDeveloper } from '../../src/accounts/service.ts';
import { systemContext } from '../../src/core/transact.ts';
import { developers, organizationMemberships } from '../../src/data/tables/tables.ts';
import { createPasswords } from '../../src/developers/password.ts';
import { AppError } from '../../src/lib/errors.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, auditMark, auditRows, createAccount, expectInvalid, expectRefusal, signIn } from '../support/harness.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

describe('the own account', () => {
  it('is returned under /me and under its id', async () => {
    const expected = {
      identifier: fixture.admin.developer_id,
      email: 'admin@example.com',
      email_verified: true,
      vouched: false,
      display_name: 'Fixture Administrator',
      locale: null,
      is_operator: true,
      has_avatar: false,
      avatar_url: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    };
    const me = await api(fixture).get('/api/v1/developers/me');
    expect(me.status).toBe(200);
    expect(me.body).toEqual(expected);
    const byId = await api(fixture).get(`/api/v1/developers/${fixture.admin.developer_id.toUpperCase()}`);
    expect(byId.body).toEqual(expected);
  });

  it('is the only readable one: other ids return 404, whether or not they exist', async () => {
    const other = await createAccount(fixture);
    for (const id of [other.developer_id, fixture.app.ids.next()]) {
      expectRefusal(await api(fixture).get(`/api/v1/developers/${id}`), 404, 'not_found');
      expectRefusal(await api(fixture).patch(`/api/v1/developers/${id}`, { display_name: 'x' }), 404, 'not_found');
    }
    expectInvalid(await api(fixture).get('/api/v1/developers/nobody'), 'path.developer_id: uuid_parsing');
  });

  it('can change its name and language, with an audit event', async () => {
    const { client, developer_id } = await signedInAccount();
    const mark = auditMark(fixture);
    const changed = await client.patch(`/api/v1/developers/${developer_id}`, {
      display_name: '  Dana Reyes ',
      locale: 'pt-BR',
    });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ display_name: 'Dana Reyes', locale: 'pt-BR' });
    const removed = await client.patch(`/api/v1/developers/${developer_id}`, { locale: null });
    expect(removed.body).toMatchObject({ display_name: 'Dana Reyes', locale: null });
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      {
        event: 'edited',
        type: 'developer',
        identifier: developer_id,
        developerId: developer_id,
        organizationId: null,
        actorKind: 'developer',
        actorId: developer_id,
        details: { fields: ['display_name', 'locale'] },
      },
      { event: 'edited', details: { fields: ['locale'] } },
    ]);
  });

  it('records nothing for a change without effect and for unknown fields', async () => {
    const { client, developer_id } = await signedInAccount();
    const mark = auditMark(fixture);
    const answer = await client.patch(`/api/v1/developers/${developer_id}`, { locale: null, is_operator: true });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ locale: null, is_operator: false });
    expect(auditRows(fixture, { after: mark })).toEqual([]);
  });

  it.each([
    [{ display_name: '' }, 'body.display_name: string_too_short'],
    [{ display_name: 'a'.repeat(101) }, 'body.display_name: string_too_long'],
    [{ display_name: 'two\nlines' }, 'body.display_name: string_pattern_mismatch'],
    [{ display_name: 7 }, 'body.display_name: string_type'],
    [{ locale: 'not a language' }, 'body.locale: value_error'],
    [{ locale: 'x'.repeat(36) }, 'body.locale: string_too_long'],
  ])('rejects %j', async (body, expected) => {
    expectInvalid(await api(fixture).patch(`/api/v1/developers/${fixture.admin.developer_id}`, body), expected);
  });

  it('requires an interactive sign-in', async () => {
    const { developer_id } = fixture.admin;
    for (const path of ['/api/v1/developers/me', `/api/v1/developers/${developer_id}`]) {
      expectRefusal(await api(fixture, null).get(path), 401, 'unauthorized');
      expectRefusal(await api(fixture, fixture.project_access_token).get(path), 403, 'permission_denied');
    }
    const patch = await api(fixture, fixture.project_access_token).patch(`/api/v1/developers/${developer_id}`, {});
    expectRefusal(patch, 403, 'permission_denied');
  });

  it('can be read but not changed before its address is verified', async () => {
    const account = await createAccount(fixture, { isVerified: false });
    const { client } = await signIn(fixture, account);
    expect((await client.get('/api/v1/developers/me')).body).toMatchObject({ email_verified: false });
    const answer = await client.patch(`/api/v1/developers/${account.developer_id}`, { display_name: 'x' });
    expectRefusal(answer, 403, 'email_not_verified');
  });

  async function signedInAccount() {
    const account = await createAccount(fixture);
    return { ...account, ...(await signIn(fixture, account)) };
  }
});

describe('creating an account', () => {
  const wanted: NewDeveloper = {
    email: 'new@example.com',
    password: 'a long enough password',
    displayName: 'New',
    isVerified: true,
    isOperator: false,
  };
  const create = (changes: Partial<NewDeveloper>) =>
    createDeveloper(systemContext(fixture.app), { ...wanted, ...changes });

  async function refusal(work: Promise<unknown>) {
    const error = await work.catch((thrown: unknown) => thrown);
    if (!(error instanceof AppError)) throw error;
    return error;
  }

  it('trims the address, converts it to lower case and names the account after it', async () => {
    const mark = auditMark(fixture);
    const { developerId, organizationId } = await create({
      email: '  Dana.Reyes@Example.COM ',
      displayName: undefined,
    });
    expect(organizationId).toBeNull();
    expect(listDevelopers(fixture.app)).toContainEqual(
      expect.objectContaining({
        identifier: developerId,
        email: 'dana.reyes@example.com',
        display_name: 'dana.reyes',
        email_verified: true,
        is_operator: false,
        has_avatar: false,
        avatar_url: null,
      }),
    );
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'created', type: 'developer', identifier: developerId, developerId, actorKind: 'system' },
    ]);
    expect((await refusal(create({ email: 'DANA.reyes@example.com' }))).code).toBe('already_exists');
  });

  it('creates an organization with the account as its admin', async () => {
    const { developerId, organizationId } = await create({ email: 'owner@example.com', organizationName: 'Northwind' });
    const memberships = fixture.app.db
      .select()
      .from(organizationMemberships)
      .where(eq(organizationMemberships.developerId, developerId))
      .all();
    expect(memberships).toMatchObject([{ organizationId, role: 'admin' }]);
  });

  it.each([
    [{ email: 'nobody' }, 'email', 'string_pattern_mismatch'],
    [{ email: 'a@b@c' }, 'email', 'string_pattern_mismatch'],
    [{ email: 'a, b@c.example' }, 'email', 'string_pattern_mismatch'],
    [{ email: 'a\r\nbcc:x@c.example' }, 'email', 'string_pattern_mismatch'],
    [{ email: '<a@c.example>' }, 'email', 'string_pattern_mismatch'],
    [{ email: '' }, 'email', 'string_pattern_mismatch'],
    [{ email: `${'a'.repeat(64)}@${'b'.repeat(190)}` }, 'email', 'string_too_long'],
    [{ password: 'elevenchars' }, 'password', 'string_too_short'],
    [{ password: 'x'.repeat(1025) }, 'password', 'string_too_long'],
    [{ organizationName: ' ' }, 'organization_name', 'string_too_short'],
  ])('rejects %j', async (changes, field, type) => {
    const before = listDevelopers(fixture.app).length;
    const error = await refusal(create(changes));
    expect(error.code).toBe('validation_error');
    expect(error.details).toMatchObject({ errors: [{ type, loc: ['body', field] }] });
    expect(listDevelopers(fixture.app)).toHaveLength(before);
  });

  it('creates only one account for simultaneous requests with one address', async () => {
    const all = await Promise.allSettled(Array.from({ length: 8 }, () => create({ email: 'race@example.com' })));
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const rows = fixture.app.db.select().from(developers).where(eq(developers.email, 'race@example.com')).all();
    expect(rows).toHaveLength(1);
  });
});

describe('passwords', () => {
  const passwords = createPasswords({ concurrency: 2 });

  it('are hashed with Argon2id, 19 MiB, two passes and a random salt', async () => {
    const [one, two] = await Promise.all([passwords.hash('secret'), passwords.hash('secret')]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(one).not.toBe(two);
    expect(await passwords.verify('secret', one)).toBe(true);
    expect(await passwords.verify('Secret', one)).toBe(false);
  });

  it('verify against hashes of other programs', async () => {
    // The reference implementation's test vector: argon2id v1.3, 256 KiB, t=2, p=1, "password" with "somesalt".
    const stored = '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
    expect(await passwords.verify('password', stored)).toBe(true);
    expect(await passwords.verify('passwore', stored)).toBe(false);
    expect(passwords.needsRehash(stored)).toBe(true);
    expect(passwords.needsRehash(await passwords.hash('password'))).toBe(false);
  });

  it('match in every Unicode normalization', async () => {
    const stored = await passwords.hash('Z\u00fcrich im Regen');
    expect(await passwords.verify('Zu\u0308rich im Regen', stored)).toBe(true);
  });

  it.each([
    null,
    '',
    'plain text',
    '$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
    '$argon2id$v=19$m=9999999,t=99,p=99$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
  ])('reject %j after the same work as for a real one', async (stored) => {
    const begin = performance.now();
    expect(await passwords.verify('password', stored)).toBe(false);
    // Without a hash it takes microseconds.
    expect(performance.now() - begin).toBeGreaterThan(1);
  });

  it('reject a flood instead of queueing without limit', async () => {
    const gate = createPasswords({ concurrency: 1 });
    const all = await Promise.allSettled(Array.from({ length: 520 }, (_, i) => gate.verify(String(i), cheap)));
    const refused = all.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    expect(refused).toHaveLength(19);
    for (const error of refused) expect(error).toMatchObject({ code: 'rate_limit_exceeded', status: 429 });
    expect(await gate.verify('again', cheap)).toBe(false);
  });

  const cheap = '$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
});
