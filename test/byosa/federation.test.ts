// The rotation of the keys that sign assertions for the clouds of customers.
import { decodeProtectedHeader } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { cloudOf } from '../../src/byosa/access.ts';
import { systemContext } from '../../src/core/transact.ts';
import { federationKeys } from '../../src/data/tables/tables.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/clock.ts';
import { createFederation } from '../../src/runtime/federation.ts';
import { activateContainer } from '../../src/storage/azure/containers.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api } from '../support/harness.ts';

const KEYS = '/public/v1/federation/keys';
const CLAIMS = { issuer: 'https://builds.example.com', subject: 'organization:1', audience: 'api://test' };

describe('keys of the federation', () => {
  let fixture: Fixture;

  beforeAll(async () => {
    fixture = await startFixture();
  });
  afterAll(() => fixture?.stop());
  afterEach(() => void fixture.app.db.delete(federationKeys).run());

  const published = async () =>
    (await api(fixture, null).get<{ keys: { kid: string }[] }>(KEYS)).body.keys.map(({ kid }) => kid);
  const rotate = () => fixture.sweep('sessions');
  const signer = async (federation = cloudOf(fixture.app).federation) =>
    decodeProtectedHeader(await federation.assert(CLAIMS)).kid;

  it('are published three days before they sign, and two days after the next one signs', async () => {
    const [first = ''] = await published();
    expect(await signer()).toBe(first);
    fixture.clock.advance(180 * DAY - MINUTE);
    await rotate();
    expect(await published()).toEqual([first]);

    fixture.clock.advance(MINUTE);
    await rotate();
    await rotate();
    const both = await published();
    const second = both.at(-1);
    expect(both).toEqual([first, second]);
    expect(await signer()).toBe(first);
    fixture.clock.advance(3 * DAY - MINUTE);
    expect(await signer()).toBe(first);
    fixture.clock.advance(MINUTE);
    expect(await signer()).toBe(second);
    // Also after a restart.
    expect(await signer(createFederation(fixture.app))).toBe(second);

    fixture.clock.advance(2 * DAY - MINUTE);
    await rotate();
    expect(await published()).toEqual([first, second]);
    fixture.clock.advance(MINUTE);
    expect(await published()).toEqual([second]);
    await rotate();
    expect(fixture.app.db.select().from(federationKeys).all()).toHaveLength(1);
    expect([await published(), await signer()]).toEqual([[second], second]);
  });

  it('are not created by the rotation if nothing uses them, and once if two processes rotate', async () => {
    await rotate();
    expect(fixture.app.db.select().from(federationKeys).all()).toEqual([]);
    const [one, other] = [createFederation(fixture.app), createFederation(fixture.app)];
    await Promise.all([one.publicKeys(), other.publicKeys(), one.publicKeys()]);
    expect(await published()).toHaveLength(1);
    fixture.clock.advance(181 * DAY);
    await Promise.all([one.rotate(), other.rotate()]);
    expect(await published()).toHaveLength(2);
  });

  it('keep signing after the server was off for years, and if the clock was set back', async () => {
    const [first = ''] = await published();
    fixture.clock.advance(900 * DAY);
    expect(await signer()).toBe(first);
    await cloudOf(fixture.app).federation.rotate();
    expect([await signer(), (await published()).length]).toEqual([first, 2]);
    fixture.clock.advance(-800 * DAY);
    await cloudOf(fixture.app).federation.rotate();
    expect([await signer(), (await published()).length]).toEqual([first, 2]);
    fixture.clock.advance(-200 * DAY - HOUR);
    expect(await signer()).toBe(first);
  });
});

describe('a server that takes no more requests for own containers', () => {
  it('publishes its keys while a container in use needs them', async () => {
    await using fixture = await startFixture({ config: { byosa: { enabled: false } } });
    const client = api(fixture, null);
    const statuses = async () => [
      (await client.get('/public/v1/federation/.well-known/openid-configuration')).status,
      (await client.get(KEYS)).status,
    ];
    const connection = {
      organizationId: fixture.organization_id,
      account: 'acmebuilds',
      container: 'test-builds',
      tenantId: '0197b6a0-3c1e-7c44-9d0b-3a1f2e5d6c7b',
      clientId: '0197b6a0-3c1e-7c44-9d0b-3a1f2e5d6c7c',
    };
    const activate = (secret: string | null) =>
      systemContext(fixture.app).transact((tx) => activateContainer(tx, { ...connection, secret }), {
        bookkeeping: true,
      });
    expect(await statuses()).toEqual([404, 404]);
    activate('a client secret');
    expect(await statuses()).toEqual([404, 404]);
    activate(null);
    expect(await statuses()).toEqual([200, 200]);
  });
});
