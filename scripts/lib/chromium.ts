// Finds the browser for end-to-end tests, and installs Debian's if possible.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { canInstallPackages, installPackages } from './debian.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Returns the browser's path, or why there is none. TAXIWAY_CHROMIUM can specify the path. */
export function provideChromium(): { path: string } | { missing: string } {
  const found = findChromium();
  if (found !== undefined) return { path: found };
  if (!canInstallPackages()) {
    return {
      missing: "Chromium isn't installed (on Debian: apt-get install chromium), and TAXIWAY_CHROMIUM isn't set",
    };
  }
  // Without a font, all texts in a screenshot are blank.
  const words = installPackages(['chromium', 'fonts-dejavu-core']);
  const installed = findChromium();
  return installed === undefined ? { missing: `Chromium could not be installed: ${words}` } : { path: installed };
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
