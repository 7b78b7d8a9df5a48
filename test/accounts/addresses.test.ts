// Valid email addresses and passwords: each address has one spelling, and look-alike domains are recognizable.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPasswords } from '../../src/developers/password.ts';
import { emailAddress } from '../../src/developers/schema.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, createAccount, expectInvalid } from '../support/harness.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

const kept = (text: string) => emailAddress().safeParse(text).data;

describe('an email address', () => {
  it.each([
    [' Dana.Reyes@Example.COM ', 'dana.reyes@example.com'],
    ['a@b', 'a@b'],
    ['a@build-server_1.intern', 'a@build-server_1.intern'],
    ['dana+ios@mail.example', 'dana+ios@mail.example'],
    ['dána@example.com', 'dána@example.com'],
    // One domain in two spellings is one address.
    ['dana@Exämple.com', 'dana@xn--exmple-cua.com'],
    ['dana@exa\u0308mple.com', 'dana@xn--exmple-cua.com'],
    ['dana@XN--EXMPLE-CUA.com', 'dana@xn--exmple-cua.com'],
    ['dana@ｅｘａｍｐｌｅ.com', 'dana@example.com'],
    // What only looks like apple.example, with a letter of another script, is shown as what it is.
    ['dana@\u0430pple.example', 'dana@xn--pple-43d.example'],
  ])('%j is stored as %s', (text, expected) => {
    expect(kept(text)).toBe(expected);
  });

  it.each([
    'a@b.',
    'a@b..c',
    'a@.b',
    'a@',
    '@b',
    'a@b@c',
    'a@-b.example',
    'a@b-.example',
    'a@b_',
    `a@${'x'.repeat(64)}.example`,
    'a@192.0.2.7',
    'a@[192.0.2.7]',
    'a@example.com/x',
    'a@exämple.com/x',
    'a@ex%61mple.com',
    'a@\u2488com',
    'a@xn--\u00e4.com',
    'a b@example.com',
    'a@exam ple.com',
  ])('%j is rejected', (text) => {
    expect(kept(text)).toBeUndefined();
  });

  it('is rejected with an error at its field', async () => {
    const body = { email: 'a@b.', password: 'a long enough password', display_name: 'Dana' };
    expectInvalid(await api(fixture, null).post('/api/v1/developers', body), 'body.email: string_pattern_mismatch');
  });

  it('signs in with either spelling of its domain', async () => {
    const account = await createAccount(fixture, { email: 'nia@bücher.example' });
    for (const email of ['nia@bücher.example', 'Nia@xn--bcher-kva.example']) {
      const { status } = await api(fixture, null).post('/api/v1/login', { email, password: account.password });
      expect(status).toBe(200);
    }
  });
});

describe('a password with a lone surrogate', () => {
  const lone = 'a long enough \ud800 password';

  it('is rejected with an error at its field in every operation', async () => {
    const client = api(fixture, null);
    const email = 'sur@example.com';
    // fetch would replace it; JSON can carry it.
    const post = (path: string, body: Record<string, string>) =>
      client.send('POST', path, {
        rawBody: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      });
    const signUp = await post('/api/v1/developers', { email, password: lone, display_name: 'Sur' });
    expectInvalid(signUp, 'body.password: value_error');
    expectInvalid(await post('/api/v1/login', { email, password: lone }), 'body.password: value_error');
    const reset = await post('/api/v1/login/password_reset/confirm', { token: 'x', new_password: lone });
    expectInvalid(reset, 'body.new_password: value_error');
  });

  it('never matches the stored password', async () => {
    const passwords = createPasswords();
    const stored = await passwords.hash('a long enough \ufffd password');
    expect(await passwords.verify('a long enough \ufffd password', stored)).toBe(true);
    expect(await passwords.verify(lone, stored)).toBe(false);
  });
});
