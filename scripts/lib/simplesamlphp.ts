// SimpleSAMLphp, the identity provider for single sign-on tests; the tests start it themselves.
import { whyNoSimpleSamlPhp } from '../../test/sso/simplesamlphp.ts';
import { canInstallPackages, installPackages } from './debian.ts';

const packages = ['simplesamlphp', 'php-cli', 'php-xml', 'php-mbstring', 'php-sqlite3'];

/** Installs SimpleSAMLphp if possible. Returns why it's missing, or undefined if it's available. */
export function provideSimpleSamlPhp(): string | undefined {
  const missing = whyNoSimpleSamlPhp();
  if (missing === undefined) return undefined;
  if (!canInstallPackages()) return `${missing} (on Debian: apt-get install ${packages.join(' ')})`;
  const words = installPackages(packages);
  return whyNoSimpleSamlPhp() === undefined ? undefined : `SimpleSAMLphp could not be installed: ${words}`;
}
