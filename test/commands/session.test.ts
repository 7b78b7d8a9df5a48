// taxiway login and its stored session, and taxiway release and builds with it.
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { normalizeServerUrl } from '../../src/commands/client/connection.ts';
import { BUILD, CHANNEL, type FakeServer, PROJECT, startFakeServer } from './fake-server.ts';
import { openWorkshop, type Workshop } from './test-host.ts';

let fake: FakeServer;
let workshop: Workshop;
beforeEach(async () => {
  fake = await startFakeServer();
  workshop = openWorkshop();
});
afterEach(async () => {
  await fake[Symbol.asyncDispose]();
  workshop[Symbol.dispose]();
});

const kept = () => join(workshop.folder, 'home/taxiway/credentials.json');
const session = () => JSON.parse(readFileSync(kept(), 'utf8'));
const login = (...more: string[]) =>
  workshop.run(['login', '--url', fake.url, '--email', 'me@example.com', '--password-stdin', ...more], {
    stdin: Readable.from(['right horse\n']),
  });

describe('login', () => {
  it('stores the session so that only its owner can read it', async () => {
    const { code, stdout, stderr } = await login();
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: '',
      stderr: `Signed in to ${fake.url} as me@example.com.\n`,
    });
    expect(fake.seen[0]?.body).toEqual({ email: 'me@example.com', password: 'right horse' });
    expect(session()).toMatchObject({ url: fake.url, access_token: 'access-0', refresh_token: 'refresh-0' });
    expect(statSync(kept()).mode & 0o777).toBe(0o600);
  });

  it('prints the stored session as JSON, without tokens', async () => {
    const { stdout } = await login('--json');
    expect(JSON.parse(stdout)).toEqual({ url: fake.url, email: 'me@example.com', credentials_file: kept() });
  });

  it.each([{ HOME: '' }, { HOME: 'home' }, { HOME: '', XDG_CONFIG_HOME: 'home' }])(
    'never stores the session in the current folder: %j',
    async (env) => {
      const words = ['login', '--url', fake.url, '--email', 'me@example.com', '--password-stdin'];
      const home = join(workshop.folder, 'profile');
      const outcome = await workshop.run(words, {
        stdin: Readable.from(['right horse\n']),
        env: { ...env, USERPROFILE: home },
      });
      expect(outcome.code, outcome.stderr).toBe(0);
      expect(readdirSync(workshop.folder)).toEqual(['profile']);
      expect(readdirSync(join(home, '.config/taxiway'))).toEqual(['credentials.json']);
    },
  );

  it('uses the home folder of the account without HOME, and asks for HOME if there is no account', async () => {
    const home = join(workshop.folder, 'of-account');
    const words = ['login', '--url', fake.url, '--email', 'me@example.com', '--password-stdin'];
    const stdin = Readable.from(['right horse\n']);
    expect((await workshop.run(words, { stdin, env: {}, findAccountHome: () => home })).code).toBe(0);
    expect(readdirSync(join(home, '.config/taxiway'))).toEqual(['credentials.json']);
    const { code, stderr } = await workshop.run(['builds'], { env: {} });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'taxiway: there is no home folder for the session: set HOME\n',
    });
  });

  it('does not prompt without a terminal', async () => {
    const { code, stderr } = await workshop.run(['login', '--url', fake.url, '--email', 'a@b.c']);
    expect(code).toBe(2);
    expect(stderr).toContain('pass the password with --password-stdin');
  });

  it('suggests a token on a server that requires a captcha', async () => {
    const details = { field: 'captcha_token' };
    const body = { error: 'invalid_input', message: 'captcha_token: Solve the captcha first', details };
    fake.failNext('POST /login', { status: 400, body });
    const { code, stderr } = await login();
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'taxiway: this server requires a captcha to sign in; create a personal access token in the web app and set TAXIWAY_TOKEN\n',
    });
  });

  it('suggests a token to people who must use single sign-on', async () => {
    const details = { reason: 'sso_required', login_url: 'https://builds.example.test/sso' };
    const message = 'Your organization requires signing in through its identity provider';
    fake.failNext('POST /login', { status: 403, body: { error: 'permission_denied', message, details } });
    const { code, stderr } = await login();
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'taxiway: your organization requires single sign-on; create a personal access token in the web app and set TAXIWAY_TOKEN\n',
    });
  });

  it('prints the reason of an error and stores nothing', async () => {
    const body = { error: 'unauthorized', message: 'Wrong e-mail or password', details: {} };
    fake.failNext('POST /login', { status: 401, body });
    const { code, stderr } = await login();
    expect({ code, isKept: existsSync(kept()) }).toEqual({ code: 1, isKept: false });
    expect(stderr).toContain('Wrong e-mail or password (401 unauthorized, request req-1)');
    expect(stderr).not.toContain('right horse');
  });

  it('prompts on a terminal, also for the two-factor code, and hides the password', async () => {
    fake.changes.signIn = { mfa_required: true, mfa_token: 'm', methods: ['totp'] };
    const keyboard = new PassThrough();
    const answers = [
      ['Server: ', fake.url],
      ['Email: ', 'me@example.com'],
      ['Password: ', 'right horse'],
      ['Code', '123456'],
    ];
    let screen = '';
    const say = (text: string) => {
      screen += text;
      const [question = '', answer = ''] = answers[0] ?? [];
      if (answers.length === 0 || !screen.includes(question)) return;
      answers.shift();
      setImmediate(() => keyboard.write(`${answer}\r`));
    };
    const { code } = await workshop.run(['login'], { keyboard, say });
    expect(code).toBe(0);
    expect(fake.seen.map((one) => one.body)).toEqual([
      { email: 'me@example.com', password: 'right horse' },
      { mfa_token: 'm', method: 'totp', code: '123456' },
    ]);
    expect(screen).toContain('Signed in to');
    expect(screen).not.toContain('horse');
  });

  it('exits when the terminal is closed', async () => {
    const keyboard = new PassThrough();
    keyboard.end();
    const { code, stderr } = await workshop.run(['login'], { keyboard });
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('no input') });
  });

  it('requires a terminal for a two-factor code', async () => {
    fake.changes.signIn = { mfa_required: true, mfa_token: 'm', methods: ['totp'] };
    const { code, stderr } = await login();
    expect(code).toBe(2);
    expect(stderr).toContain('this account uses two-factor authentication');
  });

  it.each([
    [['totp', 'recovery_code'], '123456', 'totp'],
    [['totp', 'recovery_code'], '123 456', 'totp'],
    [['totp', 'recovery_code', 'passkey'], 'k7mq-2xwd-9fpa', 'recovery_code'],
    [['recovery_code', 'passkey'], '123456', 'recovery_code'],
    [['totp'], 'k7mq-2xwd-9fpa', 'totp'],
  ])('accepts a two-factor code of %o by --code %s as %s', async (methods, code, method) => {
    fake.changes.signIn = { mfa_required: true, mfa_token: 'm', methods };
    expect((await login('--code', code)).code).toBe(0);
    expect(fake.seen.at(-1)).toMatchObject({ route: 'POST /login/mfa', body: { mfa_token: 'm', method, code } });
  });

  it('accepts either code if the account has both', async () => {
    fake.changes.signIn = { mfa_required: true, mfa_token: 'm', methods: ['totp', 'recovery_code'] };
    const keyboard = new PassThrough();
    let screen = '';
    const say = (text: string) => {
      screen += text;
      if (text.includes('or a recovery code: ')) setImmediate(() => keyboard.write('k7mq-2xwd\r'));
    };
    const words = ['login', '--url', fake.url, '--email', 'me@example.com', '--password-stdin'];
    const stdin = Readable.from(['right horse\n']);
    expect((await workshop.run(words, { keyboard, say, stdin })).code).toBe(0);
    expect(screen).toContain('Code of your authenticator, or a recovery code: ');
    expect(fake.seen.at(-1)?.body).toMatchObject({ method: 'recovery_code', code: 'k7mq-2xwd' });
  });

  it('rejects accounts with only passkeys', async () => {
    fake.changes.signIn = { mfa_required: true, mfa_token: 'm', methods: ['passkey'] };
    expect(await login()).toMatchObject({ code: 1, stderr: expect.stringContaining('requires a passkey') });
  });

  it('explains an incorrect password or code instead of suggesting to sign in', async () => {
    const body = { error: 'unauthorized', message: 'Wrong', details: {} };
    fake.failNext('POST /login', { status: 401, body });
    const password = await login();
    expect(password.stderr).toContain('Check the email address and password.');
    expect(password.stderr).not.toContain('taxiway login');
    fake.changes.signIn = { mfa_required: true, mfa_token: 'm', methods: ['totp'] };
    fake.failNext('POST /login/mfa', { status: 401, body });
    expect((await login('--code', '123456')).stderr).toContain('Check the code and the clock of the device');
  });

  it.each([
    ['localhost:8080', 'http://localhost:8080'],
    ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['192.168.1.20', 'http://192.168.1.20'],
    ['10.0.0.5:9000', 'http://10.0.0.5:9000'],
    ['172.16.0.1', 'http://172.16.0.1'],
    ['172.32.0.1', 'https://172.32.0.1'],
    ['[::1]:8080', 'http://[::1]:8080'],
    ['[fd00::1]', 'http://[fd00::1]'],
    ['builds.example.com', 'https://builds.example.com'],
    ['10.example.com', 'https://10.example.com'],
    ['localhost.example.com', 'https://localhost.example.com'],
    ['https://localhost:8443/', 'https://localhost:8443'],
    ['HTTP://192.168.1.20/taxiway/', 'http://192.168.1.20/taxiway'],
  ])('interprets %s as %s', (given, url) => {
    expect(normalizeServerUrl(given)).toBe(url);
  });

  it.each(['ftp://x', 'https//x.example', 'http://', 'https://u:p@host', 'https://https://x.example'])(
    'rejects the server address %s',
    async (url) => {
      const { code, stderr } = await workshop.run(['login', '--url', url, '--email', 'a@b.c', '--password-stdin']);
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: `taxiway: "${url}" must be the address of a server, such as https://builds.example.com\n(see "taxiway login --help")\n`,
      });
    },
  );
});

describe('a stored session', () => {
  const builds = ['builds', '--project', PROJECT];

  it('is used by other commands', async () => {
    await login();
    const { code, stdout } = await workshop.run(builds);
    expect(code).toBe(0);
    expect(fake.seen.at(-1)).toMatchObject({ route: 'GET /builds', authorization: 'Bearer access-0' });
    expect(stdout).toBe(
      `${BUILD}  1.0 (7)  2.05 kB  2026-01-31T12:00:00.000Z\n${BUILD}  1.0 (7)  2.05 kB  2026-01-31T12:00:00.000Z  revoked\n`,
    );
  });

  it('is renewed before it expires and when the server rejects it', async () => {
    await login();
    writeFileSync(kept(), JSON.stringify({ ...session(), expires_at: Date.now() - 1 }));
    expect((await workshop.run(builds)).code).toBe(0);
    expect(session()).toMatchObject({ access_token: 'access-1', refresh_token: 'refresh-1' });

    fake.tokens.delete('access-1');
    expect((await workshop.run(builds)).code).toBe(0);
    expect(session().refresh_token).toBe('refresh-2');
    expect(statSync(kept()).mode & 0o777).toBe(0o600);
    expect(existsSync(`${kept()}.lock`)).toBe(false);
  });

  it('is renewed once by simultaneous commands', async () => {
    await login();
    writeFileSync(kept(), JSON.stringify({ ...session(), expires_at: 0 }));
    const sleep = () => new Promise<void>((resolve) => setTimeout(resolve, 5));
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => workshop.run(builds, { sleep })));
    expect(outcomes.map((outcome) => outcome.code)).toEqual([0, 0, 0, 0]);
    expect(fake.routes().filter((route) => route === 'POST /login/refresh')).toHaveLength(1);
  });

  it('is renewed once if the server takes long to respond', async () => {
    await login();
    writeFileSync(kept(), JSON.stringify({ ...session(), expires_at: 0 }));
    const lock = `${kept()}.lock`;
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
    try {
      const held = fake.hold('POST /login/refresh');
      const first = workshop.run(builds);
      await held.arrived;
      vi.advanceTimersByTime(50_000);
      const { code, stderr } = await workshop.run(builds);
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: `taxiway: another taxiway command uses ${lock}; delete it if no command is running\n`,
      });
      held.release();
      expect((await first).code).toBe(0);
      expect(fake.routes().filter((route) => route === 'POST /login/refresh')).toHaveLength(1);
      expect(existsSync(lock)).toBe(false);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is renewed once by simultaneous commands after one was killed', async () => {
    await login();
    writeFileSync(kept(), JSON.stringify({ ...session(), expires_at: 0 }));
    writeFileSync(`${kept()}.lock`, '1');
    const long = new Date(Date.now() - 60_000);
    utimesSync(`${kept()}.lock`, long, long);
    const sleep = () => new Promise<void>((resolve) => setTimeout(resolve, 5));
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => workshop.run(builds, { sleep })));
    expect(outcomes.map((outcome) => outcome.code)).toEqual([0, 0, 0, 0]);
    expect(fake.routes().filter((route) => route === 'POST /login/refresh')).toHaveLength(1);
    expect(readdirSync(dirname(kept()))).toEqual(['credentials.json']);
  });

  it.each([
    ['server', { url: 'http://127.0.0.1:1' }],
    ['account', { email: 'other@example.com', access_token: 'access-of-other' }],
  ])('that a sign-in to another %s replaced while a command renewed it is not stored', async (_, other) => {
    await login();
    const own = session();
    const others = { ...own, ...other, refresh_token: 'refresh-of-other' };
    writeFileSync(kept(), JSON.stringify({ ...own, expires_at: 0 }));
    const held = fake.hold('POST /login/refresh');
    const running = workshop.run(builds);
    await held.arrived;
    // Not atomic, like the one of `taxiway login`, but nothing reads it now.
    writeFileSync(kept(), JSON.stringify(others));
    held.release();
    expect((await running).code).toBe(0);
    expect(session()).toEqual(others);
    expect(fake.seen.at(-1)?.authorization).toBe('Bearer access-1');
  });

  it('that a sign-out deleted while a command renewed it is not stored again', async () => {
    await login();
    writeFileSync(kept(), JSON.stringify({ ...session(), expires_at: 0 }));
    const held = fake.hold('POST /login/refresh');
    const running = workshop.run(builds);
    await held.arrived;
    rmSync(kept());
    held.release();
    expect((await running).code).toBe(0);
    expect(existsSync(kept())).toBe(false);
  });

  it('of another account is not used by a command that runs', async () => {
    await login();
    const own = session();
    fake.tokens.delete('access-0');
    const held = fake.hold(`GET /projects/${PROJECT}`);
    const running = workshop.run(builds);
    await held.arrived;
    writeFileSync(kept(), JSON.stringify({ ...own, email: 'other@example.com', refresh_token: 'refresh-of-other' }));
    held.release();
    expect((await running).code).toBe(0);
    expect(fake.seen.find(({ route }) => route === 'POST /login/refresh')?.body).toEqual({
      refresh_token: 'refresh-0',
    });
    expect(session().refresh_token).toBe('refresh-of-other');
  });

  it('is reported when it has expired', async () => {
    await login();
    fake.tokens.clear();
    fake.failNext('POST /login/refresh', { status: 401 });
    const { code, stderr } = await workshop.run(builds);
    expect(code).toBe(1);
    expect(stderr).toBe(`taxiway: the session on ${fake.url} has expired; sign in again with "taxiway login"\n`);
  });

  it('is never sent to another server', async () => {
    await login();
    const env = { XDG_CONFIG_HOME: join(workshop.folder, 'home'), TAXIWAY_URL: 'http://127.0.0.1:1' };
    const { code, stderr } = await workshop.run(builds, { env });
    expect(code).toBe(1);
    expect(stderr).toContain('not signed in to http://127.0.0.1:1');
  });

  it('is overridden by TAXIWAY_TOKEN', async () => {
    await login();
    fake.tokens.add('svc_pat_x');
    const env = { XDG_CONFIG_HOME: join(workshop.folder, 'home'), TAXIWAY_TOKEN: 'svc_pat_x' };
    expect((await workshop.run(builds, { env })).code).toBe(0);
    expect(fake.seen.at(-1)?.authorization).toBe('Bearer svc_pat_x');
  });

  it.each(['TAXIWAY_TOKEN', 'TAXIWAY_URL'])('does not replace a %s that is empty', async (name) => {
    await login();
    const env = { XDG_CONFIG_HOME: join(workshop.folder, 'home'), [name]: ' ' };
    const { code, stderr } = await workshop.run(builds, { env });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `taxiway: ${name} is empty: set a value, or unset it\n`,
    });
  });

  it.each(['svc_prj_first\nsvc_prj_second', 'svc_prj_\u2603'])(
    'does not print or send an odd token: %j',
    async (token) => {
      const { code, stderr } = await workshop.run(builds, { env: { TAXIWAY_URL: fake.url, TAXIWAY_TOKEN: token } });
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: 'taxiway: TAXIWAY_TOKEN contains characters that no token has\n',
      });
      expect(fake.seen).toEqual([]);
    },
  );

  it('is required for other commands', async () => {
    const { code, stderr } = await workshop.run(builds);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'no server configured: sign in with "taxiway login", or set TAXIWAY_URL and TAXIWAY_TOKEN',
    );
  });

  it('is reported when it is damaged', async () => {
    await login();
    writeFileSync(kept(), '{');
    const { code, stderr } = await workshop.run(builds);
    expect(code).toBe(1);
    expect(stderr).toContain('is damaged; sign in again');
  });
});

describe('logout', () => {
  it('ends the session on the server and deletes it', async () => {
    await login();
    const { code, stderr } = await workshop.run(['logout']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: `Signed out of ${fake.url}.\n` });
    expect(fake.seen.at(-1)).toMatchObject({ route: 'POST /login/logout', authorization: 'Bearer access-0' });
    expect(existsSync(kept())).toBe(false);
    expect((await workshop.run(['logout'])).stderr).toBe('Not signed in.\n');
  });

  it('deletes it also if the server is unreachable', async () => {
    await login();
    fake.failNext('POST /login/logout', {
      status: 403,
      body: { error: 'permission_denied', message: 'No', details: {} },
    });
    const { code, stderr } = await workshop.run(['logout']);
    expect({ code, isKept: existsSync(kept()) }).toEqual({ code: 0, isKept: false });
    expect(stderr).toContain("Couldn't end the session on the server: No (403 permission_denied");
  });
});

describe('logout with a damaged session', () => {
  it('deletes it, including the remaining tokens', async () => {
    await login();
    writeFileSync(kept(), '{"refresh_token":"abc"');
    const { code, stderr } = await workshop.run(['logout']);
    expect({ code, isKept: existsSync(kept()) }).toEqual({ code: 0, isKept: false });
    expect(stderr).toContain('is damaged');
  });
});

describe('builds and release', () => {
  beforeEach(() => login());

  it('lists JSON, with the requested number', async () => {
    const words = ['builds', '--project', PROJECT, '--status', 'all', '--limit', '1', '--json'];
    const { stdout } = await workshop.run(words);
    expect(JSON.parse(stdout)).toMatchObject([{ identifier: BUILD, build_number: 7 }]);
    expect(fake.seen.at(-1)?.query).toMatchObject({ status: 'all', limit: '1' });
  });

  it('releases a build to a channel of its project', async () => {
    const { code, stdout } = await workshop.run(['release', BUILD, '--channel', 'beta', '--notes', 'Hi', '--json']);
    expect(code).toBe(0);
    expect(fake.seen.at(-1)).toMatchObject({ route: 'POST /releases', body: { build_id: BUILD, release_notes: 'Hi' } });
    expect(JSON.parse(stdout)).toMatchObject({
      release: { identifier: 'release-1', is_current: true },
      install_url: `https://builds.example.test/install/channels/${CHANNEL}`,
    });
  });

  it.each([
    [['release', 'nothing', '--channel', 'beta'], 1],
    [['release', BUILD, '--channel', 'gamma'], 1],
    [['release', BUILD], 2],
    [['release', BUILD, '--channel', 'beta', '--notes-file', 'absent'], 2],
    [['builds', '--status', 'strange'], 2],
    [['builds', '--limit', '0'], 2],
    [['builds', 'extra'], 2],
  ])('%j exits with %i', async (words, expected) => {
    const { code, stdout, stderr } = await workshop.run(words);
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).toMatch(/^taxiway: /);
  });
});
