// Error pages for browsers, in their language. Programs get the envelope.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refusalPage } from '../../src/pages/error-page.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';

const asBrowser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const inGerman = { ...asBrowser, 'accept-language': 'de-AT,de;q=0.9,en;q=0.5' };
const noId = '01900000-0000-7000-8000-000000000000';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

const open = (path: string, headers: Record<string, string> = asBrowser, method = 'GET') =>
  fetch(new URL(path, fixture.url), { headers, method, redirect: 'manual' });

describe('an unknown address', () => {
  it.each([
    '/nothing-here',
    '/wp-login.php',
    '/trust',
    '/trust/taxiway.crt',
    `/install/channels/${noId}/x/y`,
    '/install/assets/none.css',
    '/setup',
    '/api/nothing',
    '/assets/none.js',
    '/%e0%a4%a',
    `/public/v1/channels/${noId}/releases/${noId}/download`,
    '/public/v1/install/nothing/download',
  ])('%s is a page with status 404', async (path) => {
    const answer = await open(path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'self'");
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('vary')).toBe('Accept, Accept-Language');
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    const text = await answer.text();
    expect(text).toContain('<html lang="en">');
    expect(text).toMatch(/<div class="sign" [^>]*><svg .*<\/svg><\/div><h1>Page not found<\/h1>/);
    expect(text).toContain(`href="${fixture.config.server.base_url}/"`);
  });

  it('has the language of the browser', async () => {
    const text = await (await open('/nothing-here', inGerman)).text();
    expect(text).toContain('<html lang="de">');
    expect(text).toContain('<h1>Seite nicht gefunden</h1>');
  });

  it.each(['/nothing-here', '/trust', `/install/channels/${noId}/x/y`, '/projects/unknown'])(
    '%s returns the envelope to a program',
    async (path) => {
      for (const accept of ['*/*', 'application/json', '']) {
        const answer = await open(path, { accept });
        expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json']);
        expect(await answer.text()).toBe('{"error":"not_found","message":"Not found","details":{}}');
      }
    },
  );

  it.each([
    '/api/v1/nothing',
    '/api/v1/projects',
    `/public/v1/channels/${noId}`,
    '/public/v1/nothing',
    `/public/v1/channels/${noId}/releases/${noId}/manifest.plist`,
    '/sdk/v1/releases/latest',
    '/sdk/nothing',
  ])('%s always returns the envelope', async (path) => {
    const answer = await open(path);
    expect([answer.status >= 400, answer.headers.get('content-type')]).toEqual([true, 'application/json']);
    expect(Object.keys((await answer.json()) as object)).toEqual(['error', 'message', 'details']);
  });
});

describe('an address of single sign-on', () => {
  const path = (name: string) => `/api/v1/organizations/${fixture.organization_id}/sso/${name}`;

  it.each([
    ['login', 404, '<h1>Seite nicht gefunden</h1>'],
    ['slo', 404, '<h1>Seite nicht gefunden</h1>'],
    ['callback', 404, '<h1>Seite nicht gefunden</h1>'],
    ['logout', 401, '<h1>Anmeldung erforderlich</h1>'],
  ] as const)(
    '%s is a page with status %i for a person, and the envelope for a program',
    async (name, status, title) => {
      const shown = await open(path(name), inGerman);
      expect([shown.status, shown.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
      expect(await shown.text()).toContain(title);
      const program = await open(path(name), { accept: '*/*' });
      expect([program.status, program.headers.get('content-type')]).toEqual([status, 'application/json']);
    },
  );

  it('always returns the envelope if it configures the connection', async () => {
    const answer = await open(path('domains'));
    expect([answer.status, answer.headers.get('content-type')]).toEqual([401, 'application/json']);
  });
});

describe('another error', () => {
  it('is a page too: an unsupported method', async () => {
    const answer = await open('/trust', asBrowser, 'DELETE');
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect(await answer.text()).toContain('<h1>This address can’t be opened</h1>');
  });

  it('is a page too: an expired link to bytes, which returns the XML of the storage to programs', async () => {
    const path = '/storage/v1/builds/none/package.apk?op=get&sig=none';
    const shown = await open(path, inGerman);
    expect([shown.status, shown.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8']);
    const text = await shown.text();
    expect(text).toContain('<h1>Kein Zugriff</h1>');
    expect(text).toContain(`<code>${shown.headers.get('x-request-id')}</code>`);
    // The address may still be a key: what the page loads and leads to must not be told it.
    expect(shown.headers.get('referrer-policy')).toBe('no-referrer');
    expect(shown.headers.get('x-content-type-options')).toBe('nosniff');
    const program = await open(path, { accept: '*/*' });
    expect([program.status, program.headers.get('content-type')]).toEqual([403, 'application/xml']);
  });

  it('is a page too: a server error, with the request id for the log', async () => {
    const { db } = fixture.app;
    db.$client.exec('ALTER TABLE channels RENAME TO elsewhere');
    try {
      const answer = await open(`/install/channels/${fixture.channel_id}`);
      expect(answer.status).toBe(500);
      const text = await answer.text();
      expect(text).toContain('<h1>Server error</h1>');
      expect(text).toContain(`<code>${answer.headers.get('x-request-id')}</code>`);
      expect(text).not.toMatch(/SQLITE|channels/);
      const program = await open(`/install/channels/${fixture.channel_id}`, { accept: '*/*' });
      expect(await program.json()).toMatchObject({ error: 'internal_error' });
    } finally {
      db.$client.exec('ALTER TABLE elsewhere RENAME TO channels');
    }
  });
});

describe('the page of a status', () => {
  const page = (status: number, acceptLanguage: string, retryAfter?: string, method = 'GET') =>
    String(refusalPage(fixture.app, { id: noId, method, acceptLanguage }, status, retryAfter).body);

  it.each([
    ['1', 'in 1 second', 'in 1 Sekunde'],
    ['89', 'in 89 seconds', 'in 89 Sekunden'],
    ['91', 'in 2 minutes', 'in 2 Minuten'],
    ['3600', 'in 60 minutes', 'in 60 Minuten'],
    ['86400', 'in 24 hours', 'in 24 Stunden'],
    ['200000', 'in 3 days', 'in 3 Tagen'],
  ])('shows a wait of %s seconds as "%s" and "%s"', (retryAfter, english, german) => {
    expect(page(429, 'en', retryAfter)).toContain(` Try again ${english}.</p>`);
    expect(page(503, 'de', retryAfter)).toContain(` Versuchen Sie es ${german} erneut.</p>`);
  });

  it('leads to the sign-in page if that is required, to the same page if it may work later, and otherwise to the first page', () => {
    const { base_url: base } = fixture.config.server;
    expect(page(401, 'en')).toContain(`<a class="button second" href="${base}/sign-in">Sign in</a>`);
    expect(page(401, 'de')).toContain(`<a class="button second" href="${base}/sign-in">Anmelden</a>`);
    expect(page(429, 'en', '20')).toContain('<a class="button second" href="">Try again</a>');
    expect(page(503, 'de')).toContain('<a class="button second" href="">Erneut versuchen</a>');
    for (const other of [page(403, 'en'), page(500, 'en'), page(429, 'en', '20', 'POST')]) {
      expect(other).toContain(`<a class="button second" href="${base}/">Home</a>`);
    }
  });
});

describe('rate limited requests', () => {
  it('get a page that shows how long to wait', async () => {
    await using few = await startFixture({
      config: { rate_limits: { enabled: true, public: { requests: 2, per_seconds: 60 } } },
    });
    const download = `${few.url}/public/v1/channels/${noId}/releases/${noId}/download`;
    for (let number = 0; number < 5; number += 1) await fetch(download, { headers: asBrowser });
    // Anyone who registers a phone reads the page of their link, too.
    for (const path of [download, `${few.url}/public/v1/enroll/nothing`]) {
      const last = await fetch(path, { headers: asBrowser });
      expect([last.status, last.headers.get('content-type')]).toEqual([429, 'text/html; charset=utf-8']);
      expect(await last.text()).toMatch(/<h1>Too many requests<\/h1>[\s\S]*Try again in \d+ seconds\./);
    }
  });
});
