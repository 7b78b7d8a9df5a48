// Configuring single sign-on: the connection, its states, the plan, and errors.
import { createHash, X509Certificate } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { organizations, ssoConnections, ssoIdentities, ssoKeys } from '../../src/data/tables/tables.ts';
import { DAY } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { leastCpu } from '../support/cpu.ts';
import { api, auditMark, auditRows, type Client, expectInvalid, expectRefusal, signIn } from '../support/harness.ts';
import { addPerson } from '../support/people.ts';
import { makeProvider, type Provider, signAnswer } from './provider.ts';
import { begin, connect, deliver, ssoPath } from './scenario.ts';

// Certificates that signed themselves, with keys that nobody has anymore.
const SHORT_KEY =
  'MIIB9jCCAV+gAwIBAgIUCSZO2bQ0lShcgkZ8iwB1rJX8bxEwDQYJKoZIhvcNAQELBQAwDDEKMAgGA1UEAwwBeDAgFw0yNjExMjAyMzM1MDNaGA8yMTI2MTAyNzIzMzUwM1owDDEKMAgGA1UEAwwBeDCBnzANBgkqhkiG9w0BAQEFAAOBjQAwgYkCgYEAyMdQNhClXtnJjGvDFb5AF6Ww/VY7Q+jC4tcw9fdFug6OU2v4OEZsXjfiXg30zS76VxsiqbXIjSEFhdFixBQl71q0Y/LHUPdoYtqJf5MyjAC194h6vJr93VEBouLREo2JXxC5geyqCqpHhYUJBawtkOz/GDjKvEAlrVr02baIp0UCAwEAAaNTMFEwHQYDVR0OBBYEFPOP2i9Ulzm9nT0DsvMUannrl1fDMB8GA1UdIwQYMBaAFPOP2i9Ulzm9nT0DsvMUannrl1fDMA8GA1UdEwEB/wQFMAMBAf8wDQYJKoZIhvcNAQELBQADgYEAtOeTpGW0JJjISPLnb9pKW7IB7TofUrj6clPlqU3YQVMJQP2LclbP5PNVm2JmvSpET+QMShpFV4qK+YJtzCltXw2YfZ1AbzvN4aq9ru6tQD1y6iPQOUu5jF7lWzsLZLW6q1Iw3yYGgnKQM3uQ52Cw5sxugwIdimvj9UcuZ28VTcI=';
const ELLIPTIC_KEY =
  'MIIBcDCCARWgAwIBAgIUHf9NKiF+Axrzpu9zy6KB+6v5e60wCgYIKoZIzj0EAwIwDDEKMAgGA1UEAwwBeDAgFw0yNjExMjAyMzM1MDNaGA8yMTI2MTAyNzIzMzUwM1owDDEKMAgGA1UEAwwBeDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABLHoYGOEzkhr6HZ1NCx+oMJtOeTQd5yMG9bCGSsu4czaYOiVAVL3tmKaB4f+yKZcgE7qG/qjV6qA+S/l/KMFn0CjUzBRMB0GA1UdDgQWBBRh4jZgvTUcG6+mZWAQ5D1uiI1C0DAfBgNVHSMEGDAWgBRh4jZgvTUcG6+mZWAQ5D1uiI1C0DAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0kAMEYCIQDo9N6vjWFfUNf9b4cdjD6R8bWKnQSHwCg93G1hhCq1PAIhAN3LgPjad3WRfChCf4eLkZtV5sF5qiNC4SGGFA/dHZub';
const NAMELESS =
  'MIIC4zCCAcugAwIBAgIUd9P4K4lxgKld6qZOY8bH7CiMgggwDQYJKoZIhvcNAQELBQAwADAgFw0yNjExMjEwNTEzMjBaGA8yMTI2MTAyODA1MTMyMFowADCCASIwDQYJKoZIhvcNAQEBBQADggEPADCCAQoCggEBAJ1kZL0bcyTefHBplADgi5DtTkNJvO8XVrgKczoWdyL99lVBbVJ24MMTXsL9IfkyLHJyj5gqO2ahW9zQ0Lv+D0FYZTxBMozjBOFvv5YEoVfBUhZe4b7o6qHuU0qQB5k/10sAthpLWRpoqp/5wHdPEEQYcVfqWb0bTi7aB0BXGI2COoCAE3f2720f1Arlfh+0CFgwtXHddywRRdgsnI24tqIMeaYzl63dcMAv84Ev38LWEb5VIy7hAdBK1BfyRe9XyoxmyPFzN/SguUy4Gvqscriha4sV2f3qw/mli0PIcOf0HKdYjauQS9I8x2VCVsL8u3EoayiHVg2Dls81V7CNlfECAwEAAaNTMFEwHQYDVR0OBBYEFFSVIXxUX3ChddOFYjbFIhZw+/1dMB8GA1UdIwQYMBaAFFSVIXxUX3ChddOFYjbFIhZw+/1dMA8GA1UdEwEB/wQFMAMBAf8wDQYJKoZIhvcNAQELBQADggEBAALOm6xVNU+IMF73a4aKzWdwkJw2ktvibv2BWlU/SWED7PQ18onhLSCPOeWn6BJ/0h5VkdEwiGRidTvJeL7XceubBqwoIhq/8deM+eyHVR51IQLCE3CaSZEtnAMNMI4xVbyGqvaamVvjjoE+gYdMfmdL+S6uwtDXqV1Z1qV4y5zBhV1BQnKbYFClbPAK9KuZGiJJ/tNIoYyMuycB1tPwifi3EJRO7hLrbmR9W0kVd+IpQvnm1TOZY8Fa3Jnej+PzVDAvxSj8FhId1rmIXEcwV4juasttxk+fTVQgLQtPirrYQSHL5QEiDZWEzhy1e7pNai1U3mc6Ev7wUD1Z2Sf3vYI=';

let fixture: Fixture;
let provider: Provider;
let client: Client;
let path: string;

beforeAll(async () => {
  fixture = await startFixture();
  provider = await makeProvider();
  client = api(fixture);
  path = ssoPath(fixture.organization_id);
});
afterAll(() => fixture?.stop());
beforeEach(() => {
  fixture.app.db.delete(ssoConnections).run();
});

const fields = (more: Record<string, unknown> = {}) => ({
  entity_id: 'https://idp.example.test/metadata',
  sso_url: 'https://idp.example.test/sso',
  slo_url: 'https://idp.example.test/slo',
  certificates: [provider.certificate],
  ...more,
});

function metadata({
  certificate = provider.certificate,
  sso = 'https://idp.example.test/sso',
  binding = 'HTTP-Redirect',
  extra = '',
} = {}) {
  return `<?xml version="1.0"?>
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="https://idp.example.test/metadata">
  <md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data>
      <ds:X509Certificate>
${certificate.replace(/-----[^-]+-----\n?/g, '')}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
    <md:SingleLogoutService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="https://idp.example.test/slo"/>
    <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://idp.example.test/post"/>
    <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:${binding}" Location="${sso}"/>
  </md:IDPSSODescriptor>${extra}
</md:EntityDescriptor>`;
}

describe('an organization without single sign-on', () => {
  it('returns a 404 with only the code to its admin', async () => {
    const answer = await client.get(path);
    expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([
      404,
      '{"error":"not_found"}',
      'application/json',
    ]);
  });

  it('returns the usual 404 to everyone else, as for an unknown organization', async () => {
    const stranger = await addPerson(fixture);
    const outside = await stranger.client.get(path);
    const absent = await client.get(ssoPath(fixture.app.ids.next()));
    expect(expectRefusal(outside, 404, 'not_found')).toEqual({});
    expect(outside.body).toEqual(absent.body);
  });

  it.each([
    ['POST', '/enable'],
    ['POST', '/disable'],
    ['DELETE', ''],
  ])('returns the usual 404 for %s %s', async (method, suffix) => {
    expectRefusal(await client.send(method, `${path}${suffix}`), 404, 'not_found');
  });

  it('already has metadata, so that the identity provider can be configured first', async () => {
    const first = await client.get(`${path}/metadata`);
    const second = await client.get(`${path}/metadata`);
    expect([first.status, first.headers.get('content-type')]).toEqual([200, 'application/samlmetadata+xml']);
    expect(second.text).toBe(first.text);
    const base = `${fixture.config.server.base_url}${path}`;
    expect(first.text).toContain(`entityID="${base}/metadata"`);
    expect(first.text).toContain(`Location="${base}/acs"`);
    expect(first.text).toContain(`Location="${base}/slo"`);
    const key = fixture.app.db.select().from(ssoKeys).get();
    expect(key?.privateKeyEncrypted).toMatch(/^v1\./);
  });
});

describe('the connection to the identity provider', () => {
  it('is created from fields, disabled, and recorded', async () => {
    const mark = auditMark(fixture);
    const answer = await client.put(path, fields());
    const base = `${fixture.config.server.base_url}${path}`;
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        organization_id: fixture.organization_id,
        kind: 'saml',
        ...fields(),
        certificate_details: [
          {
            subject: 'CN=Taxiway',
            expires_at: new X509Certificate(provider.certificate).validToDate.toISOString(),
            sha256: createHash('sha256').update(new X509Certificate(provider.certificate).raw).digest('hex'),
          },
        ],
        oidc: null,
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
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      {
        event: 'org_sso_config_changed',
        type: 'org_sso',
        organizationId: fixture.organization_id,
        details: { action: 'created', entity_id: 'https://idp.example.test/metadata' },
      },
    ]);
  });

  it('is created from metadata with the same result', async () => {
    const answer = await client.put(path, { metadata_xml: metadata() });
    expect(answer.body).toMatchObject(fields());
  });

  it('accepts a certificate as plain base64, and stores repeated ones once', async () => {
    const bare = provider.certificate.replace(/-----[^-]+-----|\n/g, '');
    const answer = await client.put<{ certificates: string[] }>(
      path,
      fields({ certificates: [bare, provider.certificate] }),
    );
    expect(answer.body.certificates).toEqual([provider.certificate]);
  });

  it('returns the details of each certificate, also of one without a name', async () => {
    const answer = await client.put<{ certificate_details: { subject: string }[] }>(
      path,
      fields({ certificates: [provider.certificate, NAMELESS] }),
    );
    expect(answer.body.certificate_details.map(({ subject }) => subject)).toEqual(['CN=Taxiway', '']);
  });

  it('stays enabled and required when it is replaced', async () => {
    await client.put(path, fields());
    await client.post(`${path}/enable`);
    await client.put(`${path}/require`, { required: true });
    const answer = await client.put(path, fields({ sso_url: 'https://other.example/sso', slo_url: null }));
    expect(answer.body).toMatchObject({
      sso_url: 'https://other.example/sso',
      slo_url: null,
      enabled: true,
      required: true,
    });
  });

  it('is enabled and disabled, with one event for each change', async () => {
    await client.put(path, fields());
    const mark = auditMark(fixture);
    for (const switched of ['enable', 'enable'])
      expect((await client.post(`${path}/${switched}`)).body).toMatchObject({ enabled: true });
    expect((await client.put(`${path}/require`, { required: true })).body).toMatchObject({ required: true });
    expect((await client.post(`${path}/disable`)).body).toMatchObject({ enabled: false, required: false });
    expect(auditRows(fixture, { after: mark }).map(({ details }) => details)).toEqual([
      { action: 'enabled' },
      { action: 'required' },
      { action: 'disabled' },
    ]);
  });

  it('is disabled and removed while the organization is locked, and nothing else changes', async () => {
    await client.put(path, fields());
    await client.post(`${path}/enable`);
    await client.put(`${path}/require`, { required: true });
    const setLock = (lockReason: 'suspended' | 'awaiting_payment' | 'grace' | null) =>
      fixture.app.db.update(organizations).set({ lockReason }).run();
    onTestFinished(() => void setLock(null));
    for (const [lockReason, code] of [
      ['suspended', 'billing_suspended'],
      ['awaiting_payment', 'payment_required'],
      ['grace', 'trial_ended'],
    ] as const) {
      setLock(lockReason);
      const disabled = await client.post(`${path}/disable`);
      expect([disabled.status, disabled.body]).toMatchObject([200, { enabled: false, required: false }]);
      for (const refused of [await client.put(path, fields()), await client.post(`${path}/enable`)]) {
        expect(expectRefusal(refused, 402, code)).toEqual({ lock_reason: lockReason });
      }
    }
    expect((await client.delete(path)).status).toBe(204);
    expect((await client.get(path)).status).toBe(404);
  });

  it('cannot be required before it is enabled', async () => {
    await client.put(path, fields());
    expectRefusal(await client.put(`${path}/require`, { required: true }), 400, 'operation_not_allowed');
    expect((await client.put(`${path}/require`, { required: false })).status).toBe(200);
  });

  it('is removed with its identities', async () => {
    await connect(fixture, provider);
    const started = await begin(fixture);
    await deliver(fixture, signAnswer(provider, started.target), { cookie: started.cookie });
    expect(fixture.app.db.select().from(ssoIdentities).all()).toHaveLength(1);
    expect((await client.delete(path)).status).toBe(204);
    expect(fixture.app.db.select().from(ssoIdentities).all()).toEqual([]);
    expect((await client.get(path)).text).toBe('{"error":"not_found"}');
    expect((await deliver(fixture, signAnswer(provider, started.target))).status).toBe(404);
  });
});

describe('an invalid configuration', () => {
  it.each([
    [{}, ['body.entity_id: missing', 'body.sso_url: missing', 'body.certificates: missing']],
    [{ entity_id: 'x', sso_url: 'javascript:alert(1)', certificates: ['x'] }, ['body.sso_url: value_error']],
    [{ entity_id: 'x', sso_url: 'https://u:p@idp.example/', certificates: ['x'] }, ['body.sso_url: value_error']],
    [
      { entity_id: 'x', sso_url: 'https://idp.example/', slo_url: 'ftp://x/', certificates: ['x'] },
      ['body.slo_url: value_error'],
    ],
    [{ entity_id: 'x', sso_url: 'https://idp.example/', certificates: ['x'] }, ['body.certificates.0: value_error']],
    [{ entity_id: 'x', sso_url: 'https://idp.example/', certificates: '' }, ['body.certificates: list_type']],
    [{ entity_id: 'x', sso_url: 'https://idp.example/', certificates: [''] }, ['body.certificates.0: value_error']],
    [{ entity_id: 'x', sso_url: 'https://idp.example/', certificates: [] }, ['body.certificates: too_short']],
    [{ entity_id: '', sso_url: 'https://idp.example/', certificates: ['x'] }, ['body.entity_id: string_too_short']],
    [{ metadata_xml: 'x', entity_id: 'x' }, ['body.metadata_xml: value_error']],
    [{ metadata_xml: 'hello' }, ['body.metadata_xml: value_error']],
    [{ metadata_xml: '<!DOCTYPE x><x/>' }, ['body.metadata_xml: value_error']],
    [
      { metadata_xml: '<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="x"/>' },
      ['body.metadata_xml: value_error'],
    ],
  ])('%j is rejected with its fields', async (body, problems) => {
    expectInvalid(await client.put(path, body), ...problems);
    expect((await client.get(path)).status).toBe(404);
  });

  it.each([
    [
      'no redirect binding',
      { binding: 'SOAP' },
      'Input should name a SingleSignOnService with the binding HTTP-Redirect',
    ],
    ['an address that is none', { sso: 'javascript:alert(1)' }, 'Input should contain a valid sso_url'],
    ['an empty certificate', { certificate: '' }, 'Input should be a certificate in PEM or base64'],
    ['no certificate', { certificate: 'AAAA' }, 'Input should be a certificate in PEM or base64'],
  ])('metadata with %s is rejected with an explanation', async (_name, bent, words) => {
    const answer = await client.put(path, { metadata_xml: metadata(bent) });
    expectInvalid(answer, 'body.metadata_xml: value_error');
    expect(answer.body).toMatchObject({ message: words });
  });

  it('with metadata of two identity providers is rejected', async () => {
    const one = metadata().replace(/<\?xml[^>]*>/, '');
    const both = `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${one}${one}</md:EntitiesDescriptor>`;
    expectInvalid(await client.put(path, { metadata_xml: both }), 'body.metadata_xml: value_error');
    const single = `<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${one}</md:EntitiesDescriptor>`;
    expect((await client.put(path, { metadata_xml: single })).status).toBe(200);
  });

  it.each([
    ['an RSA key of 1024 bits', SHORT_KEY],
    ['an elliptic key', ELLIPTIC_KEY],
  ])('a certificate of %s is rejected', async (_name, certificate) => {
    const answer = await client.put(path, fields({ certificates: [certificate] }));
    expectInvalid(answer, 'body.certificates.0: value_error');
    expect(answer.body).toMatchObject({ message: 'Input should be a certificate of an RSA key of at least 2048 bits' });
  });
});

describe('a damaged row', () => {
  it.each(['', 'x', '{}', '[1]', '[""]'])(
    'with certificates %j is returned, trusts nobody and can be replaced',
    async (stored) => {
      await connect(fixture, provider);
      const started = await begin(fixture);
      fixture.app.db.update(ssoConnections).set({ certificates: stored }).run();
      const shown = await client.get(path);
      expect([shown.status, shown.body.certificates, shown.body.certificate_details]).toEqual([200, [], []]);
      const refused = await deliver(fixture, signAnswer(provider, started.target), { cookie: started.cookie });
      expect(refused.status).toBe(401);
      expect((await fetch(`${fixture.url}${path}/slo?SAMLRequest=x`, { redirect: 'manual' })).status).toBe(401);
      expect((await client.put(path, fields())).body.certificates).toEqual([provider.certificate]);
    },
  );
});

describe('metadata', () => {
  it('can have comments', async () => {
    const answer = await client.put(path, { metadata_xml: metadata({ extra: '<!-- ours -->' }) });
    expect([answer.status, answer.body.certificates]).toEqual([200, [provider.certificate]]);
  });

  it('of another kind is parsed without delaying the server', async () => {
    const certificates = '<ds:X509Certificate>AAAA</ds:X509Certificate>'.repeat(1_900);
    const large = metadata().replace('</ds:X509Data>', `${certificates}</ds:X509Data>`);
    await client.put(path, { metadata_xml: metadata() });
    const cost = await leastCpu(250, async () => {
      expect((await client.put(path, { metadata_xml: large })).status).toBe(200);
    });
    expect(cost).toBeLessThan(250);
  });
});

describe('the key for signing requests', () => {
  it.each([
    ['2029-12-31', 2049],
    ['2030-01-01', 2050],
    ['2050-06-01', 2070],
  ])('is created on %s with a certificate until %i', async (day, year) => {
    await using own = await startFixture();
    own.clock.set(new Date(`${day}T12:00:00.000Z`));
    const { client: admin, access_token } = await signIn(own);
    own.admin.access_token = access_token;
    const { status, text } = await admin.get(`${ssoPath(own.organization_id)}/metadata`);
    expect(status, text).toBe(200);
    const [, base64 = ''] = /<ds:X509Certificate>([^<]+)</.exec(text) ?? [];
    const { validFromDate, validToDate } = new X509Certificate(Buffer.from(base64, 'base64'));
    expect(validFromDate).toEqual(new Date(own.clock.now().getTime() - DAY));
    expect(validToDate).toEqual(new Date(Date.UTC(year, 0, 1)));
    await connect(own, provider);
    expect((await begin(own)).requestId).not.toBe('');
  });
});

describe('the plan team', () => {
  const setTier = (tier: 'team' | 'business') =>
    fixture.app.db.update(organizations).set({ tier }).where(eq(organizations.id, fixture.organization_id)).run();

  it('rejects configuring single sign-on, and always allows removing it', async () => {
    await connect(fixture, provider, { domains: [] });
    await client.put(`${path}/require`, { required: true });
    const claimed = await client.post<{ identifier: string }>(`${path}/domains`, { domain: 'plan.test' });
    setTier('team');
    const refused = [
      await client.put(path, fields()),
      await client.post(`${path}/enable`),
      await client.put(`${path}/require`, { required: true }),
      await client.post(`${path}/domains`, { domain: 'more.test' }),
      await client.post(`${path}/domains/${claimed.body.identifier}/verify`),
    ];
    for (const answer of refused) expect(expectRefusal(answer, 400, 'operation_not_allowed')).toEqual({ tier: 'team' });
    const allowed = [
      await client.get(path),
      await client.get(`${path}/domains`),
      await client.put(`${path}/require`, { required: false }),
      await client.post(`${path}/disable`),
      await client.delete(`${path}/domains/${claimed.body.identifier}`),
      await client.delete(path),
    ];
    expect(allowed.map(({ status }) => status)).toEqual([200, 200, 200, 200, 204, 204]);
    setTier('business');
  });
});
