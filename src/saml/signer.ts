// Who signed a message, found before the costly part of its verification: the digest of everything that a signature covers.
// Only someone with a message that the provider signed gets that far, and then for one certificate instead of all.
import type { SignedXml } from 'xml-crypto';
import { escapeXml } from '../lib/xml-text.ts';
import { RefusedMessage } from './errors.ts';
import { SIGNATURE } from './names.ts';
import type { Signed } from './response-shape.ts';
import { attributeOf, onlyChildOf, type XmlElement } from './xml.ts';

/** Not public in the library, which offers no check of SignedInfo without the digest of what it refers to. */
interface SignedInfoReader {
  signatureNode: unknown;
  getCanonSignedInfoXml(document: unknown): string;
}

/**
 * Returns the certificate whose key made the signature value over SignedInfo. `text` is what the signature was
 * read from. Throws RefusedMessage without one.
 */
export async function findSigner(
  text: string,
  { signature }: Signed,
  certificates: readonly string[],
): Promise<string> {
  const verifier = new (await import('xml-crypto')).SignedXml();
  const signed = canonicalSignedInfo(verifier, excerptOf(text, signature));
  const method = attributeOf(
    onlyChildOf(onlyChildOf(signature, SIGNATURE, 'SignedInfo'), SIGNATURE, 'SignatureMethod') ?? signature,
    'Algorithm',
  );
  const Algorithm = Object.entries(verifier.SignatureAlgorithms).find(([name]) => name === method)?.[1];
  if (Algorithm === undefined) throw new RefusedMessage('algorithm');
  const value = (onlyChildOf(signature, SIGNATURE, 'SignatureValue')?.text ?? '').replace(/\s+/g, '');
  const signer = certificates.find((pem) => new Algorithm().verifySignature(signed, pem, value));
  if (signer === undefined) throw new RefusedMessage('signature');
  return signer;
}

function canonicalSignedInfo(verifier: SignedXml, excerpt: string): string {
  try {
    verifier.loadSignature(excerpt);
    const internals = verifier as unknown as SignedInfoReader;
    return internals.getCanonSignedInfoXml(internals.signatureNode);
  } catch {
    throw new RefusedMessage('signature');
  }
}

/** The signature as a document of its own, in the namespaces that it's in. */
function excerptOf(text: string, { start, contentStart, end, scope }: XmlElement): string {
  const [tag] = /^<[^\s/>]+/.exec(text.slice(start, contentStart)) ?? [''];
  const declarations = [...scope].map(([prefix, uri]) => ` xmlns${prefix && ':'}${prefix}="${escapeXml(uri)}"`);
  return `${tag}${declarations.join('')}>${text.slice(contentStart, end)}`;
}
