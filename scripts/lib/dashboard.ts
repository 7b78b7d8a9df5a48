// Builds the web app into dist/assets/dashboard: modules and one stylesheet with content hashes in their names, each also
// compressed; the document; and a manifest for the server.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin } from 'esbuild';
import { languageNames } from '../../src/languages.ts';
import { font } from '../../src/pages/font.ts';
import { replaceBuild } from './compressed-files.ts';
import { listStaticImports, planSharedChunks, type SharedFiles, splitWell } from './dashboard-chunks.ts';
import { exclusively } from './exclusive.ts';
import { distDir, projectDir } from './project.ts';

const sourceDir = join(projectDir, 'src/dashboard');
const dashboardDir = join(distDir, 'assets/dashboard');

const mediaTypes: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

interface BuiltFile {
  type: string;
  bytes: number;
  gzip: number;
}

export interface DashboardManifest {
  files: Record<string, BuiltFile>;
  /** Files of the initial load, without the document. */
  first: {
    scripts: string[];
    styles: string[];
    /** The script with the texts, of which one is loaded, by language. */
    texts: Record<string, string | undefined>;
  };
  /** Whether compressed versions of each file exist; false in development. */
  isCompressed: boolean;
}

/** The entry of the initial load. */
const first = { file: join(sourceDir, 'start.tsx'), name: 'start' };

const common = {
  absWorkingDir: projectDir,
  bundle: true,
  minify: true,
  write: false,
  legalComments: 'none',
  logLevel: 'warning',
  jsx: 'automatic',
  target: ['chrome111', 'firefox114', 'safari16.4'],
  define: { 'process.env.NODE_ENV': '"production"' },
} satisfies BuildOptions;

/**
 * Makes the lengths of a stylesheet, which are written in pixels, follow the font size that is set in the browser. Lines of one or two
 * pixels stay as they are.
 */
function followFontSize(css: string): string {
  return css.replace(/(?<![\w.])(\d*\.?\d+)px\b/g, (length, pixels: string) =>
    Number(pixels) < 3 ? length : `${Number(pixels) / 16}rem`,
  );
}

/**
 * Puts the theme's variables into the stylesheet, whose lengths follow the browser's font size, links the font that all pages share, and
 * replaces the library's scroll lock with one without style elements, and its writer of variables with nothing.
 */
function replacements(variables: string): Plugin {
  return {
    name: 'replacements',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^theme-variables\.css$/ }, ({ path }) => ({ path, namespace: 'made' }));
      onLoad({ filter: /.*/, namespace: 'made' }, () => ({ contents: followFontSize(variables), loader: 'css' }));
      onLoad({ filter: /[\\/]src[\\/]dashboard[\\/]styles[\\/][\w-]+\.css$/ }, ({ path }) => ({
        contents: followFontSize(readFileSync(path, 'utf8')),
        loader: 'css',
      }));
      onResolve({ filter: /\.woff2$/ }, () => ({ path: `..${font.path}`, external: true }));
      onResolve({ filter: /\/MantineCssVariables\.mjs$/ }, () => ({
        path: join(sourceDir, 'components/no-css-variables.ts'),
      }));
      onResolve({ filter: /^react-remove-scroll$/ }, () => ({ path: join(sourceDir, 'components/remove-scroll.tsx') }));
    },
  };
}

async function computeVariables(): Promise<string> {
  const { outputFiles } = await build({
    ...common,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    entryPoints: ['src/dashboard/theme-variables.ts'],
  });
  const code = outputFiles[0]?.text ?? '';
  const made: { writeThemeVariables(): string } = await import(
    `data:text/javascript;base64,${Buffer.from(code).toString('base64')}`
  );
  return made.writeThemeVariables();
}

export interface DashboardOptions {
  /** Also writes each file compressed, which takes longer than the build. True by default. */
  isCompressed?: boolean;
}

/** Builds the web app. Returns the metafile of all its scripts, for the license notices. */
export async function buildDashboard({ isCompressed = true }: DashboardOptions = {}): Promise<Metafile> {
  const variables = await computeVariables();
  const buildApp = (shared?: SharedFiles) =>
    build({
      ...common,
      write: false,
      metafile: true,
      entryPoints: {
        app: 'src/dashboard/main.tsx',
        style: 'src/dashboard/styles/index.css',
      },
      outdir: 'out',
      format: 'esm',
      splitting: true,
      entryNames: '[name]-[hash]',
      chunkNames: 'part-[hash]',
      plugins: [replacements(variables), splitWell(sourceDir, first, shared)],
      // Imports of shared files only decide which chunk they're in.
      logOverride: { 'ignored-bare-import': 'silent' },
    });
  const separate = await buildApp();
  // While somebody develops, the time of a second build counts more than the number of files.
  const result = isCompressed ? await buildApp(planSharedChunks(separate.metafile, findGroups())) : separate;
  const alone = await buildAlone(result.metafile);
  const writeCompressed = replaceBuild(dashboardDir);
  mkdirSync(dashboardDir, { recursive: true });
  const files: DashboardManifest['files'] = {};
  const keep = (name: string, content: Uint8Array): void => {
    const type = mediaTypes[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
    const file = join(dashboardDir, name);
    const bytes = content.length;
    if (!isCompressed) writeFileSync(file, content);
    files[name] = { type, bytes, gzip: isCompressed ? writeCompressed(file, content) : bytes };
  };
  const app = findWith(result.metafile, first.file);
  for (const { path, contents } of [...result.outputFiles, ...alone.outputFiles])
    keep(basename(path), basename(path) === app ? Buffer.concat([calledOnLoad, contents]) : contents);
  const icon = readFileSync(join(sourceDir, 'icon.svg'));
  const iconName = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`;
  keep(iconName, icon);

  const named = (pattern: RegExp): string => {
    const found = Object.keys(files).find((name) => pattern.test(name));
    if (found === undefined) throw new Error(`The build of the web app has no file that matches ${pattern}`);
    return found;
  };
  const script = named(/^app-.*\.js$/);
  const scriptPath = Object.keys(result.metafile.outputs).find((path) => basename(path) === script) ?? script;
  const prefetchScript = named(/^prefetch-.*\.js$/);
  const style = named(/^style-.*\.css$/);
  const scripts = listStaticImports(result.metafile, scriptPath).map((path) => basename(path));
  const names: Record<string, string> = {
    prefetch: prefetchScript,
    script,
    style,
    icon: iconName,
    font: font.path,
    'hash-worker': named(/^hash-worker-.*\.js$/),
    'upload-worker': named(/^upload-worker-.*\.js$/),
    preloads: scripts
      .slice(1)
      .map((name) => `<link rel="modulepreload" href="{{base}}/assets/${name}">\n`)
      .join(''),
  };
  const page = readFileSync(join(sourceDir, 'index.html'), 'utf8').replace(
    /\{\{([\w-]+)\}\}/g,
    (whole, name: string) => names[name] ?? whole,
  );
  writeFileSync(join(dashboardDir, 'index.html'), page);
  const manifest: DashboardManifest = {
    files,
    first: {
      scripts: [prefetchScript, ...scripts],
      styles: [style],
      texts: Object.fromEntries(
        Object.keys(languageNames).map((language) => [
          language,
          findWith(result.metafile, join(sourceDir, 'texts', language, 'initial.ts')),
        ]),
      ),
    },
    isCompressed,
  };
  writeFileSync(join(dashboardDir, 'manifest.json'), JSON.stringify(manifest, null, 1));
  return {
    inputs: { ...result.metafile.inputs, ...alone.metafile.inputs },
    outputs: { ...result.metafile.outputs, ...alone.metafile.outputs },
  };
}

/**
 * Returns the group of each file that loads later, by which it shares chunks: 0 for what the home page can render at first, 1 for pages
 * that don't require signing in, 2 for the rest.
 */
function findGroups(): (file: string) => number {
  const router = readFileSync(join(sourceDir, 'router.tsx'), 'utf8');
  const withoutSignIn = [...router.matchAll(/entryPage\('[^']+', \(\) => import\('\.\/([^']+)'\)\)/g)].map(
    ([, file = '']) => file,
  );
  const groups = [
    ['components/lazy-drawings.tsx', 'components/pending-invitations.tsx', 'pages/home/setup-checklist.tsx'],
    ['pages/home/app-search.tsx', 'pages/home/no-apps.tsx', ...withoutSignIn],
  ];
  const lost = groups.flat().filter((name) => !existsSync(join(sourceDir, name)));
  if (withoutSignIn.length === 0 || lost.length > 0) {
    throw new Error(
      `The groups of files that load later are out of date: ${lost.join(', ') || 'no entryPage in router.tsx'}`,
    );
  }
  return (file) => {
    const group = groups.findIndex((files) => files.includes(relative(sourceDir, file)));
    return group === -1 ? groups.length : group;
  };
}

/** Most of the app runs immediately: browsers that support this comment compile it in parallel while it loads. */
const calledOnLoad = Buffer.from('//# allFunctionsCalledOnLoad\n');

/** Returns the name of the output file that contains a source file. */
function findWith({ outputs }: Metafile, source: string): string | undefined {
  const found = Object.entries(outputs).find(([, { inputs }]) => relative(projectDir, source) in inputs);
  return found && basename(found[0]);
}

/** Builds the scripts that run separately; the first of them contains the names of the app's output files. */
async function buildAlone({ outputs }: Metafile): Promise<{ outputFiles: OutputFile[]; metafile: Metafile }> {
  const names = new Map(
    Object.entries(outputs).map(([path, { entryPoint }]) => [join(projectDir, entryPoint ?? ''), basename(path)]),
  );
  const builtParts: Plugin = {
    name: 'built-parts',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) =>
        kind === 'dynamic-import' ? { path: `./${names.get(join(resolveDir, path))}`, external: true } : undefined,
      );
    },
  };
  return await build({
    ...common,
    write: false,
    metafile: true,
    entryPoints: {
      prefetch: 'src/dashboard/prefetch.ts',
      'hash-worker': 'src/dashboard/upload/hash-worker.ts',
      'upload-worker': 'src/dashboard/upload/upload-worker.ts',
    },
    outdir: 'out',
    format: 'iife',
    entryNames: '[name]-[hash]',
    plugins: [builtParts],
  });
}

/** Builds the web app for tests, unless a complete build exists that is newer than all its sources. */
export function provideDashboard(): Promise<DashboardManifest> {
  const file = join(dashboardDir, 'manifest.json');
  return exclusively('dashboard', async () => {
    const found = findFreshDashboard(file);
    if (found !== undefined) return found;
    await buildDashboard();
    return JSON.parse(readFileSync(file, 'utf8'));
  });
}

function findFreshDashboard(file: string): DashboardManifest | undefined {
  if (!existsSync(file)) return undefined;
  const sources = readdirSync(sourceDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const times = sources.map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs);
  const own = statSync(import.meta.filename).mtimeMs;
  if (statSync(file).mtimeMs < Math.max(own, ...times)) return undefined;
  const found: DashboardManifest = JSON.parse(readFileSync(file, 'utf8'));
  return found.isCompressed ? found : undefined;
}
