// Finds the browser for end-to-end tests, and installs Debian's if possible.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { canInstallPackages, installPackages } from './debian.ts';

/** The same engine without windows, from Debian: browser tests take a third less CPU time with it. */
const shell = 'chromium-headless-shell';
const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Returns the browser's path, or why there is none. TAXIWAY_CHROMIUM can specify the path. */
export function provideChromium(): { path: string } | { missing: string } {
  const given = process.env.TAXIWAY_CHROMIUM || find([shell]);
  if (given) return { path: given };
  if (!canInstallPackages()) {
    const path = find(names);
    return path === undefined
      ? { missing: "Chromium isn't installed (on Debian: apt-get install chromium), and TAXIWAY_CHROMIUM isn't set" }
      : { path };
  }
  // Without a font, all texts in a screenshot are blank.
  const font = 'fonts-dejavu-core';
  installPackages([shell, font]);
  const found = find([shell, ...names]);
  if (found !== undefined) return { path: found };
  const words = installPackages(['chromium', font]);
  const path = find(names);
  return path === undefined ? { missing: `Chromium could not be installed: ${words}` } : { path };
}

function find(programs: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return programs.flatMap((name) => folders.map((folder) => join(folder, name))).find(isRunnable);
}

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
