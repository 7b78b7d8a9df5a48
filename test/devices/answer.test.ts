// Device responses: accepted and rejected signed messages.
import { createHash, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkDeviceAuthority } from '../../src/checks/device-authority.ts';
import { readUdid } from '../../src/devices/udid.ts';
import { APPLE_DEVICE_CA, APPLE_DEVICE_CA_FINGERPRINT } from '../../src/enrollment/apple-device-ca.ts';
import { DeviceAuthorityError, isDeviceCertificate, loadDeviceAuthorities } from '../../src/enrollment/authorities.ts';
import { readDeviceAnswer } from '../../src/enrollment/device-response.ts';
import { readFixture, readTruth } from '../inspection/read-truth.ts';
import { leastCpu } from '../support/cpu.ts';
import { findSharedFixtures } from '../support/fixtures.ts';
import {
  answerOf,
  attributesOf,
  type Holder,
  makeHolder,
  makeLaboratory,
  OLD_UDID,
  signContent,
  UDID,
  writePlist,
} from './phone.ts';

const folder = mkdtempSync(join(tmpdir(), 'taxiway-devices-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function authoritiesOf(...pems: string[]) {
  const file = join(folder, 'authorities.pem');
  writeFileSync(file, pems.join(''));
  return loadDeviceAuthorities(profileConfig(file));
}

const profileConfig = (trusted_device_ca_file: string) => ({
  cert_file: '',
  key_file: '',
  chain_file: '',
  organization_name: 'Taxiway',
  trusted_device_ca_file,
});

const laboratory = makeLaboratory();
const believed = authoritiesOf(laboratory.authority.pem);
const attributes = attributesOf('a challenge');
const expected = { udid: UDID, product: 'iPhone14,2', osBuild: '22F76', challenge: 'a challenge' };
const plist = writePlist(attributes);

describe('the response of a device', () => {
  const encodings = [
    ['XML in DER', { form: 'xml', encoding: 'der' }],
    ['XML in BER', { form: 'xml', encoding: 'ber' }],
    ['binary in DER', { form: 'binary', encoding: 'der' }],
    ['binary in BER', { form: 'binary', encoding: 'ber' }],
    ['with SHA-1, as phones sign', { digest: 'sha1' }],
    ['signed without attributes', { hasAttributes: false }],
  ] as const;
  it.each(encodings)('is read: %s', async (_name, options) => {
    expect(await readDeviceAnswer(answerOf(laboratory, attributes, options), believed)).toEqual(expected);
  });

  const attributeCases: [string, Record<string, string>, object][] = [
    ['the older form of an identifier', { UDID: OLD_UDID.toUpperCase() }, { udid: OLD_UDID }],
    ['an identifier in lower case', { UDID: UDID.toLowerCase() }, { udid: UDID }],
    ['a product of no known form', { PRODUCT: '<b>iPhone</b>' }, { product: null }],
    ['an endless product', { PRODUCT: `iPhone${'1'.repeat(90)},1` }, { product: null }],
    ['a system of no known form', { VERSION: '22F76\n' }, { osBuild: null }],
    ['more than was asked', { SERIAL: 'C39XX', IMEI: '12 345' }, {}],
  ];
  it.each(attributeCases)('may contain %s', async (_name, changes, differs) => {
    const answer = answerOf(laboratory, { ...attributes, ...changes });
    expect(await readDeviceAnswer(answer, believed)).toEqual({ ...expected, ...differs });
  });

  it('can have its challenge as data', async () => {
    const content = Buffer.from(
      plist
        .toString()
        .replace('<string>a challenge</string>', `<data>${Buffer.from('a challenge').toString('base64')}</data>`),
    );
    const answer = signContent(content, laboratory.device, laboratory.chain);
    expect(await readDeviceAnswer(answer, believed)).toEqual(expected);
  });

  it.each([
    ['the authority itself', laboratory.authority],
    ['the one above it', laboratory.middle],
    ['the root', laboratory.root],
  ])('is accepted by %s, although the authority expired in 2014', async (_name, authority) => {
    const answer = answerOf(laboratory, attributes);
    expect(await readDeviceAnswer(answer, authoritiesOf(authority.pem))).toEqual(expected);
  });
});

describe('the response of a device is rejected', () => {
  const { device, chain, authority, middle, root } = laboratory;
  const stranger = makeLaboratory('Test');
  const selfSigned = makeHolder('a device', { claims: authority.subject });
  const issuedByDevice = makeHolder('another device', { issuer: device });
  const borrowed: Holder = { ...stranger.device, issuer: device.issuer, serial: device.serial };
  const flip = (signature: Buffer) => Buffer.from(signature.map((byte, index) => (index === 40 ? byte ^ 1 : byte)));
  const other = writePlist({ ...attributes, UDID: OLD_UDID });
  const whole = answerOf(laboratory, attributes);

  const cases: [string, Buffer][] = [
    ['nothing at all', Buffer.alloc(0)],
    ['a property list that is not signed', plist],
    ['text', Buffer.from('not a message')],
    ['a message cut short', whole.subarray(0, Math.floor(whole.length * 0.66))],
    ['a message without its last byte', whole.subarray(0, -1)],
    ['a byte after the message', Buffer.concat([whole, Buffer.alloc(1)])],
    ['a line break after the message', Buffer.concat([whole, Buffer.from('\n')])],
    ['a second message after the first', Buffer.concat([whole, whole])],
    [
      'a byte after a message of indefinite length',
      Buffer.concat([signContent(plist, device, chain, { encoding: 'ber', pieceBytes: 100 }), Buffer.alloc(1)]),
    ],
    ['content other than what was signed', signContent(plist, device, chain, { carries: other })],
    ['the same without attributes', signContent(plist, device, chain, { carries: other, hasAttributes: false })],
    ['an altered signature', signContent(plist, device, chain, { tamper: flip })],
    ['an empty signature', signContent(plist, device, chain, { tamper: () => Buffer.alloc(0) })],
    ['a detached signature', signContent(plist, device, chain, { isDetached: true })],
    ['empty content', signContent(Buffer.alloc(0), device, chain)],
    ['two signers', signContent(plist, device, chain, { signers: 2 })],
    ['no signer', signContent(plist, device, chain, { signers: 0 })],
    ['no certificate', signContent(plist, device, [])],
    ['an authority of the same names', signContent(plist, stranger.device, stranger.chain)],
    ['a self-signed certificate that borrows the name', signContent(plist, selfSigned, [selfSigned.certificate])],
    ['the same beside the true chain', signContent(plist, selfSigned, [selfSigned.certificate, ...chain])],
    ['a certificate that a device issued', signContent(plist, issuedByDevice, [issuedByDevice.certificate, ...chain])],
    ['a key that is not of the certificate', signContent(plist, borrowed, chain)],
    ['the signature of the authority itself', signContent(plist, authority, chain)],
    ['no identifier', answerOf(laboratory, attributesOf('a challenge', { UDID: '' }))],
    [
      'an identifier of another form',
      answerOf(laboratory, attributesOf('a challenge', { UDID: UDID.replace('-', '') })),
    ],
    ['an identifier that is too long', answerOf(laboratory, attributesOf('a challenge', { UDID: `${OLD_UDID}00` }))],
    ['content that is no property list', signContent(Buffer.from('<html>'), device, chain)],
    [
      'a property list that is no dictionary',
      signContent(Buffer.from('<plist><string>x</string></plist>'), device, chain),
    ],
    [
      'no challenge',
      signContent(
        Buffer.from(plist.toString().replace('<key>CHALLENGE</key><string>a challenge</string>', '')),
        device,
        chain,
      ),
    ],
    [
      'more bytes than a device sends',
      answerOf(laboratory, attributesOf('a challenge', { PRODUCT: 'x'.repeat(32 * 1024) })),
    ],
  ];
  it.each(cases)('with %s', async (_name, bytes) => {
    const added = { ...believed, added: [authority, middle, root].map(({ pem }) => new X509Certificate(pem)) };
    expect(await readDeviceAnswer(bytes, added)).toBeUndefined();
  });

  it('if only Apple is trusted', async () => {
    expect(await readDeviceAnswer(whole, loadDeviceAuthorities(profileConfig('')))).toBeUndefined();
  });

  it('with limited work for any number of certificates with one name', async () => {
    const twins = Array.from(
      { length: 30 },
      () => makeHolder('Test iPhone Device CA', { isAuthority: true }).certificate,
    );
    const answer = signContent(plist, device, [device.certificate, ...twins]);
    const cost = await leastCpu(5_000, async () => {
      expect(await readDeviceAnswer(answer, authoritiesOf(root.pem))).toBeUndefined();
    });
    expect(cost).toBeLessThan(5_000);
  });

  it('if it has ten times the values of a real one', async () => {
    const inPieces = (bytes: number) => {
      const padded = Buffer.concat([plist, Buffer.alloc(bytes - plist.length, ' ')]);
      const answer = signContent(padded, device, [device.certificate], { encoding: 'ber', pieceBytes: 1 });
      expect(answer.length).toBeLessThan(32 * 1024);
      return readDeviceAnswer(answer, authoritiesOf(authority.pem));
    };
    expect(await inPieces(2_000)).toEqual(expected);
    expect(await inPieces(4_000)).toBeUndefined();
  });

  it('without an exception, whichever byte is changed', async () => {
    for (let place = 0; place < whole.length; place += 23) {
      const bytes = Buffer.from(whole);
      bytes[place] = (bytes[place] ?? 0) ^ 0xff;
      const read = await readDeviceAnswer(bytes, believed);
      // What lies outside of what is signed may change: other certificates, the message's own numbers.
      if (read !== undefined) expect(read).toEqual(expected);
    }
  });
});

describe("Apple's device authority", () => {
  it('is pinned by its fingerprint', () => {
    const certificate = new X509Certificate(APPLE_DEVICE_CA);
    expect(certificate.fingerprint256).toBe(APPLE_DEVICE_CA_FINGERPRINT);
    expect(certificate.subject.replaceAll('\n', ', ')).toBe(
      'C=US, O=Apple Inc., OU=Apple iPhone, CN=Apple iPhone Device CA',
    );
    expect(certificate.ca).toBe(true);
  });

  it('certifies only devices: it does not certify itself, and certificates of its issuers are rejected', () => {
    const apple = loadDeviceAuthorities(profileConfig(''));
    expect(isDeviceCertificate(apple.apple, [], apple)).toBe(false);
    const shared = findSharedFixtures();
    if (shared === null) return;
    const chain = readFileSync(join(shared, 'callback/apple-iphone-device-ca-chain.pem'), 'utf8')
      .split(/(?<=-----END CERTIFICATE-----\n)/)
      .filter((pem) => pem.includes('BEGIN'))
      .map((pem) => new X509Certificate(pem));
    expect(chain.map(({ fingerprint256 }) => fingerprint256)).toContain(APPLE_DEVICE_CA_FINGERPRINT);
    for (const certificate of chain) expect(isDeviceCertificate(certificate, chain, apple)).toBe(false);
  });
});

describe('apple_profile.trusted_device_ca_file', () => {
  const file = join(folder, 'wrong.pem');
  it.each([
    ['is absent', undefined, /Cannot use .*wrong\.pem: ENOENT/],
    ['holds no certificate', 'hello', /expected 1 to 32 PEM certificates, found 0/],
    ['holds something else', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', /Cannot use /],
    ['holds a certificate of no authority', laboratory.device.pem, /it contains a certificate that isn't an authority/],
  ])('is rejected when it %s', (_name, content, message) => {
    rmSync(file, { force: true });
    if (content !== undefined) writeFileSync(file, content);
    expect(() => loadDeviceAuthorities(profileConfig(file))).toThrow(DeviceAuthorityError);
    expect(() => loadDeviceAuthorities(profileConfig(file))).toThrow(message);
  });
});

describe('taxiway check', () => {
  const file = join(folder, 'checked.pem');
  const check = () => checkDeviceAuthority({ apple_profile: profileConfig(file) });

  it("lists the trusted authorities besides Apple's", () => {
    writeFileSync(file, laboratory.authority.pem);
    expect(check()).toMatchObject([
      {
        name: 'device authority',
        status: 'warn',
        detail: `besides Apple devices, those of CN=Test iPhone Device CA are trusted (${file})`,
      },
    ]);
    expect(checkDeviceAuthority({ apple_profile: profileConfig('') })).toEqual([]);
  });

  it('fails for an invalid file', () => {
    writeFileSync(file, 'nothing');
    expect(check()).toMatchObject([{ name: 'device authority', status: 'fail' }]);
  });
});

interface CallbackTruth {
  file: string;
  expect: 'accept' | 'reject';
  attributes?: Record<string, string>;
}

const digest = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex');

describe('shared responses of devices', () => {
  const cases = readTruth('callback') as unknown as CallbackTruth[];
  it.each(cases.map((truth) => [truth.file, truth] as const))('%s', async (file, truth) => {
    const root = readFixture('callback/test-ca/root.pem').toString();
    const answer = await readDeviceAnswer(readFixture(file), authoritiesOf(root));
    expect(answer === undefined ? 'reject' : 'accept').toBe(truth.expect);
    expect(await readDeviceAnswer(readFixture(file), loadDeviceAuthorities(profileConfig('')))).toBeUndefined();
    const { UDID: udid = '', PRODUCT, VERSION, CHALLENGE } = truth.attributes ?? {};
    if (answer === undefined) return;
    const stated = { udid: readUdid(udid), product: PRODUCT, osBuild: VERSION, challenge: CHALLENGE };
    // Compared by hash: identifiers of devices belong in no output of a test.
    expect(digest(answer)).toBe(digest(stated));
  });

  it('exist if the shared fixtures do', () => {
    expect(cases.length).toBe(findSharedFixtures() === null ? 0 : 10);
  });
});
