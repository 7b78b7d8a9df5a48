// plistutil reads the property lists that the server writes, independently of our own code.
import { spawnSync } from 'node:child_process';
import { canInstallPackages, installPackages } from './debian.ts';

const PACKAGE = 'libplist-utils';

function isMissing(): boolean {
  return spawnSync('plistutil', ['--version']).error !== undefined;
}

/** Installs plistutil if possible. Returns why it's missing, or undefined if it's available. */
export function providePlistutil(): string | undefined {
  if (!isMissing()) return undefined;
  if (!canInstallPackages()) return `plistutil is missing (on Debian: apt-get install ${PACKAGE})`;
  const output = installPackages([PACKAGE]);
  return isMissing() ? `plistutil could not be installed: ${output}` : undefined;
}
