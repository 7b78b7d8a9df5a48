// nginx for tests of a server behind a proxy; the tests start it themselves.
import { whyNoNginx } from '../../test/e2e/nginx.ts';
import { canInstallPackages, installPackages } from './debian.ts';

/** Installs nginx if possible. Returns why it's missing, or undefined if it's available. */
export function provideNginx(): string | undefined {
  const missing = whyNoNginx();
  if (missing === undefined) return undefined;
  if (!canInstallPackages()) return `${missing} (on Debian: apt-get install nginx-light)`;
  const words = installPackages(['nginx-light']);
  return whyNoNginx() === undefined ? undefined : `nginx could not be installed: ${words}`;
}
