// What the verdict is given of a device: from its row, and from what a browser tells.

import type { Phone } from '../compatibility/phone.ts';
import type { PhoneFacts } from '../compatibility/verdict.ts';
import type { DeviceRow } from './store.ts';

/** A registered device. Its system is the one of its registration, unless it was entered by hand. */
export function factsOfDevice({ udid, product, osBuild }: Pick<DeviceRow, 'udid' | 'product' | 'osBuild'>): PhoneFacts {
  return { platform: 'ios', family: familyOf(product), osVersion: osBuild, udid, abis: null };
}

/** The phone that opened a page; `udid` where its browser remembers which device it runs on. */
export function factsOfPhone({ system, osVersion }: Phone, udid: string | null): PhoneFacts {
  if (system === 'desktop') return { platform: null, family: null, osVersion: null, udid: null, abis: null };
  if (system === 'android') return { platform: 'android', family: null, osVersion, udid: null, abis: null };
  return { platform: 'ios', family: system === 'ipados' ? 'ipad' : 'iphone', osVersion, udid, abis: null };
}

/** Whether a product identifier such as `iPad13,4` names an iPad. */
export function isIpad(product: string | null): boolean {
  return familyOf(product) === 'ipad';
}

function familyOf(product: string | null): PhoneFacts['family'] {
  if (product === null) return null;
  if (product.startsWith('iPad')) return 'ipad';
  // An iPod touch runs what an iPhone runs.
  return /^iP(?:hone|od)/.test(product) ? 'iphone' : null;
}
