// The configuration profile that adds the server's authority to an iPhone or iPad (payload type
// com.apple.security.root).

import { createHash, type X509Certificate } from 'node:crypto';
import { PLIST_BEGIN, toXmlText } from '../lib/xml-text.ts';

export interface TrustProfile {
  certificate: X509Certificate;
  /** Name of the authority. */
  authority: string;
  host: string;
  /** The sender of the profile, as shown on the device. */
  organization: string;
}

/**
 * Returns the unsigned profile as an XML property list. It is the same for the same authority, so that a second one
 * replaces the first.
 */
export function renderTrustProfile({ certificate, authority, host, organization }: TrustProfile): Buffer {
  const root = dict([
    ['PayloadType', text('com.apple.security.root')],
    ['PayloadVersion', '<integer>1</integer>'],
    ['PayloadIdentifier', text(`taxiway.trust.${digestOf(certificate, 'name').slice(0, 16)}.root`)],
    ['PayloadUUID', text(uuidOf(certificate, 'root'))],
    ['PayloadDisplayName', text(authority)],
    ['PayloadCertificateFileName', text('taxiway.crt')],
    ['PayloadContent', `<data>${certificate.raw.toString('base64')}</data>`],
  ]);
  const profile = dict([
    ['PayloadType', text('Configuration')],
    ['PayloadVersion', '<integer>1</integer>'],
    ['PayloadIdentifier', text(`taxiway.trust.${digestOf(certificate, 'name').slice(0, 16)}`)],
    ['PayloadUUID', text(uuidOf(certificate, 'profile'))],
    ['PayloadDisplayName', text(authority)],
    ['PayloadDescription', text(`Lets this device trust ${host}.`)],
    ['PayloadOrganization', text(organization)],
    ['PayloadRemovalDisallowed', '<false/>'],
    ['PayloadContent', `<array>${root}</array>`],
  ]);
  return Buffer.from(`${PLIST_BEGIN}${profile}</plist>
`);
}

function dict(entries: readonly (readonly [string, string])[]): string {
  return `<dict>${entries.map(([key, value]) => `<key>${key}</key>${value}`).join('')}</dict>`;
}

const text = (value: string): string => `<string>${toXmlText(value)}</string>`;

function digestOf({ raw }: X509Certificate, label: string): string {
  return createHash('sha256').update(`${label}\0`).update(raw).digest('hex');
}

/** Returns a UUID derived from a hash (RFC 9562 section 5.8). */
function uuidOf(certificate: X509Certificate, label: string): string {
  const hex = digestOf(certificate, label);
  const groups = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return groups.join('-').toUpperCase();
}
