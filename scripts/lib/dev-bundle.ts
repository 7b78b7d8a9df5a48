// Bundles the server for scripts/dev: Node.js starts one file several times faster than a thousand, and rebuilding it is quick.
import { join } from 'node:path';
import { context } from 'esbuild';
import { commonOptions } from './bundle-options.ts';
import { cacheDir, projectDir } from './project.ts';

export interface DevBundle {
  /** The built program. It finds migrations, styles and workers in the sources, as if it ran from there. */
  file: string;
  /** Builds it again, with what didn't change kept in memory. Returns the sources it consists of, relative to the project. */
  rebuild(): Promise<ReadonlySet<string>>;
}

export async function openDevBundle(): Promise<DevBundle> {
  const file = join(cacheDir, 'dev-bundle/taxiway.cjs');
  const builder = await context({
    ...commonOptions,
    minifyWhitespace: false,
    minifySyntax: false,
    entryPoints: ['src/main.ts'],
    outfile: file,
    format: 'cjs',
    metafile: true,
    // The driver looks for its native code beside itself.
    external: ['better-sqlite3'],
    define: { 'import.meta.dirname': JSON.stringify(join(projectDir, 'src/lib')) },
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'silent',
  });
  return {
    file,
    async rebuild() {
      const { metafile } = await builder.rebuild();
      return new Set(Object.keys(metafile.inputs));
    },
  };
}
