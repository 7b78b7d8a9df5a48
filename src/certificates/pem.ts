// PEM: encodes it and splits certificate chains.
import { X509Certificate } from 'node:crypto';

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** Encodes DER as PEM. */
export function toPem(label: 'CERTIFICATE' | 'PRIVATE KEY', der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

/** Returns every certificate of a PEM text, in order. Throws node:crypto's error for an unreadable one. */
export function readCertificates(pem: string): X509Certificate[] {
  return (pem.match(CERTIFICATE) ?? []).map((part) => new X509Certificate(part));
}
