// Installs Debian packages where possible: as root, on a machine with apt.
import { existsSync } from 'node:fs';
import { run } from './project.ts';

/** Whether packages can be installed on this machine. */
export function canInstallPackages(): boolean {
  return existsSync('/usr/bin/apt-get') && process.getuid?.() === 0;
}

let update: ReturnType<typeof run> | undefined;

/** Installs packages. Returns the end of the output, to explain failures. */
export function installPackages(names: readonly string[]): string {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  update ??= run('apt-get', ['update', '-qq'], env);
  const install = run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], env);
  const lines = `${update.output}\n${install.output}`.trim().split('\n');
  return lines.slice(-3).join(' ');
}
