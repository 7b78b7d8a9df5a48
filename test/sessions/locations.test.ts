// Locations of sessions from the operator's location database.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigError, createServer } from '../../src/server.ts';
import { approximateLocation } from '../../src/sessions/location.ts';
import { openLocationDatabase } from '../../src/sessions/location-database.ts';
import { startFixture } from '../../src/testing/fixture.ts';
import { openWorkshop } from '../commands/test-host.ts';
import { api, createAccount, type Json, signIn } from '../support/harness.ts';
import { placeOf, writeMmdb } from '../support/mmdb.ts';

const folder = mkdtempSync(join(tmpdir(), 'taxiway-locations-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function fileWith(bytes: Buffer | string): string {
  files += 1;
  const path = join(folder, `${files}.mmdb`);
  writeFileSync(path, bytes);
  return path;
}

const TEST_NET = '203.0.113.0/24';
const city = writeMmdb({ networks: { [TEST_NET]: placeOf('Berlin', 'Germany') } });

describe('the location of an address', () => {
  const both = writeMmdb({
    ipVersion: 6,
    networks: {
      [TEST_NET]: placeOf('Berlin', 'Germany'),
      '198.51.100.0/24': placeOf(undefined, 'France'),
      '10.0.0.0/8': placeOf('Nowhere', 'Utopia'),
      '2001:db8::/32': placeOf('Reykjavík', 'Iceland'),
    },
  });

  it.each([
    ['203.0.113.7', 'Berlin, Germany'],
    ['203.0.113.255', 'Berlin, Germany'],
    ['::ffff:203.0.113.7', 'Berlin, Germany'],
    ['::ffff:cb00:7107', 'Berlin, Germany'],
    ['198.51.100.1', 'France'],
    ['2001:db8::1', 'Reykjavík, Iceland'],
    ['203.0.114.1', null],
    ['2001:db9::1', null],
    ['10.1.2.3', 'private network'],
    ['::ffff:10.1.2.3', 'private network'],
    ['127.0.0.1', 'private network'],
    ['fd00::1', 'private network'],
    ['nonsense', null],
    ['', null],
    [null, null],
  ])('%j as %j', async (address, expected) => {
    const findPlace = await openLocationDatabase(fileWith(both));
    expect(approximateLocation(address, findPlace)).toBe(expected);
  });

  it('is only found for IPv4 if the database has nothing else', async () => {
    const findPlace = await openLocationDatabase(fileWith(city));
    expect(findPlace('203.0.113.7')).toBe('Berlin, Germany');
    // Its first 32 bits are those of 203.0.113.7.
    expect(findPlace('cb00:7107::1')).toBeNull();
  });

  it('is the country if the database only has countries', async () => {
    const bytes = writeMmdb({ type: 'Test-Country', networks: { [TEST_NET]: placeOf(undefined, 'Germany') } });
    expect((await openLocationDatabase(fileWith(bytes)))('203.0.113.7')).toBe('Germany');
  });
});

describe('an unusual record', () => {
  const long = 'x'.repeat(400);
  it.each([
    ['without a country', placeOf('Berlin', undefined), null],
    ['without anything', {}, null],
    ['that is a text', 'Germany', null],
    ['whose country is a text', { country: 'DE' }, null],
    ['without an English name', { country: { names: { de: 'Deutschland' } } }, null],
    ['whose name is a number', { country: { names: { en: 7 } } }, null],
    ['whose name is empty', placeOf('Berlin', ' '), null],
    ['whose city is a list', { city: ['Berlin'], country: { names: { en: 'Germany' } } }, 'Germany'],
    ['with endless names', placeOf(long, long), `${'x'.repeat(60)}, ${'x'.repeat(60)}`],
    ['with control characters', placeOf('Ber\u0000\r\nlin', 'Germany'), 'Ber lin, Germany'],
    ['that points at itself', Buffer.from([0x20, 0x00]), null],
    ['of no known type', Buffer.from([0x00, 0xff]), null],
  ])('%s is no problem', async (_, record, expected) => {
    const findPlace = await openLocationDatabase(fileWith(writeMmdb({ networks: { [TEST_NET]: record } })));
    expect(findPlace('203.0.113.7')).toBe(expected);
  });
});

describe('an invalid location database', () => {
  mkdirSync(join(folder, 'a-folder'));
  it.each([
    ['is missing', join(folder, 'missing.mmdb'), 'does not exist'],
    ['is a folder', join(folder, 'a-folder'), "isn't a file"],
    ['is empty', fileWith(''), "isn't one"],
    ['is a text', fileWith('places = []\n'.repeat(100)), "isn't one"],
    ['was cut short', fileWith(city.subarray(0, city.length - 150)), "isn't one"],
    ['has lost its beginning', fileWith(city.subarray(60)), "isn't one"],
    [
      'is one of networks',
      fileWith(writeMmdb({ type: 'Test-ASN', networks: { [TEST_NET]: placeOf('Berlin', 'Germany') } })),
      'has the type "Test-ASN"',
    ],
  ])('prevents the start if it %s', async (_, path, reason) => {
    const server = { port: 0, data_dir: join(folder, 'data') };
    const start = createServer({ server, log: { level: 'silent' }, accounts: { location_database: path } });
    const error = await start.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toBe(
      `ConfigError: configuration: accounts.location_database: expected a MaxMind DB file (.mmdb) of cities or countries; ${path} ${reason}`,
    );
    expect(existsSync(join(folder, 'data/taxiway.db'))).toBe(false);
  });

  it('fails the check, which has no line without a database', async () => {
    using workshop = openWorkshop();
    const check = async () =>
      JSON.parse((await workshop.run(['check', '--json'])).stdout).filter(
        ({ name }: { name: string }) => name === 'locations',
      );
    expect(await check()).toEqual([]);
    const path = join(workshop.folder, 'places.mmdb');
    writeFileSync(join(workshop.folder, 'config.toml'), '[accounts]\nlocation_database = "places.mmdb"\n');
    expect(await check()).toMatchObject([
      { name: 'locations', status: 'fail', detail: expect.stringContaining(`${path} does not exist`) },
    ]);
    writeFileSync(path, city);
    expect(await check()).toMatchObject([
      { name: 'locations', status: 'ok', detail: `${path} shows the locations of sessions` },
    ]);
  });
});

describe('the list of sessions', () => {
  it('shows city and country of each', async () => {
    await using fixture = await startFixture({
      config: {
        server: { trusted_proxies: ['127.0.0.1'] },
        accounts: { location_database: fileWith(city) },
      },
    });
    const { email, password } = await createAccount(fixture);
    for (const from of ['203.0.113.7', '198.51.100.1']) {
      const headers = { 'x-forwarded-for': from };
      const answer = await api(fixture, null).send('POST', '/api/v1/login', { body: { email, password }, headers });
      expect(answer.status).toBe(200);
    }
    const { access_token } = await signIn(fixture, { email, password });
    const { body } = await api(fixture, access_token).get<{ items: Json[] }>('/api/v1/sessions');
    expect(body.items.slice(0, 3).map((item) => [item.ip_address, item.approximate_location])).toEqual([
      ['127.0.0.1', 'private network'],
      ['198.51.100.1', null],
      ['203.0.113.7', 'Berlin, Germany'],
    ]);
  });
});
