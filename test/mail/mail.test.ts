// Emails: their content, sending to a real SMTP server, and failures.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { asc, eq } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { projectDir } from '../../scripts/lib/project.ts';
import { configFrom, type PartialConfig } from '../../src/config.ts';
import type { MailContent } from '../../src/core/context.ts';
import { MAIL_ATTEMPTS } from '../../src/core/mail-outbox.ts';
import { systemContext } from '../../src/core/transact.ts';
import { jobs, mailCooldowns, outboxMails } from '../../src/data/tables/tables.ts';
import { DAY, HOUR } from '../../src/lib/clock.ts';
import { composeMail } from '../../src/mail/letter.ts';
import { quoteName } from '../../src/mail/names.ts';
import { retryFailedMails } from '../../src/mail/outbox.ts';
import { greetMailServer } from '../../src/mail/smtp.ts';
import { buildRetentionMail, releaseMail } from '../../src/mail/templates/builds.ts';
import { auditRetentionMail } from '../../src/mail/templates/organizations.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { openWorkshop } from '../commands/test-host.ts';
import {
  localhostCertificate,
  type MailServer,
  startEndlessServer,
  startMailServer,
  startSilentServer,
} from '../support/mail-server.ts';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function server(...options: Parameters<typeof startMailServer>): Promise<MailServer> {
  const started = await startMailServer(...options);
  stops.push(() => started.stop());
  return started;
}

async function fixtureSendingTo(port: number, smtp: NonNullable<PartialConfig['mail']>['smtp'] = {}): Promise<Fixture> {
  const mail = {
    transport: 'smtp',
    from: 'Taxiway <builds@taxiway.example>',
    smtp: { host: 'localhost', port, security: 'none', ...smtp },
  } as const;
  const fixture = await startFixture({ config: { mail } });
  stops.push(() => fixture.stop());
  return fixture;
}

function send(
  { app }: Fixture,
  { to = 'dana@example.com', ...more }: Partial<{ to: string } & MailContent> = {},
): void {
  systemContext(app).transact(
    (tx) =>
      tx.mail({
        kind: 'test',
        to,
        content: () => ({ subject: 'Hello', text: 'Hi\n', html: '<p>Hi</p>', ...more }),
      }),
    { bookkeeping: true },
  );
}

const rows = ({ app }: Fixture) => app.db.select().from(outboxMails).orderBy(asc(outboxMails.id)).all();

describe('an email', () => {
  it('has the same words as text and HTML, with escaped values', () => {
    const { subject, text, html } = composeMail({
      language: 'en',
      subject: 'A & B <i>',
      paragraphs: ['1 < 2 & "3"', '</p><script>alert(1)</script>'],
      button: { label: 'Go <now>', url: 'https://b.example/x?token=a&b="' },
      closing: "It's over",
    });
    expect(subject).toBe('A & B <i>');
    expect(text).toBe(
      '1 < 2 & "3"\n\n</p><script>alert(1)</script>\n\nGo <now>:\nhttps://b.example/x?token=a&b="\n\nIt\'s over\n',
    );
    expect(html).toContain('<p>1 &lt; 2 &amp; &quot;3&quot;</p>');
    expect(html).toContain('<title>A &amp; B &lt;i&gt;</title>');
    expect(html).toContain('href="https://b.example/x?token=a&amp;b=&quot;"');
    expect(html).not.toContain('<script');
  });

  it('has the same links as text and as HTML, one button, and the name of the sender', () => {
    const { text, html } = releaseMail({
      projectName: 'Harbor',
      organizationName: 'Löwe & <b>Co</b> http://evil.example',
      channelName: 'beta',
      versionName: '2.4.0',
      buildNumber: '318',
      isMandatory: false,
      notes: '**New** <img src="//evil.example/x.png"> [x](javascript:alert(1)) [map](https://c.example/?a&b)\n- tides',
      installUrl: 'https://b.example/testers/releases/a-b',
      muteUrl: 'https://b.example/testers/mute/c-d',
    })('en');
    const links = ['https://b.example/testers/releases/a-b', 'https://b.example/testers/mute/c-d'];
    expect([...new Set([...html.matchAll(/href="([^"]*)"/g)].map(([, link]) => link))]).toEqual([
      'https://c.example/?a&amp;b',
      ...links,
    ]);
    expect(text.match(/https:\/\/b\.example\S+/g)).toEqual(links);
    expect(text.endsWith('\n\nUnsubscribe from emails about this channel: https://b.example/testers/mute/c-d\n')).toBe(
      true,
    );
    expect(html.match(/class="button"/g)).toHaveLength(1);
    expect(html).toContain('>Löwe &amp; &lt;b&gt;Co&lt;/b&gt; http: //evil. example</td>');
    expect(html).toContain('aria-hidden="true"');
    expect(html).toContain(
      '<strong>New</strong> &lt;img src=&quot;//evil.example/x.png&quot;&gt; [x](javascript:alert(1)) <a class="link" href="https://c.example/?a&amp;b" rel="noopener nofollow" style="color:#0f50cc">map</a></p><ul dir="auto"><li>tides</li></ul>',
    );
    expect(text).toContain(
      '> New <img src="//evil.example/x.png"> [x](javascript:alert(1)) map (https://c.example/?a&b)\n>\n> • tides\n\n',
    );
  });

  it('loads nothing, has the colors of the web app, and is dark where the reader is', () => {
    const { html } = composeMail({
      language: 'en',
      subject: 's',
      paragraphs: ['p'],
      notes: 'q',
      button: { label: 'l', url: 'https://b.example/' },
      closing: 'c',
    });
    expect(html).not.toMatch(/\ssrc=|url\(|@import|@font-face|<link/);
    expect(html).toContain('<meta name="color-scheme" content="light dark">');
    expect(html).toContain('@media (prefers-color-scheme:dark)');
    expect(html).toContain('max-width:600px');
    expect(html).toContain('font-family:Inter,system-ui');
    const tokens = readFileSync(join(projectDir, 'src/dashboard/styles/tokens.css'), 'utf8');
    const colors = [...new Set(html.match(/(?<!&)#[0-9a-f]{6}/g))];
    expect(colors.length).toBeGreaterThan(8);
    expect(colors.filter((color) => !tokens.includes(`: ${color};`))).toEqual([]);
  });

  it('counts one day of a plan', () => {
    const organizationName = 'Fixture';
    const builds = { organizationName, days: 1, deletedFrom: 0, total: 1, projects: [], moreProjects: 0 };
    expect(buildRetentionMail('http://localhost', builds)('en').text).toContain('Builds are kept for 1 day.');
    const audit = { organizationName, days: 1, removedFrom: 0 };
    expect(auditRetentionMail('http://localhost', audit)('en').text).toContain('older than 1 day will be deleted');
  });

  it('links to http and https only', () => {
    const { html } = composeMail({
      language: 'en',
      subject: 's',
      paragraphs: [],
      button: { label: 'l', url: 'javascript:alert(1)' },
    });
    expect(html).toContain('href="about:invalid"');
  });

  it.each([
    ['Northwind', '“Northwind”'],
    ['Win at http://evil.example now', '“Win at http: //evil. example now”'],
    ['www.evil.example', '“www. evil. example”'],
    ['me@evil.example', '“me at evil. example”'],
    ['two\r\nlines\u202e', '“two lines”'],
    ['x'.repeat(100), `“${'x'.repeat(80)}…”`],
    [`${'x'.repeat(79)}🚢🚢`, `“${'x'.repeat(79)}🚢…”`],
  ])('quotes the name %j as %s', (name, quoted) => {
    expect(quoteName(name)).toBe(quoted);
  });
});

describe('the outbox', () => {
  it('keeps emails for the operator without a mail server', async () => {
    const fixture = await startFixture();
    stops.push(() => fixture.stop());
    send(fixture);
    await fixture.drain();
    expect(rows(fixture)).toMatchObject([{ state: 'kept', attempts: 0, text: 'Hi\n' }]);
  });

  it('makes a subject one line, and accepts one plain address only', async () => {
    const fixture = await startFixture();
    stops.push(() => fixture.stop());
    send(fixture, { subject: 'Hello\r\nBcc: eve@example.com\u2028and \u202eon' });
    expect(rows(fixture)[0]?.subject).toBe('Hello Bcc: eve@example.com and on');
    send(fixture, { subject: `${'x'.repeat(199)}🚢🚢` });
    expect(rows(fixture)[1]?.subject).toBe(`${'x'.repeat(199)}🚢`);
    for (const to of [
      'a@b.example, c@d.example',
      'a@b.example\r\nBcc: c@d.example',
      'A <a@b.example>',
      'a;b@c.example',
    ]) {
      expect(() => send(fixture, { to }), to).toThrow('must be one address');
    }
  });

  it('deletes emails after a month and expired cooldowns', async () => {
    const fixture = await startFixture();
    stops.push(() => fixture.stop());
    send(fixture);
    fixture.app.db
      .insert(mailCooldowns)
      .values({ kind: 'k', recipient: 'r', sentAt: fixture.clock.now().getTime() })
      .run();
    fixture.clock.advance(29 * DAY);
    await fixture.sweep('sessions');
    expect(rows(fixture)).toHaveLength(1);
    expect(fixture.app.db.select().from(mailCooldowns).all()).toEqual([]);
    fixture.clock.advance(2 * DAY);
    await fixture.sweep('sessions');
    expect(rows(fixture)).toEqual([]);
  });
});

describe('with SMTP an email', () => {
  it('arrives once, with both parts, and is stored without its link', async () => {
    const smtp = await server();
    const fixture = await fixtureSendingTo(smtp.port);
    const body = { email: 'nia@example.com', password: 'a long enough password', display_name: 'Nia' };
    const response = await fetch(`${fixture.url}/api/v1/developers`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(202);
    await fixture.drain();
    const [mail, ...others] = smtp.received;
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ from: 'builds@taxiway.example', to: ['nia@example.com'], user: undefined });
    const source = mail?.source ?? '';
    const [row] = rows(fixture);
    expect(source).toMatch(/^From: Taxiway <builds@taxiway\.example>\r$/m);
    expect(source).toMatch(/^To: nia@example\.com\r$/m);
    expect(source).toMatch(/^Subject: Confirm your email address\r$/m);
    expect(source).toContain(`Message-ID: <${row?.id}@taxiway.example>`);
    expect(source).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(source).toMatch(/^Content-Type: multipart\/alternative;/m);
    expect(source).toMatch(/^Content-Type: text\/plain; charset=utf-8\r$/m);
    expect(source).toMatch(/^Content-Type: text\/html; charset=utf-8\r$/m);
    expect(source.replaceAll('=\r\n', '')).toContain('verify_email?token=3D');
    expect(row).toMatchObject({ state: 'sent', attempts: 1, text: '', html: '', lastError: null });
    await fixture.drain();
    expect(smtp.received).toHaveLength(1);
    expect(fixture.app.db.select().from(jobs).all()).toEqual([]);
  });

  it('is retried with increasing pauses after a temporary error', async () => {
    const smtp = await server();
    const fixture = await fixtureSendingTo(smtp.port);
    smtp.refusal = { at: 'recipient', code: 451 };
    send(fixture);
    await fixture.drain();
    expect(rows(fixture)).toMatchObject([{ state: 'pending', attempts: 1, text: 'Hi\n' }]);
    expect(rows(fixture)[0]?.lastError).toContain('451');
    await fixture.drain();
    expect(rows(fixture)[0]?.attempts).toBe(1);
    fixture.clock.advance(5000);
    await fixture.drain();
    expect(rows(fixture)[0]?.attempts).toBe(2);
    smtp.refusal = undefined;
    fixture.clock.advance(10_000);
    await fixture.drain();
    expect(rows(fixture)).toMatchObject([{ state: 'sent', attempts: 3, lastError: null }]);
    expect(smtp.received).toHaveLength(1);
  });

  it.each(['recipient', 'data'] as const)('fails if the %s is rejected permanently', async (at) => {
    const smtp = await server();
    const fixture = await fixtureSendingTo(smtp.port);
    smtp.refusal = { at, code: 550 };
    send(fixture);
    await fixture.drain();
    expect(rows(fixture)).toMatchObject([{ state: 'failed', attempts: 1 }]);
    expect(rows(fixture)[0]?.lastError).toContain('550');
    fixture.clock.advance(DAY);
    smtp.refusal = undefined;
    await fixture.drain();
    expect(smtp.received).toEqual([]);
  });

  it('waits for the operator if the sender or the account is rejected', async () => {
    const smtp = await server({}, { user: 'taxiway', password: 'right' });
    const fixture = await fixtureSendingTo(smtp.port, { username: 'taxiway', password: 'wrong' });
    send(fixture);
    await fixture.drain();
    expect(rows(fixture)).toMatchObject([{ state: 'pending', attempts: 1 }]);
    expect(rows(fixture)[0]?.lastError).toContain('535');

    const open = await server();
    const other = await fixtureSendingTo(open.port);
    open.refusal = { at: 'sender', code: 553 };
    send(other);
    await other.drain();
    expect(rows(other)).toMatchObject([{ state: 'pending', attempts: 1 }]);

    open.refusal = { at: 'recipient', code: 530 };
    other.clock.advance(5000);
    await other.drain();
    expect(rows(other)).toMatchObject([{ state: 'pending', attempts: 2 }]);
    expect(rows(other)[0]?.lastError).toContain('530');
  });

  it('fails after the last attempt, over hours', async () => {
    const smtp = await server();
    const fixture = await fixtureSendingTo(smtp.port);
    smtp.refusal = { at: 'data', code: 452 };
    send(fixture);
    let tries = 0;
    for (; rows(fixture)[0]?.state === 'pending' && tries < 50; tries++) {
      await fixture.drain();
      fixture.clock.advance(HOUR);
    }
    expect(tries).toBe(MAIL_ATTEMPTS);
    expect(rows(fixture)).toMatchObject([{ state: 'failed', attempts: MAIL_ATTEMPTS }]);
    expect(fixture.app.db.select().from(jobs).all()).toEqual([]);
  });

  it('that failed while the clock was ahead is sent again with the others', async () => {
    const smtp = await server();
    const fixture = await fixtureSendingTo(smtp.port);
    smtp.refusal = { at: 'recipient', code: 550 };
    send(fixture);
    await fixture.drain();
    fixture.clock.jump(30 * DAY);
    send(fixture);
    await fixture.drain();
    fixture.clock.jump(-30 * DAY);
    fixture.clock.advance(1);
    expect(rows(fixture)).toMatchObject([{ state: 'failed' }, { state: 'failed' }]);
    smtp.refusal = undefined;
    const ctx = systemContext(fixture.app);
    expect(retryFailedMails(ctx)).toBe(2);
    await fixture.drain();
    expect(rows(fixture)).toMatchObject([{ state: 'sent' }, { state: 'sent' }]);
    expect(smtp.received).toHaveLength(2);
  });

  it('fails too if its job ended early because the server was killed during an attempt', async () => {
    const smtp = await server();
    const fixture = await fixtureSendingTo(smtp.port);
    smtp.refusal = { at: 'data', code: 452 };
    send(fixture);
    // A killed server has claimed the job, but has saved no result.
    fixture.app.db.update(jobs).set({ attempts: 1 }).run();
    for (let tries = 0; tries < MAIL_ATTEMPTS; tries++) {
      await fixture.drain();
      fixture.clock.advance(HOUR);
    }
    const state = () => fixture.app.db.select({ state: jobs.state }).from(jobs).all();
    expect(rows(fixture)).toMatchObject([{ state: 'pending', attempts: MAIL_ATTEMPTS - 1 }]);
    expect(state()).toEqual([{ state: 'dead' }]);
    smtp.refusal = undefined;
    send(fixture, { subject: 'Waiting' });
    fixture.app.db
      .update(jobs)
      .set({ runAt: fixture.clock.now().getTime() + 2 * DAY })
      .where(eq(jobs.state, 'waiting'))
      .run();
    fixture.clock.advance(DAY);
    // Not while very many others wait, because their jobs would all be read.
    fixture.app.db.$client.exec(
      `WITH RECURSIVE numbers(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 10000)
        INSERT INTO jobs (id, kind, payload, run_at, attempts, max_attempts, state, created_at)
        SELECT 'copy-' || n, kind, payload, run_at, attempts, max_attempts, state, created_at FROM jobs, numbers
          WHERE state = 'waiting'`,
    );
    await fixture.sweep('sessions');
    expect(rows(fixture)[0]?.state).toBe('pending');
    fixture.app.db.$client.exec("DELETE FROM jobs WHERE id LIKE 'copy-%'");
    await fixture.sweep('sessions');
    expect(rows(fixture)).toMatchObject([
      { state: 'failed', lastError: expect.stringContaining('452') },
      { subject: 'Waiting', state: 'pending' },
    ]);
    fixture.clock.advance(DAY);
    await fixture.drain();
    expect(rows(fixture)[1]?.state).toBe('sent');
    fixture.clock.advance(31 * DAY);
    await fixture.sweep('sessions');
    expect(rows(fixture)).toEqual([]);
    expect(state()).toEqual([]);
  });

  it('waits while others pass: an unresponsive mail server delays only emails', async () => {
    const silent = await startSilentServer();
    stops.push(() => silent.stop());
    const fixture = await fixtureSendingTo(silent.port);
    let others = 0;
    fixture.app.jobs.register('other', () => {
      others += 1;
    });
    send(fixture);
    systemContext(fixture.app).transact((tx) => tx.enqueue({ kind: 'other' }), { bookkeeping: true });
    await expect.poll(() => others).toBe(1);
    await expect.poll(() => silent.connections()).toBe(1);
    // Stopping does not wait for it either, which would end with another error, and the email is still to be sent.
    await fixture.app.jobs.stop();
    expect(rows(fixture)).toMatchObject([{ state: 'pending', lastError: 'Message sending aborted' }]);
  });

  it('is not sent twice if the server confirms slowly', async () => {
    const smtp = await server();
    const fixture = await fixtureSendingTo(smtp.port);
    smtp.delayMs = 300;
    for (let index = 0; index < 3; index++) send(fixture, { subject: `No. ${index}` });
    await Promise.all([fixture.drain(), fixture.drain(), fixture.drain()]);
    await fixture.drain();
    expect(rows(fixture).map((row) => row.state)).toEqual(['sent', 'sent', 'sent']);
    expect(smtp.received).toHaveLength(3);
  });

  it('cannot contain additional headers or read a file', async () => {
    const smtp = await server();
    const fixture = await fixtureSendingTo(smtp.port);
    send(fixture, { subject: 'Hi\r\nX-Evil: 1', text: '/etc/passwd', html: '<img src="file:///etc/passwd">' });
    send(fixture, { to: "o'brien+tag@example.com", subject: 'Grüße 👋' });
    await fixture.drain();
    const [first, second] = smtp.received;
    expect(first?.source).not.toMatch(/^X-Evil/m);
    expect(first?.source).not.toContain('root:');
    expect(second?.to).toEqual(["o'brien+tag@example.com"]);
    expect(second?.source).toContain('Subject: =?UTF-8?');
  });

  it('stays in the outbox if the operator has disabled the mail server', async () => {
    const smtp = await server();
    const fixture = await fixtureSendingTo(smtp.port);
    smtp.refusal = { at: 'data', code: 452 };
    send(fixture);
    await fixture.drain();
    const { config } = fixture.app;
    fixture.app.config = { ...config, mail: { ...config.mail, transport: 'outbox' } };
    fixture.clock.advance(HOUR);
    await fixture.drain();
    expect(rows(fixture)).toMatchObject([{ state: 'kept', text: 'Hi\n' }]);
  });
});

describe('encryption', () => {
  const trusted = localhostCertificate();

  it.each(['starttls', 'tls'] as const)(
    'with %s is used with a trusted certificate, and authenticates',
    async (security) => {
      const before = getCACertificates('default');
      setDefaultCACertificates([...before, trusted.cert]);
      stops.push(() => setDefaultCACertificates(before));
      const account = { user: 'taxiway', password: 'right' };
      const smtp = await server({ ...trusted, secure: security === 'tls' }, account);
      const fixture = await fixtureSendingTo(smtp.port, {
        security,
        username: account.user,
        password: account.password,
      });
      send(fixture);
      await fixture.drain();
      expect(rows(fixture)).toMatchObject([{ state: 'sent', lastError: null }]);
      expect(smtp.received).toMatchObject([{ isEncrypted: true, user: 'taxiway' }]);
    },
  );

  it.each(['starttls', 'tls'] as const)('with %s fails with an untrusted certificate', async (security) => {
    const smtp = await server({ ...localhostCertificate(), secure: security === 'tls' });
    const fixture = await fixtureSendingTo(smtp.port, { security });
    send(fixture);
    await fixture.drain();
    expect(rows(fixture)).toMatchObject([{ state: 'pending', attempts: 1 }]);
    expect(rows(fixture)[0]?.lastError).toMatch(/certificate/i);
    expect(smtp.received).toEqual([]);
  });

  it('is never skipped if it is configured', async () => {
    const smtp = await server({ hideSTARTTLS: true, disabledCommands: ['STARTTLS'] });
    const fixture = await fixtureSendingTo(smtp.port, { security: 'starttls' });
    send(fixture);
    await fixture.drain();
    expect(rows(fixture)).toMatchObject([{ state: 'pending', attempts: 1 }]);
    expect(smtp.received).toEqual([]);
  });
});

describe('taxiway check', () => {
  const configure = (port: number, more: Record<string, string> = {}) => ({
    TAXIWAY_MAIL__TRANSPORT: 'smtp',
    TAXIWAY_MAIL__SMTP__HOST: 'localhost',
    TAXIWAY_MAIL__SMTP__PORT: String(port),
    TAXIWAY_MAIL__SMTP__SECURITY: 'none',
    TAXIWAY_MAIL__FROM: 'Taxiway <builds@taxiway.example>',
    ...more,
  });

  async function check(env: Record<string, string>) {
    using workshop = openWorkshop(env);
    const { stdout } = await workshop.run(['check', '--json']);
    const findings: { name: string; status: string; detail: string }[] = JSON.parse(stdout);
    return findings.filter((finding) => finding.name === 'mail');
  }

  it('shows where emails are stored, or that the mail server accepts the sign-in', async () => {
    expect(await check({})).toMatchObject([
      { name: 'mail', status: 'ok', detail: "emails aren't sent; they stay in the database" },
    ]);
    const { port } = await server({}, { user: 'taxiway', password: 'right' });
    const account = { TAXIWAY_MAIL__SMTP__USERNAME: 'taxiway', TAXIWAY_MAIL__SMTP__PASSWORD: 'right' };
    expect(await check(configure(port, account))).toMatchObject([
      {
        status: 'ok',
        detail: `localhost:${port} accepts connections as taxiway; emails are sent from Taxiway <builds@taxiway.example>`,
      },
      { status: 'warn', detail: expect.stringContaining('unencrypted') },
    ]);
  });

  it('fails if it does not, and never shows the password', async () => {
    const { port } = await server({}, { user: 'taxiway', password: 'right' });
    const account = { TAXIWAY_MAIL__SMTP__USERNAME: 'taxiway', TAXIWAY_MAIL__SMTP__PASSWORD: 'very-wrong' };
    const [finding] = await check(configure(port, account));
    expect(finding).toMatchObject({ status: 'fail', detail: expect.stringContaining('535') });
    expect(JSON.stringify(finding)).not.toContain('very-wrong');
    const closed = await server();
    await closed.stop();
    expect(await check(configure(closed.port))).toMatchObject([
      { status: 'fail', detail: expect.stringContaining(`localhost:${closed.port} (none): `) },
    ]);
  });

  it('does not sign in at a server that offers no sign-in, as for sending', async () => {
    const { port } = await server({ disabledCommands: ['AUTH'] });
    const account = { TAXIWAY_MAIL__SMTP__USERNAME: 'taxiway', TAXIWAY_MAIL__SMTP__PASSWORD: 'unused' };
    expect(await check(configure(port, account))).toMatchObject([{ status: 'ok' }, { status: 'warn' }]);
    const fixture = await fixtureSendingTo(port, { username: 'taxiway', password: 'unused' });
    send(fixture);
    await fixture.drain();
    expect(rows(fixture)).toMatchObject([{ state: 'sent', lastError: null }]);
  });

  it('does not wait for a response that never ends', async () => {
    const endless = await startEndlessServer();
    stops.push(() => endless.stop());
    const smtp = { host: 'localhost', port: endless.port, security: 'none' } as const;
    const { mail } = configFrom({ mail: { transport: 'smtp', from: 'builds@taxiway.example', smtp } });
    await expect(greetMailServer(mail, 500)).rejects.toThrow('No complete response for 0.5 s');
    await expect.poll(() => endless.open()).toBe(0);
  });

  it('shows a warning about a sender that cannot receive replies', async () => {
    const { port } = await server();
    expect(await check(configure(port, { TAXIWAY_MAIL__FROM: 'taxiway@localhost' }))).toMatchObject([
      { status: 'ok' },
      { status: 'warn', detail: expect.stringContaining('set mail.from') },
    ]);
  });
});
