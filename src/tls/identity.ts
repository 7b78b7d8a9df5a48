// The TLS identity of the server: a certificate with chain and key, and whether browsers trust its issuer.
import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import type { KeyFiles } from '../certificates/key-files.ts';
import { readCertificates } from '../certificates/pem.ts';
import type { KeptCertificate, Purpose } from '../certificates/store.ts';

export interface Identity {
  source: 'files' | Purpose;
  names: readonly string[];
  /** Milliseconds since the epoch. */
  startsAt: number;
  expiresAt: number;
  /** SHA-256 of the server's certificate. */
  fingerprint: string;
  /** PEM: the server's certificate, then the intermediate certificates. */
  chain: string;
  /** PEM. */
  privateKey: string;
  isPublic: boolean;
}

/** Returns the identity of a certificate in the database. */
export function identityOfKept({ chain, privateKey, purpose, names, expiresAt }: KeptCertificate): Identity {
  const certificates = readCertificates(chain);
  const isPublic = purpose === 'acme' && isPubliclyTrusted(certificates);
  return { source: purpose, names, expiresAt, privateKey, isPublic, ...describeChain(certificates) };
}

/** Returns the identity of the configured certificate files, with the names in the certificate. */
export function identityOfFiles({ certificate, chain, privateKey }: KeyFiles): Identity {
  const certificates = [certificate, ...chain];
  const names = (certificate.subjectAltName ?? '').split(', ').map((name) => name.replace(/^[\w ]+:/, ''));
  const expiresAt = certificate.validToDate.getTime();
  const isPublic = isPubliclyTrusted(certificates);
  return { source: 'files', names, expiresAt, privateKey, isPublic, ...describeChain(certificates) };
}

function describeChain(certificates: readonly X509Certificate[]): Pick<Identity, 'startsAt' | 'fingerprint' | 'chain'> {
  const [own] = certificates;
  const startsAt = own?.validFromDate.getTime() ?? 0;
  return { startsAt, fingerprint: own?.fingerprint256 ?? '', chain: certificates.map(String).join('') };
}

/** Longer than any chain in use. */
const MAX_STEPS = 8;

/** Whether a chain leads to an authority that browsers trust (Mozilla's list, included in Node). Dates aren't checked. */
export function isPubliclyTrusted(chain: readonly X509Certificate[]): boolean {
  const roots = rootCertificates.map((pem) => new X509Certificate(pem));
  let [certificate] = chain;
  for (let step = 0; certificate !== undefined && step < MAX_STEPS; step += 1) {
    const child: X509Certificate = certificate;
    const isParent = (other: X509Certificate) => child.checkIssued(other) && child.verify(other.publicKey);
    if (roots.some((root) => root.fingerprint256 === child.fingerprint256 || isParent(root))) return true;
    certificate = chain.find((other) => other !== child && isParent(other));
  }
  return false;
}
