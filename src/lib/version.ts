// The version of the program: its number, its commit and the time of the build.
import { readAsset } from './assets.ts';

/** Defined by the build; undefined in the source tree. */
declare const __TAXIWAY_VERSION__: string | undefined;
declare const __TAXIWAY_COMMIT__: string | undefined;
declare const __TAXIWAY_BUILT_AT__: string | undefined;

export interface Version {
  /** Semantic version of the package. */
  readonly version: string;
  /** Commit id, or `unbuilt` when run from the source tree. */
  readonly commit: string;
  /** ISO time of the build, or null when run from the source tree. */
  readonly builtAt: string | null;
}

/** The version of the running program. */
export const version: Version = Object.freeze({
  version: typeof __TAXIWAY_VERSION__ === 'string' ? __TAXIWAY_VERSION__ : packageVersion(),
  commit: typeof __TAXIWAY_COMMIT__ === 'string' ? __TAXIWAY_COMMIT__ : 'unbuilt',
  builtAt: typeof __TAXIWAY_BUILT_AT__ === 'string' ? __TAXIWAY_BUILT_AT__ : null,
});

function packageVersion(): string {
  const manifest: unknown = JSON.parse(readAsset('package.json').toString('utf8'));
  if (typeof manifest === 'object' && manifest !== null && 'version' in manifest) return String(manifest.version);
  return '0.0.0';
}
