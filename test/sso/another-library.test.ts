// Another SAML library as the identity provider: it parses our metadata and requests, and we parse its responses.
import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { METADATA_LIMITS, parseXml } from '../../src/saml/xml.ts';
import { makeCertifiedKey } from '../../src/sso/certified-key.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api } from '../support/harness.ts';
import { begin, connect, cookiesOf, deliver, ssoPath } from './scenario.ts';

// Its own types bring those of a browser into the whole project, so the part that is used here is typed here.
interface Samlify {
  setSchemaValidator(validator: { validate(xml: string): Promise<string> }): void;
  ServiceProvider(settings: { metadata: string }): object;
  IdentityProvider(settings: object): {
    parseLoginRequest(service: object, binding: 'redirect', request: object): Promise<{ extract: object }>;
    createLoginResponse(service: object, request: object, binding: 'post', user: object): Promise<{ context: string }>;
  };
}
const samlify: Samlify = createRequire(import.meta.url)('samlify');

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
  samlify.setSchemaValidator({ validate: async (xml) => parseXml(xml, METADATA_LIMITS).name });
});
afterAll(() => fixture?.stop());

it('samlify verifies our request and signs someone in', async () => {
  const { certificate, privateKey } = await makeCertifiedKey(new Date());
  const entityId = 'https://samlify.example.test/metadata';
  const binding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
  const provider = samlify.IdentityProvider({
    entityID: entityId,
    privateKey,
    signingCert: certificate,
    wantAuthnRequestsSigned: true,
    nameIDFormat: ['urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'],
    singleSignOnService: [{ Binding: binding, Location: 'https://idp.example.test/sso' }],
    singleLogoutService: [{ Binding: binding, Location: 'https://idp.example.test/slo' }],
  });
  await connect(fixture, { entityId, certificate, privateKey });
  const { text: metadata } = await api(fixture).get(`${ssoPath(fixture.organization_id)}/metadata`);
  const service = samlify.ServiceProvider({ metadata });

  const started = await begin(fixture);
  const query = Object.fromEntries(new URL(started.location).searchParams);
  const [octetString] = started.location.slice(started.location.indexOf('?') + 1).split('&Signature=');
  const request = await provider.parseLoginRequest(service, 'redirect', { query, octetString });
  expect(request.extract).toMatchObject({ request: { id: started.requestId }, issuer: started.target.audience });

  const answer = await provider.createLoginResponse(service, request, 'post', { email: 'sam@example.test' });
  const xml = Buffer.from(answer.context, 'base64').toString();
  const response = await deliver(fixture, xml, { cookie: started.cookie });
  expect([response.status, response.headers.get('location')]).toEqual([302, '/']);
  const me = await fetch(`${fixture.url}/api/v1/developers/me`, { headers: { cookie: cookiesOf(response.headers) } });
  expect(await me.json()).toMatchObject({ email: 'sam@example.test' });
});
