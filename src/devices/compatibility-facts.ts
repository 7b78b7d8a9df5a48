// Device facts for compatibility verdicts, from a registered device or from a browser.

import type { Phone } from '../compatibility/phone.ts';
import type { PhoneFacts } from '../compatibility/verdict.ts';
import type { DeviceRow } from './store.ts';

/** Returns the facts of a registered device. Its system version is that of its last enrollment. */
export function factsOfDevice({ udid, product, osBuild }: Pick<DeviceRow, 'udid' | 'product' | 'osBuild'>): PhoneFacts {
  return { platform: 'ios', family: familyOf(product), osVersion: osBuild, udid, abis: null };
}

/** Returns the facts of the phone that opened a page. `udid` is set if its browser was registered. */
export function factsOfPhone({ system, osVersion }: Phone, udid: string | null): PhoneFacts {
  if (system === 'desktop') return { platform: null, family: null, osVersion: null, udid: null, abis: null };
  if (system === 'android') return { platform: 'android', family: null, osVersion, udid: null, abis: null };
  return { platform: 'ios', family: system === 'ipados' ? 'ipad' : 'iphone', osVersion, udid, abis: null };
}

/** Returns whether a product identifier such as `iPad13,4` is an iPad. */
export function isIpad(product: string | null): boolean {
  return familyOf(product) === 'ipad';
}

function familyOf(product: string | null): PhoneFacts['family'] {
  if (product === null) return null;
  if (product.startsWith('iPad')) return 'ipad';
  // An iPod touch runs the same apps as an iPhone.
  return /^iP(?:hone|od)/.test(product) ? 'iphone' : null;
}
