// Messages of the redirect binding: requests and responses that we sign, and an identity provider's messages that we verify.
import { createSign, createVerify, type KeyObject } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { escapeXml } from '../lib/xml-text.ts';
import { ASSERTION, POST_BINDING, PROTOCOL, RSA_SHA256, type ServiceProvider, SUCCESS } from './names.ts';

const MAX_MESSAGE_BYTES = 64 * 1024;

/** Signature algorithms of the redirect binding, without SHA-1. */
const verifiers: ReadonlyMap<string, string> = new Map([
  [RSA_SHA256, 'RSA-SHA256'],
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha384', 'RSA-SHA384'],
  ['http://www.w3.org/2001/04/xmldsig-more#rsa-sha512', 'RSA-SHA512'],
]);

interface Envelope {
  id: string;
  /** Milliseconds since the epoch. */
  issuedAt: number;
  destination: string;
  provider: ServiceProvider;
}

function start(name: string, { id, issuedAt, destination, provider }: Envelope, more: Record<string, string>): string {
  const attributes = Object.entries({
    ID: id,
    Version: '2.0',
    IssueInstant: new Date(issuedAt).toISOString(),
    Destination: destination,
    ...more,
  });
  const written = attributes.map(([key, value]) => ` ${key}="${escapeXml(value)}"`).join('');
  return (
    `<samlp:${name} xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}"${written}>` +
    `<saml:Issuer>${escapeXml(provider.entityId)}</saml:Issuer>`
  );
}

/** Builds a sign-in request. `isForced` requires authentication even with an existing session (SAML core 3.4.1). */
export function writeAuthnRequest(envelope: Envelope, isForced = false): string {
  const opened = start('AuthnRequest', envelope, {
    ...(isForced ? { ForceAuthn: 'true' } : {}),
    ProtocolBinding: POST_BINDING,
    AssertionConsumerServiceURL: envelope.provider.acsUrl,
  });
  return `${opened}<samlp:NameIDPolicy AllowCreate="true"/></samlp:AuthnRequest>`;
}

export interface LogoutSubject {
  nameId: string;
  nameIdFormat: string | null;
  sessionIndex: string | null;
}

/** Builds a logout request. */
export function writeLogoutRequest(envelope: Envelope, { nameId, nameIdFormat, sessionIndex }: LogoutSubject): string {
  const format = nameIdFormat === null ? '' : ` Format="${escapeXml(nameIdFormat)}"`;
  const index = sessionIndex === null ? '' : `<samlp:SessionIndex>${escapeXml(sessionIndex)}</samlp:SessionIndex>`;
  const opened = start('LogoutRequest', envelope, {});
  return `${opened}<saml:NameID${format}>${escapeXml(nameId)}</saml:NameID>${index}</samlp:LogoutRequest>`;
}

/** Builds the response to a completed logout request. */
export function writeLogoutResponse(envelope: Envelope, inResponseTo: string): string {
  const opened = start('LogoutResponse', envelope, { InResponseTo: inResponseTo });
  return `${opened}<samlp:Status><samlp:StatusCode Value="${SUCCESS}"/></samlp:Status></samlp:LogoutResponse>`;
}

/** Returns the URL that contains a message: deflated, encoded and signed (SAML bindings 3.4.4.1). */
export function redirectAddress(
  url: string,
  parameter: 'SAMLRequest' | 'SAMLResponse',
  message: string,
  relayState: string | undefined,
  privateKey: KeyObject,
): string {
  const parts = [
    [parameter, deflateRawSync(message).toString('base64')],
    ...(relayState === undefined ? [] : [['RelayState', relayState]]),
    ['SigAlg', RSA_SHA256],
  ];
  const query = parts.map(([name, value]) => `${name}=${encodeURIComponent(value ?? '')}`).join('&');
  const signature = createSign('RSA-SHA256').update(query).sign(privateKey, 'base64');
  return `${url}${url.includes('?') ? '&' : '?'}${query}&Signature=${encodeURIComponent(signature)}`;
}

export interface RedirectMessage {
  parameter: 'SAMLRequest' | 'SAMLResponse';
  xml: string;
  relayState: string | undefined;
}

/**
 * Returns the message of a query if one of the certificates signed it, otherwise undefined. The signature covers the query as it
 * was sent, so this takes the raw query, in which each parameter may occur once.
 */
export function readRedirectMessage(rawQuery: string, certificates: readonly string[]): RedirectMessage | undefined {
  if (rawQuery.length > MAX_MESSAGE_BYTES) return undefined;
  const raw = new Map<string, string>();
  for (const part of rawQuery.split('&')) {
    const [name = '', ...value] = part.split('=');
    if (raw.has(name)) return undefined;
    raw.set(name, value.join('='));
  }
  const parameter = raw.has('SAMLRequest') ? 'SAMLRequest' : 'SAMLResponse';
  if (raw.has('SAMLRequest') && raw.has('SAMLResponse')) return undefined;
  const message = decodeValue(raw.get(parameter));
  const algorithm = verifiers.get(decodeValue(raw.get('SigAlg')) ?? '');
  const signature = decodeValue(raw.get('Signature'));
  if (message === undefined || algorithm === undefined || signature === undefined) return undefined;
  const signed = [parameter, 'RelayState', 'SigAlg']
    .filter((name) => raw.has(name))
    .map((name) => `${name}=${raw.get(name)}`)
    .join('&');
  const isSigned = certificates.some((pem) => createVerify(algorithm).update(signed).verify(pem, signature, 'base64'));
  const xml = isSigned ? inflate(message) : undefined;
  return xml === undefined ? undefined : { parameter, xml, relayState: decodeValue(raw.get('RelayState')) };
}

function decodeValue(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function inflate(base64: string): string | undefined {
  try {
    const bytes = inflateRawSync(Buffer.from(base64, 'base64'), { maxOutputLength: MAX_MESSAGE_BYTES });
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
