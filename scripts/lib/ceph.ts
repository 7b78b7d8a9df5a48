// Ceph's gateway, the S3 service of storage tests; the tests start it themselves.
import { whyNoCeph } from '../../test/support/ceph.ts';
import { canInstallPackages, installPackages } from './debian.ts';

const packages = ['ceph-mon', 'ceph-osd', 'ceph-common', 'radosgw'];

/** Installs Ceph if possible. Returns why it's missing, or undefined if it's available. */
export function provideCeph(): string | undefined {
  const missing = whyNoCeph();
  if (missing === undefined) return undefined;
  if (!canInstallPackages()) return `${missing} (on Debian: apt-get install ${packages.join(' ')})`;
  const words = installPackages(packages);
  return whyNoCeph() === undefined ? undefined : `Ceph could not be installed: ${words}`;
}
