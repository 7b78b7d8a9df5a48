// The platform of the device that the web app is open on.
import { looksLikeIpadAsMac, recognizeSystem } from '../../compatibility/phone-system.ts';
import type { Project } from '../../projects/schema.ts';

type Browser = Pick<Navigator, 'userAgent' | 'maxTouchPoints'>;

/** Returns the platform whose packages this device can install; undefined on a computer. */
export function detectPlatform({ userAgent, maxTouchPoints }: Browser = navigator): Project['platform'] | undefined {
  const system = recognizeSystem(userAgent);
  if (system === 'android') return 'android';
  // Macs have no touch screens.
  const isIpad = looksLikeIpadAsMac(userAgent) && maxTouchPoints > 1;
  return system === 'ios' || system === 'ipados' || isIpad ? 'ios' : undefined;
}

/** Returns whether this device is a phone of another platform. */
export function isForOtherPlatform(platform: Project['platform'], browser?: Browser): boolean {
  const own = detectPlatform(browser);
  return own !== undefined && own !== platform;
}
