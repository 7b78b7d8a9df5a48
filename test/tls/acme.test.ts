// Certificates from a real ACME authority: both challenges, renewal, errors, and the certificate in the meantime.
import { eq } from 'drizzle-orm';
import { afterEach, describe, expect, it } from 'vitest';
import { findFreePort } from '../../scripts/lib/ports.ts';
import { loadAuthority } from '../../src/certificates/authority.ts';
import { acmeAccounts, certificates } from '../../src/data/tables/tables.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/clock.ts';
import { createServer } from '../../src/server.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { inspectServer } from './clients.ts';
import { type Pebble, type PebbleOptions, startPebble, whyNoPebble } from './pebble.ts';
import { waitUntil } from './ports.ts';

const NAMES = ['builds.example.com', 'other.example.com'];
const NAME = 'builds.example.com';

interface BuildScenario {
  pebble: Pebble;
  fixture: Fixture;
  port: number;
  httpPort: number;
}

const open: { stop(): void | Promise<void> }[] = [];

afterEach(async () => {
  for (const part of open.splice(0).reverse()) await part.stop();
});

/** A server on a port that the authority looks at; without `hasHttp` it takes no plain http. */
async function setUp({
  hasHttp = false,
  ...options
}: Partial<PebbleOptions> & { hasHttp?: boolean } = {}): Promise<BuildScenario> {
  const [port, httpPort] = [await findFreePort(), await findFreePort()];
  const pebble = await startPebble({ tlsPort: port, httpPort, ...options });
  open.push(pebble);
  const tls = {
    mode: 'acme',
    acme_directory: pebble.directory,
    acme_email: 'operator@example.com',
    acme_domains: NAMES,
    http_port: hasHttp ? httpPort : 0,
  } as const;
  // The world of a fixture is made over https too, which takes a name of this machine.
  const fixture = await startFixture({ config: { server: { port, base_url: `https://localhost:${port}`, tls } } });
  open.push(fixture);
  return { pebble, fixture, port, httpPort };
}

const accountOf = ({ app }: Fixture) => app.db.select().from(acmeAccounts).get();
const ordersIn = (pebble: Pebble) => pebble.log().match(/Added order/g)?.length ?? 0;
const kept = ({ app }: Fixture) => app.db.select().from(certificates).where(eq(certificates.purpose, 'acme')).all();

describe.runIf(whyNoPebble() === undefined)('a certificate from an authority', () => {
  it.each([
    // The authority would find nothing at the port of the other challenge.
    ['http-01', { hasHttp: true, tlsPort: 9 }],
    ['tls-alpn-01', { hasHttp: false, httpPort: 9 }],
  ])('is ordered with %s, and until then the server uses one of its own authority', async (_kind, options) => {
    const { pebble, fixture, port } = await setUp(options);
    const own = await loadAuthority(fixture.app);
    expect((await inspectServer(port, 'localhost', own.certificate)).verification).toBe('0 (ok)');

    await fixture.sweep('certificates');

    const seen = await inspectServer(port, NAME, await pebble.readRoot(), ['-showcerts']);
    expect(seen.verification).toBe('0 (ok)');
    expect(seen.issuer).toContain('Pebble Intermediate CA');
    expect((await inspectServer(port, 'other.example.com', await pebble.readRoot())).verification).toBe('0 (ok)');
    expect(accountOf(fixture)).toMatchObject({ failures: 0, lastError: null });
    expect(accountOf(fixture)?.privateKeyEncrypted).toMatch(/^v1\./);
  });

  it('does not disturb visitors during validation, who get the active one', async () => {
    const { fixture, port } = await setUp({ env: { PEBBLE_VA_NOSLEEP: '0', PEBBLE_VA_SLEEPTIME: '1' } });
    const own = await loadAuthority(fixture.app);
    const look = async () => (await inspectServer(port, 'localhost', own.certificate)).verification;
    // The order continues after four looks during the validation, however quick the authority is.
    const validating = Promise.withResolvers<void>();
    const looked = Promise.withResolvers<void>();
    const { fetch } = fixture.app;
    let isValidating = false;
    fixture.app.fetch = async (input, init) => {
      const isChallenge = String(input).includes('/chalZ/');
      if (isValidating && !isChallenge) await looked.promise;
      const response = await fetch(input, init);
      if (isChallenge) {
        isValidating = true;
        validating.resolve();
      }
      return response;
    };
    const order = fixture.sweep('certificates');
    await Promise.race([validating.promise, order]);
    const seen = [await look(), await look(), await look(), await look()];
    looked.resolve();
    await order;
    expect([isValidating, ...seen]).toEqual([true, '0 (ok)', '0 (ok)', '0 (ok)', '0 (ok)']);
    expect(kept(fixture)).toHaveLength(1);
  });

  it('is renewed after two thirds of its lifetime with the same account', async () => {
    const { pebble, fixture, port } = await setUp({ validityDays: 90 });
    await fixture.sweep('certificates');
    const first = await inspectServer(port, NAME, await pebble.readRoot());
    const account = accountOf(fixture);
    fixture.clock.advance(59 * DAY);
    await fixture.sweep('certificates');
    expect(ordersIn(pebble)).toBe(1);

    fixture.clock.advance(2 * DAY);
    await fixture.sweep('certificates');

    expect(ordersIn(pebble)).toBe(2);
    const second = await inspectServer(port, NAME, await pebble.readRoot());
    expect(second.verification).toBe('0 (ok)');
    expect(second.certificate).not.toBe(first.certificate);
    expect(kept(fixture)).toHaveLength(2);
    expect(accountOf(fixture)?.accountUrl).toBe(account?.accountUrl);
    expect(accountOf(fixture)?.privateKeyEncrypted).toBe(account?.privateKeyEncrypted);
  });

  it('stays active if the authority fails; the attempts become rarer, and the reason is shown', async () => {
    const { pebble, fixture, port } = await setUp({ env: { PEBBLE_AUTHZREUSE: '0' } });
    await fixture.sweep('certificates');
    const good = await inspectServer(port, NAME, await pebble.readRoot());
    await pebble.pointNamesTo('127.0.0.2');
    fixture.clock.advance(61 * DAY);

    // Sweeps come all the time; the first attempt and those after 10, 20 and 40 minutes reach the authority.
    const attempts: number[] = [];
    for (let minute = 0; minute <= 75; minute += 5) {
      const before = ordersIn(pebble);
      await fixture.sweep('certificates');
      if (ordersIn(pebble) > before) attempts.push(minute);
      fixture.clock.advance(5 * MINUTE);
    }
    expect(attempts).toEqual([0, 10, 30, 70]);
    const account = accountOf(fixture);
    expect(account?.failures).toBe(4);
    expect(account?.lastError).toMatch(/^tls-alpn-01 validation of (builds|other)\.example\.com failed: .+ \(\w+\)$/);
    expect((await inspectServer(port, NAME, await pebble.readRoot())).certificate).toBe(good.certificate);

    await pebble.pointNamesTo('127.0.0.1');
    fixture.clock.advance(2 * HOUR);
    await fixture.sweep('certificates');
    expect(accountOf(fixture)).toMatchObject({ failures: 0, lastError: null });
    expect((await inspectServer(port, NAME, await pebble.readRoot())).certificate).not.toBe(good.certificate);
  });

  it('is issued with the other challenge if the first one fails', async () => {
    const { fixture } = await setUp({ hasHttp: true, httpPort: 9 });
    await fixture.sweep('certificates');
    expect(accountOf(fixture)?.lastError).toMatch(/^http-01 validation of \S+ failed: /);
    fixture.clock.advance(11 * MINUTE);
    await fixture.sweep('certificates');
    expect(accountOf(fixture)).toMatchObject({ failures: 0, lastError: null });
    expect(kept(fixture)).toHaveLength(1);
  });

  it('is issued with the same key if the authority has forgotten the account', async () => {
    const { pebble, fixture } = await setUp();
    await fixture.sweep('certificates');
    const before = accountOf(fixture);
    await pebble.restart();
    fixture.clock.advance(61 * DAY);
    await fixture.sweep('certificates');
    expect(accountOf(fixture)).toMatchObject({ failures: 0, lastError: null });
    expect(accountOf(fixture)?.privateKeyEncrypted).toBe(before?.privateKeyEncrypted);
    expect(kept(fixture)).toHaveLength(2);
  });

  it('is issued if the authority rejects a quarter of all nonces', async () => {
    const { fixture } = await setUp({ env: { PEBBLE_WFE_NONCEREJECT: '25' } });
    await fixture.sweep('certificates');
    expect(accountOf(fixture)?.lastError).toBe(null);
    expect(kept(fixture)).toHaveLength(1);
  });

  it('is ordered automatically at the start, and reused after a restart', async () => {
    const { pebble, fixture, port } = await setUp();
    const { config } = fixture;
    const folder = config.server.data_dir;
    // A second server with a folder of its own at the same port, as the program starts it: with its schedules.
    await fixture.stop();
    const start = async () => {
      const server = await createServer({ ...config, server: { ...config.server, data_dir: folder } });
      await server.start();
      return server;
    };
    const first = await start();
    await waitUntil(async () => (await inspectServer(port, NAME, await pebble.readRoot())).verification === '0 (ok)');
    await first.stop();
    const second = await start();
    try {
      expect((await inspectServer(port, NAME, await pebble.readRoot())).verification).toBe('0 (ok)');
      expect(ordersIn(pebble)).toBe(1);
    } finally {
      await second.stop();
    }
  });
});
