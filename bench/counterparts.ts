// The other services that operations ask, in this process and with rows of their own: identity providers, App Store Connect and Paddle.
import { eq } from 'drizzle-orm';
import type { App } from '../src/core/context.ts';
import { systemContext } from '../src/core/transact.ts';
import { organizations } from '../src/data/tables/tables.ts';
import { systemClock } from '../src/lib/clock.ts';
import { createOrganizationIn } from '../src/organizations/service.ts';
import { verifyDomainByOperator } from '../src/sso/domains.ts';
import { type Issuer, startIssuer } from '../test/sso/issuer.ts';
import { claimsFor, settings, start } from '../test/sso/oidc-scenario.ts';
import { makeProvider, type Provider, signAnswer, signRedirect, writeLogoutRequest } from '../test/sso/provider.ts';
import { begin, cookiesOf, deliver, type Site, ssoPath } from '../test/sso/scenario.ts';
import { type Providers, startProviders } from '../test/stores/providers.ts';
import { type PaddleDouble, startPaddle } from '../test/support/paddle.ts';
import type { Prepared, World } from './world.ts';
import type { Ask } from './world-things.ts';

export interface Counterparts {
  issuer: Issuer;
  saml: Provider;
  stores: Providers;
  paddle: PaddleDouble;
  stop(): Promise<void>;
}

const SAML_DOMAIN = 'saml.example.test';
const OIDC_DOMAIN = 'oidc.example.test';
const OIDC_ORGANIZATION = 'World with OpenID Connect';
/** As many as a team may have of a class. */
const APPLE_DEVICES = 100;

/** Starts the services, for all servers. */
export async function startCounterparts(): Promise<Counterparts> {
  const [issuer, saml, stores, paddle] = await Promise.all([
    startIssuer(),
    makeProvider('https://idp.example.com'),
    startProviders(Date.now),
    startPaddle(),
  ]);
  addTeam(stores);
  const stop = async () => void (await Promise.all([issuer.stop(), stores.stop(), paddle.stop()]));
  return { issuer, saml, stores, paddle, stop };
}

/** The devices of a team, all in one profile. */
function addTeam({ apple }: Providers): void {
  for (let n = 1; n <= APPLE_DEVICES; n += 1) {
    const udid = `00008120-${String(n).padStart(16, '0')}`;
    apple.devices.push({ id: `W${n}`, udid, name: `Phone ${n}`, deviceClass: 'IPHONE', status: 'ENABLED' });
  }
  apple.profiles.push({
    id: 'WORLD',
    name: 'World',
    uuid: crypto.randomUUID(),
    profileType: 'IOS_APP_ADHOC',
    profileState: 'ACTIVE',
    createdDate: '2026-01-01T00:00:00.000+00:00',
    expirationDate: '2027-01-01T00:00:00.000+00:00',
    devices: apple.devices.map(({ id }) => id),
  });
}

/** The configuration of a server that asks the services. */
export const configOf = ({ stores }: Counterparts) => ({
  sso: { allow_loopback: true },
  'stores.app_store_connect': stores.config.stores.app_store_connect,
});

/** The configuration of a server that has an authority of its own and on which people pay. */
export const authorityAndBilling = ({ paddle }: Counterparts) => ({
  'server.tls': { mode: 'internal' },
  billing: { enabled: true, provider: 'paddle' },
  'billing.paddle': { ...paddle.settings, client_token: 'test_0123456789abcdef' },
});

/**
 * Connects a world with the services: its organization with SAML, another one with OpenID Connect, and a team of App Store Connect. Returns
 * the values of parameters, and what has to be done before each request of an operation that works once.
 */
export async function connectWorld(
  { plan }: World,
  url: string,
  { ask, app }: { ask: Ask; app: App },
  counterparts: Counterparts,
): Promise<{ values: Record<string, string>; preparations: Record<string, () => Promise<Prepared>> }> {
  const { issuer, saml, stores } = counterparts;
  const { organizationId } = plan.ids;
  const connect = async (id: string, connection: object, domain: string) => {
    await ask('PUT', ssoPath(id), connection);
    await ask('POST', `${ssoPath(id)}/enable`);
    verifyDomainByOperator(systemContext(app), id, domain);
  };
  const { entityId } = saml;
  const urls = { entity_id: entityId, sso_url: `${entityId}/sso`, slo_url: `${entityId}/slo` };
  await connect(organizationId, { ...urls, certificates: [saml.certificate] }, SAML_DOMAIN);
  const oidcId = makeOrganization(app, plan.ids.developerId);
  await connect(oidcId, settings(issuer), OIDC_DOMAIN);
  const path = `/api/v1/store-connections?organization_id=${organizationId}`;
  const store = await ask('POST', path, { provider: 'app_store_connect', name: 'World', ...stores.appleKey() });

  const site: Site = {
    url,
    organization_id: organizationId,
    config: { server: { base_url: url } },
    clock: systemClock,
  };
  const signInWithSaml = async () => {
    const started = await begin(site);
    const answer = signAnswer(saml, started.target, { email: `zoe@${SAML_DOMAIN}` });
    const response = await deliver(site, answer, { cookie: started.cookie });
    if (response.status !== 302) throw new Error(`sign-in with SAML: ${response.status} ${await response.text()}`);
    return { cookie: cookiesOf(response.headers) };
  };
  return {
    values: { store_connection_id: String(store?.identifier ?? ''), oidc_organization_id: oidcId },
    preparations: {
      async completeOidcLogin() {
        const started = await start(site, { organizationId: oidcId });
        const claims = claimsFor(site, issuer, started, { email: `zoe@${OIDC_DOMAIN}` });
        const code = issuer.issueCode(started.location, await issuer.sign(claims));
        const query = new URLSearchParams({ code, state: started.query.get('state') ?? '' });
        return { path: `${ssoPath(oidcId)}/callback?${query}`, credential: { cookie: started.cookie } };
      },
      beginSsoLogout: async () => ({ credential: await signInWithSaml() }),
      async handleSsoLogout() {
        await signInWithSaml();
        const path = `${ssoPath(organizationId)}/slo`;
        const xml = writeLogoutRequest(saml, { destination: `${url}${path}`, now: Date.now() });
        return { path: `${path}?${signRedirect(xml, saml)}`, credential: {} };
      },
    },
  };
}

/** An organization has one connection, so the one with OpenID Connect is another. It stays in a world that is measured again. */
function makeOrganization(app: App, developerId: string): string {
  const { db } = app;
  const { id, name } = organizations;
  const found = db.select({ id }).from(organizations).where(eq(name, OIDC_ORGANIZATION)).get()?.id;
  const made =
    found ?? systemContext(app).transact((tx) => createOrganizationIn(tx, { name: OIDC_ORGANIZATION, developerId }));
  db.update(organizations).set({ tier: 'business' }).where(eq(id, made)).run();
  return made;
}
