// Reads an identity provider's answer to a sign-in request. The signature is verified by node-saml; before it, a strict reader
// refuses every shape in which a signature could cover something else than what is read; after it, only what the signature
// covers is read (completions 10.18).
import { isUtf8 } from 'node:buffer';
import { displayName as displayNameShape, emailAddress } from '../accounts/schema.ts';
import {
  ASSERTION,
  BEARER,
  EMAIL_FORMAT,
  PROTOCOL,
  SIGNATURE,
  SUCCESS,
  TRANSIENT_FORMAT,
  UNSPECIFIED_FORMAT,
} from './names.ts';
import { RefusedMessage } from './refusal.ts';
import { attributeOf, childrenOf, onlyChildOf, parseXml, walk, type XmlElement, XmlError } from './xml.ts';

/** Clocks may differ by this much. */
export const CLOCK_SKEW_MS = 60_000;
const MOST_RESPONSE_BYTES = 256 * 1024;
const LONGEST_ID = 512;

/** What an answer is held against. */
export interface Expected {
  entityId: string;
  certificates: readonly string[];
  audience: string;
  acsUrl: string;
  /** Milliseconds since the epoch. */
  now: number;
}

/** Who signed in, from the signed element alone. */
export interface SignedIdentity {
  assertionId: string;
  inResponseTo: string;
  nameId: string;
  nameIdFormat: string | null;
  sessionIndex: string | null;
  email: string;
  displayName: string | undefined;
}

const signatureMethods = new Set([
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
  'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
]);
const digestMethods = new Set(['http://www.w3.org/2001/04/xmlenc#sha256', 'http://www.w3.org/2001/04/xmlenc#sha512']);
const canonicalForms = new Set([
  'http://www.w3.org/2001/10/xml-exc-c14n#',
  'http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
]);
const transforms = new Set([...canonicalForms, 'http://www.w3.org/2000/09/xmldsig#enveloped-signature']);

const emailNames = new Set([
  'email',
  'mail',
  'emailAddress',
  'urn:oid:0.9.2342.19200300.100.1.3',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress',
]);
const displayNames = new Set([
  'displayName',
  'urn:oid:2.16.840.1.113730.3.1.241',
  'http://schemas.microsoft.com/identity/claims/displayname',
]);

/** Reads an answer in base64. Throws RefusedMessage for everything that is not exactly an answer meant for us, now. */
export async function readResponse(encoded: string, expected: Expected): Promise<SignedIdentity> {
  const xml = decodeMessage(encoded);
  const response = parse(xml);
  checkShape(response, expected);
  const assertionXml = await verifiedAssertion(xml, expected);
  return readAssertion(parse(assertionXml), expected);
}

function decodeMessage(encoded: string): string {
  const base64 = encoded.replace(/\s+/g, '');
  const isBounded = base64.length > 0 && base64.length <= MOST_RESPONSE_BYTES * 1.4;
  if (!isBounded || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw new RefusedMessage('unreadable');
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > MOST_RESPONSE_BYTES || !isUtf8(bytes)) throw new RefusedMessage('unreadable');
  return bytes.toString('utf8');
}

function parse(xml: string): XmlElement {
  try {
    return parseXml(xml);
  } catch (error) {
    if (error instanceof XmlError) throw new RefusedMessage('unreadable');
    throw error;
  }
}

/** Refuses what a verifier could read in two ways: more than one assertion, ids used twice, signatures in odd places. */
function checkShape(response: XmlElement, expected: Expected): void {
  if (response.namespace !== PROTOCOL || response.name !== 'Response') throw new RefusedMessage('unreadable');
  const status = onlyChildOf(onlyChildOf(response, PROTOCOL, 'Status'), PROTOCOL, 'StatusCode');
  if (status === undefined || attributeOf(status, 'Value') !== SUCCESS) throw new RefusedMessage('status');
  const elements = [...walk(response)];
  const assertion = onlyChildOf(response, ASSERTION, 'Assertion');
  if (assertion === undefined || elements.filter((one) => /assertion/i.test(one.name)).length !== 1) {
    throw new RefusedMessage('wrapped');
  }
  checkIds(elements);
  checkSignatures(response, assertion, elements);
  const issuer = onlyChildOf(response, ASSERTION, 'Issuer');
  if (childrenOf(response, ASSERTION, 'Issuer').length > 0 && issuer?.text !== expected.entityId) {
    throw new RefusedMessage('issuer');
  }
  const destination = attributeOf(response, 'Destination');
  if (destination !== undefined && destination !== expected.acsUrl) throw new RefusedMessage('destination');
  if (attributeOf(response, 'Version') !== '2.0') throw new RefusedMessage('unreadable');
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

function checkSignatures(response: XmlElement, assertion: XmlElement, elements: readonly XmlElement[]): void {
  const signatures = elements.filter((one) => one.name === 'Signature' || one.namespace === SIGNATURE);
  if (signatures.length === 0) throw new RefusedMessage('unsigned');
  let known = 0;
  for (const parent of [response, assertion]) {
    const [signature, ...others] = childrenOf(parent, SIGNATURE, 'Signature');
    if (signature === undefined) continue;
    if (others.length > 0) throw new RefusedMessage('wrapped');
    checkSignature(signature, attributeOf(parent, 'ID'));
    known += [...walk(signature)].filter((one) => one.namespace === SIGNATURE).length;
  }
  // Every part of a signature belongs to one of the two that are verified.
  if (known !== signatures.length) throw new RefusedMessage('wrapped');
}

function checkSignature(signature: XmlElement, parentId: string | undefined): void {
  const info = onlyChildOf(signature, SIGNATURE, 'SignedInfo');
  const reference = onlyChildOf(info, SIGNATURE, 'Reference');
  const parts = [...walk(signature)];
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
  const algorithms = (name: string, allowed: ReadonlySet<string>, most: number) => {
    const found = parts.filter((one) => one.name === name).map((one) => attributeOf(one, 'Algorithm') ?? '');
    return found.length > 0 && found.length <= most && found.every((one) => allowed.has(one));
  };
  const isStrong =
    algorithms('SignatureMethod', signatureMethods, 1) &&
    algorithms('DigestMethod', digestMethods, 1) &&
    algorithms('CanonicalizationMethod', canonicalForms, 1) &&
    algorithms('Transform', transforms, 2);
  if (!isStrong) throw new RefusedMessage('algorithm');
}

/** The assertion as the signature's canonical form reads it. */
async function verifiedAssertion(xml: string, expected: Expected): Promise<string> {
  const { SAML, ValidateInResponseTo } = await import('@node-saml/node-saml');
  const none = async () => null;
  const saml = new SAML({
    idpCert: [...expected.certificates],
    issuer: expected.audience,
    audience: expected.audience,
    callbackUrl: expected.acsUrl,
    wantAssertionsSigned: false,
    wantAuthnResponseSigned: false,
    // Times and ids are looked at below, by our clock and with our requests.
    acceptedClockSkewMs: -1,
    validateInResponseTo: ValidateInResponseTo.never,
    cacheProvider: { saveAsync: none, getAsync: none, removeAsync: none },
  });
  let found: string | undefined;
  try {
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: Buffer.from(xml).toString('base64') });
    found = profile?.getAssertionXml?.();
  } catch (error) {
    const isAudience = error instanceof Error && error.message.includes('AudienceRestriction');
    const isForOthers = error instanceof Error && error.message.includes('audience mismatch');
    throw new RefusedMessage(isAudience || isForOthers ? 'audience' : 'signature');
  }
  if (found === undefined) throw new RefusedMessage('signature');
  return found;
}

function readAssertion(assertion: XmlElement, expected: Expected): SignedIdentity {
  const assertionId = attributeOf(assertion, 'ID') ?? '';
  const isAssertion = assertion.namespace === ASSERTION && assertion.name === 'Assertion';
  if (!isAssertion || assertionId === '' || assertionId.length > LONGEST_ID) throw new RefusedMessage('unreadable');
  if (attributeOf(assertion, 'Version') !== '2.0') throw new RefusedMessage('unreadable');
  if (onlyChildOf(assertion, ASSERTION, 'Issuer')?.text !== expected.entityId) throw new RefusedMessage('issuer');
  const conditions = onlyChildOf(assertion, ASSERTION, 'Conditions');
  if (conditions === undefined) throw new RefusedMessage('audience');
  checkWindow(conditions, expected.now);
  checkAudience(conditions, expected.audience);
  const subject = onlyChildOf(assertion, ASSERTION, 'Subject');
  const inResponseTo = findConfirmation(subject, expected);
  const name = onlyChildOf(subject, ASSERTION, 'NameID');
  const nameId = name?.text ?? '';
  const nameIdFormat = name === undefined ? null : (attributeOf(name, 'Format') ?? null);
  const isName = name?.children.length === 0 && nameId.trim() !== '' && nameId.length <= LONGEST_ID;
  // A name that is another one each time cannot be told from a stranger's.
  if (!isName || nameIdFormat === TRANSIENT_FORMAT) throw new RefusedMessage('subject');
  const statement = childrenOf(assertion, ASSERTION, 'AuthnStatement')[0];
  if (statement === undefined) throw new RefusedMessage('subject');
  const sessionEnd = attributeOf(statement, 'SessionNotOnOrAfter');
  if (sessionEnd !== undefined && readMoment(sessionEnd) + CLOCK_SKEW_MS <= expected.now) {
    throw new RefusedMessage('expired');
  }
  return {
    assertionId,
    inResponseTo,
    nameId,
    nameIdFormat,
    sessionIndex: attributeOf(statement, 'SessionIndex')?.slice(0, LONGEST_ID) ?? null,
    email: findEmail(assertion, nameId, nameIdFormat),
    displayName: findDisplayName(assertion),
  };
}

function readMoment(text: string): number {
  const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/.test(text);
  const moment = isMoment ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(moment)) throw new RefusedMessage('unreadable');
  return moment;
}

function checkWindow(element: XmlElement, now: number): void {
  const from = attributeOf(element, 'NotBefore');
  const until = attributeOf(element, 'NotOnOrAfter');
  if (from !== undefined && readMoment(from) - CLOCK_SKEW_MS > now) throw new RefusedMessage('not_yet_valid');
  if (until !== undefined && readMoment(until) + CLOCK_SKEW_MS <= now) throw new RefusedMessage('expired');
}

function checkAudience(conditions: XmlElement, audience: string): void {
  const restrictions = childrenOf(conditions, ASSERTION, 'AudienceRestriction');
  const isOurs = (restriction: XmlElement) =>
    childrenOf(restriction, ASSERTION, 'Audience').some((one) => one.text === audience);
  if (restrictions.length === 0 || !restrictions.every(isOurs)) throw new RefusedMessage('audience');
}

/** The request that a bearer confirmation for us answers. Answers that nobody asked for are refused. */
function findConfirmation(subject: XmlElement | undefined, expected: Expected): string {
  const confirmations = subject === undefined ? [] : childrenOf(subject, ASSERTION, 'SubjectConfirmation');
  const data = confirmations
    .filter((one) => attributeOf(one, 'Method') === BEARER)
    .map((one) => onlyChildOf(one, ASSERTION, 'SubjectConfirmationData'))
    .filter((one) => one !== undefined);
  const ours = data.find((one) => attributeOf(one, 'Recipient') === expected.acsUrl);
  if (ours === undefined) throw new RefusedMessage('recipient');
  if (attributeOf(ours, 'NotOnOrAfter') === undefined) throw new RefusedMessage('expired');
  checkWindow(ours, expected.now);
  const inResponseTo = attributeOf(ours, 'InResponseTo');
  if (inResponseTo === undefined) throw new RefusedMessage('request');
  return inResponseTo;
}

function attributeValues(assertion: XmlElement, names: ReadonlySet<string>): string[] {
  return childrenOf(assertion, ASSERTION, 'AttributeStatement')
    .flatMap((statement) => childrenOf(statement, ASSERTION, 'Attribute'))
    .filter((one) => names.has(attributeOf(one, 'Name') ?? ''))
    .flatMap((one) => childrenOf(one, ASSERTION, 'AttributeValue'))
    .map((one) => (one.children.length === 0 ? one.text.trim() : ''));
}

/** The one address that is named, by an attribute or else by the NameID. Of two different ones none is believed. */
function findEmail(assertion: XmlElement, nameId: string, format: string | null): string {
  const named = attributeValues(assertion, emailNames);
  const isNameAnAddress = format === null || format === EMAIL_FORMAT || format === UNSPECIFIED_FORMAT;
  const candidates = named.length > 0 ? named : isNameAnAddress ? [nameId] : [];
  const addresses = candidates.map((candidate) => emailAddress().safeParse(candidate));
  const [first] = addresses;
  const isOne = addresses.every((one) => one.success && one.data === first?.data);
  if (first?.data === undefined || !isOne) throw new RefusedMessage('email');
  return first.data;
}

function findDisplayName(assertion: XmlElement): string | undefined {
  const [name] = attributeValues(assertion, displayNames);
  return displayNameShape().safeParse(name).data;
}
