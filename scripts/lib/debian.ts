// Installs Debian packages where possible: as root, on a machine with apt.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { run } from './project.ts';

/** Whether packages can be installed on this machine. */
export function canInstallPackages(): boolean {
  return existsSync('/usr/bin/apt-get') && process.getuid?.() === 0;
}

/** Whether this process has brought the list of packages up to date. */
let isUpdated = false;

/** Installs packages. Returns the end of the output, to explain failures. */
export function installPackages(names: readonly string[]): string {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const update = isUpdated ? { code: 0, output: '' } : run('apt-get', ['update', '-qq'], env);
  isUpdated ||= update.code === 0;
  const install = run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], env);
  const lines = `${update.output}\n${install.output}`.trim().split('\n');
  return lines.slice(-3).join(' ');
}

/** Installs the package of a command if possible. Returns why the command is missing, or undefined if it's available. */
export function provideCommand(command: string, packageName: string): string | undefined {
  const isMissing = () => spawnSync(command, ['--version']).error !== undefined;
  if (!isMissing()) return undefined;
  if (!canInstallPackages()) return `${command} is missing (on Debian: apt-get install ${packageName})`;
  const output = installPackages([packageName]);
  return isMissing() ? `${command} could not be installed: ${output}` : undefined;
}
