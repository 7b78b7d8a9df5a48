// Key pairs with a self-signed certificate. Identity providers only use the key in it.
import { webcrypto } from 'node:crypto';
import { toPem } from '../certificates/pem.ts';

const ALGORITHM = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
};
const CERTIFICATE_YEARS = 20;

export interface CertifiedKey {
  /** Both in PEM. */
  certificate: string;
  privateKey: string;
}

/** Creates an RSA key with its certificate, valid from a day before `now`. */
export async function makeCertifiedKey(now: Date): Promise<CertifiedKey> {
  const pair = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', pair.privateKey));
  return { certificate: await certify(pair, now), privateKey: toPem('PRIVATE KEY', pkcs8) };
}

async function certify(pair: webcrypto.CryptoKeyPair, now: Date): Promise<string> {
  const [pki, asn1] = await Promise.all([import('pkijs'), import('asn1js')]);
  const engine = new pki.CryptoEngine({ name: 'node', crypto: webcrypto });
  const certificate = new pki.Certificate();
  certificate.version = 2;
  certificate.serialNumber = new asn1.Integer({ value: 1 });
  for (const name of [certificate.issuer, certificate.subject]) {
    name.typesAndValues.push(
      new pki.AttributeTypeAndValue({ type: '2.5.4.3', value: new asn1.Utf8String({ value: 'Taxiway' }) }),
    );
  }
  certificate.notBefore.value = new Date(now.getTime() - 24 * 3_600_000);
  certificate.notAfter.value = new Date(Date.UTC(now.getUTCFullYear() + CERTIFICATE_YEARS, 0, 1));
  await certificate.subjectPublicKeyInfo.importKey(pair.publicKey, engine);
  await certificate.sign(pair.privateKey, 'SHA-256', engine);
  return toPem('CERTIFICATE', Buffer.from(certificate.toSchema(true).toBER()));
}
