// The addresses of the page for the server's own certificate authority, and its assets.

import { font } from '../pages/font.ts';
import { pageStylesheet } from '../pages/frame.ts';
import { installIcon } from '../pages/styles.ts';

export const trustPaths = {
  page: '/trust',
  profile: '/trust/taxiway.mobileconfig',
  certificate: '/trust/taxiway.crt',
  pem: '/trust/taxiway.pem',
} as const;

const all: readonly string[] = [...Object.values(trustPaths), pageStylesheet.path, installIcon.path, font.path];

/**
 * Returns whether a path belongs to the page. Such paths work without https, because the phone doesn't trust the server
 * yet.
 */
export function isTrustPath(path: string): boolean {
  return all.includes(path);
}
