// Easy to guess passwords are rejected without contacting another server.

import { Readable } from 'node:stream';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSetupLink } from '../../src/accounts/setup.ts';
import { configFrom } from '../../src/config.ts';
import { developers } from '../../src/data/tables/tables.ts';
import { passwordsOf } from '../../src/developers/password.ts';
import { findWeakness } from '../../src/developers/weak-passwords.ts';
import { createServer } from '../../src/server.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { openWorkshop } from '../commands/test-host.ts';
import { leastCpu } from '../support/cpu.ts';
import { type Answer, api, createAccount, expectInvalid, expectRefusal, signIn } from '../support/harness.ts';
import { newestToken } from '../support/mailbox.ts';

const COMMON = 'it is one of the most common passwords';
const KEYS = 'it is a sequence of the keyboard or the alphabet';
const SAME = 'it repeats the same few characters';
const OWN = 'it consists of the name or email address of the account';

const dana = {
  email: 'dana.reyes@northwind.example',
  displayName: 'Dana Reyes',
  organizationName: 'Northwind Traders',
};

describe('a weak password', () => {
  it.each([
    ['password1234', COMMON],
    ['Password123!', COMMON],
    ['P@ssw0rd2026', COMMON],
    ['pa$$word!!', COMMON],
    ['PASSWORD PASSWORD', COMMON],
    ['1password1', COMMON],
    ['pass-word-99', COMMON],
    ['iloveyou2024!', COMMON],
    ['!!!welcome123456', COMMON],
    ['Welc0me2026!', COMMON],
    ['letmeinplease', COMMON],
    ['changeme123456789', COMMON],
    ['dragondragon', COMMON],
    ['m1cr0s0ft2025', COMMON],
    ['passwort12345', COMMON],
    ['Summer2026!!', COMMON],
    ['administrator', COMMON],
    ['qwertyuiop12', COMMON],
    ['qwerty qwerty', KEYS],
    ['qwertyuiop789', KEYS],
    ['asdfghjkl;12', COMMON],
    ['aaaaaaaaaaaa', SAME],
    ['111111111111', SAME],
    ['abababababab', SAME],
    ['abcabcabcabc', SAME],
    ['12341234123412', SAME],
    ['xyxyzxyxyzxyxyz', SAME],
    ['a'.repeat(1024), SAME],
    ['123456789012', KEYS],
    ['0987654321098', KEYS],
    ['abcdefghijklm', KEYS],
    ['zyxwvutsrqpo', KEYS],
    ['1q2w3e4r5t6y', KEYS],
    ['1qaz2wsx3edc', KEYS],
    ['qazwsxedcrfv', KEYS],
    ['poiuytrewqlkj', KEYS],
    ['!@#$%^&*()123', KEYS],
    ['1111222233334444', KEYS],
    ['dana.reyes@northwind.example', OWN],
    ['DanaReyes1990', OWN],
    ['Northwind2026!', OWN],
    ['reyes-northwind', OWN],
    ['D4n4R3y3s!!', OWN],
    ['Northwind Traders', OWN],
  ])('is %s', (password, reason) => {
    expect(findWeakness(password, dana)).toBe(reason);
  });

  it.each([
    'mo.li@northwind.de',
    'moli.northwind.de',
    'mo.li@northwind.de1990',
    '7mo+news@kestrel.co.uk',
    'Li Mo Northwind.DE',
    'j1@Kestrel.io 2026!',
    'a b holding ag',
  ])('is %s, although a word of the name or address is short', (password) => {
    const names = { displayName: 'Li Mo', organizationName: 'A B Holding AG' };
    const addresses = ['mo.li@northwind.de', '7mo+news@kestrel.co.uk', 'j1@kestrel.io'];
    expect(addresses.map((email) => findWeakness(password, { ...names, email }))).toContain(OWN);
    expect(findWeakness(password)).toBeUndefined();
  });

  it('is the address with its domain as people type it', () => {
    const email = 'mo.li@xn--mnchen-3ya.example';
    expect(findWeakness('mo.li@münchen.example', { email })).toBe(OWN);
    expect(findWeakness('MÜNCHEN-Example-77', { email })).toBe(OWN);
    expect(findWeakness('mo.li@münchen.example')).toBeUndefined();
  });

  it.each([
    'correct horse battery',
    'a long enough password',
    'twelve letters',
    'another long password',
    'made at the console',
    'elevenchars1x',
    'my dog eats tulips',
    'Dana likes tulips',
    'northwind hat 3 tulpen',
    'dragon-7Kq!x9Zw',
    'wintergreen otters',
    'Tr0ub4dor&3xyz',
    '4f9c2e7ab15d',
    '8391-5527-0418',
    'zażółć gęślą jaźń',
    '正しい馬電池ホチキス番号一',
    'xxxxx ordinary sentence of mine',
    'ab1-ab1-ab1-ab1-then something else',
  ])('is not %s', (password) => {
    expect(findWeakness(password, dana)).toBeUndefined();
  });

  it('may contain the names of other people', () => {
    expect(findWeakness('DanaReyes1990')).toBeUndefined();
    expect(findWeakness('DanaReyes1990', { email: 'mo@example.com', displayName: 'Mo' })).toBeUndefined();
  });

  it('is judged quickly', async () => {
    const names = { ...dana, displayName: 'aaa aaaa aaaaa aaaaaa aaab '.repeat(3) };
    const passwords = ['a1'.repeat(512), '!'.repeat(1024), `${'aaaa'.repeat(31)}xyz`, '1a!'.repeat(42)];
    const cost = await leastCpu(250, () => {
      for (const password of passwords) findWeakness(password, names);
    });
    expect(cost).toBeLessThan(250);
  });
});

describe('a weak new password', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await startFixture();
  });
  afterAll(() => fixture.stop());

  function expectWeak(answer: Answer<unknown>, field: string, reason: string): void {
    expectInvalid(answer, `body.${field}: value_error`);
    expect((answer.body as { message: string }).message).toBe(`Choose a password that's harder to guess: ${reason}`);
  }

  it('is rejected at sign-up', async () => {
    const body = { email: 'dana.reyes@northwind.example', display_name: 'Dana Reyes' };
    const signUp = (password: string) => api(fixture, null).post('/api/v1/developers', { ...body, password });
    expectWeak(await signUp('Password123!'), 'password', COMMON);
    expectWeak(await signUp('reyes.northwind'), 'password', OWN);
    expect((await signUp('my dog eats tulips')).status).toBe(202);
  });

  it('is rejected at a reset, and the link stays valid', async () => {
    const { email } = await createAccount(fixture, { email: 'tulip.grower@example.com' });
    const client = api(fixture, null);
    await client.post('/api/v1/login/password_reset', { email });
    const token = newestToken(fixture, email);
    const confirm = (new_password: string) =>
      client.post('/api/v1/login/password_reset/confirm', { token, new_password });
    expectWeak(await confirm('qwertyuiop[]12'), 'new_password', COMMON);
    expectWeak(await confirm('TulipGrower1990'), 'new_password', OWN);
    expect((await confirm('my dog eats daffodils')).status).toBe(200);
  });

  it('is rejected at a change', async () => {
    const account = await createAccount(fixture);
    const { client } = await signIn(fixture, account);
    const change = (new_password: string) =>
      client.post(`/api/v1/developers/${account.developer_id}/change_password`, {
        current_password: account.password,
        new_password,
      });
    expectWeak(await change('aaaaaaaaaaaaaa'), 'new_password', SAME);
    expect((await change('my dog eats tulips')).status).toBe(204);
  });

  it('is rejected in the setup, and the page shows why', async () => {
    const folder = openWorkshop();
    const config = configFrom({
      server: { port: 0, data_dir: `${folder.folder}/data` },
      log: { level: 'silent' },
      rate_limits: { enabled: false },
    });
    const server = await createServer(config);
    try {
      await server.start();
      const path = new URL(createSetupLink(server.app)).pathname;
      const fields = { email: 'ada@example.com', display_name: 'Ada', organization_name: 'Northwind Traders' };
      const form = new URLSearchParams({ ...fields, password: 'NorthwindTraders1' });
      const response = await fetch(new URL(path, server.url), { method: 'POST', body: form });
      expect(response.status).toBe(400);
      expect(await response.text()).toContain(`Choose a password that&#39;s harder to guess: ${OWN}`);
    } finally {
      await server.stop();
      folder[Symbol.dispose]();
    }
  });

  it('is rejected by the command', async () => {
    using workshop = openWorkshop();
    const words = ['developer', 'create', '--email', 'ada@example.com', '--password-stdin'];
    const { code, stderr } = await workshop.run(words, { stdin: Readable.from(['Password123!\n']) });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: [
        `taxiway: Choose a password that's harder to guess: ${COMMON} (validation_error)`,
        `taxiway:   password: Choose a password that's harder to guess: ${COMMON}\n`,
      ].join('\n'),
    });
  });

  it('still signs in if the account already has it', async () => {
    const weak = await passwordsOf(fixture.app).hash('password1234');
    const account = await createAccount(fixture);
    fixture.app.db.update(developers).set({ passwordHash: weak }).where(eq(developers.id, account.developer_id)).run();
    expect((await signIn(fixture, { ...account, password: 'password1234' })).session_id).toBeTypeOf('string');
    const wrong = await api(fixture, null).post('/api/v1/login', { email: account.email, password: 'dragondragon' });
    expectRefusal(wrong, 401, 'unauthorized');
  });
});
