// Certificates of identity providers: read from PEM or bare base64, accepted only if their signatures can be verified.
import { X509Certificate } from 'node:crypto';
import { timestamp } from '../lib/clock.ts';

const MIN_KEY_BITS = 2048;
const LONGEST = 16 * 1024;

/**
 * Returns the certificate in PEM, or the problem with it. Its validity period isn't checked, because the administrator chose to
 * trust it, as is usual with SAML.
 */
export function readCertificate(text: string): { pem: string } | { problem: string } {
  if (text.length > LONGEST) return { problem: 'Input should be one certificate' };
  const base64 = text.replace(/-----(?:BEGIN|END) CERTIFICATE-----/g, '').replace(/\s+/g, '');
  let certificate: X509Certificate;
  try {
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw new TypeError('not base64');
    certificate = new X509Certificate(Buffer.from(base64, 'base64'));
  } catch {
    return { problem: 'Input should be a certificate in PEM or base64' };
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = certificate.publicKey;
  if (type !== 'rsa' || (details?.modulusLength ?? 0) < MIN_KEY_BITS) {
    return { problem: `Input should be a certificate of an RSA key of at least ${MIN_KEY_BITS} bits` };
  }
  return { pem: certificate.toString() };
}

/** Returns the content of a PEM certificate for metadata. */
export function bareCertificate(pem: string): string {
  return pem.replace(/-----[^-]+-----|\s+/g, '');
}

/** Returns the displayed details of a certificate. The subject is untrusted text in one line; the fingerprint is lower-case hex. */
export function describeCertificate(pem: string): { subject: string; expires_at: string | null; sha256: string } {
  const { subject, validToDate, fingerprint256 } = new X509Certificate(pem);
  return {
    // Some certificates have no subject.
    subject: (subject ?? '').split('\n').join(', '),
    // Invalid dates are reported as null.
    expires_at: Number.isNaN(validToDate.getTime()) ? null : timestamp(validToDate.getTime()),
    sha256: fingerprint256.replaceAll(':', '').toLowerCase(),
  };
}
