// The fixture's organization behind a real identity provider: each is set up from the metadata of the other.
import { expect } from 'vitest';
import { systemContext } from '../../src/core/transact.ts';
import { verifyDomainByOperator } from '../../src/sso/domains.ts';
import type { Fixture } from '../../src/testing/fixture.ts';
import { api } from '../support/harness.ts';
import { ssoPath } from './scenario.ts';
import type { SimpleSamlPhp } from './simplesamlphp.ts';

/** Connects both and verifies the domain of the provider's user; answers the address of everything of single sign-on. */
export async function connectRealProvider(fixture: Fixture, provider: SimpleSamlPhp): Promise<string> {
  const client = api(fixture);
  const path = ssoPath(fixture.organization_id);
  const { text } = await client.get(`${path}/metadata`);
  const read = (pattern: RegExp) => pattern.exec(text)?.[1] ?? '';
  provider.trust({
    entityId: read(/entityID="([^"]+)"/),
    acsUrl: read(/AssertionConsumerService [^>]*Location="([^"]+)"/),
    sloUrl: read(/SingleLogoutService [^>]*Location="([^"]+)"/),
    certificate: read(/<ds:X509Certificate>([^<]+)</),
  });
  const configured = await client.put(path, { metadata_xml: await provider.metadata() });
  expect(configured.body).toMatchObject({
    entity_id: `${provider.url}/metadata`,
    sso_url: `${provider.url}/saml2/idp/SSOService.php`,
    slo_url: `${provider.url}/saml2/idp/SingleLogoutService.php`,
    enabled: false,
  });
  expect((await client.post(`${path}/enable`)).status).toBe(200);
  verifyDomainByOperator(systemContext(fixture.app), fixture.organization_id, 'example.test');
  return `${fixture.config.server.base_url}${path}`;
}
