// The trusted issuers of device certificates: Apple's authority, which is pinned, and additional ones configured by the
// operator.
import { X509Certificate } from 'node:crypto';
import type { Config } from '../config.ts';
import { readGivenFile } from '../lib/given-file.ts';
import { APPLE_DEVICE_CA, APPLE_DEVICE_CA_FINGERPRINT } from './apple-device-ca.ts';

export interface DeviceAuthorities {
  apple: X509Certificate;
  /** From `apple_profile.trusted_device_ca_file`, for labs and tests. */
  added: readonly X509Certificate[];
}

/** The file of `apple_profile.trusted_device_ca_file` can't be used. The message contains its name. */
export class DeviceAuthorityError extends Error {}

const MAX_AUTHORITIES = 32;
/** Most authorities between a device and a trusted one. */
const MAX_CHAIN_LENGTH = 4;
/** Most signatures checked for one device, because a message may contain many certificates with the same name. */
const MAX_CHECKS = 16;

/**
 * Reads the authorities. The file is read each time, so that changes take effect immediately. Throws
 * DeviceAuthorityError.
 */
export function loadDeviceAuthorities({ trusted_device_ca_file: file }: Config['apple_profile']): DeviceAuthorities {
  const apple = new X509Certificate(APPLE_DEVICE_CA);
  if (apple.fingerprint256 !== APPLE_DEVICE_CA_FINGERPRINT) throw new Error('The pinned device authority was altered');
  return { apple, added: file === '' ? [] : readAuthorityFile(file) };
}

function readAuthorityFile(file: string): X509Certificate[] {
  try {
    const found =
      readGivenFile(file)
        .toString('utf8')
        .match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
    if (found.length === 0 || found.length > MAX_AUTHORITIES) {
      throw new Error(`expected 1 to ${MAX_AUTHORITIES} PEM certificates, found ${found.length}`);
    }
    const certificates = found.map((pem) => new X509Certificate(pem));
    if (certificates.some((certificate) => !certificate.ca))
      throw new Error("it contains a certificate that isn't an authority");
    return certificates;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DeviceAuthorityError(`Cannot use ${file}: ${reason}`);
  }
}

/**
 * Returns whether a certificate is a device certificate: issued by Apple's authority, or by an added one, directly or
 * through authorities in `others`. Signatures decide, not names. Dates are ignored, because Apple's authority has
 * expired.
 */
export function isDeviceCertificate(
  certificate: X509Certificate,
  others: readonly X509Certificate[],
  { apple, added }: DeviceAuthorities,
): boolean {
  if (certificate.ca) return false;
  if (isIssuedBy(certificate, apple)) return true;
  let checks = 0;
  const check = (issued: X509Certificate, issuer: X509Certificate) => {
    if (checks >= MAX_CHECKS || !isNamedIssuer(issued, issuer)) return false;
    checks += 1;
    return isSigned(issued, issuer);
  };
  if (added.length === 0) return false;
  const between = others.filter((other) => other.ca);
  let reached = [certificate];
  for (let length = 0; length <= MAX_CHAIN_LENGTH && reached.length > 0; length += 1) {
    if (reached.some((issued) => added.some((authority) => check(issued, authority)))) return true;
    const issued = reached;
    reached = between.filter((authority) => issued.some((one) => one !== authority && check(one, authority)));
  }
  return false;
}

function isIssuedBy(issued: X509Certificate, issuer: X509Certificate): boolean {
  return isNamedIssuer(issued, issuer) && isSigned(issued, issuer);
}

function isNamedIssuer(issued: X509Certificate, issuer: X509Certificate): boolean {
  return issued.checkIssued(issuer);
}

function isSigned(issued: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return issued.verify(issuer.publicKey);
  } catch {
    return false;
  }
}
