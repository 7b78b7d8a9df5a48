// A signed text in the address of a private build's icon. Unlike a capability, it allows loading the icon and nothing else, so that
// someone who sees the address of a picture can't install the build.

import type { App } from '../core/context.ts';
import { CAPABILITY_LIFETIME_MS } from '../lib/lifetimes.ts';
import { signFields, verifyFields } from '../runtime/signing.ts';

type Signer = Pick<App, 'clock' | 'secrets'>;

const PURPOSE = 'icon';

/** Signs access to the icon of a build for 15 minutes. Safe in a query: letters, digits, `-`, `_` and `.`. */
export function signIconGrant(app: Signer, buildId: string): string {
  const expiresAt = String(app.clock.time() + CAPABILITY_LIFETIME_MS);
  return `${expiresAt}.${signFields(app.secrets.keyring, PURPOSE, [buildId, expiresAt])}`;
}

/** Returns whether a text allows loading the icon of a build now. Never throws. */
export function allowsIcon(app: Signer, buildId: string, text: string): boolean {
  const end = text.indexOf('.');
  const expiresAt = text.slice(0, Math.max(0, end));
  if (!/^\d{1,15}$/.test(expiresAt) || app.clock.time() >= Number(expiresAt)) return false;
  return verifyFields(app.secrets.keyring, PURPOSE, [buildId, expiresAt], text.slice(end + 1));
}
