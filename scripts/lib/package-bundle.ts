// Packages that a server doesn't need to start, in scripts of their own, each of which is loaded when it is first used: they are half of
// the bundle, and V8 would note each of their functions at every start.
import { join, relative } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { PACKAGES } from '../../src/lib/embedded.ts';
import { projectDir } from './project.ts';

/** What a server loads before it listens. */
const started = ['src/main.ts', 'src/commands/serve.ts', 'src/server.ts'];
const PACKAGE = /^node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/** Packages that share others, in one script. */
interface Group {
  /** Path of the script relative to the embedded files. */
  script: string;
  /** The modules that the program imports. */
  modules: string[];
  packages: Set<string>;
}

/**
 * Builds the program and, in the folder of its embedded files, the scripts of its packages. Of these packages, the ones that are ES modules
 * can't be imported by their default export: as everywhere in Node, the default of what `require` returns is the whole module.
 */
export async function buildSplitBundle(
  shared: BuildOptions,
  { program, assets }: { program: string; assets: string },
): Promise<Metafile[]> {
  const options = { ...shared, metafile: true } as const;
  const entryPoints = ['src/main.ts'];
  const { metafile: whole } = await build({ ...options, entryPoints, write: false, outfile: program });
  const groups = groupPackages(whole);
  const scriptOf = new Map(groups.flatMap(({ script, modules }) => modules.map((module) => [module, script] as const)));
  // The bundler asks about matching imports only: asking about all of them takes as long as bundling.
  const named = namesOf(new Set(scriptOf.keys()), whole).map((name) => RegExp.escape(name));
  const useScripts: Plugin = {
    name: 'packages-for-later',
    setup({ onResolve, onLoad, resolve }) {
      onResolve({ filter: new RegExp(`^(?:${named.join('|')})$`) }, async ({ path, pluginData, ...from }) => {
        if (pluginData === 'resolving' || from.kind === 'entry-point') return undefined;
        const found = await resolve(path, { ...from, pluginData: 'resolving' });
        const module = relative(projectDir, found.path);
        return scriptOf.has(module) ? { path: module, namespace: 'later' } : found;
      });
      onLoad({ filter: /.*/, namespace: 'later' }, ({ path }) => ({
        contents: laterModule(`${scriptOf.get(path)}`, path),
        loader: 'js',
        resolveDir: projectDir,
      }));
    },
  };
  const main = await build({
    ...options,
    entryPoints,
    outfile: program,
    external: [...(shared.external ?? []), `./assets/${PACKAGES}/*`],
    plugins: [...(shared.plugins ?? []), useScripts],
  });
  const scripts = groups.map(async ({ script, modules }) => {
    const entries = modules.map((path) => `'${path}': () => require('./${path}'),`);
    const contents = `const modules = { ${entries.join('\n')} };\nmodule.exports = (path) => modules[path];`;
    const stdin = { contents, resolveDir: projectDir, loader: 'js' } as const;
    return (await build({ ...options, stdin, outfile: join(assets, script) })).metafile;
  });
  return [main.metafile, ...(await Promise.all(scripts))];
}

/** Returns the code of a module in the program that loads it from its script, or fails if that was replaced meanwhile. */
export function laterModule(script: string, path: string): string {
  return `const { explainMissingFile, ProgramReplaced } = require('./src/lib/replaced-program.ts');
let find;
try {
  find = require('./assets/${script}');
} catch (error) {
  throw explainMissingFile(error);
}
const load = find('${path}');
if (load === undefined) throw new ProgramReplaced();
module.exports = load();`;
}

/**
 * Returns the packages that only modules for later import. No package is in two scripts, because it would be loaded twice, with classes and
 * state of its own each time: what shares a package with the start stays in the program.
 */
export function groupPackages(bundle: Metafile): Group[] {
  const modules = importedModules(bundle)
    .sort()
    .map((module) => ({ module, packages: packagesOf(reachableFrom([module], bundle)) }));
  const inProgram = packagesOf(reachableFrom(started, bundle, { isLaterLeftOut: true }));
  let size = 0;
  while (size < inProgram.size) {
    size = inProgram.size;
    const sharing = modules.filter(({ packages }) => !packages.isDisjointFrom(inProgram));
    for (const name of sharing.flatMap(({ packages }) => [...packages])) inProgram.add(name);
  }
  const groups: Group[] = [];
  for (const { module, packages } of modules) {
    if (!packages.isDisjointFrom(inProgram)) continue;
    const name = packageOf(module)
      ?.replace(/^node_modules\/@?/, '')
      .replace('/', '-');
    const script = `${PACKAGES}/${name}.cjs`;
    const group: Group = { script, modules: [module], packages };
    for (const other of groups.filter((one) => !one.packages.isDisjointFrom(packages)).reverse()) {
      groups.splice(groups.indexOf(other), 1);
      group.script = other.script;
      group.modules.unshift(...other.modules);
      group.packages = group.packages.union(other.packages);
    }
    groups.push(group);
  }
  return groups;
}

/** Returns the names by which modules are imported. */
function namesOf(modules: ReadonlySet<string>, { inputs }: Metafile): string[] {
  const imports = Object.values(inputs).flatMap((input) => input.imports);
  return [...new Set(imports.flatMap(({ path, original }) => (modules.has(path) ? (original ?? []) : [])))];
}

/** Returns the modules of packages that the program's own code imports and uses. */
function importedModules({ inputs, outputs }: Metafile): string[] {
  const used = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const files = new Set(used.flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])));
  const own = Object.entries(inputs).filter(([file]) => files.has(file) && packageOf(file) === undefined);
  const imported = new Set(own.flatMap(([, { imports }]) => imports.map(({ path }) => path)));
  return [...imported.intersection(files)].filter((path) => packageOf(path) !== undefined);
}

/** Returns the files that are loaded with some others: those that they import, and those that they load later unless they're left out. */
function reachableFrom(files: readonly string[], { inputs }: Metafile, { isLaterLeftOut = false } = {}): Set<string> {
  const reached = new Set(files);
  for (const file of reached) {
    for (const { path, kind } of inputs[file]?.imports ?? []) {
      if (!isLaterLeftOut || kind !== 'dynamic-import') reached.add(path);
    }
  }
  return reached;
}

function packageOf(file: string): string | undefined {
  return PACKAGE.exec(file)?.[0];
}

function packagesOf(files: Iterable<string>): Set<string> {
  return new Set([...files].flatMap((file) => packageOf(file) ?? []));
}
