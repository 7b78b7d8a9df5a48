// The real certificate authority that tests of certificates are ordered from; the tests start it themselves.
import { whyNoPebble } from '../../test/tls/pebble.ts';
import { canInstallPackages, installPackages } from './debian.ts';

/** Installs it where that is allowed; answers why it is missing, or undefined when it is there. */
export function providePebble(): string | undefined {
  const missing = whyNoPebble();
  if (missing === undefined) return undefined;
  if (!canInstallPackages()) return `${missing} (on Debian: apt-get install pebble)`;
  const words = installPackages(['pebble']);
  return whyNoPebble() === undefined ? undefined : `pebble could not be installed: ${words}`;
}
