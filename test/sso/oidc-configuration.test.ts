// Configuring an OpenID Connect provider: the fields, discovery, the test, and what is rejected.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ssoConnections } from '../../src/data/tables/tables.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { type Answer, api, auditMark, auditRows, type Client, expectRefusal } from '../support/harness.ts';
import { addPerson } from '../support/people.ts';
import { type Issuer, sendJson, startIssuer } from './issuer.ts';
import { CLIENT_ID, settings } from './oidc-scenario.ts';
import { makeProvider } from './provider.ts';
import { ssoPath } from './scenario.ts';

const DISCOVERY = '/.well-known/openid-configuration';
let fixture: Fixture;
let issuer: Issuer;
let client: Client;
let path: string;

beforeAll(async () => {
  fixture = await startFixture();
  issuer = await startIssuer();
  client = api(fixture);
  path = ssoPath(fixture.organization_id);
});
afterAll(async () => {
  await fixture?.stop();
  await issuer?.stop();
});
afterEach(async () => {
  issuer.reset();
  await client.delete(path);
});

function messageOf(answer: Answer<unknown>, field: string): string | undefined {
  expect(answer.status).toBe(400);
  const { errors } = expectRefusal(answer, 400, 'validation_error') as { errors: { loc: string[]; msg: string }[] };
  expect(errors.map(({ loc }) => loc.join('.'))).toEqual([`body.oidc.${field}`]);
  return errors[0]?.msg;
}

describe('a connection', () => {
  it('is discovered, disabled at first, recorded, and shown without its secret', async () => {
    const mark = auditMark(fixture);
    const base = `${fixture.config.server.base_url}${path}`;
    const answer = await client.put(path, settings(issuer));
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        organization_id: fixture.organization_id,
        kind: 'oidc',
        entity_id: issuer.name,
        sso_url: `${issuer.base}/authorize?tenant=1`,
        slo_url: `${issuer.base}/logout`,
        certificates: [],
        certificate_details: [],
        oidc: {
          issuer: issuer.name,
          client_id: CLIENT_ID,
          client_authentication: null,
          scopes: ['openid', 'email', 'profile'],
          email_claim: 'email',
          name_claim: 'name',
          accept_unverified_email: false,
        },
        enabled: false,
        required: false,
        service_provider: {
          entity_id: `${base}/metadata`,
          acs_url: `${base}/acs`,
          slo_url: `${base}/slo`,
          login_url: `${base}/login`,
          metadata_url: `${base}/metadata`,
          redirect_uri: `${base}/callback`,
          backchannel_logout_uri: `${base}/backchannel-logout`,
          post_logout_redirect_uri: `${fixture.config.server.base_url}/`,
        },
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ]);
    expect((await client.get(path)).body).toEqual(answer.body);
    expect(auditRows(fixture, { after: mark }).map(({ event, details }) => [event, details])).toEqual([
      [
        'org_sso_config_changed',
        { action: 'created', kind: 'oidc', entity_id: issuer.name, sso_url: `${issuer.base}/authorize?tenant=1` },
      ],
    ]);
    const stored = JSON.stringify(fixture.app.db.select().from(ssoConnections).all());
    expect(stored).not.toContain(issuer.clientSecret);
  });

  it('always asks for openid, and for each scope once', async () => {
    const answer = await client.put(path, settings(issuer, { scopes: ['email', 'groups', 'email'] }));
    expect(answer.body).toMatchObject({ oidc: { scopes: ['openid', 'email', 'groups'] } });
  });

  it('can replace SAML and be replaced by it', async () => {
    const { certificate } = await makeProvider();
    const saml = { entity_id: 'urn:idp', sso_url: 'https://idp.example.test/sso', certificates: [certificate] };
    expect((await client.put(path, saml)).body).toMatchObject({ kind: 'saml', oidc: null });
    expect((await client.put(path, settings(issuer))).body).toMatchObject({ kind: 'oidc', certificates: [] });
    expect((await client.put(path, saml)).body).toMatchObject({ kind: 'saml', oidc: null });
    const [row] = fixture.app.db.select().from(ssoConnections).all();
    expect([row?.clientId, row?.clientSecretEncrypted]).toEqual([null, null]);
    const answer = await client.put(path, { ...saml, ...settings(issuer) });
    expect(answer.body).toMatchObject({ details: { errors: [{ loc: ['body', 'oidc'] }] } });
  });

  it('counts as another provider if other statements are trusted, and the admins get an email', async () => {
    const trustedSince = () => fixture.app.db.select().from(ssoConnections).get()?.trustChangedAt;
    const mails = () => fixture.mail.messages.filter(({ text }) => text.includes('The identity provider was replaced'));
    await client.put(path, settings(issuer));
    const first = trustedSince();
    const same = [{ scopes: ['openid'] }, { name_claim: 'nickname' }, { client_secret: 'new' }];
    const others = [{ email_claim: 'mail' }, { accept_unverified_email: true }, { client_id: 'another' }];
    for (const change of same) {
      fixture.clock.advance(1_000);
      expect((await client.put(path, settings(issuer, change))).status).toBe(200);
      expect(trustedSince()).toBe(first);
    }
    for (const change of others) {
      fixture.clock.advance(1_000);
      expect((await client.put(path, settings(issuer, change))).status).toBe(200);
      expect(trustedSince()).toBe(fixture.clock.now().getTime());
    }
    expect(mails()).toHaveLength(1);
  });

  it('needs an admin', async () => {
    const { client: manager } = await addPerson(fixture, { organizations: { [fixture.organization_id]: 'manager' } });
    expectRefusal(await manager.put(path, settings(issuer)), 403, 'insufficient_role');
    expectRefusal(await manager.post(`${path}/test`), 403, 'insufficient_role');
  });
});

describe('an input', () => {
  const invalid: [name: string, field: string, more: Record<string, unknown>][] = [
    ['with http on the internet', 'issuer', { issuer: 'http://login.example.com' }],
    ['with http in a private network', 'issuer', { issuer: 'http://10.0.0.1' }],
    ['with a query', 'issuer', { issuer: 'https://login.example.com/?a=b' }],
    ['with credentials', 'issuer', { issuer: 'https://a:b@login.example.com' }],
    ['with the URL of the discovery document', 'issuer', { issuer: `https://login.example.com${DISCOVERY}` }],
    ['without a secret', 'client_secret', { client_secret: undefined }],
    ['with a line break in the secret', 'client_secret', { client_secret: 'a\nb' }],
    ['with a space in a scope', 'scopes.0', { scopes: ['a b'] }],
    ['with a claim that is none', 'email_claim', { email_claim: 'a b' }],
    ['with an unknown authentication', 'client_authentication', { client_authentication: 'none' }],
  ];
  it.each(invalid)('%s is rejected', async (_name, field, more) => {
    messageOf(await client.put(path, settings(issuer, more)), field);
  });

  const addresses = ['https://169.254.169.254', 'https://[fe80::1]', 'https://100.100.100.200', 'https://0.0.0.0'];
  it.each(addresses)('with the address %s is rejected', async (address) => {
    const text = messageOf(await client.put(path, settings(issuer, { issuer: address })), 'issuer');
    expect(text).toMatch(/^The provider can't be used: requests can't be sent to [a-z -]+ addresses$/);
  });

  it('on this machine is rejected unless the operator allows it', async () => {
    await using strict = await startFixture({ config: { sso: { allow_loopback: false } } });
    const strictPath = ssoPath(strict.organization_id);
    const answer = await api(strict).put(strictPath, settings(issuer));
    expect(messageOf(answer, 'issuer')).toBe('Input should be an https URL without query');
    const secure = settings(issuer, { issuer: issuer.name.replace('http:', 'https:') });
    expect(messageOf(await api(strict).put(strictPath, secure), 'issuer')).toBe(
      "The provider can't be used: requests can't be sent to loopback addresses, unless sso.allow_loopback is true in the server's configuration",
    );
    expect(issuer.requests).toEqual([]);
  });
});

describe('a discovery document', () => {
  const wrong: [name: string, message: string | RegExp, prepare: () => void][] = [
    [
      'with another issuer',
      'its issuer is "https://evil.example", enter exactly this',
      () => change({ issuer: 'https://evil.example' }),
    ],
    [
      'with a slash at the end of the issuer',
      /^its issuer is "http:[^"]+\/", enter exactly this$/,
      () => change({ issuer: `${issuer.name}/` }),
    ],
    ['with an issuer of markup', 'its issuer is another one', () => change({ issuer: 'https://evil.example/<b> x' })],
    ['without an issuer', /isn't valid JSON/, () => change({ issuer: undefined })],
    [
      'without a token endpoint',
      'its discovery document has no token_endpoint with https',
      () => change({ token_endpoint: undefined }),
    ],
    [
      'with keys over http',
      'its discovery document has no jwks_uri with https',
      () => change({ jwks_uri: 'http://keys.example' }),
    ],
    [
      'with an endpoint that is script',
      'its discovery document has no authorization_endpoint with https',
      () => change({ authorization_endpoint: 'javascript:alert(1)' }),
    ],
    [
      'with an endpoint that is a number',
      'its discovery document has no end_session_endpoint with https',
      () => change({ end_session_endpoint: 7 }),
    ],
    [
      'with plain PKCE only',
      'it supports PKCE, but not with S256',
      () => change({ code_challenge_methods_supported: ['plain'] }),
    ],
    ['that is HTML', /isn't valid JSON/, () => issuer.overrides.set(DISCOVERY, (response) => response.end('<html>'))],
    ['that is a list', /isn't valid JSON/, () => issuer.overrides.set(DISCOVERY, sendJson([]))],
    [
      'that is missing',
      'its discovery document responded with 404',
      () => issuer.overrides.set(DISCOVERY, sendJson({}, 404)),
    ],
    [
      'that redirects',
      'its discovery document responded with 302',
      () =>
        issuer.overrides.set(DISCOVERY, (response) =>
          response.writeHead(302, { location: 'https://evil.example' }).end(),
        ),
    ],
    [
      'with status 500',
      'its discovery document responded with 500',
      () => issuer.overrides.set(DISCOVERY, sendJson({}, 500)),
    ],
    // The server is allowed to reach its own network here, so errors of connections have no details.
    [
      'of a megabyte',
      'not reached',
      () => issuer.overrides.set(DISCOVERY, (response) => response.end(' '.repeat(1_000_000))),
    ],
    ['of tiny pieces without end', 'not reached', () => issuer.overrides.set(DISCOVERY, dripEndlessly)],
    ['that breaks off', 'not reached', () => issuer.overrides.set(DISCOVERY, (response) => response.destroy())],
  ];
  const change = (document: Record<string, unknown>) => {
    issuer.document = document;
  };
  it.each(wrong)('%s is rejected', async (_name, message, prepare) => {
    prepare();
    const text = messageOf(await client.put(path, settings(issuer)), 'issuer')?.replace(
      "The provider can't be used: ",
      '',
    );
    if (typeof message === 'string') expect(text).toBe(message);
    else expect(text).toMatch(message);
    expect((await client.get(path)).status).toBe(404);
  });
});

/** Sends a piece every 10 ms: far below the largest size when the request is ended, on a machine of any speed. */
function dripEndlessly(response: import('node:http').ServerResponse): void {
  const drip = setInterval(() => response.write('x'), 10);
  response.on('close', () => clearInterval(drip));
}

describe('the test', () => {
  const test = async () => (await client.post(`${path}/test`)).body;
  const passed = (name: string) => ({ name, result: 'passed', message: null });
  const unknown = (name: string) => ({ name, result: 'unknown', message: null });

  it('checks discovery, keys and the client, and records nothing', async () => {
    await client.put(path, settings(issuer));
    const mark = auditMark(fixture);
    expect(await test()).toEqual({ passed: true, checks: [passed('discovery'), passed('keys'), passed('client')] });
    expect(auditRows(fixture, { after: mark })).toEqual([]);
  });

  it('finds a wrong secret', async () => {
    await client.put(path, settings(issuer, { client_secret: 'wrong' }));
    expect(await test()).toEqual({
      passed: false,
      checks: [
        passed('discovery'),
        passed('keys'),
        { name: 'client', result: 'failed', message: 'The provider rejected the client ID or the client secret' },
      ],
    });
  });

  it('finds missing keys, and a provider that is gone', async () => {
    await client.put(path, settings(issuer));
    issuer.keys = [];
    expect(await test()).toMatchObject({
      passed: false,
      checks: [
        passed('discovery'),
        { name: 'keys', result: 'failed', message: 'The provider has no keys' },
        passed('client'),
      ],
    });
    issuer.overrides.set(DISCOVERY, sendJson({}, 503));
    expect(await test()).toEqual({
      passed: false,
      checks: [
        {
          name: 'discovery',
          result: 'failed',
          message: "The provider can't be used: its discovery document responded with 503",
        },
        unknown('keys'),
        unknown('client'),
      ],
    });
  });

  it('is for OpenID Connect only', async () => {
    expectRefusal(await client.post(`${path}/test`), 404, 'not_found');
    const { certificate } = await makeProvider();
    await client.put(path, {
      entity_id: 'urn:idp',
      sso_url: 'https://idp.example.test/sso',
      certificates: [certificate],
    });
    expectRefusal(await client.post(`${path}/test`), 400, 'operation_not_allowed');
  });
});
