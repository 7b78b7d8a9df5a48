// The server's own authority, checked with openssl: allowed names, lifetimes and rejected uses.
import { X509Certificate } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadAuthority, loadInternalCertificate } from '../../src/certificates/authority.ts';
import { addressBytes, internalNames, normalizeName } from '../../src/certificates/names.ts';
import { readCertificates } from '../../src/certificates/pem.ts';
import { issueLeaf } from '../../src/certificates/x509.ts';
import { configFrom } from '../../src/config.ts';
import { DAY } from '../../src/lib/clock.ts';
import { openTestApp } from '../core/open-app.ts';
import { run, withFiles } from '../tls/clients.ts';

let opened: Awaited<ReturnType<typeof openTestApp>>;

beforeEach(async () => {
  opened = await openTestApp();
});

afterEach(() => opened.close());

function serve(baseUrl: string, domains: string[] = []): void {
  const { app } = opened;
  const { server } = app.config;
  const tls = { ...server.tls, mode: 'internal', acme_domains: domains } as const;
  app.config = { ...app.config, server: { ...server, base_url: baseUrl, tls } };
}

/** What openssl says of a leaf under a root; an empty text when it is fine. */
async function verify(root: string, leaf: string, name: { host: string } | { ip: string }): Promise<string> {
  return withFiles({ 'root.pem': root, 'leaf.pem': leaf }, async (at) => {
    const check = 'host' in name ? ['-verify_hostname', name.host] : ['-verify_ip', name.ip];
    const words = [
      'verify',
      '-x509_strict',
      '-purpose',
      'sslserver',
      '-CAfile',
      at('root.pem'),
      ...check,
      at('leaf.pem'),
    ];
    const { stdout, stderr } = await run('openssl', words);
    return /error \d+ at \d+ depth lookup: (.+)/.exec(stdout + stderr)?.[1] ?? '';
  });
}

async function describeCertificate(pem: string): Promise<string> {
  return withFiles(
    { 'it.pem': pem },
    async (at) => (await run('openssl', ['x509', '-noout', '-text', '-in', at('it.pem')])).stdout,
  );
}

describe("a certificate of the server's authority", () => {
  it.each([
    ['https://builds.example.com', [], [{ host: 'builds.example.com' }]],
    [
      'https://builds.example.com:8443',
      ['lab.example.org', '10.0.0.5'],
      [{ host: 'lab.example.org' }, { ip: '10.0.0.5' }],
    ],
    ['https://192.168.7.9:8443', [], [{ ip: '192.168.7.9' }]],
    ['https://[fd00::9]', [], [{ ip: 'fd00::9' }]],
    ['https://localhost:8080', [], [{ host: 'localhost' }, { ip: '127.0.0.1' }, { ip: '::1' }]],
  ])('is valid for %s %j according to openssl', async (baseUrl, domains, names) => {
    serve(baseUrl, domains);
    const authority = await loadAuthority(opened.app);
    const { chain } = await loadInternalCertificate(opened.app, 'internal');
    const [leaf = ''] = readCertificates(chain).map(String);
    for (const name of names) expect(await verify(authority.certificate, leaf, name)).toBe('');
    expect(await verify(authority.certificate, leaf, { host: 'elsewhere.example.net' })).toBe('hostname mismatch');
  });

  it('meets the requirements of iOS: names, purpose, P-256, and less than 398 days', async () => {
    serve('https://builds.example.com');
    const { chain } = await loadInternalCertificate(opened.app, 'internal');
    const [leaf] = readCertificates(chain);
    const text = await describeCertificate(String(leaf));
    expect(text).toContain('X509v3 Extended Key Usage: \n                TLS Web Server Authentication');
    expect(text).toContain('X509v3 Subject Alternative Name: \n                DNS:builds.example.com');
    expect(text).toContain('NIST CURVE: P-256');
    expect(text).toContain('Signature Algorithm: ecdsa-with-SHA256');
    expect(text).toContain('CA:FALSE');
    const days = ((leaf?.validToDate.getTime() ?? 0) - (leaf?.validFromDate.getTime() ?? 0)) / DAY;
    expect(days).toBeGreaterThan(396);
    expect(days).toBeLessThan(398);
  });

  it('has an issuer with critical name constraints that cannot certify authorities', async () => {
    serve('https://builds.example.com', ['10.0.0.5']);
    const text = await describeCertificate((await loadAuthority(opened.app)).certificate);
    expect(text).toContain('X509v3 Basic Constraints: critical\n                CA:TRUE, pathlen:0');
    expect(text).toContain('X509v3 Key Usage: critical\n                Certificate Sign, CRL Sign');
    expect(text).toContain(
      'X509v3 Extended Key Usage: \n                TLS Web Server Authentication, E-mail Protection\n',
    );
    expect(text).toMatch(
      /X509v3 Name Constraints: critical\n +Permitted:\n +DNS:builds\.example\.com\n +IP:10\.0\.0\.5\/255\.255\.255\.255\n/,
    );
  });
});

describe("a stolen key of the server's authority", () => {
  const validity = { notBefore: new Date(Date.now() - DAY), notAfter: new Date(Date.now() + DAY) };

  it.each([
    ['https://builds.example.com', { host: 'bank.example.net' }, 'permitted subtree violation'],
    ['https://builds.example.com', { ip: '192.0.2.1' }, 'excluded subtree violation'],
    ['https://builds.example.com', { ip: '2001:db8::1' }, 'excluded subtree violation'],
    ['https://10.0.0.5', { ip: '10.0.0.6' }, 'permitted subtree violation'],
    ['https://10.0.0.5', { ip: '2001:db8::1' }, 'permitted subtree violation'],
    ['https://10.0.0.5', { host: 'bank.example.net' }, 'excluded subtree violation'],
  ])('of %s cannot certify %j', async (baseUrl, name, refusal) => {
    serve(baseUrl);
    const authority = await loadAuthority(opened.app);
    const names = ['host' in name ? name.host : name.ip];
    const leaf = await issueLeaf(authority, { commonName: 'x', use: 'server', names, keyKind: 'ecdsa', validity });
    expect(await verify(authority.certificate, leaf.certificate, name)).toBe(refusal);
  });

  it.each([
    ['an email address', 'subjectAltName=email:boss@bank.example.net', 'smimesign', 'permitted subtree violation'],
    [
      'an email address below its own name',
      'subjectAltName=email:a@builds.example.com',
      'any',
      'permitted subtree violation',
    ],
    ['a URL', 'subjectAltName=URI:https://bank.example.net/', 'any', 'permitted subtree violation'],
    ['a client that signs in', 'extendedKeyUsage=clientAuth', 'sslclient', 'unsuitable certificate purpose'],
  ])('cannot certify %s', async (_what, extension, purpose, refusal) => {
    serve('https://builds.example.com');
    const authority = await loadAuthority(opened.app);
    const files = { 'ca.pem': authority.certificate, 'ca.key': authority.privateKey, ext: `${extension}\n` };
    await withFiles(files, async (at) => {
      const request = ['req', '-new', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=x'];
      await run('openssl', [...request, '-keyout', at('leaf.key'), '-out', at('leaf.csr')]);
      const issuer = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-days', '2', '-extfile', at('ext')];
      await run('openssl', ['x509', '-req', '-in', at('leaf.csr'), ...issuer, '-out', at('leaf.pem')]);
      const judged = ['verify', '-purpose', purpose, '-CAfile', at('ca.pem'), at('leaf.pem')];
      const { stdout, stderr } = await run('openssl', judged);
      expect(stdout + stderr).toContain(refusal);
    });
  });
});

describe("the server's authority", () => {
  it('changes with the names, and the first one returns with its names', async () => {
    serve('https://builds.example.com');
    const first = await loadAuthority(opened.app);
    serve('https://other.example.com');
    const second = await loadAuthority(opened.app);
    expect(second.certificate).not.toBe(first.certificate);
    expect(new X509Certificate(second.certificate).subject).toMatch(/^CN=Taxiway other\.example\.com [0-9a-f]{6}$/);
    serve('https://builds.example.com');
    expect((await loadAuthority(opened.app)).certificate).toBe(first.certificate);
  });

  it('is valid for ten years, and limits its certificates', async () => {
    serve('https://builds.example.com');
    const first = await loadAuthority(opened.app);
    opened.clock.advance(3500 * DAY);
    expect((await loadAuthority(opened.app)).id).toBe(first.id);
    const { expiresAt } = await loadInternalCertificate(opened.app, 'internal');
    expect(expiresAt).toBe(first.expiresAt);
    opened.clock.advance(130 * DAY);
    const next = await loadAuthority(opened.app);
    expect(next.id).not.toBe(first.id);
    expect((await loadInternalCertificate(opened.app, 'internal')).issuer).toBe(next.id);
  });

  it('reports a changed secret key', async () => {
    serve('https://builds.example.com');
    await loadAuthority(opened.app);
    const { app } = opened;
    app.secrets = {
      ...app.secrets,
      decrypt: () => {
        throw new Error('unable to authenticate data');
      },
    };
    await expect(loadAuthority(app)).rejects.toThrow(
      'The certificates in the database were created with a different secret key.',
    );
  });
});

describe('names', () => {
  it.each([
    ['https://builds.example.com', [], ['builds.example.com']],
    [
      'https://BUILDS.example.com:8443',
      ['Lab.Example.org', 'bücher.example', 'lab.example.org'],
      ['builds.example.com', 'lab.example.org', 'xn--bcher-kva.example'],
    ],
    ['https://[2001:DB8::0:1]', ['2001:db8:0::1'], ['2001:db8::1']],
    ['https://127.0.0.1:1', [], ['127.0.0.1', '::1', 'localhost']],
  ])('of %s with %j are %j', (baseUrl, domains, names) => {
    const config = configFrom({ server: { base_url: baseUrl, tls: { mode: 'internal', acme_domains: domains } } });
    expect(internalNames(config)).toEqual(names);
  });

  it.each([
    ['10.0.0.5', '0a000005'],
    ['::', '00000000000000000000000000000000'],
    ['::1', '00000000000000000000000000000001'],
    ['2001:db8::8a2e:370:7334', '20010db8000000000000' + '8a2e03707334'],
    ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
    ['::ffff:192.0.2.1', '00000000000000000000ffffc0000201'],
  ])('%s has the bytes %s', (address, hex) => {
    expect(addressBytes(normalizeName(address)).toString('hex')).toBe(hex);
  });
});
