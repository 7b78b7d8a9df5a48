// The page on which people pay: when it exists, what it says, and what it may load.
import { afterEach, describe, expect, it } from 'vitest';
import { checkoutRoutes } from '../../src/checkout/routes.ts';
import type { PartialConfig } from '../../src/config.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';

let fixture: Fixture | undefined;
afterEach(async () => {
  await fixture?.stop();
  fixture = undefined;
});

const TRANSACTION = 'txn_01h2b0qpjc0xt8k5aw6nsdec4p';
const paddle = { api_key: 'pdl_key', webhook_secret: 'pdl_secret', client_token: 'test_0123456789abcdef' };

async function open(billing: PartialConfig['billing'], query = `?_ptxn=${TRANSACTION}`, language = 'en') {
  await fixture?.stop();
  fixture = await startFixture({ config: { billing } });
  const response = await fetch(`${fixture.url}/billing/checkout${query}`, { headers: { 'accept-language': language } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('the payment page', () => {
  it('declares the errors that it answers', async () => {
    const answered = [
      await open({ enabled: true, provider: 'paddle', paddle }, ''),
      await open({ enabled: false }),
      await open({ enabled: true, provider: 'paddle', paddle: { ...paddle, client_token: '' } }),
    ];
    const declared = checkoutRoutes.find(({ id }) => id === 'showCheckout')?.errors;
    expect(declared).toEqual(answered.map(({ status }) => status));
  });

  it.each([
    [{ enabled: false }],
    [{ enabled: false, provider: 'paddle' as const, paddle }],
    [{ enabled: true, provider: 'none' as const }],
  ])('does not exist with %o', async (billing) => {
    expect((await open(billing)).status).toBe(404);
  });

  it('says that payments are not set up without a token of the provider', async () => {
    const { status, text } = await open({ enabled: true, provider: 'paddle', paddle: { ...paddle, client_token: '' } });
    expect(status).toBe(503);
    expect(text).toContain('Payments aren\u2019t set up');
  });

  it.each([
    '',
    '?_ptxn=',
    '?_ptxn=txn_%22%3E%3Cscript%3E',
    '?_ptxn=sub_01h2b0qpjc0xt8k5aw6nsdec4p',
    `?_ptxn=txn_${'a'.repeat(41)}`,
  ])('opens nothing for the query "%s"', async (query) => {
    const { status, text } = await open({ enabled: true, provider: 'paddle', paddle }, query);
    expect(status).toBe(400);
    expect(text).toContain('This payment link is incomplete');
    expect(text).not.toContain('<script');
  });

  it.each([
    ['production', 'https://buy.paddle.com'],
    ['sandbox', 'https://sandbox-buy.paddle.com'],
  ] as const)('opens the payment of %s, and loads nothing but what that needs', async (environment, frame) => {
    const { status, text, headers } = await open({
      enabled: true,
      provider: 'paddle',
      paddle: { ...paddle, environment },
    });
    expect(status).toBe(200);
    expect(text).toContain(`data-transaction="${TRANSACTION}"`);
    expect(text).toContain('data-token="test_0123456789abcdef"');
    expect(text).toContain(`data-environment="${environment}"`);
    expect(text).not.toContain('pdl_');
    expect(headers.get('content-security-policy')?.split('; ').toSorted()).toEqual(
      [
        "default-src 'none'",
        "script-src 'self' https://cdn.paddle.com",
        "style-src 'self' 'unsafe-inline' https://cdn.paddle.com",
        "img-src 'self' data: https://cdn.paddle.com",
        "font-src 'self'",
        `connect-src ${frame}`,
        `frame-src ${frame}`,
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ].toSorted(),
    );
    expect(headers.get('cache-control')).toBe('no-store');
    const [, script = ''] = /src="([^"]*\/billing\/checkout\/assets\/[^"]+)"/.exec(text) ?? [];
    const asset = await fetch(new URL(script, fixture?.url));
    expect([asset.status, asset.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8']);
    expect((await fetch(`${fixture?.url}/billing/checkout/assets/other.js`)).status).toBe(404);
  });

  it('speaks German', async () => {
    const { text } = await open({ enabled: true, provider: 'paddle', paddle }, undefined, 'de-AT,de;q=0.9');
    expect(text).toContain('<html lang="de"');
    expect(text).toContain('<h1>Zahlung</h1>');
    const invalid = await open({ enabled: true, provider: 'paddle', paddle }, '', 'de-AT,de;q=0.9');
    expect(invalid.text).toContain('<html lang="de"');
    expect(invalid.text).toContain('<h1>Dieser Zahlungslink ist unvollst\u00e4ndig</h1>');
    const notSetUp = await open(
      { enabled: true, provider: 'paddle', paddle: { ...paddle, client_token: '' } },
      '',
      'de',
    );
    expect(notSetUp.text).toContain('<html lang="de"');
  });
});
