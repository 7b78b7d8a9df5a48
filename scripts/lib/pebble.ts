// Pebble, the ACME test authority for certificate tests; the tests start it themselves.
import { whyNoPebble } from '../../test/tls/pebble.ts';
import { canInstallPackages, installPackages } from './debian.ts';

/** Installs Pebble if possible. Returns why it's missing, or undefined if it's available. */
export function providePebble(): string | undefined {
  const missing = whyNoPebble();
  if (missing === undefined) return undefined;
  if (!canInstallPackages()) return `${missing} (on Debian: apt-get install pebble)`;
  const words = installPackages(['pebble']);
  return whyNoPebble() === undefined ? undefined : `pebble could not be installed: ${words}`;
}
