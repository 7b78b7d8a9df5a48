// Links with other schemes than http: they start an installation or open the page in a full browser.

import { type SpecialUrl, specialUrl } from '../../lib/html.ts';
import type { Platform } from '../../platforms.ts';
import { itmsLink } from '../manifest.ts';
import type { InstallTarget } from './view.ts';

/** Returns the address of the install button. */
export function installLink(target: InstallTarget): SpecialUrl | string {
  return target.platform === 'ios' ? specialUrl('itms-services', itmsLink(target.manifestUrl)) : target.downloadUrl;
}

/** These in-app browsers can't open another app, so people must use the browser's own menu. */
const closedApps = new Set(['WeChat', 'WeCom', 'QQ']);

/**
 * Returns an address that opens `pageUrl` in Safari or Chrome from the browser of another app, or null if none is known
 * to work.
 */
export function browserLink(pageUrl: string, platform: Platform, app: string): SpecialUrl | null {
  const parts = /^(https?):\/\/([^#;\s]+)/.exec(pageUrl);
  if (parts === null || closedApps.has(app)) return null;
  const [, scheme, rest] = parts;
  if (platform === 'android') {
    return specialUrl('intent', `intent://${rest}#Intent;scheme=${scheme};package=com.android.chrome;end`);
  }
  const safari = scheme === 'https' ? 'x-safari-https' : 'x-safari-http';
  return specialUrl(safari, `${safari}://${rest}`);
}
