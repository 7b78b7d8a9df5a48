// Configuration: defaults, overrides, secrets, paths, and messages about invalid values.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { afterAll, describe, expect, it } from 'vitest';
import { reservedSegments } from '../../src/config/reserved-segments.ts';
import { describeConfig, listLeaves } from '../../src/config/shape.ts';
import { ConfigError, configFrom, configOnPort, loadConfig } from '../../src/config.ts';
import { operations } from '../../src/operations.ts';
import { createServer } from '../../src/server.ts';
import { STORAGE_PATH } from '../../src/storage/signature.ts';
import { migratedDatabase } from '../../src/testing/fixture.ts';
import { isAppPath } from '../../src/web-paths.ts';

const EXAMPLE = join(import.meta.dirname, '../..', 'config.example.toml');
const cwd = mkdtempSync(join(tmpdir(), 'taxiway-config-'));
afterAll(() => rmSync(cwd, { recursive: true }));

function loadText(text: string, env: Record<string, string> = {}) {
  writeFileSync(join(cwd, 'test.toml'), text);
  return loadConfig({ file: 'test.toml', env, cwd });
}

function problemsOf(load: () => unknown): string[] {
  try {
    load();
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
  return [];
}

describe('defaults', () => {
  const defaults = loadConfig({ env: {}, cwd });

  it('listen on the loopback address without a file', () => {
    expect(defaults.server).toMatchObject({ host: '127.0.0.1', port: 8080, base_url: 'http://localhost:8080' });
    expect(defaults.server.data_dir).toBe(join(cwd, 'data'));
    expect(defaults.database).toEqual({
      file: join(cwd, 'data/taxiway.db'),
      synchronous: 'full',
      busy_timeout_ms: 5000,
      audit_read_timeout_ms: 5000,
    });
    expect(defaults.storage.local.directory).toBe(join(cwd, 'data/blobs'));
  });

  it('contain every limit', () => {
    expect(defaults.limits).toEqual({
      organizations_per_developer: 5,
      projects_per_organization: 50,
      passkeys_per_developer: 20,
      build_size_bytes: 500 * 1024 * 1024,
      icon_size_bytes: 1024 * 1024,
      pending_uploads_per_project: 25,
      pending_upload_lifetime_minutes: 60,
      member_invitation_resend_minutes: 5,
      tester_notification_resend_minutes: 5,
      transactional_email_minutes: 5,
      personal_data_exports_per_day: 1,
      personal_data_exports_per_month: 5,
      downloads_per_export_archive: 20,
      devices_per_organization: 10_000,
      open_device_enrollments_per_organization: 500,
      previews_per_project: 50,
      preview_quiet_days: 7,
      page_size_default: 100,
      page_size_maximum: 1000,
      audit_events_per_day: 1000,
      audit_events_per_range: 5000,
    });
    expect(defaults.plans).toEqual({
      default_tier: 'business',
      team: { build_retention_days: 30, keep_current_builds: true, audit_retention_days: 90, sso: false },
      business: { build_retention_days: 365, keep_current_builds: true, audit_retention_days: 365, sso: true },
    });
  });

  it('are deeply frozen', () => {
    expect(Object.isFrozen(defaults) && Object.isFrozen(defaults.server.tls)).toBe(true);
    expect(Object.isFrozen(defaults.server.trusted_proxies)).toBe(true);
  });
});

describe('config.example.toml', () => {
  const example = readFileSync(EXAMPLE, 'utf8');
  const secretLine = /^# (\w+ = )/gm;
  const leaves = [...listLeaves(describeConfig())];
  const readAt = (root: unknown, path: readonly string[]) =>
    path.reduce<unknown>((table, key) => (table as Record<string, unknown> | undefined)?.[key], root);

  it('sets every key to its default', () => {
    expect(loadConfig({ file: EXAMPLE, env: {}, cwd })).toEqual(loadConfig({ env: {}, cwd }));
  });

  it('contains every key of the schema, with secrets commented out', () => {
    const active = parse(example);
    const uncommented = parse(example.replace(secretLine, '$1'));
    for (const { path, leaf } of leaves) {
      expect(readAt(uncommented, path), path.join('.')).toBeDefined();
      expect(readAt(active, path) === undefined, `${path.join('.')} is commented out`).toBe(leaf.isSecret);
    }
  });

  it('contains no other keys', () => {
    const known = new Set(leaves.map(({ path }) => path.join('.')));
    const keysOf = (table: object, path: string[]): string[] =>
      known.has(path.join('.'))
        ? [path.join('.')]
        : Object.entries(table).flatMap(([key, value]) =>
            typeof value === 'object' && !Array.isArray(value)
              ? keysOf(value, [...path, key])
              : [[...path, key].join('.')],
          );
    const keys = keysOf(parse(example.replace(secretLine, '$1')), []);
    expect(keys.filter((key) => !known.has(key))).toEqual([]);
    expect(keys).toHaveLength(known.size);
  });

  it('explains every key in the line above it', () => {
    const lines = example.split('\n');
    lines.forEach((line, index) => {
      if (/^(# )?\w+ = /.test(line)) expect(lines[index - 1], line).toMatch(/^# \S.*[.;]/);
    });
  });

  it('contains only keys that the program reads', () => {
    const root = join(import.meta.dirname, '../..', 'src');
    const program = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.ts$/.test(file) && !/^config\/|^dashboard\//.test(file))
      .map((file) => readFileSync(join(root, file), 'utf8'))
      .join('\n');
    const unread = leaves.filter(({ path }) => !new RegExp(`\\b${path.at(-1)}\\b`).test(program));
    expect(unread.map(({ path }) => path.join('.'))).toEqual([]);
  });

  it.each(example.split('\n').flatMap((line) => (/^# \w+ = /.test(line) ? [[line]] : [])))(
    'starts a server with "%s" uncommented',
    async (line) => {
      const folder = mkdtempSync(join(cwd, 'example-'));
      const file = join(folder, 'config.toml');
      writeFileSync(join(folder, 'metrics-token'), 'token');
      writeFileSync(file, example.replace(line, line.slice(2)));
      mkdirSync(join(folder, 'data'));
      writeFileSync(join(folder, 'data/taxiway.db'), migratedDatabase(), { mode: 0o600 });
      const env = {
        SMTP_PASSWORD: 'secret',
        CAPTCHA_SECRET: 'secret',
        TAXIWAY_SERVER__PORT: '0',
        TAXIWAY_LOG__LEVEL: 'silent',
      };
      await using server = await createServer(loadConfig({ file, env, cwd: folder }));
      await server.start();
      const answer = await fetch(`http://localhost:${new URL(server.url).port}/health/ready`);
      expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ status: 'ready' })]);
    },
  );

  it('starts a server with every line uncommented', async () => {
    const folder = mkdtempSync(join(cwd, 'example-'));
    const file = join(folder, 'config.toml');
    writeFileSync(join(folder, 'metrics-token'), 'token');
    writeFileSync(file, example.replace(secretLine, '$1'));
    const env = { SMTP_PASSWORD: 's', CAPTCHA_SECRET: 's', TAXIWAY_SERVER__PORT: '0', TAXIWAY_LOG__LEVEL: 'silent' };
    await using server = await createServer(loadConfig({ file, env, cwd: folder }));
    await server.start();
    expect((await fetch(`${server.url}/metrics`)).status).toBe(401);
  });
});

describe('the environment', () => {
  it('overrides the file, converted to the type of the key', () => {
    const config = loadText('[server]\nport = 8081\nhost = "0.0.0.0"\n', {
      TAXIWAY_SERVER__PORT: '9000',
      TAXIWAY_SERVER__TRUSTED_PROXIES: '10.0.0.0/8, ::1',
      TAXIWAY_SERVER__TLS__ACME_DOMAINS: '["a.example","b.example"]',
      TAXIWAY_METRICS__ENABLED: 'false',
      TAXIWAY_RATE_LIMITS__SIGN_IN__REQUESTS: '7',
      TAXIWAY_METRICS__TOKEN: '12345',
    });
    expect(config.server).toMatchObject({ host: '0.0.0.0', port: 9000, trusted_proxies: ['10.0.0.0/8', '::1'] });
    expect(config.server.tls.acme_domains).toEqual(['a.example', 'b.example']);
    expect(config.rate_limits.sign_in).toEqual({ requests: 7, per_seconds: 60 });
    expect(config.metrics).toEqual({ enabled: false, token: '12345' });
  });

  it('ignores variables that are not configuration', () => {
    const env = { TAXIWAY_URL: 'http://x', TAXIWAY_TOKEN: 't', TAXIWAY_COMMIT: 'abc', OTHER__THING: '1' };
    expect(loadText('', env)).toEqual(loadText(''));
  });

  it('ignores what Kubernetes and Docker set about a service whose name begins like a table', () => {
    const env = {
      TAXIWAY_SERVER_SERVICE_HOST: '10.0.0.7',
      TAXIWAY_SERVER_SERVICE_PORT: '80',
      TAXIWAY_SERVER_SERVICE_PORT_HTTP: '80',
      TAXIWAY_SERVER_PORT: 'tcp://10.0.0.7:80',
      TAXIWAY_SERVER_PORT_80_TCP: 'tcp://10.0.0.7:80',
      TAXIWAY_SERVER_PORT_80_TCP_PROTO: 'tcp',
      TAXIWAY_SERVER_PORT_80_TCP_PORT: '80',
      TAXIWAY_SERVER_PORT_80_TCP_ADDR: '10.0.0.7',
      TAXIWAY_MAIL_RELAY_PORT: 'udp://10.0.0.8:25',
    };
    expect(loadText('', env)).toEqual(loadText(''));
  });

  it.each([
    ['TAXIWAY_SERVER__POTR', '1', 'TAXIWAY_SERVER__POTR: server.potr: unknown key, did you mean "port"?'],
    ['TAXIWAY_SERVER__TLS', 'off', 'TAXIWAY_SERVER__TLS: server.tls: unknown key'],
    [
      'TAXIWAY_SERVER_PORT',
      '9000',
      'TAXIWAY_SERVER_PORT: has no effect: table and key must be joined by two underscores, TAXIWAY_SERVER__PORT',
    ],
    [
      'TAXIWAY_RATE_LIMITS_SIGN_IN_REQUESTS',
      '7',
      'TAXIWAY_RATE_LIMITS_SIGN_IN_REQUESTS: has no effect: table and key must be joined by two underscores, TAXIWAY_RATE_LIMITS__SIGN_IN__REQUESTS',
    ],
    [
      'TAXIWAY_MAIL_SMTP',
      'x',
      'TAXIWAY_MAIL_SMTP: has no effect: table and key must be joined by two underscores, TAXIWAY_MAIL__…',
    ],
    ['TAXIWAY_A____PROTO__', 'x', 'TAXIWAY_A____PROTO__: a..proto.: unknown key'],
    [
      'TAXIWAY_SERVER__PORT',
      'abc',
      'TAXIWAY_SERVER__PORT: server.port: expected a whole number from 0 to 65535, got "abc"',
    ],
    ['TAXIWAY_METRICS__ENABLED', 'yes', 'TAXIWAY_METRICS__ENABLED: metrics.enabled: expected true or false, got "yes"'],
  ])('rejects %s=%s', (name, value, problem) => {
    expect(problemsOf(() => loadConfig({ env: { [name]: value }, cwd }))).toEqual([problem]);
  });
});

describe('a file in another encoding', () => {
  it('is refused with each value that would be another text, but not for its comments and the key of the data', () => {
    const load = (text: string) => {
      writeFileSync(join(cwd, 'test.toml'), Buffer.from(text, 'latin1'));
      return loadConfig({ file: 'test.toml', env: {}, cwd });
    };
    const smtp = '[mail.smtp]\npassword = "gr\xfcn"\n[server]\ntrusted_proxies = ["\xe4"]';
    expect(problemsOf(() => load(smtp))).toEqual([
      "test.toml:2: mail.smtp.password: isn't UTF-8; save the file in this encoding",
      "test.toml:4: server.trusted_proxies: isn't UTF-8; save the file in this encoding",
    ]);
    const key = 'k'.repeat(40);
    expect(load(`# f\xfcr\n[server]\nsecret_key = "\xfc${key}"`).server.secret_key).toBe(`\ufffd${key}`);
    expect(loadText('[mail]\nfrom = "J\xe9r\ufffd <a@example.com>"').mail.from).toBe('J\xe9r\ufffd <a@example.com>');
  });
});

describe('the host', () => {
  it('can have an IPv6 address in brackets, as in a URL', () => {
    expect(loadText('[server]\nhost = "[::1]"').server.host).toBe('::1');
    expect(loadText('', { TAXIWAY_SERVER__HOST: '[2001:db8::7]' }).server.host).toBe('2001:db8::7');
    expect(loadText('[server]\nhost = "::"').server.host).toBe('::');
  });
});

describe('secrets', () => {
  it('come from a file next to the configuration, from the environment or as text', () => {
    mkdirSync(join(cwd, 'etc'), { recursive: true });
    writeFileSync(join(cwd, 'etc/key'), `${'k'.repeat(40)}\n`);
    writeFileSync(
      join(cwd, 'etc/c.toml'),
      '[server]\nsecret_key = { file = "key" }\n[metrics]\ntoken = { env = "MY_TOKEN" }\n[captcha]\nsecret = "plain"\n',
    );
    const config = loadConfig({ file: 'etc/c.toml', env: { MY_TOKEN: 'abc' }, cwd });
    expect([config.server.secret_key, config.metrics.token, config.captcha.secret]).toEqual([
      'k'.repeat(40),
      'abc',
      'plain',
    ]);
  });

  it('have no byte order mark and no line break at the end, wherever they come from', () => {
    writeFileSync(join(cwd, 'token'), '\ufefffrom-file\r\n');
    expect(loadText('[metrics]\ntoken = { file = "token" }').metrics.token).toBe('from-file');
    expect(loadText('[metrics]\ntoken = { env = "MINE" }', { MINE: 'from-env\n' }).metrics.token).toBe('from-env');
    expect(loadText('', { TAXIWAY_METRICS__TOKEN: 'from-env\r\n' }).metrics.token).toBe('from-env');
    expect(problemsOf(() => loadText('[metrics]\ntoken = { env = "MINE" }', { MINE: '\n' }))).toEqual([
      'test.toml:2: metrics.token: the environment variable MINE is not set',
    ]);
  });

  it('in files must be UTF-8, such as not what PowerShell writes by default', () => {
    writeFileSync(join(cwd, 'token'), Buffer.from('\ufefffrom-file\r\n', 'utf16le'));
    expect(problemsOf(() => loadText('[metrics]\ntoken = { file = "token" }'))).toEqual([
      `test.toml:2: metrics.token: the secret's file ${join(cwd, 'token')} is not a text in UTF-8`,
    ]);
  });

  it('are not read from a named pipe, which would stop the start until someone writes into it', () => {
    execFileSync('mkfifo', [join(cwd, 'pipe')]);
    expect(problemsOf(() => loadText('[metrics]\ntoken = { file = "pipe" }'))).toEqual([
      `test.toml:2: metrics.token: the secret's file ${join(cwd, 'pipe')} can't be used: it is a named pipe`,
    ]);
  });

  it('that encrypt data stay as they were before', () => {
    const key = 'k'.repeat(40);
    writeFileSync(join(cwd, 'key'), `\ufeff${key}\n`);
    const text = '[server]\nsecret_key = { file = "key" }';
    expect(loadText(text).server.secret_key).toBe(`\ufeff${key}`);
    expect(loadText('', { TAXIWAY_SERVER__SECRET_KEY: `${key}\n` }).server.secret_key).toBe(`${key}\n`);
    writeFileSync(join(cwd, 'key'), Buffer.alloc(40, 0xff));
    expect(loadText(text).server.secret_key).toBe('\ufffd'.repeat(40));
  });

  it('can be references in the environment', () => {
    writeFileSync(join(cwd, 'token'), 'from-file');
    expect(loadText('', { TAXIWAY_METRICS__TOKEN__FILE: 'token' }).metrics.token).toBe('from-file');
  });

  it.each(['token = "plain"', 'token = { file = "absent" }', 'token = { env = "ABSENT" }'])(
    'in the environment replace %j of the file',
    (line) => {
      writeFileSync(join(cwd, 'token'), 'from-file');
      const text = `[metrics]\n${line}`;
      expect(loadText(text, { TAXIWAY_METRICS__TOKEN__FILE: 'token' }).metrics.token).toBe('from-file');
      expect(loadText(text, { TAXIWAY_METRICS__TOKEN__ENV: 'MINE', MINE: 'from-env' }).metrics.token).toBe('from-env');
    },
  );

  it('in the environment are named in errors, also if both kinds are set', () => {
    const text = '[metrics]\ntoken = "plain"';
    const absent = problemsOf(() => loadText(text, { TAXIWAY_METRICS__TOKEN__ENV: 'ABSENT' }));
    expect(absent).toEqual(['TAXIWAY_METRICS__TOKEN__ENV: metrics.token: the environment variable ABSENT is not set']);
    const both = { TAXIWAY_METRICS__TOKEN__ENV: 'MINE', MINE: 'mine', TAXIWAY_METRICS__TOKEN__FILE: 'token' };
    expect(problemsOf(() => loadText(text, both))).toEqual([
      'TAXIWAY_METRICS__TOKEN__FILE: metrics.token: set either this variable or TAXIWAY_METRICS__TOKEN__ENV',
    ]);
    const [value, file] = ['TAXIWAY_METRICS__TOKEN', 'TAXIWAY_METRICS__TOKEN__FILE'];
    for (const [one, two] of [
      [value, file],
      [file, value],
    ] as const) {
      expect(problemsOf(() => loadText('', { [one]: 'token', [two]: 'token' }))).toEqual([
        `${two}: metrics.token: set either this variable or ${one}`,
      ]);
    }
  });

  it.each([
    ['[metrics]\ntoken = { file = "absent" }', /^test\.toml:2: metrics\.token: can't read .*absent \(ENOENT\)$/],
    ['[metrics]\ntoken = { env = "ABSENT" }', 'the environment variable ABSENT is not set'],
    ['[metrics]\ntoken = { file = "a", env = "B" }', 'expected a text, { file = "…" } or { env = "…" }'],
    ['[metrics]\ntoken = { path = "a" }', 'expected a text, { file = "…" } or { env = "…" }'],
    ['[metrics]\ntoken = 5', /metrics\.token: expected a text, \{ file = "…" \} or \{ env = "…" \}$/],
    ['[log]\nlevel = { env = "LEVEL" }', 'log.level: expected one of "trace"'],
  ])('are rejected as %j', (text, problem) => {
    const problems = problemsOf(() => loadText(text));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(problem);
  });

  it('are never in an error message', () => {
    const problems = problemsOf(() => loadText('[server]\nsecret_key = "short-and-private"'));
    expect(problems).toEqual(['test.toml:2: server.secret_key: expected at least 32 characters']);
  });
});

describe('an address with a user name and password', () => {
  it.each([
    ['[server.tls]\nacme_directory', 'server.tls.acme_directory'],
    ['[captcha]\nverify_url', 'captcha.verify_url'],
    ['[billing.paddle]\nbase_url', 'billing.paddle.base_url'],
    ['[billing.paddle]\ncheckout_url', 'billing.paddle.checkout_url'],
    ['[stores.app_store_connect]\nbase_url', 'stores.app_store_connect.base_url'],
    ['[stores.google_play]\nbase_url', 'stores.google_play.base_url'],
    ['[stores.google_play]\ntoken_url', 'stores.google_play.token_url'],
  ])('is rejected where a request or link would fail with it: %j', (beginning, key) => {
    expect(problemsOf(() => loadText(`${beginning} = "https://ops:pass@api.example"`))).toEqual([
      `test.toml:2: ${key}: expected an address without a user name and password`,
    ]);
  });

  it('is accepted where it is sent as authorization', () => {
    const { updates, tracing } = loadText(
      '[updates]\nurl = "https://ops:pass@a.example"\n[tracing]\nendpoint = "https://ops:pass@a.example"',
    );
    expect([updates.url, tracing.endpoint]).toEqual(['https://ops:pass@a.example', 'https://ops:pass@a.example']);
  });

  it.each([
    ['[server]\nbase_url = "https://ops:pa/ss@host.example"', 'got "https://…@host.example"'],
    ['[billing.paddle]\nbase_url = "ftp://ops:pass@host.example"', 'got "ftp://…@host.example"'],
    ['[mail.smtp]\nhost = "ops:pass@mail.example"', 'got "…@mail.example"'],
    ['[backup]\ndirectory = "s3://ops:pass@bucket/a"', 'got "s3://…@bucket/a"'],
  ])('is not repeated by the error: %j', (text, got) => {
    const [problem, ...more] = problemsOf(() => loadText(text));
    expect(more).toEqual([]);
    expect(problem?.endsWith(got)).toBe(true);
  });
});

describe('an invalid file', () => {
  it.each([
    ['[server]\n\nprot = 1', 'test.toml:3: server.prot: unknown key, did you mean "port"?'],
    ['[sever]\nport = 1', 'test.toml:1: sever: unknown key, did you mean "server"?'],
    ['[server]\nport = 70000', 'test.toml:2: server.port: expected a whole number from 0 to 65535, got 70000'],
    ['[server]\nport = "80"', 'test.toml:2: server.port: expected a whole number from 0 to 65535, got "80"'],
    ['server = 5', 'test.toml:1: server: expected a table'],
    ['[mail]\n# a\ntransport = "fax"', 'test.toml:3: mail.transport: expected one of "outbox", "smtp", got "fax"'],
    [
      'server.trusted_proxies = [\n  "10.0.0.1",\n  "x"\n]',
      'test.toml:1: server.trusted_proxies: expected a list of IP addresses or networks, such as ["10.0.0.0/8"], got ["10.0.0.1","x"]',
    ],
    [
      '[apple_profile]\norganization_name = """\n[server]\nport = 1\n"""\n[log]\nlevle = 1',
      'test.toml:7: log.levle: unknown key, did you mean "level"?',
    ],
    ["a.'b c'.\"d\" = { x = [1, '#]'] } # }\n", 'test.toml:1: a: unknown key'],
    [
      '[rate_limits]\nenabled = true\napi = { requests = 0 }',
      'test.toml:3: rate_limits.api.requests: expected a whole number from 1 to 1000000000, got 0',
    ],
    [
      '[billing.paddle]\nbase_url = "api.paddle.example"',
      'test.toml:2: billing.paddle.base_url: expected an http or https address, got "api.paddle.example"',
    ],
    [
      '[billing.paddle]\ncheckout_url = "pay.example.com/pay"',
      'test.toml:2: billing.paddle.checkout_url: expected an http or https address, got "pay.example.com/pay"',
    ],
    [
      '[limits]\npage_size_default = 2000',
      'test.toml:2: limits.page_size_default: expected at most limits.page_size_maximum',
    ],
    [
      '[mail]\nfrom = "Taxiway"',
      'test.toml:2: mail.from: expected a sender such as "Taxiway <taxiway@example.com>", got',
    ],
    ['[mail]\nfrom = "a@b.example\\r\\nBcc: c@d.example"', 'test.toml:2: mail.from: expected a sender such as '],
    [
      '[mail]\ntransport = "smtp"',
      'test.toml:1: mail.smtp.host: expected the host of a mail server, because mail.transport is "smtp"',
    ],
    [
      '[captcha]\nprovider = "hcaptcha"\nsecret = "s"',
      'test.toml:1: captcha.site_key: expected the public key that the captcha provider gave to this site',
    ],
    [
      '[captcha]\nprovider = "turnstile"\nsite_key = "k"',
      'test.toml:1: captcha.secret: expected the secret that the captcha provider gave to this site',
    ],
    ['[server]\nport = = 1', 'test.toml:2: not valid TOML: '],
  ])('is rejected: %j', (text, problem) => {
    const problems = problemsOf(() => loadText(text));
    expect(problems).toHaveLength(1);
    expect(problems[0]?.startsWith(problem)).toBe(true);
  });

  it('reports all errors together', () => {
    expect(problemsOf(() => loadText('[server]\nport = -1\nhst = "x"\n[log]\nlevel = "loud"'))).toHaveLength(3);
  });

  it('must exist if it is given', () => {
    expect(problemsOf(() => loadConfig({ file: 'nowhere.toml', env: {}, cwd }))).toEqual([
      `${join(cwd, 'nowhere.toml')}: the file doesn't exist`,
    ]);
  });

  it.each([
    'localhost',
    'ftp://x',
    'https://u:p@x',
    'https://x?q',
    'https://x/taxiway?q',
    'https://x/taxiway#part',
    'https://',
    'https:///taxiway',
    'https://x//taxiway',
    'https://x/tools//taxiway',
    'https://x/tools/../taxiway',
    'https://x/./taxiway',
    'https://x/taxiway/..',
    'https://x/taxi%20way',
    'https://x/taxi%2fway',
    'https://x/taxi way',
    'https://x/t\u00e4xi',
    'https://x/taxi;way',
    `https://x/${'a'.repeat(200)}`,
  ])('cannot have the base address %s', (address) => {
    const [problem = ''] = problemsOf(() => loadText(`[server]\nbase_url = "${address}"`));
    expect(problem).toContain(
      'test.toml:2: server.base_url: expected an http or https address, with a plain path or none, such as ' +
        '"https://builds.example.com" or "https://example.com/taxiway", got "',
    );
  });
});

describe('contradicting values', () => {
  it.each(['http://127.0.0.1:9000', 'http://[::1]:9000'])('needs the bucket in the path at %s', (endpoint) => {
    const text = `storage.s3.bucket = "taxiway"\nstorage.s3.endpoint = "${endpoint}"`;
    expect(problemsOf(() => loadText(text))).toEqual([
      expect.stringContaining('storage.s3.force_path_style: expected true, because the endpoint is an IP address'),
    ]);
    expect(loadText(`${text}\nstorage.s3.force_path_style = true`).storage.s3.endpoint).toBe(endpoint);
    const backups = `backup.s3.endpoint = "${endpoint}"`;
    const bucket = `backup.directory = "s3://backups/taxiway"\n${backups}`;
    expect(problemsOf(() => loadText(bucket))).toEqual([
      expect.stringContaining('backup.s3.force_path_style: expected true, because the endpoint is an IP address'),
    ]);
    expect(loadText(`${bucket}\nbackup.s3.force_path_style = true`).backup.s3.endpoint).toBe(endpoint);
    expect(loadText(backups).backup.s3.endpoint).toBe(endpoint);
  });

  it.each(['api', 'install', 'sign-in/taxiway', '.well-known', 'storage', 'assets'])(
    "are a base address below /%s and the server's own addresses",
    (path) => {
      const problems = problemsOf(() => loadText(`[server]\nbase_url = "https://example.com/${path}"`));
      const [first] = path.split('/');
      expect(problems).toEqual([
        `test.toml:2: server.base_url: expected a path that doesn't start with /${first}, which the server uses itself`,
      ]);
    },
  );

  it('include every address of the server', () => {
    const paths = [...operations.map(({ path }) => path), STORAGE_PATH, '/assets/', '/docs/', '/.well-known/'];
    const segments = new Set(paths.map((path) => path.split('/')[1] ?? ''));
    expect([...segments].filter((segment) => !reservedSegments.has(segment))).toEqual([]);
    expect([...reservedSegments].filter((segment) => !segments.has(segment) && !isAppPath(`/${segment}`))).toEqual([]);
  });

  it.each(['access_key_id = "id"', 'secret_access_key = "secret"'])(
    'needs both keys of a bucket for backups: %s',
    (key) => {
      const text = `backup.directory = "s3://backups/taxiway"\nbackup.s3.${key}`;
      expect(problemsOf(() => loadText(text))).toEqual([
        expect.stringMatching(
          /: backup\.s3\.secret_access_key: expected both backup\.s3\.access_key_id and backup\.s3\.secret_access_key, or neither$/,
        ),
      ]);
      expect(loadText(`backup.s3.${key}`).backup.directory).toContain('backups');
    },
  );

  it.each([['0 0 30 2 *'], ['0 0 31 4,6,9,11 *'], ['2099-01-01T03:00:00'], ['0 25 * * *']])(
    'has no schedule of backups that never comes or comes once: %s',
    (pattern) => {
      expect(problemsOf(() => loadText(`[backup]\nschedule = "${pattern}"`))).toEqual([
        `test.toml:2: backup.schedule: expected a cron pattern in UTC such as "0 3 * * *", or "", got "${pattern}"`,
      ]);
      for (const right of ['0 3 29 2 *', '@weekly', '0 3 L * *', '0 0 3 * * * 2020']) {
        expect(loadText(`[backup]\nschedule = "${right}"`).backup.schedule).toBe(right);
      }
    },
  );

  it.each([
    ['file = "backup"', 'backup', 'backups'],
    ['file = "/srv/taxiway/backup"', 'backup', 'backups'],
    ['file = ".drill"', '.drill', 'drills'],
  ])('are a database with the lock of backups or drills: %s', (text, name, owner) => {
    expect(problemsOf(() => loadText(`[server]\ndata_dir = "/srv/taxiway"\n[database]\n${text}`))).toEqual([
      `test.toml:4: database.file: expected another name than "${name}", because ${name}.lock is the lock of ${owner}`,
    ]);
    expect(loadText('[database]\nfile = "backups/backup"').database.file).toContain('backups');
  });

  it.each([
    ['executables = "."', 'the database'],
    ['executables = "/srv/taxiway/"', 'the database'],
    ['executables = "/mnt/backups"\n[backup]\ndirectory = "/mnt/backups/taxiway.backup"', 'backups'],
  ])('are executables in the folder of private files: %s', (text, owner) => {
    expect(problemsOf(() => loadText(`[server]\ndata_dir = "/srv/taxiway"\n[cli]\n${text}`))).toEqual([
      `test.toml:4: cli.executables: expected another folder than that of ${owner}, because everyone can download files of it`,
    ]);
    expect(loadText('[backup]\ndirectory = "/mnt/backups"\n[cli]\nexecutables = "/mnt"').cli.executables).toBe('/mnt');
  });

  it.each(['blobs', 'blobs/backups', '.', '/srv'])(
    'are scheduled backups in or around the packages: %s',
    (directory) => {
      const folder = '[server]\ndata_dir = "/srv/taxiway"\n';
      const of = (schedule: string) => `${folder}[backup]\ndirectory = "${directory}"\nschedule = "${schedule}"\n`;
      expect(problemsOf(() => loadText(of('0 3 * * *')))).toEqual([
        "test.toml:4: backup.directory: expected a folder neither in nor around storage.local.directory, which has the server's packages",
      ]);
      expect(loadText(of('')).backup.schedule).toBe('');
      expect(loadText(`${folder}[backup]\ndirectory = "blobs-2"\nschedule = "0 3 * * *"`).backup.keep).toBe(7);
    },
  );

  it('are a database in the file of the secret key', () => {
    const text = '[server]\ndata_dir = "/srv/taxiway"\n[database]\nfile = "./secret.key"';
    expect(problemsOf(() => loadText(text))).toEqual([
      'test.toml:4: database.file: expected another name than "secret.key", which is the file of the secret key',
    ]);
  });

  it.each([
    [
      'target = "gs://bucket"',
      'replication.target: expected a folder, an address such as "s3://bucket/taxiway", or ""',
    ],
    [
      'metrics_address = "0.0.0.0:9465"',
      'replication.metrics_address: expected an address of this machine with a port',
    ],
    ['metrics_address = "127.0.0.1:0"', 'replication.metrics_address: expected an address of this machine with a port'],
    ['program = ""', 'replication.program: expected a file'],
    ['interval_ms = 50', 'replication.interval_ms: expected a whole number from 100 to 600000'],
    [
      'target = "s3://bucket"\ns3.access_key_id = "A"',
      'replication.s3.secret_access_key: expected both replication.s3.access_key_id',
    ],
    [
      'target = "s3://bucket"\ns3.endpoint = "http://127.0.0.1:9000"',
      'replication.s3.force_path_style: expected true, because the endpoint is an IP address',
    ],
    [
      'target = "replica"\n[database]\nbusy_timeout_ms = 4999',
      'database.busy_timeout_ms: expected at least 5000, because replication.target is given',
    ],
  ])('of replication: %j', (text, problem) => {
    expect(problemsOf(() => loadText(`[replication]\n${text}`))).toEqual([expect.stringContaining(problem)]);
  });

  it('of replication do not include a shorter wait for the database without a target', () => {
    expect(loadText('[database]\nbusy_timeout_ms = 10').replication.target).toBe('');
  });

  const because = (mode: string) => `because server.tls.mode is "${mode}"`;

  it.each([
    [
      '[server.tls]\nmode = "files"\nkey_file = "k"',
      'server.tls.cert_file: expected the file of the certificate',
      'files',
    ],
    [
      '[server.tls]\nmode = "files"\ncert_file = "c"',
      'server.tls.key_file: expected the file of its private key',
      'files',
    ],
    ['[server.tls]\nmode = "acme"', 'server.tls.acme_domains: expected at least one host name', 'acme'],
    [
      '[server.tls]\nmode = "acme"\nacme_domains = ["192.0.2.1"]',
      'server.tls.acme_domains: expected host names instead of 192.0.2.1',
      'acme',
    ],
    [
      '[server.tls]\nmode = "acme"\nacme_domains = ["a.example.com"]\nacme_directory = ""',
      'server.tls.acme_directory: expected the address of the directory of an authority',
      'acme',
    ],
    [
      '[server.tls]\nmode = "internal"\nhttp_port = 8080',
      'server.tls.http_port: expected another port than server.port',
      'internal',
    ],
    [
      '[server]\nbase_url = "http://builds.example.com"\n[server.tls]\nmode = "internal"',
      'server.base_url: expected an https address',
      'internal',
    ],
  ])('are rejected: %j', (text, problem, mode) => {
    const [first = '', ...others] = problemsOf(() => loadText(text));
    expect(first.replace(/^test\.toml:\d: /, '')).toBe(`${problem}, ${because(mode)}`);
    expect(first).toMatch(/^test\.toml:\d: /);
    expect(others).toEqual([]);
  });

  it.each([
    [
      'cert_file = "c"',
      'apple_profile.key_file: expected the file of the private key, because apple_profile.cert_file is given',
    ],
    [
      'key_file = "k"',
      'apple_profile.cert_file: expected the file of the certificate, because apple_profile.key_file is given',
    ],
    [
      'chain_file = "c"',
      'apple_profile.cert_file: expected the file of the certificate, because apple_profile.chain_file is given',
    ],
  ])('are incomplete files in [apple_profile]: %s', (text, problem) => {
    expect(problemsOf(() => loadText(`[apple_profile]\n${text}`))).toEqual([expect.stringContaining(problem)]);
  });

  it('are missing keys of the payment provider', () => {
    const because = 'because billing.provider is "paddle"';
    const key = expect.stringContaining(`billing.paddle.api_key: expected the key for Paddle's API, ${because}`);
    const secret = expect.stringContaining(
      `billing.paddle.webhook_secret: expected the secret of the notification destination, ${because}`,
    );
    expect(problemsOf(() => loadText('[billing]\nprovider = "paddle"'))).toEqual([key, secret]);
    expect(problemsOf(() => loadText('[billing]\nprovider = "paddle"\n[billing.paddle]\napi_key = "k"'))).toEqual([
      secret,
    ]);
    const complete = loadText('[billing]\nprovider = "paddle"\n[billing.paddle]\napi_key = "k"\nwebhook_secret = "s"');
    expect(complete.billing.provider).toBe('paddle');
    expect(loadText('[billing]\nenabled = true').billing.provider).toBe('none');
  });

  it('are limits of top-ups that no amount can meet', () => {
    expect(problemsOf(() => loadText('[billing]\ntopup_min_cents = 600\ntopup_max_cents = 500'))).toEqual([
      expect.stringContaining('billing.topup_max_cents: expected at least billing.topup_min_cents'),
    ]);
    expect(loadText('[billing]\ntopup_min_cents = 500\ntopup_max_cents = 500').billing.topup_max_cents).toBe(500);
  });

  it.each(['*.example.com', 'a b', 'https://x', 'x/y', 'x:1', '', '-a.example.com', 'a..b'])(
    'rejects the certificate name %j',
    (name) => {
      const [problem] = problemsOf(() => loadText(`[server.tls]\nacme_domains = ["${name}"]`));
      expect(problem).toContain('test.toml:2: server.tls.acme_domains: expected a list of host names such as');
    },
  );

  it('accepts host names, also international ones, and addresses', () => {
    const names = ['builds.example.com', 'bücher.example', 'localhost', '10.0.0.5', 'fd00::5'];
    const { server } = loadText(`[server.tls]\nmode = "internal"\nacme_domains = ${JSON.stringify(names)}`);
    expect(server.tls.acme_domains).toEqual(names);
  });

  it.each([
    ['mode = "off"', 'http://localhost:8080'],
    ['mode = "internal"', 'https://localhost:8080'],
    ['mode = "acme"\nacme_domains = ["a.example.com", "b.example.com"]', 'https://a.example.com:8080'],
  ])('are avoided by the default base address for %s', (tls, address) => {
    expect(loadText(`[server.tls]\n${tls}`).server.base_url).toBe(address);
  });

  it('omits the default port of https from the base address', () => {
    const text = '[server]\nport = 443\n[server.tls]\nmode = "acme"\nacme_domains = ["a.example.com"]';
    expect(loadText(text).server.base_url).toBe('https://a.example.com');
  });
});

describe('addresses and paths', () => {
  it.each([
    ['[server]\ndata_dir = "a\\u0000b"', 'server.data_dir: expected a folder, got "a\\u0000b"'],
    ['[server.tls]\ncert_file = "a\\u0000b"', 'server.tls.cert_file: expected a text, got "a\\u0000b"'],
  ])('have no NUL character, which no path can have: %j', (text, problem) => {
    expect(problemsOf(() => loadText(text))).toEqual([`test.toml:2: ${problem}`]);
  });

  it.each([
    ['[server]\nport = 9000', 'http://localhost:9000'],
    ['[server]\nport = 9000\nbase_url = "https://Builds.Example.com/"', 'https://builds.example.com'],
    ['[server]\nbase_url = "http://10.0.0.5:8080"', 'http://10.0.0.5:8080'],
    ['[server]\nbase_url = "https://Example.com/Taxiway"', 'https://example.com/Taxiway'],
    [
      '[server]\nbase_url = "https://example.com:443/tools/taxi-way_2.0~x//"',
      'https://example.com/tools/taxi-way_2.0~x',
    ],
  ])('%j has the address %s', (text, address) => {
    expect(loadText(text).server.base_url).toBe(address);
  });

  it('are in the data folder unless absolute', () => {
    const config = loadText('server.data_dir = "var"\ndatabase.file = "/srv/db"\nstorage.local.directory = "b"');
    expect(config.server.data_dir).toBe(join(cwd, 'var'));
    expect(config.database.file).toBe('/srv/db');
    expect(config.storage.local.directory).toBe(join(cwd, 'var/b'));
  });

  it('are relative to the configuration file, if there is one', () => {
    mkdirSync(join(cwd, 'etc'), { recursive: true });
    writeFileSync(join(cwd, 'etc/test.toml'), '[accounts]\nlocation_database = "places.mmdb"\n');
    const config = loadConfig({ file: 'etc/test.toml', env: {}, cwd });
    expect(config.accounts.location_database).toBe(join(cwd, 'etc/places.mmdb'));
    expect(loadText('accounts.location_database = "/srv/p.mmdb"').accounts.location_database).toBe('/srv/p.mmdb');
    expect(loadText('').accounts.location_database).toBe('');
  });

  it('use the chosen port if the configured one is 0', () => {
    const config = configOnPort(configFrom({ server: { port: 0 } }), 4321);
    expect(config.server).toMatchObject({ port: 4321, base_url: 'http://localhost:4321' });
    const fixed = configFrom({ server: { port: 0, base_url: 'https://a.example' } });
    expect(configOnPort(fixed, 4321).server.base_url).toBe('https://a.example');
    const under = configFrom({ server: { port: 0, base_url: 'http://localhost:0/taxiway' } });
    expect(configOnPort(under, 4321).server.base_url).toBe('http://localhost:4321/taxiway');
  });
});

describe('embedding', () => {
  it('merges into the defaults and does not change its argument', () => {
    const given = { server: { port: 0, trusted_proxies: ['127.0.0.1'] }, log: { level: 'silent' } } as const;
    const config = configFrom(given, cwd);
    expect(config.server.data_dir).toBe(join(cwd, 'data'));
    expect(config.log).toEqual({
      level: 'silent',
      format: 'auto',
      slow_request_ms: 1_000,
      slow_query_ms: 100,
    });
    expect(Object.isFrozen(given.server.trusted_proxies)).toBe(false);
  });

  it('rejects invalid values like a file', () => {
    expect(problemsOf(() => configFrom({ server: { port: 1.5 } }))).toEqual([
      'configuration: server.port: expected a whole number from 0 to 65535, got 1.5',
    ]);
  });
});
