// Signed configuration profiles, checked with openssl: with the own authority and with a configured certificate.
import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadAuthority } from '../../src/certificates/authority.ts';
import { KeyFilesError } from '../../src/certificates/key-files.ts';
import { signProfile } from '../../src/certificates/profile.ts';
import { checkTls } from '../../src/checks/tls.ts';
import { certificateAuthorities, certificates } from '../../src/data/tables/tables.ts';
import { DAY } from '../../src/lib/clock.ts';
import { openTestApp } from '../core/open-app.ts';

const plist = Buffer.from('<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict/></plist>');

let opened: Awaited<ReturnType<typeof openTestApp>>;
let folder: string;

beforeEach(async () => {
  opened = await openTestApp();
  folder = mkdtempSync(join(tmpdir(), 'taxiway-cms-'));
});

afterEach(async () => {
  await opened.close();
  rmSync(folder, { recursive: true });
});

function openssl(words: string[]): Buffer {
  return execFileSync('openssl', words, { stdio: ['ignore', 'pipe', 'pipe'] });
}

function verifyWithOpenssl(message: Buffer, root: string): Buffer {
  const signed = join(folder, 'signed.der');
  const roots = join(folder, 'root.pem');
  writeFileSync(signed, message);
  writeFileSync(roots, root);
  return openssl(['cms', '-verify', '-binary', '-inform', 'DER', '-in', signed, '-CAfile', roots]);
}

describe('a configuration profile', () => {
  it("is signed by a certificate of the server's authority with its content unchanged, according to openssl", async () => {
    const { app } = opened;
    const message = await signProfile(app, plist);
    const { certificate } = await loadAuthority(app);

    expect(verifyWithOpenssl(message, certificate)).toEqual(plist);
    expect(message.includes(new X509Certificate(certificate).raw)).toBe(true);
  });

  it('is rejected by openssl after one byte is changed', async () => {
    const { app } = opened;
    const message = await signProfile(app, plist);
    const { certificate } = await loadAuthority(app);
    message[message.indexOf('<dict/>') + 1] = 0x44;

    expect(() => verifyWithOpenssl(message, certificate)).toThrow(/CMS Verification failure/);
  });

  it('creates one authority and one certificate for simultaneous requests', async () => {
    const { app } = opened;
    await Promise.all(Array.from({ length: 5 }, () => signProfile(app, plist)));

    expect(app.db.select().from(certificateAuthorities).all()).toHaveLength(1);
    const kept = app.db.select().from(certificates).all();
    expect(kept.map(({ purpose }) => purpose)).toEqual(['profile']);
  });

  it('is signed by a new certificate of the same authority before the last one expires', async () => {
    const { app, clock } = opened;
    await signProfile(app, plist);
    const { certificate } = await loadAuthority(app);
    clock.advance(340 * DAY);
    const message = await signProfile(app, plist);

    expect(app.db.select().from(certificates).all()).toHaveLength(2);
    expect((await loadAuthority(app)).certificate).toBe(certificate);
    expect(message.length).toBeGreaterThan(plist.length);
  });

  it('stores private keys only in encrypted form', async () => {
    const { app } = opened;
    await signProfile(app, plist);

    const rows = JSON.stringify([
      app.db.select().from(certificateAuthorities).all(),
      app.db.select().from(certificates).all(),
    ]);
    expect(rows).not.toContain('PRIVATE KEY');
    expect(rows).toContain('"privateKeyEncrypted":"v1.');
  });
});

describe('a configured certificate', () => {
  const at = (name: string) => join(folder, name);

  function configure(files: { cert_file?: string; key_file?: string; chain_file?: string }): void {
    const { app } = opened;
    app.config = { ...app.config, apple_profile: { ...app.config.apple_profile, ...files } };
  }

  const kinds = {
    rsa: ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'],
    ec: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-384'],
    secp256k1: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:secp256k1'],
    ed25519: ['-algorithm', 'ed25519'],
    'rsa-pss': ['-algorithm', 'RSA-PSS', '-pkeyopt', 'rsa_keygen_bits:2048'],
  };

  function makeKey(file: string, kind: keyof typeof kinds): void {
    openssl(['genpkey', ...kinds[kind], '-out', at(file)]);
  }

  function makeRoot(kind: keyof typeof kinds = 'ec'): void {
    makeKey('root.key', kind);
    openssl(['req', '-x509', '-new', '-key', at('root.key'), '-subj', '/CN=Root', '-days', '30', '-out', at('ca.pem')]);
  }

  function certify(name: string, issuer: string, extensions: string): void {
    const issuerFile = issuer === 'root' ? 'ca.pem' : `${issuer}.pem`;
    writeFileSync(at('extensions'), extensions);
    openssl(['req', '-new', '-key', at(`${name}.key`), '-subj', `/CN=${name}`, '-out', at(`${name}.csr`)]);
    const by = ['-CA', at(issuerFile), '-CAkey', at(`${issuer}.key`), '-CAcreateserial'];
    openssl([
      'x509',
      '-req',
      '-in',
      at(`${name}.csr`),
      ...by,
      '-days',
      '9',
      '-extfile',
      at('extensions'),
      '-out',
      at(`${name}.pem`),
    ]);
  }

  for (const kind of ['rsa', 'ec'] as const) {
    it(`signs with its ${kind} key and includes its intermediate certificates`, async () => {
      makeRoot();
      makeKey('middle.key', 'ec');
      certify('middle', 'root', 'basicConstraints=critical,CA:true');
      makeKey('leaf.key', kind);
      certify('leaf', 'middle', 'keyUsage=digitalSignature');
      configure({ cert_file: at('leaf.pem'), key_file: at('leaf.key'), chain_file: at('middle.pem') });

      const message = await signProfile(opened.app, plist);

      expect(verifyWithOpenssl(message, readFileSync(at('ca.pem'), 'utf8'))).toEqual(plist);
      expect(opened.app.db.select().from(certificateAuthorities).all()).toEqual([]);
    });
  }

  it('is rejected with the name of a file that is missing, invalid or does not match its key', async () => {
    makeRoot();
    makeKey('other.key', 'ec');
    const refusals: [Parameters<typeof configure>[0], string][] = [
      [
        { cert_file: at('none.pem'), key_file: at('root.key') },
        `${at('none.pem')} can't be used: the file doesn't exist`,
      ],
      [{ cert_file: at('root.key'), key_file: at('root.key') }, `${at('root.key')} contains no certificate in PEM`],
      [{ cert_file: at('ca.pem'), key_file: at('other.key') }, `${at('other.key')} is not the key of ${at('ca.pem')}`],
    ];
    for (const [files, message] of refusals) {
      configure(files);
      const refused = await signProfile(opened.app, plist).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(KeyFilesError);
      expect(String(refused)).toContain(message);
    }
  });

  it.each(['secp256k1', 'ed25519', 'rsa-pss'] as const)(
    'is rejected, and fails the check, with a %s key',
    async (kind) => {
      makeRoot(kind);
      configure({ cert_file: at('ca.pem'), key_file: at('root.key') });
      const { app } = opened;
      const message = `${at('root.key')} can't sign profiles: use an RSA key, or one with a NIST curve`;

      await expect(signProfile(app, plist)).rejects.toThrow(new KeyFilesError(message));
      expect(checkTls(app.config, undefined, app.clock.now())).toMatchObject([
        { status: 'fail', name: 'profiles', detail: message },
      ]);
    },
  );
});
