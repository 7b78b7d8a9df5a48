// Reads an identity provider's response to a sign-in request. node-saml verifies the signature. Before that, a strict reader
// rejects every structure in which a signature could cover other data than what is read. Afterwards, only signed data is
// read.

import { isUtf8 } from 'node:buffer';
import { displayName as displayNameShape, emailAddress } from '../developers/schema.ts';
import { domainOfAddress } from './domain-name.ts';
import { RefusedMessage } from './errors.ts';
import type { Expected } from './expected.ts';
import { ASSERTION, BEARER, EMAIL_FORMAT, TRANSIENT_FORMAT, UNSPECIFIED_FORMAT } from './names.ts';
import { checkShape, type Signed } from './response-shape.ts';
import { findSigner } from './signer.ts';
import {
  attributeOf,
  childrenOf,
  MESSAGE_LIMITS,
  normalizeXml,
  onlyChildOf,
  parseXml,
  type XmlElement,
  XmlError,
  type XmlLimits,
} from './xml.ts';

/** Tolerated difference between clocks. */
export const CLOCK_SKEW_MS = 60_000;
const MAX_RESPONSE_BYTES = 128 * 1024;
const MAX_ID_LENGTH = 512;
/** The canonical form repeats namespaces. */
const CANONICAL_LIMITS: XmlLimits = { ...MESSAGE_LIMITS, characters: 1024 * 1024, attributes: 20_000 };

/** The person who signed in, from the signed element only. */
export interface SignedIdentity {
  assertionId: string;
  inResponseTo: string;
  nameId: string;
  nameIdFormat: string | null;
  sessionIndex: string | null;
  /** When the provider authenticated the person, in milliseconds since the epoch; null if unknown. */
  authenticatedAt: number | null;
  email: string;
  displayName: string | undefined;
}

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

/** Reads a response in base64. Throws RefusedMessage unless it's a valid response for us at this time. */
export async function readResponse(encoded: string, expected: Expected): Promise<SignedIdentity> {
  const xml = normalizeXml(decodeMessage(encoded));
  const { ofResponse, ofAssertion } = checkShape(parseMessage(xml), expected);
  const signerOf = (signed: Signed) => findSigner(xml, signed, expected.certificates);
  // Finds both signers before computing digests, so that a wrong one costs little. Verifies one signature at a time, because the
  // library uses the namespaces of the first for both. The response's signature isn't part of what the assertion's covers.
  const responseSigner = ofResponse && (await signerOf(ofResponse));
  const assertionSigner = ofAssertion && (await signerOf(ofAssertion));
  let assertionXml: string | undefined;
  if (responseSigner !== undefined) assertionXml = await verifiedAssertion(xml, responseSigner, 'response', expected);
  if (assertionSigner !== undefined) {
    const alone = ofResponse === undefined ? xml : without(xml, ofResponse.signature);
    assertionXml = await verifiedAssertion(alone, assertionSigner, 'assertion', expected);
  }
  if (assertionXml === undefined) throw new RefusedMessage('unsigned');
  return readAssertion(parseMessage(assertionXml, CANONICAL_LIMITS), expected);
}

function without(xml: string, { start, end }: XmlElement): string {
  return xml.slice(0, start) + xml.slice(end);
}

function decodeMessage(encoded: string): string {
  const base64 = encoded.replace(/\s+/g, '');
  const isBounded = base64.length > 0 && base64.length <= MAX_RESPONSE_BYTES * 1.4;
  if (!isBounded || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw new RefusedMessage('unreadable');
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > MAX_RESPONSE_BYTES || !isUtf8(bytes)) throw new RefusedMessage('unreadable');
  return bytes.toString('utf8');
}

/** Parses a message of an identity provider. Throws RefusedMessage. */
export function parseMessage(xml: string, limits = MESSAGE_LIMITS): XmlElement {
  try {
    return parseXml(xml, limits);
  } catch (error) {
    if (error instanceof XmlError) throw new RefusedMessage('unreadable');
    throw error;
  }
}

/** Returns the signed assertion in canonical form. `covered` must have exactly one signature. */
async function verifiedAssertion(
  xml: string,
  certificate: string,
  covered: 'response' | 'assertion',
  expected: Expected,
): Promise<string> {
  const { SAML, ValidateInResponseTo } = await import('@node-saml/node-saml');
  const none = async () => null;
  class SignatureVerifier extends SAML {
    /** Times, ids and the audience are checked below, with our clock and requests. The library requires times that are optional. */
    protected override async processValidlySignedAssertionAsync(assertion: string) {
      const profile = { issuer: '', nameID: '', nameIDFormat: '', getAssertionXml: () => assertion };
      return { profile, loggedOut: false };
    }
  }
  const saml = new SignatureVerifier({
    idpCert: certificate,
    issuer: expected.audience,
    callbackUrl: expected.acsUrl,
    wantAssertionsSigned: covered === 'assertion',
    wantAuthnResponseSigned: covered === 'response',
    validateInResponseTo: ValidateInResponseTo.never,
    cacheProvider: { saveAsync: none, getAsync: none, removeAsync: none },
  });
  let found: string | undefined;
  try {
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: Buffer.from(xml).toString('base64') });
    found = profile?.getAssertionXml?.();
  } catch {
    throw new RefusedMessage('signature');
  }
  if (found === undefined) throw new RefusedMessage('signature');
  return found;
}

function readAssertion(assertion: XmlElement, expected: Expected): SignedIdentity {
  const assertionId = attributeOf(assertion, 'ID') ?? '';
  const isAssertion = assertion.namespace === ASSERTION && assertion.name === 'Assertion';
  if (!isAssertion || assertionId === '' || assertionId.length > MAX_ID_LENGTH) throw new RefusedMessage('unreadable');
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
  const isName = name?.children.length === 0 && nameId.trim() !== '' && nameId.length <= MAX_ID_LENGTH;
  // A name that changes each time doesn't identify anyone.
  if (!isName || nameIdFormat === TRANSIENT_FORMAT) throw new RefusedMessage('subject');
  // Some providers omit the statement; then there is no session index for logout.
  const [statement] = childrenOf(assertion, ASSERTION, 'AuthnStatement');
  const sessionEnd = statement === undefined ? undefined : attributeOf(statement, 'SessionNotOnOrAfter');
  if (sessionEnd !== undefined && readMoment(sessionEnd) + CLOCK_SKEW_MS <= expected.now) {
    throw new RefusedMessage('expired');
  }
  return {
    assertionId,
    inResponseTo,
    nameId,
    nameIdFormat,
    sessionIndex:
      statement === undefined ? null : (attributeOf(statement, 'SessionIndex')?.slice(0, MAX_ID_LENGTH) ?? null),
    authenticatedAt: readAuthnInstant(statement),
    email: findEmail(assertion, nameId, nameIdFormat),
    displayName: findDisplayName(assertion),
  };
}

/** An unreadable time counts as missing, because it only matters for step-ups, not for the sign-in. So does one without a zone. */
function readAuthnInstant(statement: XmlElement | undefined): number | null {
  const text = (statement === undefined ? undefined : attributeOf(statement, 'AuthnInstant')) ?? '';
  const moment = /(?:Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(moment) ? null : moment;
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

/** Returns the request id of a bearer confirmation for us. Throws for unsolicited responses. */
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

/** Returns which part of the only candidate makes it invalid. */
function problemOf([candidate = '', ...others]: string[]): 'domain' | 'email' {
  const isDomainWrong = candidate.includes('@') && domainOfAddress(candidate) === undefined;
  return others.length === 0 && isDomainWrong ? 'domain' : 'email';
}

/** Returns the email address in an attribute or else in the NameID. Throws if there are two different ones. */
function findEmail(assertion: XmlElement, nameId: string, format: string | null): string {
  const named = attributeValues(assertion, emailNames);
  const isNameAnAddress = format === null || format === EMAIL_FORMAT || format === UNSPECIFIED_FORMAT;
  const candidates = named.length > 0 ? named : isNameAnAddress ? [nameId] : [];
  const addresses = candidates.map((candidate) => emailAddress().safeParse(candidate));
  const [first] = addresses;
  const isOne = addresses.every((one) => one.success && one.data === first?.data);
  if (first?.data === undefined || !isOne) throw new RefusedMessage(problemOf(candidates));
  return first.data;
}

function findDisplayName(assertion: XmlElement): string | undefined {
  const [name] = attributeValues(assertion, displayNames);
  return displayNameShape().safeParse(name).data;
}
