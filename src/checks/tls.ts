// Health checks of https: the certificate, its names and expiry, and the certificate that signs profiles.
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type Sqlite from 'better-sqlite3';
import { KeyFilesError, readKeyFiles } from '../certificates/key-files.ts';
import { internalNames, normalizeName } from '../certificates/names.ts';
import { readProfileSigner } from '../certificates/profile.ts';
import type { Config } from '../config.ts';
import { hasTable } from '../data/has-table.ts';
import { DAY } from '../lib/clock.ts';
import { hostnameOf } from '../lib/url-host.ts';
import { isPubliclyTrusted } from '../tls/identity.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const SOON_MS = 14 * DAY;
/** Certificates with a short lifetime are renewed later than two weeks before they expire: after two thirds of it. */
const SOON_SHARE = 1 / 4;
const NAME = 'certificate';

/** Checks the server's certificate and that of apple_profile. Reads only. */
export function checkTls(config: Config, client: Sqlite.Database | undefined, now: Date): Finding[] {
  const { mode } = config.server.tls;
  const database = client !== undefined && hasTable(client, 'certificate_authorities') ? client : undefined;
  const findings =
    mode === 'off'
      ? []
      : mode === 'files'
        ? checkFiles(config, now)
        : mode === 'acme'
          ? checkAcme(config, database, now)
          : [checkInternal(config, database)];
  return [...findings, ...checkProfileSigner(config, now)];
}

function checkFiles({ server }: Config, now: Date): Finding[] {
  const { cert_file: certFile, key_file: keyFile } = server.tls;
  try {
    const { certificate, chain } = readKeyFiles(certFile, keyFile);
    const host = hostnameOf(server.base_url);
    if (!isFor(certificate, host)) {
      const names = certificate.subjectAltName ?? 'no name';
      return [
        fail(
          NAME,
          `${certFile} is for ${names}, not for ${host}: get one for the host of server.base_url`,
          'certificate_other_names',
          {
            file: certFile,
            host,
            names,
          },
        ),
      ];
    }
    return [checkExpiry(certFile, certificate, now), ...checkIssuer(certificate, chain)];
  } catch (error) {
    if (!(error instanceof KeyFilesError)) throw error;
    return [fail(NAME, error.message, 'certificate_unusable', { reason: error.message })];
  }
}

function isFor(certificate: X509Certificate, host: string): boolean {
  return (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;
}

function checkExpiry(name: string, certificate: X509Certificate, now: Date): Finding {
  const { validFromDate: from, validToDate: to } = certificate;
  if (now < from)
    return fail(
      NAME,
      `${name} isn't valid before ${day(from)}: check the clock of this machine`,
      'certificate_not_yet',
      { name, day: day(from) },
    );
  if (now >= to)
    return fail(NAME, `${name} expired on ${day(to)}: renew it`, 'certificate_expired', { name, day: day(to) });
  if (expiresSoon(certificate, now))
    return warn(NAME, `${name} expires on ${day(to)}: renew it`, 'certificate_expires_soon', { name, day: day(to) });
  return ok(NAME, `${name} is valid until ${day(to)}`, 'certificate_valid', { name, day: day(to) });
}

/** iOS doesn't fetch intermediate certificates and trusts only known authorities. */
function checkIssuer(certificate: X509Certificate, chain: readonly X509Certificate[]): Finding[] {
  if (isPubliclyTrusted([certificate, ...chain])) return [];
  const issuer = certificate.issuer.split('\n').join(', ');
  if (certificate.checkIssued(certificate)) {
    return [
      warn(
        NAME,
        'self-signed: iOS installs nothing until each phone trusts it; mode "internal" provides that',
        'certificate_self_signed',
      ),
    ];
  }
  const isIssuerThere = chain.some((other) => certificate.checkIssued(other));
  const next = isIssuerThere
    ? "phones that don't trust it can't install"
    : 'append the intermediate certificates to server.tls.cert_file, or make every phone trust the issuer';
  return [
    warn(NAME, `issued by ${issuer}, which isn't trusted by all phones: ${next}`, 'certificate_private_issuer', {
      issuer,
    }),
  ];
}

interface AuthorityRow {
  certificate: string;
}

function checkInternal(config: Config, client: Sqlite.Database | undefined): Finding {
  const { base_url: baseUrl } = config.server;
  const names = internalNames(config);
  const row = client
    ?.prepare<[string], AuthorityRow>(
      'SELECT certificate FROM certificate_authorities WHERE names = ? ORDER BY id DESC',
    )
    .get(JSON.stringify(names));
  const next = `each phone has to trust it once, see ${baseUrl}/trust`;
  if (row === undefined)
    return ok(
      NAME,
      `a private certificate authority for ${names.join(', ')} will be created at the next start; ${next}`,
      'authority_pending',
      {
        names: names.join(', '),
        address: `${baseUrl}/trust`,
      },
    );
  const authority = new X509Certificate(row.certificate);
  const until = day(authority.validToDate);
  return ok(
    NAME,
    `private certificate authority for ${names.join(', ')} until ${until}, SHA-256 ${authority.fingerprint256}; ${next}`,
    'authority_valid',
    { names: names.join(', '), day: until, fingerprint: authority.fingerprint256, address: `${baseUrl}/trust` },
  );
}

interface AccountRow {
  last_error: string | null;
  next_attempt_at: number;
}

function checkAcme({ server }: Config, client: Sqlite.Database | undefined, now: Date): Finding[] {
  const { acme_directory: directory, acme_domains: domains } = server.tls;
  const names = [...new Set(domains.map(normalizeName))].sort();
  const host = hostnameOf(server.base_url);
  const findings: Finding[] = [];
  if (!names.includes(host)) {
    findings.push(
      fail(NAME, `server.tls.acme_domains doesn't include ${host}, which phones open: add it`, 'acme_domain_missing', {
        host,
      }),
    );
  }
  const sql = `SELECT chain AS certificate FROM certificates
    WHERE purpose = 'acme' AND issuer = ? AND names = ? ORDER BY id DESC`;
  const row = client?.prepare<[string, string], AuthorityRow>(sql).get(directory, JSON.stringify(names));
  const account = client
    ?.prepare<[string], AccountRow>('SELECT last_error, next_attempt_at FROM acme_accounts WHERE directory = ?')
    .get(directory);
  const authority = new URL(directory).host;
  if (row !== undefined)
    findings.push(checkExpiry(`the certificate from ${authority}`, new X509Certificate(row.certificate), now));
  if (account?.last_error != null) {
    const next = `the next attempt is at ${new Date(account.next_attempt_at).toISOString()}`;
    const trouble = `${authority} didn't issue a certificate: ${account.last_error}; ${next}, or 10 minutes after the last one if the server is restarted`;
    findings.push(
      (row === undefined ? fail : warn)(NAME, trouble, 'acme_failed', { authority, reason: account.last_error }),
    );
  } else if (row === undefined) {
    const ports =
      server.tls.http_port === 0
        ? `443 of ${host} is forwarded to ${server.port}`
        : `80 of ${host} is forwarded to ${server.tls.http_port}, and 443 to ${server.port}`;
    findings.push(
      warn(
        NAME,
        `will be ordered from ${authority} at the next start, which requires that port ${ports}`,
        'acme_pending',
        {
          authority,
        },
      ),
    );
  }
  return findings;
}

function checkProfileSigner({ apple_profile: profile }: Config, now: Date): Finding[] {
  try {
    const signer = readProfileSigner(profile);
    if (signer === undefined) return [];
    const { validToDate: to } = signer.certificate;
    const place = profile.cert_file;
    if (now >= to)
      return [
        fail(
          'profiles',
          `${place} expired on ${day(to)}: devices show profiles signed with it as unverified`,
          'profiles_expired',
          { file: place, day: day(to) },
        ),
      ];
    if (expiresSoon(signer.certificate, now))
      return [
        warn('profiles', `${place} expires on ${day(to)}: renew it`, 'profiles_expire_soon', {
          file: place,
          day: day(to),
        }),
      ];
    return [
      ok('profiles', `signed by ${place}, valid until ${day(to)}`, 'profiles_signed', { file: place, day: day(to) }),
    ];
  } catch (error) {
    if (!(error instanceof KeyFilesError)) throw error;
    return [fail('profiles', error.message, 'profiles_unusable', { reason: error.message })];
  }
}

function expiresSoon({ validFromDate: from, validToDate: to }: X509Certificate, now: Date): boolean {
  return to.getTime() - now.getTime() < Math.min(SOON_MS, (to.getTime() - from.getTime()) * SOON_SHARE);
}

function day(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}
