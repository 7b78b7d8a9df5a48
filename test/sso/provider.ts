// An identity provider in the test's own hands: it signs right answers, and every wrong one that a test can think of.
import { createSign } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { SignedXml } from 'xml-crypto';
import { makeCertifiedKey } from '../../src/sso/certified-key.ts';

export const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';
export const RSA_SHA1 = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1';
const SHA256 = 'http://www.w3.org/2001/04/xmlenc#sha256';
const ENVELOPED = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';
export const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#';

export interface Provider {
  entityId: string;
  certificate: string;
  privateKey: string;
}

/** A provider with a key of its own. */
export async function makeProvider(entityId = 'https://idp.example.test/metadata'): Promise<Provider> {
  return { entityId, ...(await makeCertifiedKey(new Date())) };
}

/** What an answer says; every part can be bent. Times in milliseconds from now. */
export interface Answer {
  responseId?: string;
  assertionId?: string;
  issuer?: string;
  responseIssuer?: string;
  /** Null leaves the restriction out. */
  audience?: string | null;
  recipient?: string;
  destination?: string;
  inResponseTo?: string | null;
  nameId?: string;
  nameIdFormat?: string;
  email?: string | null;
  displayName?: string;
  notBefore?: number;
  notOnOrAfter?: number;
  confirmationEnds?: number;
  status?: string;
  sessionIndex?: string;
  /** Null leaves it out. */
  authnInstant?: string | null;
  /** Put into the assertion after its subject. */
  extra?: string;
}

export interface Target {
  acsUrl: string;
  audience: string;
  requestId: string;
  now: number;
}

const at = (moment: number) => new Date(moment).toISOString();

/** The assertion and the response around it, unsigned. */
export function writeAnswer(provider: Provider, target: Target, answer: Answer = {}) {
  const email = answer.email === undefined ? 'zoe@example.test' : answer.email;
  const requestId = answer.inResponseTo === undefined ? target.requestId : answer.inResponseTo;
  const inResponseTo = requestId === null ? '' : ` InResponseTo="${requestId}"`;
  const assertionId = answer.assertionId ?? `_a${crypto.randomUUID()}`;
  const responseId = answer.responseId ?? `_r${crypto.randomUUID()}`;
  const issuer = answer.issuer ?? provider.entityId;
  const from = at(target.now + (answer.notBefore ?? -1_000));
  const until = at(target.now + (answer.notOnOrAfter ?? 300_000));
  const confirmationEnds = at(target.now + (answer.confirmationEnds ?? answer.notOnOrAfter ?? 300_000));
  const restriction =
    answer.audience === null
      ? ''
      : `<saml:AudienceRestriction><saml:Audience>${answer.audience ?? target.audience}</saml:Audience></saml:AudienceRestriction>`;
  const instant = answer.authnInstant === undefined ? at(target.now) : answer.authnInstant;
  const authnInstant = instant === null ? '' : ` AuthnInstant="${instant}"`;
  const attribute = (name: string, value: string) =>
    `<saml:Attribute Name="${name}"><saml:AttributeValue>${value}</saml:AttributeValue></saml:Attribute>`;
  const assertion =
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${assertionId}" Version="2.0" IssueInstant="${at(target.now)}">` +
    `<saml:Issuer>${issuer}</saml:Issuer>` +
    `<saml:Subject><saml:NameID Format="${answer.nameIdFormat ?? 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'}">${answer.nameId ?? 'zoe-1'}</saml:NameID>` +
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData NotOnOrAfter="${confirmationEnds}" Recipient="${answer.recipient ?? target.acsUrl}"${inResponseTo}/></saml:SubjectConfirmation></saml:Subject>` +
    `<saml:Conditions NotBefore="${from}" NotOnOrAfter="${until}">${restriction}</saml:Conditions>` +
    `<saml:AuthnStatement${authnInstant} SessionIndex="${answer.sessionIndex ?? 'index-1'}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>` +
    (email === null && answer.displayName === undefined
      ? ''
      : `<saml:AttributeStatement>${email === null ? '' : attribute('email', email)}${answer.displayName === undefined ? '' : attribute('displayName', answer.displayName)}</saml:AttributeStatement>`) +
    `${answer.extra ?? ''}</saml:Assertion>`;
  return {
    assertion,
    assertionId,
    responseId,
    response: wrap(provider, target, answer, responseId, inResponseTo, assertion),
  };
}

function wrap(
  provider: Provider,
  target: Target,
  answer: Answer,
  responseId: string,
  inResponseTo: string,
  content: string,
): string {
  return (
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="${responseId}" Version="2.0" IssueInstant="${at(target.now)}" Destination="${answer.destination ?? target.acsUrl}"${inResponseTo}>` +
    `<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${answer.responseIssuer ?? answer.issuer ?? provider.entityId}</saml:Issuer>` +
    `<samlp:Status><samlp:StatusCode Value="${answer.status ?? 'urn:oasis:names:tc:SAML:2.0:status:Success'}"/></samlp:Status>${content}</samlp:Response>`
  );
}

export interface Signing {
  method?: string;
  digest?: string;
  canonical?: string;
}

/** Signs the element of an id, with the signature after its issuer. */
export function signElement(xml: string, id: string, provider: Provider, signing: Signing = {}): string {
  const signature = new SignedXml({
    privateKey: provider.privateKey,
    publicCert: provider.certificate,
    signatureAlgorithm: signing.method ?? RSA_SHA256,
    canonicalizationAlgorithm: signing.canonical ?? EXCLUSIVE,
  });
  const xpath = `//*[@ID="${id}"]`;
  signature.addReference({
    xpath,
    transforms: [ENVELOPED, signing.canonical ?? EXCLUSIVE],
    digestAlgorithm: signing.digest ?? SHA256,
  });
  const reference = `${xpath}/*[local-name(.)="Issuer"]`;
  signature.computeSignature(xml, { prefix: 'ds', location: { reference, action: 'after' } });
  return signature.getSignedXml();
}

export type Signed = 'assertion' | 'response' | 'both';

/** A whole answer, signed where it is asked. */
export function signAnswer(
  provider: Provider,
  target: Target,
  answer: Answer = {},
  where: Signed = 'assertion',
  signing: Signing = {},
): string {
  const { response, responseId, assertionId } = writeAnswer(provider, target, answer);
  const inner = where === 'response' ? response : signElement(response, assertionId, provider, signing);
  return where === 'assertion' ? inner : signElement(inner, responseId, provider, signing);
}

export const encode = (xml: string) => Buffer.from(xml).toString('base64');

/** The message that an address of the redirect binding carries. */
export function messageOf(location: string, parameter = 'SAMLRequest'): string {
  const value = new URL(location).searchParams.get(parameter) ?? '';
  return inflateRawSync(Buffer.from(value, 'base64')).toString();
}

/** The value of an attribute in a message. */
export function attributeIn(xml: string, name: string): string {
  return new RegExp(` ${name}="([^"]*)"`).exec(xml)?.[1] ?? '';
}

export interface LogoutRequest {
  id?: string;
  issuer?: string;
  destination?: string;
  nameId?: string;
  sessionIndexes?: string[];
  /** Times in milliseconds from now. */
  issuedAt?: number;
  notOnOrAfter?: number;
  prefix?: string;
}

/** A request that ends the sessions of a person, unsigned. */
export function writeLogoutRequest(
  provider: Provider,
  { destination, now }: { destination: string; now: number },
  request: LogoutRequest = {},
): string {
  const moment = (milliseconds: number) => at(now + milliseconds);
  const until = request.notOnOrAfter === undefined ? '' : ` NotOnOrAfter="${moment(request.notOnOrAfter)}"`;
  const indexes = (request.sessionIndexes ?? []).map((index) => `<samlp:SessionIndex>${index}</samlp:SessionIndex>`);
  return (
    `${request.prefix ?? ''}<samlp:LogoutRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"` +
    ` ID="${request.id ?? `_${crypto.randomUUID()}`}" Version="2.0" IssueInstant="${moment(request.issuedAt ?? 0)}" Destination="${request.destination ?? destination}"${until}>` +
    `<saml:Issuer>${request.issuer ?? provider.entityId}</saml:Issuer><saml:NameID>${request.nameId ?? 'zoe-1'}</saml:NameID>${indexes.join('')}</samlp:LogoutRequest>`
  );
}

export interface RedirectSigning {
  parameter?: string;
  relayState?: string;
  algorithm?: string;
  /** How parameters are written; the signature covers what is written. */
  encode?: (text: string) => string;
}

/** The query of the redirect binding for a message. */
export function signRedirect(xml: string, { privateKey }: Provider, signing: RedirectSigning = {}): string {
  const { parameter = 'SAMLRequest', algorithm = RSA_SHA256, encode: write = encodeURIComponent } = signing;
  const parts = [`${parameter}=${write(deflateRawSync(xml).toString('base64'))}`];
  if (signing.relayState !== undefined) parts.push(`RelayState=${write(signing.relayState)}`);
  parts.push(`SigAlg=${write(algorithm)}`);
  const signed = parts.join('&');
  const hash = algorithm === RSA_SHA1 ? 'RSA-SHA1' : 'RSA-SHA256';
  const signature = createSign(hash).update(signed).sign(privateKey, 'base64');
  return `${signed}&Signature=${write(signature)}`;
}
