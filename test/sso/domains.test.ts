// Domains: claims, verification by DNS or the operator, exclusive ownership, and discovery.
import type { ResolverOptions } from 'node:dns';
import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { organizationMemberships, organizations, ssoDomains } from '../../src/data/tables/tables.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import {
  api,
  auditMark,
  auditRows,
  type Client,
  createAccount,
  expectInvalid,
  expectRefusal,
} from '../support/harness.ts';
import { addPerson } from '../support/people.ts';
import { type NameServer, startNameServer } from './name-server.ts';
import { makeProvider } from './provider.ts';
import { connect, ssoPath } from './scenario.ts';

let fixture: Fixture;
let names: NameServer;
let client: Client;
let path: string;
let otherPath: string;
let otherId: string;

beforeAll(async () => {
  names = await startNameServer();
  fixture = await startFixture({ config: { sso: { dns_servers: [names.address] } } });
  client = api(fixture);
  path = `${ssoPath(fixture.organization_id)}/domains`;
  otherId = (await client.post('/api/v1/organizations', { name: 'Other' })).text;
  otherPath = `${ssoPath(otherId)}/domains`;
});
afterAll(async () => {
  await fixture?.stop();
  await names?.stop();
});

interface Domain {
  identifier: string;
  domain: string;
  verified: boolean;
  verified_at: string | null;
  dns_record: { type: string; name: string; value: string };
}

async function claim(domain: string, where = path): Promise<Domain> {
  const answer = await client.post<Domain>(where, { domain });
  expect(answer.status).toBe(201);
  return answer.body;
}

/** Resolvers that give up after a tenth of a second, and the options that they were created with. */
function impatientResolvers() {
  const { Resolver } = dns;
  const asked: unknown[] = [];
  dns.Resolver = class extends Resolver {
    constructor(options: ResolverOptions) {
      asked.push(options);
      super({ ...options, timeout: 100 });
    }
  };
  syncBuiltinESMExports();
  return {
    asked,
    [Symbol.dispose]() {
      dns.Resolver = Resolver;
      syncBuiltinESMExports();
    },
  };
}

const publish = ({ dns_record: { name, value } }: Domain) => names.records.set(name, [[value]]);

describe('a claim', () => {
  it('returns the record that verifies it', async () => {
    const mark = auditMark(fixture);
    const domain = await claim('Example.TEST.');
    expect(domain).toEqual({
      identifier: expect.any(String),
      organization_id: fixture.organization_id,
      domain: 'example.test',
      verified: false,
      verified_at: null,
      dns_record: {
        type: 'TXT',
        name: '_taxiway-challenge.example.test',
        value: expect.stringMatching(/^taxiway-domain-verification=[\w-]{43}$/),
      },
      created_at: expect.any(String),
    });
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'created', type: 'org_sso_domain', identifier: domain.identifier, details: { domain: 'example.test' } },
    ]);
    expect((await client.get<{ items: Domain[] }>(path)).body.items).toEqual([domain]);
    expectRefusal(await client.post(path, { domain: 'example.test' }), 409, 'already_exists');
  });

  it.each([
    '',
    'test',
    'http://example.test',
    'a b.test',
    '-a.test',
    '10.0.0.1',
    `${'a'.repeat(64)}.test`,
    'a..test',
    'x@y.test',
    '*.test',
  ])('of %j is rejected', async (domain) => {
    expectInvalid(
      await client.post(path, { domain }),
      domain === '' ? 'body.domain: string_too_short' : 'body.domain: value_error',
    );
  });

  it('is rejected beyond a hundred of an organization', async () => {
    const { app } = fixture;
    const organizationId = (await client.post('/api/v1/organizations', { name: 'Many' })).text;
    const rows = Array.from({ length: 99 }, (_, index) => ({
      id: app.ids.next(),
      organizationId,
      domain: `many${index}.test`,
      verificationToken: 'x',
      createdAt: app.clock.time(),
    }));
    app.db.insert(ssoDomains).values(rows).run();
    const many = `${ssoPath(organizationId)}/domains`;
    await claim('hundred.test', many);
    expect(expectRefusal(await client.post(many, { domain: 'more.test' }), 400, 'quota_exceeded')).toEqual({
      limit: 100,
    });
  });

  it('of an internationalized name is stored as in DNS', async () => {
    expect((await claim('Bücher.test')).domain).toBe('xn--bcher-kva.test');
  });
});

describe('a verification', () => {
  it('fails if the record is missing or different, or name servers do not respond', async () => {
    const domain = await claim('waiting.test');
    const verify = () => client.post(`${path}/${domain.identifier}/verify`);
    const record = domain.dns_record;
    expect(expectRefusal(await verify(), 400, 'operation_not_allowed')).toEqual({
      reason: 'dns_missing',
      dns_record: record,
    });
    names.records.set(record.name, [['v=spf1 -all'], [`${record.value}x`]]);
    expect(expectRefusal(await verify(), 400, 'operation_not_allowed')).toMatchObject({ reason: 'dns_missing' });
    names.isSilent = true;
    using resolvers = impatientResolvers();
    expect(expectRefusal(await verify(), 400, 'operation_not_allowed')).toMatchObject({ reason: 'dns_unanswered' });
    expect(resolvers.asked).toEqual([{ timeout: 3_000, tries: 2 }]);
    names.isSilent = false;
  });

  it('succeeds with the record among others, also in chunks, and is recorded once', async () => {
    const domain = await claim('found.test');
    const { name, value } = domain.dns_record;
    names.records.set(name, [['other'], [value.slice(0, 10), value.slice(10)]]);
    const mark = auditMark(fixture);
    const verified = await client.post<Domain>(`${path}/${domain.identifier}/verify`);
    expect(verified.body).toEqual({ ...domain, verified: true, verified_at: expect.any(String) });
    names.records.delete(name);
    expect((await client.post(`${path}/${domain.identifier}/verify`)).body).toEqual(verified.body);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      {
        event: 'org_sso_domain_verification_changed',
        type: 'org_sso_domain',
        organizationId: fixture.organization_id,
        details: { domain: 'found.test', verified: true, by: 'dns' },
      },
    ]);
  });

  it('fails if the plan changes during the lookup to one without single sign-on', async () => {
    const domain = await claim('moved.test', otherPath);
    publish(domain);
    const { records } = names;
    const setTier = (tier: 'team' | 'business') =>
      fixture.app.db.update(organizations).set({ tier }).where(eq(organizations.id, otherId)).run();
    vi.spyOn(records, 'get').mockImplementationOnce((name) => {
      setTier('team');
      return Map.prototype.get.call(records, name);
    });
    try {
      const answer = await client.post(`${otherPath}/${domain.identifier}/verify`);
      expect(expectRefusal(answer, 400, 'operation_not_allowed')).toEqual({ tier: 'team' });
    } finally {
      setTier('business');
    }
    expect((await client.get<{ items: Domain[] }>(otherPath)).body.items).toContainEqual(domain);
  });

  it('fails if the administrator is removed during the lookup', async () => {
    const admin = await addPerson(fixture, { organizations: { [otherId]: 'admin' } });
    const domain = await claim('removed.test', otherPath);
    publish(domain);
    const { records } = names;
    vi.spyOn(records, 'get').mockImplementationOnce((name) => {
      fixture.app.db.delete(organizationMemberships).where(eq(organizationMemberships.developerId, admin.id)).run();
      return Map.prototype.get.call(records, name);
    });
    const mark = auditMark(fixture);
    expectRefusal(await admin.client.post(`${otherPath}/${domain.identifier}/verify`), 404, 'not_found');
    expect(auditRows(fixture, { after: mark })).toEqual([]);
    expect((await client.get<{ items: Domain[] }>(otherPath)).body.items).toContainEqual(domain);
  });

  it('is possible for one organization at a time', async () => {
    const ours = await claim('shared.test');
    const theirs = await claim('shared.test', otherPath);
    publish(ours);
    expect((await client.post(`${path}/${ours.identifier}/verify`)).status).toBe(200);
    // Without the record nothing is said about who holds it.
    expectRefusal(await client.post(`${otherPath}/${theirs.identifier}/verify`), 400, 'operation_not_allowed');
    publish(theirs);
    expectRefusal(await client.post(`${otherPath}/${theirs.identifier}/verify`), 409, 'already_exists');
    const mark = auditMark(fixture);
    for (const { identifier } of [ours, await claim('unverified.test')]) {
      expect((await client.delete(`${path}/${identifier}`)).status).toBe(204);
    }
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'created' },
      { event: 'deleted', details: { domain: 'shared.test', was_verified: true } },
      { event: 'deleted', details: { domain: 'unverified.test', was_verified: false } },
    ]);
    expect((await client.post(`${otherPath}/${theirs.identifier}/verify`)).status).toBe(200);
  });

  it('of a domain of another organization is not found', async () => {
    const theirs = await claim('theirs.test', otherPath);
    expectRefusal(await client.post(`${path}/${theirs.identifier}/verify`), 404, 'not_found');
    expectRefusal(await client.delete(`${path}/${theirs.identifier}`), 404, 'not_found');
  });
});

describe('the discovery of a provider', () => {
  const discover = async (email: string) =>
    (await api(fixture, null).post('/api/v1/login/sso/discover', { email })).body;
  const nothing = { sso: false, login_url: null };

  it('only uses verified domains of enabled connections', async () => {
    const loginUrl = `${fixture.config.server.base_url}${ssoPath(fixture.organization_id)}/login`;
    expect(await discover('dana@found.test')).toEqual(nothing);
    await connect(fixture, await makeProvider(), { domains: [] });
    const found = { sso: true, login_url: loginUrl };
    await createAccount(fixture, { email: 'there@found.test' });
    expect(await discover('there@found.test')).toEqual(found);
    expect(await discover('nobody@found.test')).toEqual(found);
    expect(await discover(' Nobody@FOUND.test ')).toEqual(found);
    for (const email of [
      'x@waiting.test',
      'x@sub.found.test',
      'x@notfound.test',
      'x@found.test.evil',
      'found.test@',
      '',
      '@',
    ])
      expect([email, await discover(email)]).toEqual([email, nothing]);
    await client.post(`${ssoPath(fixture.organization_id)}/disable`);
    expect(await discover('dana@found.test')).toEqual(nothing);
  });
});
