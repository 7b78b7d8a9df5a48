// Checks the structure of a response before its signature is verified, and rejects every structure in which a signature could cover
// other data than what is read later (XML signature wrapping).

import { RefusedMessage } from './errors.ts';
import type { Expected } from './expected.ts';
import { ASSERTION, EXCLUSIVE_FORM, PROTOCOL, SIGNATURE, SUCCESS } from './names.ts';
import { attributeOf, childrenOf, onlyChildOf, walk, type XmlElement } from './xml.ts';

const signatureMethods = new Set([
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
]);
const digestMethods = new Set(['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512']);
const canonicalForms = new Set([EXCLUSIVE_FORM, 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315']);
const transforms = new Set([...canonicalForms, 'http://www.w3.org/2000/09/xmldsig#enveloped-signature']);

/** Limits of one signature: enough for a key with its certificate chain. */
const MAX_SIGNATURE_CHARACTERS = 24 * 1024;
const MAX_SIGNATURE_ELEMENTS = 40;
const MAX_PREFIX_LIST_LENGTH = 256;

/** A signature and the element that it covers. */
export interface Signed {
  parent: XmlElement;
  signature: XmlElement;
}

/**
 * Throws for ambiguous structures: more than one assertion, repeated ids, signatures in unexpected places. Returns the signatures,
 * all of which must be valid.
 */
export function checkShape(response: XmlElement, expected: Expected): { ofResponse?: Signed; ofAssertion?: Signed } {
  if (response.namespace !== PROTOCOL || response.name !== 'Response') throw new RefusedMessage('unreadable');
  const status = onlyChildOf(onlyChildOf(response, PROTOCOL, 'Status'), PROTOCOL, 'StatusCode');
  if (status === undefined || attributeOf(status, 'Value') !== SUCCESS) throw new RefusedMessage('status');
  const elements = [...walk(response)];
  const assertion = onlyChildOf(response, ASSERTION, 'Assertion');
  const assertions = elements.filter((one) => /assertion/i.test(one.name));
  if (assertion === undefined || assertions.length !== 1) {
    const isEncrypted = assertions.length === 1 && onlyChildOf(response, ASSERTION, 'EncryptedAssertion') !== undefined;
    throw new RefusedMessage(isEncrypted ? 'algorithm' : 'wrapped');
  }
  checkIds(elements);
  const signed = checkSignatures(response, assertion, elements);
  const issuer = onlyChildOf(response, ASSERTION, 'Issuer');
  if (childrenOf(response, ASSERTION, 'Issuer').length > 0 && issuer?.text !== expected.entityId) {
    throw new RefusedMessage('issuer');
  }
  const destination = attributeOf(response, 'Destination');
  if (destination !== undefined && destination !== expected.acsUrl) throw new RefusedMessage('destination');
  if (attributeOf(response, 'Version') !== '2.0') throw new RefusedMessage('unreadable');
  const [ofResponse, ofAssertion] = [response, assertion].map((parent) => signed.find((one) => one.parent === parent));
  return { ...(ofResponse && { ofResponse }), ...(ofAssertion && { ofAssertion }) };
}

function checkIds(elements: readonly XmlElement[]): void {
  const seen = new Set<string>();
  for (const element of elements) {
    const ids = element.attributes.filter(({ name }) => name.toLowerCase() === 'id');
    for (const { value } of ids) {
      if (seen.has(value)) throw new RefusedMessage('wrapped');
      seen.add(value);
    }
  }
}

function checkSignatures(response: XmlElement, assertion: XmlElement, elements: readonly XmlElement[]): Signed[] {
  const signatures = elements.filter((one) => one.name === 'Signature' || one.namespace === SIGNATURE);
  if (signatures.length === 0) throw new RefusedMessage('unsigned');
  const signed: Signed[] = [];
  let known = 0;
  for (const parent of [response, assertion]) {
    const [signature, ...others] = childrenOf(parent, SIGNATURE, 'Signature');
    if (signature === undefined) continue;
    if (others.length > 0) throw new RefusedMessage('wrapped');
    checkSignature(signature, attributeOf(parent, 'ID'));
    signed.push({ parent, signature });
    known += [...walk(signature)].filter((one) => one.namespace === SIGNATURE).length;
  }
  // Every signature element belongs to one of the two verified signatures.
  if (known !== signatures.length) throw new RefusedMessage('wrapped');
  return signed;
}

function checkSignature(signature: XmlElement, parentId: string | undefined): void {
  const info = onlyChildOf(signature, SIGNATURE, 'SignedInfo');
  const reference = onlyChildOf(info, SIGNATURE, 'Reference');
  const parts = [...walk(signature)];
  const isSmall =
    signature.end - signature.start <= MAX_SIGNATURE_CHARACTERS &&
    parts.length <= MAX_SIGNATURE_ELEMENTS &&
    parts.every((one) => (attributeOf(one, 'PrefixList') ?? '').length <= MAX_PREFIX_LIST_LENGTH);
  if (!isSmall) throw new RefusedMessage('unreadable');
  const isPlain =
    info !== undefined &&
    reference !== undefined &&
    parentId !== undefined &&
    parentId !== '' &&
    attributeOf(reference, 'URI') === `#${parentId}` &&
    !parts.some((one) => one.name === 'Object' || one.name === 'Manifest') &&
    signature.children.every((one) => ['SignedInfo', 'SignatureValue', 'KeyInfo'].includes(one.name)) &&
    ['SignedInfo', 'SignatureValue'].every((name) => onlyChildOf(signature, SIGNATURE, name) !== undefined);
  if (!isPlain) throw new RefusedMessage('wrapped');
  const algorithms = (name: string, allowed: ReadonlySet<string>, max: number) => {
    const found = parts.filter((one) => one.name === name).map((one) => attributeOf(one, 'Algorithm') ?? '');
    return found.length > 0 && found.length <= max && found.every((one) => allowed.has(one));
  };
  const isStrong =
    algorithms('SignatureMethod', signatureMethods, 1) &&
    algorithms('DigestMethod', digestMethods, 1) &&
    algorithms('CanonicalizationMethod', canonicalForms, 1) &&
    algorithms('Transform', transforms, 2);
  if (!isStrong) throw new RefusedMessage('algorithm');
}
