// The proxy that tests of a server behind one put in front; the tests start it themselves.
import { whyNoNginx } from '../../test/e2e/nginx.ts';
import { canInstallPackages, installPackages } from './debian.ts';

/** Installs it where that is allowed; answers why it is missing, or undefined when it is there. */
export function provideNginx(): string | undefined {
  const missing = whyNoNginx();
  if (missing === undefined) return undefined;
  if (!canInstallPackages()) return `${missing} (on Debian: apt-get install nginx-light)`;
  const words = installPackages(['nginx-light']);
  return whyNoNginx() === undefined ? undefined : `nginx could not be installed: ${words}`;
}
