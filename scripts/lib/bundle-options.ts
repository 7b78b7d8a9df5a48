// What all builds have in common: the options of the bundler, and the constants that a build defines.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { BuildOptions, Plugin } from 'esbuild';
import { projectDir, readManifest } from './project.ts';

/** Constants that the build defines. */
export function buildDefinitions(assetsFolder: string): Record<string, string> {
  return {
    __TAXIWAY_ASSETS__: JSON.stringify(assetsFolder),
    __TAXIWAY_VERSION__: JSON.stringify(readManifest().version),
    __TAXIWAY_COMMIT__: JSON.stringify(findCommit()),
    __TAXIWAY_BUILT_AT__: JSON.stringify(findBuildTime().toISOString()),
  };
}

/** zod exports its messages in fifty languages, which can't be tree-shaken; only the English ones are used. */
const englishOnly: Plugin = {
  name: 'english-only',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/** markdown-it has characters beyond Latin-1 in regular expressions, which the bundler can't escape (`checkCharacters`). */
const escapedMarkdown: Plugin = {
  name: 'escaped-markdown',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]markdown-it[\\/]dist[\\/].*\.mjs$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(
        /[\u0100-\uffff]/g,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
      ),
    }));
  },
};

/** Options of all builds. Names aren't minified, so that stack traces from users stay readable. */
export const commonOptions = {
  absWorkingDir: projectDir,
  bundle: true,
  platform: 'node',
  target: 'node24',
  // Identifiers aren't minified, so `keepNames` would only add a call for every closure.
  keepNames: false,
  plugins: [englishOnly, escapedMarkdown],
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  logLevel: 'warning',
} satisfies BuildOptions;

function findCommit(): string {
  if (process.env.TAXIWAY_COMMIT) return process.env.TAXIWAY_COMMIT;
  try {
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], {
      cwd: projectDir,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return 'unknown';
  }
}

function findBuildTime(): Date {
  const epoch = process.env.SOURCE_DATE_EPOCH;
  return epoch === undefined ? new Date() : new Date(Number(epoch) * 1000);
}
