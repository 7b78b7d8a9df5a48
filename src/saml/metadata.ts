// SAML metadata: an identity provider's is read, a service provider's is written.

import { escapeXml } from '../lib/xml-text.ts';
import { bareCertificate, readCertificate } from './certificates.ts';
import {
  EMAIL_FORMAT,
  METADATA,
  POST_BINDING,
  PROTOCOL,
  REDIRECT_BINDING,
  type ServiceProvider,
  SIGNATURE,
} from './names.ts';
import { attributeOf, childrenOf, METADATA_LIMITS, parseXml, walk, type XmlElement, XmlError } from './xml.ts';

/** More than any connection may have; further certificates are ignored. */
const MAX_CERTIFICATES = 32;

/** The facts about an identity provider that a service provider needs. */
export interface IdentityProvider {
  entityId: string;
  ssoUrl: string;
  sloUrl: string | null;
  /** PEM, in the order of the metadata. */
  certificates: string[];
}

/**
 * Reads an identity provider's metadata: entity id, URLs of the redirect binding and signing certificates. Returns a problem as
 * "Input should …".
 */
export function readProviderMetadata(source: string): IdentityProvider | { problem: string } {
  let root: XmlElement;
  try {
    root = parseXml(source, METADATA_LIMITS);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    return { problem: `Input should be SAML metadata in XML without document type or CDATA (${error.message})` };
  }
  const [found, ...others] = [...walk(root)].filter(
    (one) => one.namespace === METADATA && one.name === 'EntityDescriptor' && descriptorOf(one) !== undefined,
  );
  const descriptor = found === undefined ? undefined : descriptorOf(found);
  const entityId = found === undefined ? undefined : attributeOf(found, 'entityID');
  if (descriptor === undefined || entityId === undefined || others.length > 0) {
    return { problem: 'Input should be the metadata of one SAML 2.0 identity provider' };
  }
  const ssoUrl = locationOf(descriptor, 'SingleSignOnService');
  if (ssoUrl === undefined) {
    return { problem: 'Input should name a SingleSignOnService with the binding HTTP-Redirect' };
  }
  const certificates = new Set<string>();
  let problem = 'Input should contain a signing certificate';
  for (const text of certificateTexts(descriptor).slice(0, MAX_CERTIFICATES)) {
    const read = readCertificate(text);
    if ('pem' in read) certificates.add(read.pem);
    else problem = read.problem;
  }
  if (certificates.size === 0) return { problem };
  return {
    entityId,
    ssoUrl,
    sloUrl: locationOf(descriptor, 'SingleLogoutService') ?? null,
    certificates: [...certificates],
  };
}

function descriptorOf(entity: XmlElement): XmlElement | undefined {
  return childrenOf(entity, METADATA, 'IDPSSODescriptor').find((one) =>
    attributeOf(one, 'protocolSupportEnumeration')?.split(' ').includes(PROTOCOL),
  );
}

function locationOf(descriptor: XmlElement, service: string): string | undefined {
  const found = childrenOf(descriptor, METADATA, service).find(
    (one) => attributeOf(one, 'Binding') === REDIRECT_BINDING,
  );
  return found === undefined ? undefined : attributeOf(found, 'Location');
}

function certificateTexts(descriptor: XmlElement): string[] {
  return childrenOf(descriptor, METADATA, 'KeyDescriptor')
    .filter((key) => attributeOf(key, 'use') !== 'encryption')
    .flatMap((key) => [...walk(key)])
    .filter((one) => one.namespace === SIGNATURE && one.name === 'X509Certificate')
    .map((one) => one.text);
}

/** Returns the metadata of an organization as a service provider, with the certificate of its requests. */
export function writeProviderMetadata(provider: ServiceProvider, certificate: string): string {
  const location = (url: string) => `Location="${escapeXml(url)}"`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="${METADATA}" xmlns:ds="${SIGNATURE}" entityID="${escapeXml(provider.entityId)}">
  <md:SPSSODescriptor AuthnRequestsSigned="true" WantAssertionsSigned="true" protocolSupportEnumeration="${PROTOCOL}">
    <md:KeyDescriptor use="signing">
      <ds:KeyInfo><ds:X509Data><ds:X509Certificate>${bareCertificate(certificate)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>
    </md:KeyDescriptor>
    <md:SingleLogoutService Binding="${REDIRECT_BINDING}" ${location(provider.sloUrl)}/>
    <md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</md:NameIDFormat>
    <md:NameIDFormat>${EMAIL_FORMAT}</md:NameIDFormat>
    <md:AssertionConsumerService Binding="${POST_BINDING}" ${location(provider.acsUrl)} index="0" isDefault="true"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`;
}
