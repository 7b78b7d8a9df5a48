// First-run setup: a single-use link that creates the first admin, for programs and for browsers without scripts.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDeveloper, listDevelopers } from '../../src/accounts/service.ts';
import { createSetupLink, isSetupOpen, isSetupPending, renewSetupLink } from '../../src/accounts/setup.ts';
import { runSweep } from '../../src/core/sweeps.ts';
import { systemContext } from '../../src/core/transact.ts';
import { auditEvents, developers, organizations, setupLinks } from '../../src/data/tables/tables.ts';
import { updateDeveloper } from '../../src/developers/store.ts';
import { createMovableClock, MINUTE, type MovableClock } from '../../src/lib/clock.ts';
import { createServer, type Server } from '../../src/server.ts';
import { migratedDatabase } from '../../src/testing/fixture.ts';
import { interruptHash } from '../support/mailbox.ts';

let folder: string;
let clock: MovableClock;
let server: Server;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taxiway-setup-'));
  await writeFile(join(folder, 'taxiway.db'), migratedDatabase(), { mode: 0o600 });
  clock = createMovableClock();
  server = await createServer(
    { server: { port: 0, data_dir: folder }, log: { level: 'silent' }, database: { synchronous: 'normal' } },
    { clock, isRecordingEnforced: true, isScheduleOff: true },
  );
  await server.start();
});

afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

const body = {
  email: ' First@Example.com ',
  password: 'twelve letters',
  display_name: 'First Person',
  organization_name: 'Northwind',
};

type Json = Record<string, unknown>;
const newestAudit = () => server.app.db.select().from(auditEvents).all().length;
const auditAfter = (mark: number) =>
  server.app.db
    .select()
    .from(auditEvents)
    .all()
    .slice(mark)
    .map(({ event }) => event);

/** The link's address on this machine. */
function local(link: string): URL {
  return new URL(new URL(link).pathname, server.url);
}

function postJson(link: string, sent: unknown = body): Promise<Response> {
  return fetch(local(link), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(sent),
  });
}

function postForm(link: string, sent: Record<string, string> = body): Promise<Response> {
  return fetch(local(link), { method: 'POST', body: new URLSearchParams(sent) });
}

const notFoundEnvelope = { error: 'not_found', message: 'Not found', details: {} };

describe('a setup link', () => {
  it('is below the base address, and only its hash is stored', () => {
    const link = createSetupLink(server.app);
    expect(link).toMatch(/^http:\/\/localhost:\d+\/setup\/[A-Za-z0-9_-]{43}$/);
    const token = link.split('/').at(-1) ?? '';
    expect(server.app.db.select().from(setupLinks).all()).toMatchObject([
      { tokenHash: server.app.secrets.hash(token) },
    ]);
  });

  it('creates the first admin: verified, operator, and admin of the organization', async () => {
    expect(isSetupPending(server.app)).toBe(true);
    const response = await postJson(createSetupLink(server.app));
    expect(response.status).toBe(201);
    const created = (await response.json()) as Record<string, string>;
    expect(Object.keys(created).sort()).toEqual(['developer_id', 'organization_id']);
    expect(isSetupPending(server.app)).toBe(false);
    expect(listDevelopers(server.app)).toMatchObject([
      {
        identifier: created.developer_id,
        email: 'first@example.com',
        display_name: 'First Person',
        email_verified: true,
        is_operator: true,
      },
    ]);
    const login = await fetch(new URL('/api/v1/login', server.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: body.email, password: body.password }),
    });
    const { access_token } = (await login.json()) as Record<string, string>;
    const organization = await fetch(new URL(`/api/v1/organizations/${created.organization_id}`, server.url), {
      headers: { authorization: `Bearer ${access_token}` },
    });
    expect(await organization.json()).toMatchObject({ name: 'Northwind', role: 'admin' });
    const audit = server.app.db.select().from(auditEvents).all();
    expect(audit.map(({ event, type, actorKind, ipAddress }) => [event, type, actorKind, ipAddress])).toEqual([
      ['created', 'developer', 'system', '127.0.0.1'],
      ['created', 'organization', 'system', '127.0.0.1'],
      ['created', 'org_membership', 'system', '127.0.0.1'],
      ['login_succeeded', 'developer', 'developer', '127.0.0.1'],
    ]);
    expect(JSON.stringify(audit)).not.toContain(body.password);
  });

  it('works once', async () => {
    const link = createSetupLink(server.app);
    expect((await postJson(link)).status).toBe(201);
    const again = await postJson(link, { ...body, email: 'second@example.com' });
    expect(again.status).toBe(404);
    expect(await again.json()).toEqual(notFoundEnvelope);
    expect((await fetch(local(link))).status).toBe(404);
    expect(listDevelopers(server.app)).toHaveLength(1);
  });

  it('creates one admin for fifty simultaneous requests', async () => {
    const link = createSetupLink(server.app);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => postJson(link, { ...body, email: `person-${i}@example.com` })),
    );
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 404)).toHaveLength(49);
    expect(listDevelopers(server.app)).toHaveLength(1);
    expect(server.app.db.select().from(organizations).all()).toHaveLength(1);
  }, 60_000);

  it('expires after 30 minutes', async () => {
    const link = createSetupLink(server.app);
    clock.advance(30 * MINUTE - 1000);
    expect((await fetch(local(link))).status).toBe(200);
    clock.advance(1000);
    expect((await fetch(local(link))).status).toBe(404);
    expect((await postJson(link)).status).toBe(404);
    expect(isSetupPending(server.app)).toBe(true);
    const sweep = server.app.sweeps.find(({ name }) => name === 'sessions');
    expect(sweep && (await runSweep(server.app, sweep))).toBe(1);
    expect(server.app.db.select().from(setupLinks).all()).toEqual([]);
  });

  it('stops working when a newer one is created', async () => {
    const older = createSetupLink(server.app);
    const newer = createSetupLink(server.app);
    expect((await postJson(older)).status).toBe(404);
    expect((await postJson(newer)).status).toBe(201);
  });

  it('can only be created without an operator, and stops working when one is created otherwise', async () => {
    const link = createSetupLink(server.app);
    await createDeveloper(systemContext(server.app), {
      email: 'operator@example.com',
      password: 'made at the console',
      isVerified: true,
      isOperator: true,
    });
    expect((await postJson(link)).status).toBe(404);
    expect(() => createSetupLink(server.app)).toThrow('This server is already set up');
  });

  it.each([
    ['absent fields', {}, ['email: missing', 'password: missing', 'display_name: missing']],
    ['no address', { ...body, email: 'first' }, ['email: string_pattern_mismatch']],
    ['a short password', { ...body, password: 'elevenchars' }, ['password: string_too_short']],
    ['a long password', { ...body, password: 'x'.repeat(1025) }, ['password: string_too_long']],
    ['an empty name', { ...body, display_name: ' ' }, ['display_name: string_too_short']],
    ['a long organization', { ...body, organization_name: 'x'.repeat(101) }, ['organization_name: string_too_long']],
  ])('is not consumed by %s', async (_case, sent, expected) => {
    const link = createSetupLink(server.app);
    const answer = await postJson(link, sent);
    expect(answer.status).toBe(400);
    const { error, details } = (await answer.json()) as {
      error: string;
      details: { errors: { type: string; loc: string[] }[] };
    };
    expect(error).toBe('validation_error');
    expect(details.errors.map(({ type, loc }) => `${loc.slice(1).join('.')}: ${type}`)).toEqual(expected);
    expect((await postJson(link)).status).toBe(201);
  });

  it.each([
    ['no name', (({ organization_name: _, ...rest }) => rest)(body)],
    ['an empty name', { ...body, organization_name: '' }],
  ])('names an organization that was given %s after its admin', async (_case, sent) => {
    expect((await postJson(createSetupLink(server.app), sent)).status).toBe(201);
    expect(server.app.db.select().from(organizations).all()).toMatchObject([{ name: "First Person's team" }]);
  });

  it('cuts the name of an organization that is named after its admin', async () => {
    const sent = { ...body, display_name: 'x'.repeat(100), organization_name: '' };
    expect((await postJson(createSetupLink(server.app), sent)).status).toBe(201);
    const [organization] = server.app.db.select().from(organizations).all();
    expect(organization?.name).toBe(`${'x'.repeat(93)}'s team`);
  });

  it('cannot be guessed', async () => {
    createSetupLink(server.app);
    for (const path of ['/setup/guess', `/setup/${'A'.repeat(43)}`]) {
      const answer = await postJson(`${server.url}${path}`);
      expect(answer.status).toBe(404);
      expect(await answer.json()).toEqual(notFoundEnvelope);
    }
  });
});

describe('before the setup', () => {
  const send = (path: string, sent: unknown) =>
    fetch(new URL(path, server.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(sent),
    });
  const stranger = { email: 'stranger@example.com', password: 'twelve letters', display_name: 'Stranger' };
  const service = async () => (await (await fetch(new URL('/api/v1/service', server.url))).json()) as Json;

  it('nobody can sign up, and the setup link keeps working', async () => {
    const link = createSetupLink(server.app);
    const refused = await send('/api/v1/developers', stranger);
    expect([refused.status, await refused.json()]).toEqual([
      400,
      {
        error: 'operation_not_allowed',
        message:
          "This server isn't set up yet. The output of the server contains the setup link. Run `taxiway setup-link` for a new one",
        details: {},
      },
    ]);
    expect(listDevelopers(server.app)).toEqual([]);
    expect((await postJson(link)).status).toBe(201);
    expect((await send('/api/v1/developers', stranger)).status).toBe(202);
  });

  it('the home page and the service report that the setup is pending', async () => {
    expect(await service()).toMatchObject({ setup_pending: true });
    const waiting = await (await fetch(server.url)).text();
    expect(waiting).toContain("This server isn't set up yet");
    expect(waiting).toContain('taxiway setup-link');
    await postJson(createSetupLink(server.app));
    expect(await service()).toMatchObject({ setup_pending: false });
    expect(await (await fetch(server.url)).text()).not.toContain('set up');
  });

  it('an expired link is replaced without a restart, a valid one is not', () => {
    expect(renewSetupLink(server.app)).toMatch(/\/setup\/[A-Za-z0-9_-]{43}$/);
    clock.advance(30 * MINUTE - 1000);
    expect(renewSetupLink(server.app)).toBeUndefined();
    clock.advance(1000);
    const link = renewSetupLink(server.app) ?? '';
    expect(isSetupOpen(server.app, link.split('/').at(-1) ?? '')).toBe(true);
  });

  it('accounts without an operator, such as those of earlier versions, do not complete the setup', async () => {
    const created = {
      email: 'member@example.com',
      password: 'made at the console',
      isVerified: true,
      isOperator: false,
    };
    await createDeveloper(systemContext(server.app), created);
    expect(isSetupPending(server.app)).toBe(true);
    expect((await postJson(renewSetupLink(server.app) ?? '')).status).toBe(201);
    expect(listDevelopers(server.app)).toMatchObject([
      { email: 'member@example.com', is_operator: false },
      { email: 'first@example.com', is_operator: true },
    ]);
    expect(renewSetupLink(server.app)).toBeUndefined();
  });

  it('the setup link takes over an address that a stranger has signed up', async () => {
    const context = systemContext(server.app);
    const taken = {
      email: 'first@example.com',
      password: 'chosen by a stranger',
      isVerified: false,
      isOperator: false,
    };
    const { developerId } = await createDeveloper(context, taken);
    const mark = newestAudit();
    const created = await postJson(createSetupLink(server.app));
    expect(created.status).toBe(201);
    expect(await created.json()).toMatchObject({ developer_id: developerId });
    expect(listDevelopers(server.app)).toMatchObject([
      { identifier: developerId, display_name: 'First Person', email_verified: true, is_operator: true },
    ]);
    expect(auditAfter(mark)).toEqual(['email_verified', 'edited', 'created', 'created']);
    expect((await send('/api/v1/login', taken)).status).toBe(401);
    expect((await send('/api/v1/login', body)).status).toBe(200);
  });

  it('an account with a verified address becomes the operator by its current password', async () => {
    const known = { email: 'first@example.com', password: 'of the account', isVerified: true, isOperator: false };
    const { developerId } = await createDeveloper(systemContext(server.app), known);
    const link = createSetupLink(server.app);
    const wrong = await postJson(link);
    expect([wrong.status, await wrong.json()]).toMatchObject([
      400,
      { error: 'validation_error', details: { errors: [{ type: 'value_error', loc: ['body', 'password'] }] } },
    ]);
    expect(isSetupPending(server.app)).toBe(true);
    const form = await (await postForm(link)).text();
    expect(form).toContain('This address already has an account. Enter its current password, or use another address');
    const stored = server.app.db.select().from(developers).get()?.passwordHash ?? '';
    const change = (values: Partial<typeof developers.$inferSelect>) =>
      server.app.db.update(developers).set(values).run();
    const changed = await interruptHash(
      server,
      'verify',
      () => change({ passwordHash: 'changed' }),
      () => postForm(link, { ...body, password: 'of the account' }),
    );
    expect(changed.status).toBe(400);
    expect(await changed.text()).toContain('The password of this account was just changed. Enter it again');
    change({ passwordHash: stored });
    const late = await interruptHash(
      server,
      'verify',
      () => change({ isOperator: true }),
      () => postJson(link, { ...body, password: 'of the account' }),
    );
    expect(late.status).toBe(404);
    expect(server.app.db.select().from(organizations).all()).toEqual([]);
    change({ isOperator: false });
    expect((await postJson(link, { ...body, password: 'of the account' })).status).toBe(201);
    expect(listDevelopers(server.app)).toMatchObject([{ identifier: developerId, is_operator: true }]);
    expect((await send('/api/v1/login', known)).status).toBe(200);
  });

  it('an account that waits for its deletion does not become the operator', async () => {
    const context = systemContext(server.app);
    const known = { email: 'first@example.com', password: 'twelve letters', isVerified: true, isOperator: false };
    const { developerId } = await createDeveloper(context, known);
    context.transact((tx) => updateDeveloper(tx, developerId, { lockedAt: tx.now, deletionDueAt: tx.now + MINUTE }), {
      bookkeeping: true,
    });
    const link = createSetupLink(server.app);
    const refused = await postJson(link);
    expect([refused.status, ((await refused.json()) as Json).error]).toEqual([400, 'operation_not_allowed']);
    expect((await postJson(link, { ...body, email: 'other@example.com' })).status).toBe(201);
  });
});

describe('the setup page', () => {
  it('is an uncached form that needs no script, with a strict policy', async () => {
    const link = createSetupLink(server.app);
    const page = await fetch(local(link));
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    const text = await page.text();
    expect(text).toContain(`<form method="post" action="${new URL(link).pathname}">`);
    expect(text).not.toMatch(/<script|\sstyle=|\son\w+=/);
    for (const name of ['email', 'password', 'display_name', 'organization_name']) {
      expect(text).toContain(`<input name="${name}"`);
    }
  });

  it('loads its stylesheet, which is cached permanently', async () => {
    const text = await (await fetch(local(createSetupLink(server.app)))).text();
    const path = /<link rel="stylesheet" href="([^"]+)">/.exec(text)?.[1] ?? '';
    const style = await fetch(new URL(path, server.url));
    expect(style.status).toBe(200);
    expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8');
    expect(style.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await fetch(new URL('/setup/assets/other.css', server.url))).status).toBe(404);
  });

  it('responds to a submitted form with the next steps', async () => {
    const answer = await postForm(createSetupLink(server.app));
    expect(answer.status).toBe(201);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const text = await answer.text();
    expect(text).toContain('Taxiway is ready');
    expect(text).toMatch(/taxiway login --url http:\/\/localhost:\d+ --email first@example\.com/);
    expect(text).not.toContain(body.password);
    expect(isSetupPending(server.app)).toBe(false);
  });

  it('shows the entered values and the errors, but never the password', async () => {
    const link = createSetupLink(server.app);
    const typed = '"><img src=x>';
    const answer = await postForm(link, { ...body, display_name: typed, email: 'first', password: 'elevenchars' });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    const text = await answer.text();
    expect(text).toContain('Must be a valid email address');
    expect(text).toContain('value="&quot;&gt;&lt;img src=x&gt;"');
    expect(text).not.toContain('<img src=x>');
    expect(text).not.toContain('elevenchars');
    const short = await (await postForm(link, { ...body, password: 'elevenchars' })).text();
    expect(short).toContain('Must have at least 12 characters');
    expect((await postForm(link)).status).toBe(201);
  });

  it('is the same for every invalid link', async () => {
    const expired = createSetupLink(server.app);
    clock.advance(31 * MINUTE);
    const used = createSetupLink(server.app);
    expect((await postForm(used)).status).toBe(201);
    const pages = await Promise.all(
      [expired, used, `${server.url}/setup/guess`].flatMap((link) => [
        fetch(local(link)),
        postForm(link),
        postForm(link, {}),
      ]),
    );
    const texts = new Set<string>();
    for (const page of pages) {
      expect(page.status).toBe(404);
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      texts.add(await page.text());
    }
    expect(texts.size).toBe(1);
    expect([...texts][0]).toContain('This setup link doesn’t work');
  });
});
