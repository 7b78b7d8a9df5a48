// Whom a device's signature is believed by: Apple's authority for devices, pinned, and one more that the operator may add.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Config } from '../config.ts';
import { APPLE_DEVICE_CA, APPLE_DEVICE_CA_FINGERPRINT } from './apple-device-ca.ts';

export interface DeviceAuthorities {
  apple: X509Certificate;
  /** Of `apple_profile.trusted_device_ca_file`, for laboratories and tests. */
  added: readonly X509Certificate[];
}

/** The file of `apple_profile.trusted_device_ca_file` cannot be used; the message names it. */
export class DeviceAuthorityError extends Error {}

const MOST_AUTHORITIES = 32;
/** Authorities between a device and one that is believed. */
const LONGEST_CHAIN = 4;
/** Signatures checked for one device: a message may carry many certificates of one name. */
const MOST_CHECKS = 16;

/** Reads the authorities; the file anew each time, so that a changed one holds at once. Throws DeviceAuthorityError. */
export function loadDeviceAuthorities({ trusted_device_ca_file: file }: Config['apple_profile']): DeviceAuthorities {
  const apple = new X509Certificate(APPLE_DEVICE_CA);
  if (apple.fingerprint256 !== APPLE_DEVICE_CA_FINGERPRINT) throw new Error('The pinned device authority is altered');
  return { apple, added: file === '' ? [] : readAuthorityFile(file) };
}

function readAuthorityFile(file: string): X509Certificate[] {
  try {
    const found = readFileSync(file, 'utf8').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
    if (found.length === 0 || found.length > MOST_AUTHORITIES) {
      throw new Error(`it holds ${found.length} certificates in PEM, 1 to ${MOST_AUTHORITIES} are expected`);
    }
    const certificates = found.map((pem) => new X509Certificate(pem));
    if (certificates.some((certificate) => !certificate.ca)) throw new Error('it holds a certificate of no authority');
    return certificates;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DeviceAuthorityError(`${file} cannot be used: ${reason}`);
  }
}

/**
 * Whether a certificate is a device's: issued by Apple's authority itself, or, over authorities among `others`, by an added
 * one. Signatures decide and not names; dates are not looked at, because Apple's authority ended long ago.
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
    if (checks >= MOST_CHECKS || !isNamedIssuer(issued, issuer)) return false;
    checks += 1;
    return isSigned(issued, issuer);
  };
  if (added.length === 0) return false;
  const between = others.filter((other) => other.ca);
  let reached = [certificate];
  for (let length = 0; length <= LONGEST_CHAIN && reached.length > 0; length += 1) {
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
