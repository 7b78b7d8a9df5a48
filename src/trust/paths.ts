// Where the page that offers the server's own authority lies, and what it needs.

import { pageStylesheet } from '../pages/frame.ts';
import { installIcon } from '../pages/styles.ts';

export const trustPaths = {
  page: '/trust',
  profile: '/trust/taxiway.mobileconfig',
  certificate: '/trust/taxiway.crt',
  pem: '/trust/taxiway.pem',
} as const;

const all: readonly string[] = [...Object.values(trustPaths), pageStylesheet.path, installIcon.path];

/** Whether a path belongs to the page: it can be opened without https, by a phone that does not trust yet. */
export function isTrustPath(path: string): boolean {
  return all.includes(path);
}
