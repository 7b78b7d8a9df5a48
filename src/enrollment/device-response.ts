// The response of a device to a profile service: a property list signed by the device (CMS, DER or BER).

import { readUdid } from '../devices/udid.ts';
import { UnreadableArchive } from '../inspection/errors.ts';
import { readPlist, stringIn } from '../inspection/plist.ts';
import type { PlistDict } from '../inspection/plist-value.ts';
import { readSignedMessage, verifySigner } from '../inspection/signed-message.ts';
import { type DeviceAuthorities, isDeviceCertificate } from './authorities.ts';

/** Real responses have about 5 KB. */
export const MAX_ANSWER_BYTES = 32 * 1024;
/** Real responses have less than 400 values. Parsing blocks other requests, so the number is limited. */
const MAX_ANSWER_NODES = 4_000;

export interface DeviceAnswer {
  /** As returned by `readUdid`. */
  udid: string;
  /** Such as `iPhone14,2`; null if missing or invalid. */
  product: string | null;
  /** The build of the system, such as `22F76`; null if missing or invalid. */
  osBuild: string | null;
  challenge: string;
}

const PRODUCT = /^[A-Za-z]{1,32}\d{1,3},\d{1,3}$/;
const OS_BUILD = /^[A-Za-z0-9.]{1,32}$/;

/**
 * Reads the response of a device. Returns undefined unless it is a single message with embedded content, signed over
 * that content by one signer with a device certificate, and contains an identifier. Other values are ignored.
 */
export async function readDeviceAnswer(
  bytes: Buffer,
  authorities: DeviceAuthorities,
): Promise<DeviceAnswer | undefined> {
  if (bytes.length === 0 || bytes.length > MAX_ANSWER_BYTES) return undefined;
  try {
    const message = await readSignedMessage(bytes, { nodes: MAX_ANSWER_NODES, isWhole: true });
    const [signer, ...more] = message.signers;
    if (message.content === null || message.content.length === 0 || signer === undefined || more.length > 0) {
      return undefined;
    }
    const certificate = verifySigner(message, signer, message.content);
    if (certificate === null || !isDeviceCertificate(certificate, message.certificates, authorities)) return undefined;
    return readAttributes(readPlist(message.content));
  } catch (error) {
    if (error instanceof UnreadableArchive) return undefined;
    throw error;
  }
}

function readAttributes(attributes: PlistDict): DeviceAnswer | undefined {
  const udid = readUdid(textIn(attributes, 'UDID') ?? '');
  const challenge = textIn(attributes, 'CHALLENGE');
  if (udid === undefined || challenge === null) return undefined;
  const product = textIn(attributes, 'PRODUCT');
  const osBuild = textIn(attributes, 'VERSION');
  return {
    udid,
    product: product !== null && PRODUCT.test(product) ? product : null,
    osBuild: osBuild !== null && OS_BUILD.test(osBuild) ? osBuild : null,
    challenge,
  };
}

/** Returns a string that some systems send as data. */
function textIn(attributes: PlistDict, key: string): string | null {
  const value = attributes.get(key);
  return Buffer.isBuffer(value) ? value.toString('utf8') : stringIn(attributes, key);
}
