// Two sets of tests: `main` needs nothing but this project, `e2e` drives a browser and runs by itself.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  cacheDir: '.cache/vite',
  test: {
    globals: false,
    pool: 'forks',
    // Files share two processes' worth of cores; a server under test needs one of them at times.
    maxWorkers: process.env.TAXIWAY_TEST_WORKERS ? Number(process.env.TAXIWAY_TEST_WORKERS) : 2,
    testTimeout: 20_000,
    hookTimeout: 20_000,
    teardownTimeout: 10_000,
    projects: [
      {
        extends: true,
        test: { name: 'main', include: ['test/**/*.test.ts'], exclude: ['test/e2e/**'] },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
