// Where the page that offers the server's own authority lies, and what it needs.
import { accountStylesheet } from '../accounts/page.ts';
import { installIcon } from '../install/page/styles.ts';

export const trustPaths = {
  page: '/trust',
  profile: '/trust/taxiway.mobileconfig',
  certificate: '/trust/taxiway.crt',
  pem: '/trust/taxiway.pem',
} as const;

const all: readonly string[] = [...Object.values(trustPaths), accountStylesheet.path, installIcon.path];

/** Whether a path belongs to the page: it can be opened without https, by a phone that does not trust yet. */
export function isTrustPath(path: string): boolean {
  return all.includes(path);
}
