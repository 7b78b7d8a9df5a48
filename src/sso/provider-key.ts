// The key with which an organization signs what it sends to its identity provider: made once, the private half encrypted.
import { createPrivateKey, type KeyObject, webcrypto } from 'node:crypto';
import type { Context } from '../platform/context.ts';
import { findKey, insertKey } from './store.ts';

export interface ProviderKey {
  /** PEM. */
  certificate: string;
  privateKey: KeyObject;
}

const ALGORITHM = {
  name: 'RSASSA-PKCS1-v1_5',
  hash: 'SHA-256',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
};
const CERTIFICATE_YEARS = 20;

const purposeOf = (organizationId: string) => `sso key ${organizationId}`;

/** The key of an organization; the first call makes it. */
export async function provideKey(ctx: Context, organizationId: string): Promise<ProviderKey> {
  const row = findKey(ctx, organizationId) ?? (await makeKey(ctx, organizationId));
  const pem = ctx.secrets.decrypt(row.privateKeyEncrypted, purposeOf(organizationId));
  return { certificate: row.certificate, privateKey: createPrivateKey(pem) };
}

async function makeKey(ctx: Context, organizationId: string) {
  const pair = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await certify(pair, ctx.clock.now());
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', pair.privateKey));
  const privateKeyEncrypted = ctx.secrets.encrypt(toPem('PRIVATE KEY', pkcs8), purposeOf(organizationId));
  // Of two that make one at once the first wins, and both go on with the winner's.
  return ctx.transact(
    (tx) => {
      insertKey(tx, { organizationId, certificate, privateKeyEncrypted, createdAt: tx.now });
      const row = findKey(tx, organizationId);
      if (row === undefined) throw new Error('The key was not kept');
      return row;
    },
    { bookkeeping: true },
  );
}

/** A self-signed certificate: identity providers take the key from it and look at nothing else. */
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

function toPem(label: string, der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
