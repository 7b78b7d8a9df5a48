// Checks that imports run one way: a file imports from its own folder and from what comes before it in the list below, and no
// file imports itself through others. Imports of types count. Run with lint.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Folders and files of src/, lowest first. ARCHITECTURE.md explains the order. */
const order: readonly string[] = [
  // Pure helpers; lists that the server, the command line and the web app share; the configuration.
  'lib',
  'languages.ts',
  'platforms.ts',
  'webhook-events.ts',
  'cleanup-jobs.ts',
  'web-paths.ts',
  'permissions.ts',
  'events.ts',
  'config',
  'config.ts',
  // The kernel.
  'data',
  'runtime',
  'core',
  'http',
  // The domains.
  ...['storage', 'images', 'mail', 'inspection', 'certificates', 'flags', 'projects', 'organizations', 'developers'],
  ...['saml', 'channels', 'compatibility', 'devices', 'builds', 'releases', 'pages', 'trust', 'install', 'sso'],
  ...['second-factors', 'captcha', 'sessions', 'tokens', 'testers', 'invitations', 'accounts', 'sign-in', 'uploads'],
  ...['overviews', 'sdk', 'enrollment', 'webhooks', 'audit', 'expiry', 'search', 'tls', 'checks', 'service', 'system'],
  'web',
  // What each domain brings, and the composition of it.
  ...['operations.ts', 'sweeps.ts', 'removals.ts', 'stored-objects.ts', 'hooks.ts', 'jobs.ts', 'parts.ts'],
  'app.ts',
  'server.ts',
  'index.ts',
  'commands',
  'main.ts',
  'testing',
  'testing.ts',
  'dashboard',
];

const IMPORT = /(?:^|\n)\s*(?:import|export)\s+(?:type\s+)?(?:[^'";]*?\sfrom\s+)?'(\.[^']+)'|import\('(\.[^']+)'\)/g;

/** The imports of every file below a folder, by paths relative to it. */
function readImports(root: string): Map<string, string[]> {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  const known = new Set(files);
  return new Map(
    files.map((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const targets = [...text.matchAll(IMPORT)].map(([, fixed, lazy]) =>
        normalize(join(dirname(file), fixed ?? lazy ?? '')),
      );
      return [file, targets.filter((target) => known.has(target))];
    }),
  );
}

/** Position in the order. Throws for a file or folder that has none. */
function rankOf(file: string): number {
  const [top = ''] = file.split('/');
  const rank = order.indexOf(top);
  if (rank < 0) throw new Error(`src/${top} has no place in the order of scripts/lib/imports.ts`);
  return rank;
}

function findUpwardImports(imports: Map<string, string[]>): string[] {
  return [...imports].flatMap(([file, targets]) => {
    const rank = rankOf(file);
    return targets
      .filter((target) => rankOf(target) > rank)
      .map((target) => `src/${file} imports src/${target}, which comes after it in the order`);
  });
}

/** Groups of files that import each other, directly or through others (Tarjan's strongly connected components). */
function findCycles(imports: Map<string, string[]>): string[][] {
  const numbers = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): number => {
    const number = numbers.size;
    let low = number;
    numbers.set(file, number);
    stack.push(file);
    for (const target of imports.get(file) ?? []) {
      if (!numbers.has(target)) low = Math.min(low, visit(target));
      else if (stack.includes(target)) low = Math.min(low, numbers.get(target) ?? low);
    }
    if (low === number) {
      const group = stack.splice(stack.indexOf(file));
      if (group.length > 1) cycles.push(group);
    }
    return low;
  };
  for (const file of imports.keys()) if (!numbers.has(file)) visit(file);
  return cycles;
}

/**
 * Returns one sentence for each import that runs upwards and each group of files that import each other; none if all is well.
 * `root` is the folder of the sources. Throws for a file or folder that has no place in the order.
 */
export function findImportProblems(root: string): string[] {
  const imports = readImports(root);
  const cycles = findCycles(imports).map((cycle) => `These files import each other: ${cycle.sort().join(', ')}`);
  return [...findUpwardImports(imports), ...cycles];
}
