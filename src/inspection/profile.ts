// Apple's embedded.mobileprovision: the app's team, devices and expiry.

import { UnreadableArchive } from './errors.ts';
import { dictIn, formatMoment, listIn, momentIn, readPlist, stringIn } from './plist.ts';
import type { PlistDict, PlistValue } from './plist-value.ts';
import type { IosSigning } from './schema.ts';
import { readCertificate, readSignedMessage, type SignedMessage, verifySigner } from './signed-message.ts';
import { cleanList, cleanText } from './text.ts';

export const maxProfileBytes = 2 * 1024 * 1024;
const maxDevices = 2_000;
const maxCertificates = 100;
const maxEntitlementValues = 500;
const entitlementDepth = 6;

type Json = IosSigning['entitlements'][string];

/**
 * Reads a provisioning profile: a CMS message that contains a property list. The signature is verified with the certificate in
 * the message, which proves integrity, not that Apple issued it. Dates are reported, not enforced. Throws if it isn't a CMS
 * message with a property list.
 */
export async function readProfile(bytes: Buffer): Promise<IosSigning> {
  const message = await readSignedMessage(bytes);
  const { content } = message;
  if (content === null) throw new UnreadableArchive('The provisioning profile has no content.');
  const dict = readPlist(content);
  const entitlements = dictIn(dict, 'Entitlements') ?? new Map<string, PlistValue>();
  const certificates = listIn(dict, 'DeveloperCertificates').slice(0, maxCertificates);
  return {
    platform: 'ios',
    kind: kindOf(dict, entitlements),
    team_id: cleanText(listIn(dict, 'TeamIdentifier')[0], 64),
    team_name: cleanText(stringIn(dict, 'TeamName')),
    profile_name: cleanText(stringIn(dict, 'Name')),
    profile_uuid: cleanText(stringIn(dict, 'UUID'), 64),
    created_at: momentIn(dict, 'CreationDate'),
    expires_at: momentIn(dict, 'ExpirationDate'),
    entitlements: readEntitlements(entitlements),
    provisioned_devices: cleanList(listIn(dict, 'ProvisionedDevices'), maxDevices, 64),
    provisions_all_devices: dict.get('ProvisionsAllDevices') === true,
    certificate_count: certificates.length,
    certificate_expires_at: firstExpiry(certificates),
    cms_signature_valid: isSigned(message, content),
  };
}

function kindOf(dict: PlistDict, entitlements: PlistDict): IosSigning['kind'] {
  if (dict.get('ProvisionsAllDevices') === true) return 'enterprise';
  if (!dict.has('ProvisionedDevices')) return 'app-store';
  return entitlements.get('get-task-allow') === true ? 'development' : 'ad-hoc';
}

function isSigned(message: SignedMessage, content: Buffer): boolean {
  return (
    message.signers.length > 0 && message.signers.every((signer) => verifySigner(message, signer, content) !== null)
  );
}

function firstExpiry(certificates: PlistValue[]): string | null {
  let first: Date | null = null;
  for (const der of certificates) {
    const date = Buffer.isBuffer(der) ? readCertificate(der)?.validToDate : undefined;
    if (date && (first === null || date < first)) first = date;
  }
  return first && formatMoment(first);
}

function readEntitlements(dict: PlistDict): Record<string, Json> {
  const budget = { left: maxEntitlementValues };
  const json = toJson(dict, budget, entitlementDepth);
  return json !== null && typeof json === 'object' && !Array.isArray(json) ? json : {};
}

// Values beyond the budget are omitted, because entitlements are displayed and never enforced here.
function toJson(value: PlistValue, budget: { left: number }, depth: number): Json {
  budget.left -= 1;
  if (budget.left < 0 || depth === 0) return null;
  if (typeof value === 'string') return cleanText(value, 512) ?? '';
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Date) return formatMoment(value);
  if (Buffer.isBuffer(value)) return value.subarray(0, 256).toString('base64');
  if (Array.isArray(value))
    return value.slice(0, Math.max(0, budget.left)).map((item) => toJson(item, budget, depth - 1));
  const entries: [string, Json][] = [];
  for (const [key, item] of value) {
    const name = cleanText(key);
    if (budget.left <= 0) break;
    if (name !== null) entries.push([name, toJson(item, budget, depth - 1)]);
  }
  return Object.fromEntries(entries);
}
