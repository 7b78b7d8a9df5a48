// Installs packages of Debian where that is allowed: as root, on a machine that has apt.
import { existsSync } from 'node:fs';
import { run } from './project.ts';

/** Whether packages can be installed here. */
export function canInstallPackages(): boolean {
  return existsSync('/usr/bin/apt-get') && process.getuid?.() === 0;
}

/** Installs packages; answers the last words of it, for when something is missing afterwards. */
export function installPackages(names: readonly string[]): string {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const update = run('apt-get', ['update', '-qq'], env);
  const install = run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], env);
  const lines = `${update.output}\n${install.output}`.trim().split('\n');
  return lines.slice(-3).join(' ');
}
