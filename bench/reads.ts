// An authenticated JSON read, compared with plain hono that returns the same bytes on the same Node.js.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../scripts/lib/ports.ts';
import type { App } from '../src/core/context.ts';
import { builds } from '../src/data/tables/tables.ts';
import { type Bench, median, type Row, ratioRow, takeTurns } from './benchmark.ts';
import { call } from './client.ts';
import { loadServer, writePathsScript } from './load.ts';
import { startServer } from './processes.ts';
import { type SeededIds, startServerFixture } from './server-fixture.ts';

const CONNECTIONS = 32;
const SECONDS = 2;
/** Requests cycle through the builds. All of them are cached after the first cycle, like the builds that a team reads every day. */
const BUILDS = 1_000;

export const readBench: Bench = {
  name: 'read',
  summary: 'GET /api/v1/builds/{id} with a session, beside bare hono answering the same bytes',
  async run(kit) {
    const quietSeed = createSeed();
    const loggingSeed = createSeed();
    const quiet = await kit.use(
      startServerFixture(join(kit.folder, 'quiet'), { seed: quietSeed.seed, logLevel: 'warn' }),
    );
    const [path = ''] = quietSeed.paths;
    const bytesFile = join(kit.folder, 'answer.json');
    writeFileSync(bytesFile, JSON.stringify(await call(quiet, 'GET', path)));
    const logging = await kit.use(
      startServerFixture(join(kit.folder, 'logging'), { seed: loggingSeed.seed, logFile: '/dev/null' }),
    );
    const script = writePathsScript(join(kit.folder, 'quiet'), quietSeed.paths);
    const loggingScript = writePathsScript(join(kit.folder, 'logging'), loggingSeed.paths);
    const port = await findFreePort();
    const bare = await kit.use(
      startServer({
        command: process.execPath,
        args: [join(import.meta.dirname, 'bare-hono.ts'), String(port), bytesFile],
        url: `http://127.0.0.1:${port}`,
        readyPath: '/health/live',
      }),
    );
    const load = { connections: CONNECTIONS, seconds: SECONDS };
    const sides = {
      quiet: () => loadServer(quiet, { path, script, token: quiet.token, ...load }),
      logging: () => loadServer(logging, { path, script: loggingScript, token: logging.token, ...load }),
      bare: () => loadServer(bare, { path, script, token: quiet.token, ...load }),
    };
    // Warms up the JIT compiler for each server.
    await takeTurns(2, sides);
    const samples = await takeTurns(kit.rounds, sides);
    const rates = (side: keyof typeof samples) => samples[side].map((sample) => sample.requestsPerSecond);
    const cost = (side: keyof typeof samples) => Math.round(median(samples[side].map((one) => one.cpuMicroseconds)));
    const row = (name: string, side: 'quiet' | 'logging', atLeast: number): Row =>
      ratioRow({
        name,
        measured: rates(side),
        baseline: rates('bare'),
        show: (value) => `${Math.round(value)}/s`,
        goal: { atLeast },
        note: `CPU ${cost(side)} µs, bare ${cost('bare')} µs`,
      });
    return [
      row('read of a build, logs from warn', 'quiet', 0.75),
      row('read of a build, every request logged', 'logging', 0.5),
    ];
  },
};

/** Returns what adds builds to a server, and their paths. */
export function createSeed() {
  const paths: string[] = [];
  const seed = (app: App, fixture: SeededIds): void => {
    app.db.$client.transaction(() => {
      for (let number = 1; number <= BUILDS; number += 1) {
        paths.push(`/api/v1/builds/${addBuildRow(app, fixture, number)}`);
      }
    })();
  };
  return { seed, paths };
}

function addBuildRow(app: App, fixture: SeededIds, buildNumber: number): string {
  const id = app.ids.next();
  app.db
    .insert(builds)
    .values({
      id,
      organizationId: fixture.organizationId,
      projectId: fixture.androidProjectId,
      platform: 'android',
      versionName: '1.0',
      buildNumber,
      sha256: '0'.repeat(64),
      sizeBytes: 200_000_000,
      uploadedAt: app.clock.now().getTime(),
      bundleIdentifier: 'com.example.app',
      originalFilename: 'app-release.apk',
      releaseNotes: 'Fixes the sign-in on older phones.',
      minOsVersion: '26',
      objectKey: `builds/${id}/package.apk`,
      inspectionStatus: 'ok',
      uploadedByDeveloperId: fixture.developerId,
      pendingUploadId: app.ids.next(),
    })
    .run();
  return id;
}
