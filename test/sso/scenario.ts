// An organization behind an identity provider, and a browser that walks between the two.

import { systemContext } from '../../src/core/transact.ts';
import { verifyDomainByOperator } from '../../src/sso/domains.ts';
import type { Fixture } from '../../src/testing/fixture.ts';
import { api } from '../support/harness.ts';
import { attributeIn, encode, messageOf, type Provider, type Target } from './provider.ts';

/** The server of a fixture, or another one. */
export interface Site extends Pick<Fixture, 'url' | 'organization_id'> {
  config: { server: Pick<Fixture['config']['server'], 'base_url'> };
  clock: Pick<Fixture['clock'], 'now'>;
}

export interface Started {
  location: string;
  requestId: string;
  /** Cookies as a browser would send them back. */
  cookie: string;
  target: Target;
}

export const ssoPath = (organizationId: string) => `/api/v1/organizations/${organizationId}/sso`;

/** Configures and enables the provider for an organization and verifies domains for it. */
export async function connect(
  fixture: Fixture,
  provider: Provider,
  { organizationId = fixture.organization_id, domains = ['example.test'] } = {},
): Promise<void> {
  const client = api(fixture);
  const path = ssoPath(organizationId);
  const answers = [
    await client.put(path, {
      entity_id: provider.entityId,
      sso_url: 'https://idp.example.test/sso',
      slo_url: 'https://idp.example.test/slo',
      certificates: [provider.certificate],
    }),
    await client.post(`${path}/enable`),
  ];
  for (const answer of answers) if (answer.status !== 200) throw new Error(answer.text);
  for (const domain of domains) verifyDomainByOperator(systemContext(fixture.app), organizationId, domain);
}

/** Cookies of an answer as a browser sends them back; removed ones stay out. */
export function cookiesOf(headers: Headers): string {
  return headers
    .getSetCookie()
    .filter((cookie) => !cookie.includes('Max-Age=0'))
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

/** Begins a sign-in as a browser does. */
export async function begin(
  fixture: Site,
  { organizationId = fixture.organization_id, query = '', cookie = '' } = {},
): Promise<Started> {
  const response = await fetch(`${fixture.url}${ssoPath(organizationId)}/login${query}`, {
    redirect: 'manual',
    headers: cookie === '' ? {} : { cookie },
  });
  const location = response.headers.get('location') ?? '';
  if (response.status !== 302) throw new Error(`${response.status} ${await response.text()}`);
  const base = `${fixture.config.server.base_url}${ssoPath(organizationId)}`;
  const requestId = attributeIn(messageOf(location), 'ID');
  const now = fixture.clock.now().getTime();
  return {
    location,
    requestId,
    cookie: cookiesOf(response.headers),
    target: { acsUrl: `${base}/acs`, audience: `${base}/metadata`, requestId, now },
  };
}

/** Sends an answer to the assertion consumer service as a form, without following. */
export async function deliver(
  fixture: Site,
  xml: string,
  {
    organizationId = fixture.organization_id,
    cookie = '',
    relayState,
    headers = {},
  }: {
    organizationId?: string;
    cookie?: string;
    relayState?: string | undefined;
    headers?: Record<string, string>;
  } = {},
): Promise<Response> {
  const form = new URLSearchParams({ SAMLResponse: encode(xml) });
  if (relayState !== undefined) form.set('RelayState', relayState);
  return fetch(`${fixture.url}${ssoPath(organizationId)}/acs`, {
    method: 'POST',
    body: form,
    redirect: 'manual',
    headers: { ...(cookie === '' ? {} : { cookie }), ...headers },
  });
}
