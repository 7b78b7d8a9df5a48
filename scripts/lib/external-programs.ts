// The external programs that some tests need: which tests need which, and installing them beside other work.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { provideAzurite } from './azurite.ts';
import { provideCeph } from './ceph.ts';
import { provideChromium } from './chromium.ts';
import { provideCommand } from './debian.ts';
import { provideLitestream } from './litestream.ts';
import { provideNginx } from './nginx.ts';
import { providePebble } from './pebble.ts';
import { projectDir } from './project.ts';
import { provideSimpleSamlPhp } from './simplesamlphp.ts';

/** What became of a program: why it's missing, or the path of the browser. */
export interface Provided {
  missing?: string;
  path?: string;
}

interface ExternalProgram {
  /** The test files that need it, by their paths. */
  tests: RegExp;
  /** Packages of Debian are installed one after the other, because only one process may install them at a time. */
  source: 'debian' | 'npm';
  provide(): Provided;
}

const orMissing = (provide: () => string | undefined) => (): Provided => {
  const missing = provide();
  return missing === undefined ? {} : { missing };
};

/** In the order in which they are installed: the browser last, because its tests run last. */
const programs = {
  simplesamlphp: { tests: /sso|provider|single/, source: 'debian', provide: orMissing(provideSimpleSamlPhp) },
  pebble: { tests: /tls|acme/, source: 'debian', provide: orMissing(providePebble) },
  nginx: { tests: /proxy/, source: 'debian', provide: orMissing(provideNginx) },
  // Reads the property lists that the server writes, independently of our own code.
  plistutil: {
    tests: /trust|devices/,
    source: 'debian',
    provide: orMissing(() => provideCommand('plistutil', 'libplist-utils')),
  },
  // Runs the action for fastlane.
  ruby: { tests: /integrations/, source: 'debian', provide: orMissing(() => provideCommand('ruby', 'ruby')) },
  ceph: { tests: /s3|storage|replica/, source: 'debian', provide: orMissing(provideCeph) },
  azurite: { tests: /azur|byosa|storage/, source: 'npm', provide: orMissing(provideAzurite) },
  litestream: { tests: /replica/, source: 'npm', provide: orMissing(provideLitestream) },
  chromium: { tests: /(?!)/, source: 'debian', provide: provideChromium },
} satisfies Record<string, ExternalProgram>;

export type ProgramName = keyof typeof programs;
const names = Object.keys(programs) as ProgramName[];

/** Returns the programs that the tests of some paths need, besides the browser; all of them if no path is given. */
export function programsFor(filters: readonly string[]): ProgramName[] {
  return names.filter(
    (name) =>
      name !== 'chromium' && (filters.length === 0 || filters.some((filter) => programs[name].tests.test(filter))),
  );
}

/** Starts to install programs in processes of their own. Returns a function that waits for one of them. */
export function startProviding(wanted: readonly ProgramName[]): (name: ProgramName) => Promise<Provided> {
  const results = new Map<ProgramName, PromiseWithResolvers<Provided>>();
  for (const name of wanted) results.set(name, Promise.withResolvers());
  for (const source of ['debian', 'npm']) {
    const ours = names.filter((name) => wanted.includes(name) && programs[name].source === source);
    if (ours.length === 0) continue;
    const script = join(projectDir, 'scripts/lib/external-programs.ts');
    const child = spawn(process.execPath, [script, ...ours], { cwd: projectDir, stdio: ['ignore', 'pipe', 'pipe'] });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint += text;
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      const { name, provided }: { name: ProgramName; provided: Provided } = JSON.parse(line);
      results.get(name)?.resolve(provided);
    });
    child.on('error', ({ message }) => {
      complaint += message;
    });
    // What has its result keeps it.
    child.on('close', () => {
      for (const name of ours) results.get(name)?.resolve({ missing: `${name} could not be installed: ${complaint}` });
    });
  }
  return async (name) => (await results.get(name)?.promise) ?? programs[name].provide();
}

/** The process that installs: writes a line for each program. */
function provideAll(wanted: readonly string[]): void {
  for (const name of names.filter((one) => wanted.includes(one)))
    process.stdout.write(`${JSON.stringify({ name, provided: programs[name].provide() })}\n`);
}

if (process.argv[1] === import.meta.filename) provideAll(process.argv.slice(2));
