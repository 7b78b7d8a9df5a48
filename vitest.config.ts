// Two sets of tests: `main` needs nothing but this project, `e2e` drives a browser and runs by itself.
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { drizzleEntryPoints, drizzleFolder, workersFolder } from './test/support/workers.ts';

/** What `scripts/test --quick` runs: the tests of parts that need no server, and those of the whole program, every operation included. */
const quick = [
  ...['certificates', 'config', 'dashboard', 'http', 'images', 'lib', 'program', 'specification'].map(
    (folder) => `test/${folder}/**/*.test.ts`,
  ),
  'test/permissions.test.ts',
];

/** Tests among them that wait for real time, send thousands of requests or copy the sources. */
const slow = [
  'test/http/connections.test.ts',
  'test/http/rate-limits.test.ts',
  'test/http/slow-body.test.ts',
  'test/program/contributing.test.ts',
  'test/program/random-requests.test.ts',
];

const givenWorkers = process.env.TAXIWAY_TEST_WORKERS ? Number(process.env.TAXIWAY_TEST_WORKERS) : undefined;

export default defineConfig({
  cacheDir: '.cache/vite',
  define: { __TAXIWAY_WORKERS__: JSON.stringify(workersFolder) },
  // What globalSetup bundled, see workers.ts. Node loads it as a package, without a transformation.
  resolve: {
    alias: drizzleEntryPoints.map((path) => ({
      find: new RegExp(`^drizzle-orm${path}$`),
      replacement: `${drizzleFolder}/entry${path}.mjs`,
    })),
  },
  test: {
    server: { deps: { external: [/\/\.cache\/drizzle-orm\//] } },
    globals: false,
    sequence: { sequencer: LongestFirst },
    pool: 'forks',
    // A larger young generation is collected less often, and threads for the collection would take the cores from other workers.
    execArgv: ['--max-semi-space-size=64', '--single-threaded-gc'],
    // So long as not to end a test that a busy machine slows down; one that hangs is ended all the same.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'main',
          // One more than the two cores of a small machine, because tests wait for the disk and for programs. With four, they take longer.
          maxWorkers: givenWorkers ?? 3,
          include: process.env.TAXIWAY_TEST_QUICK ? quick : ['test/**/*.test.ts'],
          globalSetup: ['test/support/workers.ts', 'test/support/shared-services.ts'],
          // Starting a program copies the page tables of the process that starts it: 50 ms for 900 MB, and a quarter of that with large pages
          // and with memory that is returned as soon as it's free. Only glibc reads this, when a test process starts.
          env: { GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=262144' },
          setupFiles: [
            'test/support/default-memory.ts',
            'test/support/fixed-chance.ts',
            'test/support/own-authorities.ts',
            'test/support/record-examples.ts',
          ],
          exclude: ['test/e2e/**', ...(process.env.TAXIWAY_TEST_QUICK ? slow : [])],
          // A condition that a test waits for: less than a hanging test, not one second.
          expect: { poll: { timeout: 50_000 } },
          // Files share a process: nothing in the program keeps state outside of a server, and loading it takes longer than most files run.
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          // Browsers do most of the work.
          maxWorkers: givenWorkers ?? 4,
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/workers.ts', 'test/support/shared-services.ts', 'test/e2e/setup.ts'],
          isolate: false,
          testTimeout: 240_000,
          hookTimeout: 240_000,
          // A condition that a test waits for: as long as the browser's own waits, not one second.
          expect: { poll: { timeout: 60_000 } },
        },
      },
    ],
  },
});
