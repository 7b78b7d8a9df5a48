// PEM texts: writing them, and taking chains of certificates apart.
import { X509Certificate } from 'node:crypto';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** DER as PEM. */
export function toPem(label: 'CERTIFICATE' | 'PRIVATE KEY', der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

/** Every certificate of a PEM text, in order. Throws what node:crypto says of one that cannot be read. */
export function readCertificates(pem: string): X509Certificate[] {
  return (pem.match(CERTIFICATE) ?? []).map((part) => new X509Certificate(part));
}
