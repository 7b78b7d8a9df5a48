// The platform of the phone that shows the web app.
import { looksLikeIpadAsMac, recogniseSystem } from '../../compatibility/phone-system.ts';
import type { Project } from '../../projects/schema.ts';

type Browser = Pick<Navigator, 'userAgent' | 'maxTouchPoints'>;

/** The platform that this phone can install from; undefined on a computer. */
export function readOwnPlatform({ userAgent, maxTouchPoints }: Browser = navigator): Project['platform'] | undefined {
  const system = recogniseSystem(userAgent);
  if (system === 'android') return 'android';
  // No Mac has a touch screen.
  const isIpad = looksLikeIpadAsMac(userAgent) && maxTouchPoints > 1;
  return system === 'ios' || system === 'ipados' || isIpad ? 'ios' : undefined;
}

/** Whether a package can't be installed here because it is for phones of the other platform. */
export function isForOtherPhones(platform: Project['platform'], browser?: Browser): boolean {
  const own = readOwnPlatform(browser);
  return own !== undefined && own !== platform;
}
