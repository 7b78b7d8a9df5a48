// Finds the browser that end-to-end tests drive, and installs Debian's where that is allowed.
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { run } from './project.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** The browser's path, or why there is none. TAXIWAY_CHROMIUM names one that lies elsewhere. */
export function provideChromium(): { path: string } | { missing: string } {
  const found = findChromium();
  if (found !== undefined) return { path: found };
  if (!existsSync('/usr/bin/apt-get') || process.getuid?.() !== 0) {
    return {
      missing: 'Chromium is not installed (on Debian: apt-get install chromium), nor does TAXIWAY_CHROMIUM name it',
    };
  }
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const update = run('apt-get', ['update', '-qq'], env);
  // Without a font every text of a screenshot is empty.
  const words = ['install', '-y', '-qq', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'];
  const install = run('apt-get', words, env);
  const installed = findChromium();
  if (installed !== undefined) return { path: installed };
  const lines = `${update.output}\n${install.output}`.trim().split('\n');
  return { missing: `Chromium could not be installed: ${lines.slice(-3).join(' ')}` };
}

function findChromium(): string | undefined {
  const given = process.env.TAXIWAY_CHROMIUM;
  if (given) return given;
  const folders = (process.env.PATH ?? '').split(delimiter);
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isRunnable);
}

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
