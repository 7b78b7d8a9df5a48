// Checks that imports of src run one way: a file may import from its own folder and from folders earlier in the list below. There
// are no import cycles, also among the scripts. Type imports count. Run with lint.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Folders and files of src/, lowest first. ARCHITECTURE.md explains the order. */
const order: readonly string[] = [
  // Pure helpers; lists shared by the server, the command line and the web app; the configuration.
  'client.ts',
  'languages.ts',
  'platforms.ts',
  'lib',
  'webhook-events.ts',
  'cleanup-jobs.ts',
  'web-paths.ts',
  'api-tags.ts',
  'page-texts',
  'permissions.ts',
  'events.ts',
  'config',
  'config.ts',
  // The framework.
  'data',
  'runtime',
  'core',
  'http',
  // The domains.
  'outbound',
  ...[
    'storage',
    'images',
    'mail',
    'inspection',
    'certificates',
    'flags',
    'projects',
    'organizations',
    'developers',
    'byosa',
    'billing',
  ],
  ...['saml', 'oidc', 'channels', 'compatibility', 'devices', 'builds', 'releases', 'pages', 'trust', 'install', 'sso'],
  ...[
    'second-factors',
    'captcha',
    'checkout',
    'sessions',
    'tokens',
    'share-links',
    'feeds',
    'testers',
    'invitations',
    'accounts',
    'sign-in',
  ],
  ...[
    'uploads',
    'sdk',
    'enrollment',
    'feedback',
    'stores',
    'webhooks',
    'audit',
    'expiry',
    'backup',
    'replication',
    'overviews',
    'search',
    'tls',
    'checks',
    'cli',
    'service',
    'system',
  ],
  'web',
  // Manifests of the domains, and their composition.
  ...[
    'operations.ts',
    'sweeps.ts',
    'removals.ts',
    'stored-objects.ts',
    'sealed-columns.ts',
    'hooks.ts',
    'jobs.ts',
    'parts.ts',
  ],
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

/** Returns the imports of every file below a folder, by paths relative to it. */
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

/** Returns the position in the order. Throws for a file or folder that isn't listed. */
function rankOf(file: string): number {
  const [top = ''] = file.split('/');
  const rank = order.indexOf(top);
  if (rank < 0) throw new Error(`src/${top} is missing from the order in scripts/lib/imports.ts`);
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

/** Returns groups of files that import each other, directly or indirectly (Tarjan's strongly connected components). */
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
 * Returns a sentence for each upward import and each import cycle. `root` is the folder of the sources. Throws for a file or folder
 * that isn't in the order.
 */
export function findImportProblems(root: string): string[] {
  const imports = readImports(root);
  return [...findUpwardImports(imports), ...describeCycles(imports)];
}

/** Returns a sentence for each import cycle below a folder without an order, such as that of the scripts. */
export function findImportCycles(root: string): string[] {
  return describeCycles(readImports(root));
}

const describeCycles = (imports: Map<string, string[]>): string[] =>
  findCycles(imports).map((cycle) => `These files import each other: ${cycle.sort().join(', ')}`);
