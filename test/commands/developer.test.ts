// The operator's commands for accounts next to a running server: output, changes and audit events.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { addTotp } from '../support/factors.ts';
import { type Account, api, auditRows, createAccount, signIn } from '../support/harness.ts';
import { mailKinds } from '../support/mailbox.ts';
import { openWorkshop, type Workshop } from './test-host.ts';

let fixture: Fixture;
let workshop: Workshop;
beforeAll(async () => {
  fixture = await startFixture();
  workshop = openWorkshop();
  const { base_url, data_dir } = fixture.config.server;
  const server = `[server]\nbase_url = "${base_url}"\ndata_dir = "${data_dir}"\n[log]\nlevel = "silent"\n`;
  mkdirSync(workshop.folder, { recursive: true });
  writeFileSync(join(workshop.folder, 'config.toml'), server);
});
afterAll(async () => {
  workshop[Symbol.dispose]();
  await fixture.stop();
});

const run = (words: string[], stdin = '') => workshop.run(['developer', ...words], { stdin: Readable.from([stdin]) });
const login = ({ email, password }: Pick<Account, 'email' | 'password'>) =>
  api(fixture, null).post('/api/v1/login', { email, password });

async function printed(words: string[], stdin = '') {
  const { code, stdout, stderr } = await run([...words, '--json'], stdin);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

/** What the program itself recorded of an account since it was made. Ids of rows tell nothing here: two clocks make them. */
function trail(identifier: string) {
  return auditRows(fixture, { identifier })
    .filter(({ event, actorKind }) => actorKind === 'system' && event !== 'created')
    .map(({ event, developerId, details }) => ({ event, developerId, details }));
}

describe('developer create', () => {
  const create = (email: string, ...more: string[]) =>
    run(['create', '--email', email, '--password-stdin', ...more], 'correct horse battery');

  it('shows the command that verifies the address of an account', async () => {
    const { code, stderr } = await create('op@example.com', '--operator');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        'The email address isn\'t verified, so the account is read-only. Verify it with "taxiway developer verify op@example.com".\n',
    });
    expect((await create('done@example.com', '--operator', '--verified')).stderr).toBe('');
    const config = join(workshop.folder, 'config.toml');
    const elsewhere = await create('elsewhere@example.com', '--config', config);
    expect(elsewhere.stderr).toContain(`"taxiway developer verify elsewhere@example.com --config ${config}"`);
  });
});

describe('developer list', () => {
  it('tells which accounts wait for their deletion', async () => {
    const [leaving, staying] = [await createAccount(fixture), await createAccount(fixture)];
    const { client } = await signIn(fixture, leaving);
    const path = `/api/v1/developers/${leaving.developer_id}`;
    expect((await client.send('DELETE', path, { body: { current_password: leaving.password } })).status).toBe(204);
    const lines = (await run(['list'])).stdout.split('\n');
    const stateOf = ({ email }: Account) =>
      lines
        .find((line) => line.includes(email))
        ?.split(/ {2,}/)
        .at(-1);
    expect([stateOf(leaving), stateOf(staying)]).toEqual(['verified, deletion requested', 'verified']);
    const listed = await printed(['list']);
    const pending = listed.filter((one: { deletion_pending: boolean }) => one.deletion_pending);
    expect(pending).toMatchObject([{ identifier: leaving.developer_id, email: leaving.email }]);
  });
});

describe('developer verify', () => {
  it('marks the address as verified and changes neither password nor sessions', async () => {
    const account = await createAccount(fixture, { isVerified: false });
    const { client } = await signIn(fixture, account);
    const { developer_id, email } = account;
    expect(await printed(['verify', email.toUpperCase()])).toEqual({ developer_id, email, changed: true });
    expect(trail(account.developer_id)).toEqual([
      { event: 'email_verified', developerId: developer_id, details: { email, how: 'operator' } },
    ]);
    expect((await client.get('/api/v1/developers/me')).body.email_verified).toBe(true);
    expect((await login(account)).status).toBe(200);
    expect(await run(['verify', email])).toMatchObject({ code: 0, stdout: `${email} was already verified\n` });
  });
});

describe('developer reset-password', () => {
  it('prints a link that sets a password once', async () => {
    const account = await createAccount(fixture);
    const { code, stdout, stderr } = await run(['reset-password', account.email]);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^The link works once and expires at \d{4}-.*Z\. Anyone with it can take over the account\.\n$/,
    );
    const link = new URL(stdout.trim());
    expect(`${link.origin}${link.pathname}`).toBe(
      `${fixture.config.server.base_url}/api/v1/login/password_reset/confirm`,
    );
    expect(trail(account.developer_id)).toEqual([
      {
        event: 'edited',

        developerId: account.developer_id,
        details: { fields: [], action: 'password_reset_link' },
      },
    ]);
    expect(mailKinds(fixture, account.email)).toEqual([]);
    expect((await login(account)).status).toBe(200);

    expect(await (await fetch(new URL(link.pathname + link.search, fixture.url))).text()).toContain('Set new password');
    const body = { token: link.searchParams.get('token'), new_password: 'handed over in person' };
    const confirm = () => api(fixture, null).post('/api/v1/login/password_reset/confirm', body);
    expect([(await confirm()).status, (await confirm()).status]).toEqual([200, 400]);
    expect((await login(account)).status).toBe(401);
    expect((await login({ ...account, password: body.new_password })).status).toBe(200);
  });

  it('sets the password from stdin immediately, ends every session and emails the owner', async () => {
    const account = await createAccount(fixture);
    const { client } = await signIn(fixture, account);
    const { developer_id, email } = account;
    const password = 'chosen at the console';
    expect(await printed(['reset-password', email, '--password-stdin'], `${password}\n`)).toEqual({
      developer_id,
      email,
      changed: true,
    });
    expect(trail(account.developer_id)).toEqual([
      { event: 'all_sessions_revoked', developerId: developer_id, details: { count: 1 } },
      { event: 'password_changed', developerId: developer_id, details: { how: 'operator' } },
    ]);
    expect(mailKinds(fixture, email)).toEqual(['password_changed']);
    expect((await client.get('/api/v1/developers/me')).status).toBe(401);
    expect([(await login(account)).status, (await login({ email, password })).status]).toEqual([401, 200]);
  });

  it('unlocks an account after failed attempts of strangers', async () => {
    const account = await createAccount(fixture);
    const { email } = account;
    for (let failures = 0; failures < 5; failures += 1) await login({ email, password: 'not the password' });
    expect((await login(account)).status).toBe(429);
    await printed(['reset-password', email, '--password-stdin'], 'chosen at the console\n');
    expect((await login({ email, password: 'chosen at the console' })).status).toBe(200);
  });

  it.each([
    ['a short password', 'short\n', /^taxiway: String should have at least 12 characters \(validation_error\)\n/],
    ['a weak password', 'Password123!\n', /^taxiway: Choose a password that's harder to guess: /],
    [
      'a password from the name of the account',
      `correct.horse99\n`,
      /^taxiway: Choose a password that's harder to guess: it consists of the name/,
    ],
  ])('rejects %s', async (_case, stdin, words) => {
    const account = await createAccount(fixture, { email: `correct.horse@${fixture.app.ids.next()}.example` });
    const { code, stdout, stderr } = await run(['reset-password', account.email, '--password-stdin'], stdin);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(words);
    expect((await login(account)).status).toBe(200);
  });

  it('reads a password as text, without the byte order mark of a file', async () => {
    const account = await createAccount(fixture);
    const bytes = Buffer.from('\ufeffwie der Kühlschrank brummt\r\n');
    const reset = ['developer', 'reset-password', account.email, '--password-stdin'];
    const parts = [...bytes].map((byte) => Buffer.of(byte));
    expect((await workshop.run(reset, { stdin: Readable.from(parts) })).code).toBe(0);
    expect((await login({ ...account, password: 'wie der Kühlschrank brummt' })).status).toBe(200);
    const { code, stderr } = await workshop.run(reset, {
      stdin: Readable.from([Buffer.from('Kühlschrank', 'latin1')]),
    });
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("stdin isn't text in UTF-8") });
  });

  it('rejects an empty stdin as a password', async () => {
    const { code, stderr } = await run(['reset-password', fixture.admin.email, '--password-stdin']);
    expect(code).toBe(2);
    expect(stderr).toContain('stdin is empty');
  });
});

describe('developer disable-mfa', () => {
  it('removes all two-factor methods and emails the owner', async () => {
    const { account } = await addTotp(fixture);
    expect((await login(account)).body).toMatchObject({ mfa_required: true });
    const { developer_id, email } = account;
    expect(await printed(['disable-mfa', email])).toEqual({ developer_id, email, changed: true });
    expect(trail(account.developer_id)).toEqual([
      { event: 'mfa_disabled', developerId: developer_id, details: { totp: true, passkeys: 0 } },
    ]);
    expect(mailKinds(fixture, email)).toContain('factors_removed');
    expect((await login(account)).body).toMatchObject({ token_type: 'Bearer' });
    expect(await run(['disable-mfa', email])).toMatchObject({
      code: 0,
      stdout: `${email} didn't use two-factor authentication\n`,
    });
  });
});

describe('developer sign-out', () => {
  it('ends every session with its access tokens', async () => {
    const account = await createAccount(fixture);
    const first = await signIn(fixture, account);
    const second = await signIn(fixture, account);
    const { developer_id, email } = account;
    expect(await printed(['sign-out', email])).toEqual({ developer_id, email, changed: true, sessions: 2 });
    expect(trail(account.developer_id)).toEqual([
      { event: 'all_sessions_revoked', developerId: developer_id, details: { count: 2 } },
    ]);
    for (const { client, refresh_token } of [first, second]) {
      expect((await client.get('/api/v1/developers/me')).status).toBe(401);
      expect((await api(fixture, null).post('/api/v1/login/refresh', { refresh_token })).status).toBe(401);
    }
    expect(await run(['sign-out', email])).toMatchObject({
      code: 0,
      stdout: `${email} is signed out of 0 sessions\n`,
    });
  });
});

describe.each(['verify', 'reset-password', 'disable-mfa', 'sign-out'])('developer %s', (command) => {
  it('rejects an address without an account', async () => {
    for (const email of ['nobody@example.com', 'no address']) {
      expect(await run([command, email])).toMatchObject({
        code: 1,
        stdout: '',
        stderr: 'taxiway: There is no account with this email address (not_found)\n',
      });
    }
  });

  it('requires an address, and has an example in its help', async () => {
    expect(await run([command])).toMatchObject({ code: 2, stdout: '' });
    const help = await run([command, '--help']);
    expect(help.code).toBe(0);
    expect(help.stdout).toContain(`taxiway developer ${command} dana@example.com`);
    expect(help.stdout).toContain('--json');
  });
});

describe('an account that waits for deletion', () => {
  it('can be neither verified nor given a password', async () => {
    const account = await createAccount(fixture);
    const { client } = await signIn(fixture, account);
    const proof = { body: { current_password: account.password } };
    const deleted = await client.send('DELETE', `/api/v1/developers/${account.developer_id}`, proof);
    expect(deleted.status).toBeLessThan(300);
    const stderr = 'taxiway: The account is locked, because its deletion was requested (operation_not_allowed)\n';
    expect(await run(['verify', account.email])).toMatchObject({ code: 1, stderr });
    expect(await run(['reset-password', account.email])).toMatchObject({ code: 1, stderr });
    const stdin = 'chosen at the console\n';
    expect(await run(['reset-password', account.email, '--password-stdin'], stdin)).toMatchObject({ code: 1, stderr });
  });
});
