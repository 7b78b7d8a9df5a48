// Signed messages (CMS SignedData with embedded content, RFC 5652), for signing configuration profiles.
import type { X509Certificate } from 'node:crypto';
import { importPrivateKey, loadPki, needsLongTime, wholeSeconds } from './x509.ts';

export interface Signer {
  certificate: X509Certificate;
  /** PEM. */
  privateKey: string;
  /** Intermediate certificates to include. */
  chain: readonly X509Certificate[];
}

const OID = {
  data: '1.2.840.113549.1.7.1',
  signedData: '1.2.840.113549.1.7.2',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingTime: '1.2.840.113549.1.9.5',
} as const;

/** Signs content with SHA-256 and returns the message in DER. The message contains `signedAt`. */
export async function signMessage(content: Buffer, signer: Signer, signedAt: Date): Promise<Buffer> {
  const { pki, asn1, engine } = await loadPki();
  const read = (certificate: X509Certificate) => pki.Certificate.fromBER(Uint8Array.from(certificate.raw).buffer);
  const own = read(signer.certificate);
  const bytes = Uint8Array.from(content).buffer;
  const digest = await engine.digest('SHA-256', new Uint8Array(bytes));
  const attribute = (type: string, value: unknown) => new pki.Attribute({ type, values: [value] });
  const valueDate = wholeSeconds(signedAt);
  const signingTime = needsLongTime(signedAt)
    ? new asn1.GeneralizedTime({ valueDate })
    : new asn1.UTCTime({ valueDate });
  const message = new pki.SignedData({
    version: 1,
    encapContentInfo: new pki.EncapsulatedContentInfo({
      eContentType: OID.data,
      eContent: new asn1.OctetString({ valueHex: bytes }),
    }),
    signerInfos: [
      new pki.SignerInfo({
        version: 1,
        sid: new pki.IssuerAndSerialNumber({ issuer: own.issuer, serialNumber: own.serialNumber }),
        signedAttrs: new pki.SignedAndUnsignedAttributes({
          type: 0,
          attributes: [
            attribute(OID.contentType, new asn1.ObjectIdentifier({ value: OID.data })),
            attribute(OID.signingTime, signingTime),
            attribute(OID.messageDigest, new asn1.OctetString({ valueHex: digest })),
          ],
        }),
      }),
    ],
    certificates: [own, ...signer.chain.map(read)],
  });
  await message.sign(await importPrivateKey(signer.privateKey), 0, 'SHA-256', bytes, engine);
  const info = new pki.ContentInfo({ contentType: OID.signedData, content: message.toSchema(true) });
  return Buffer.from(info.toSchema().toBER());
}

/**
 * Signs content with SHA-256 and returns the message in DER, without the content and without attributes: the form of signatures in
 * JAR files.
 */
export async function signDetached(content: Buffer, signer: Signer): Promise<Buffer> {
  const { pki, engine } = await loadPki();
  const read = (certificate: X509Certificate) => pki.Certificate.fromBER(Uint8Array.from(certificate.raw).buffer);
  const own = read(signer.certificate);
  const message = new pki.SignedData({
    version: 1,
    encapContentInfo: new pki.EncapsulatedContentInfo({ eContentType: OID.data }),
    signerInfos: [
      new pki.SignerInfo({
        version: 1,
        sid: new pki.IssuerAndSerialNumber({ issuer: own.issuer, serialNumber: own.serialNumber }),
      }),
    ],
    certificates: [own, ...signer.chain.map(read)],
  });
  const bytes = Uint8Array.from(content).buffer;
  await message.sign(await importPrivateKey(signer.privateKey), 0, 'SHA-256', bytes, engine);
  const info = new pki.ContentInfo({ contentType: OID.signedData, content: message.toSchema(true) });
  return Buffer.from(info.toSchema().toBER());
}
