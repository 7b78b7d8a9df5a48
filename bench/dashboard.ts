// The web app: size of a first visit, time until it's usable on a slow machine, scrolling of a long table, and number of requests.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DashboardManifest } from '../scripts/lib/dashboard.ts';
import type { App } from '../src/core/context.ts';
import { builds, channels, projects, releases } from '../src/data/tables/tables.ts';
import { type Bench, boundRow, median, type Row, takeTurns } from './benchmark.ts';
import { measureInteractive, measureScrolling, startWalker, type Walker } from './browser.ts';
import { programFile, type SeededIds, type ServerFixture, startServerFixture } from './server-fixture.ts';

const THROTTLE = 4;
const PROJECTS = 20;
const CHANNELS = 50;
const BUILDS = 10_000;
const SCROLL_PIXELS = 60_000;
const PIXELS_PER_SECOND = 10_000;
const KB = 1024;

export const dashboardBench: Bench = {
  name: 'dashboard',
  summary: 'the web app: size, time until usable, scrolling of 10,000 builds, requests with 50 channels',
  async run(kit) {
    const fixture = await kit.use(startServerFixture(join(kit.folder, 'fixture'), { seed }));
    const walker = await kit.use(startWalker(fixture));
    return [
      ...(await weighFirstVisit(fixture, walker)),
      await measureProjects(fixture, walker, kit.rounds),
      await measureTable(fixture, walker, kit.rounds),
      await countRequests(fixture, walker),
    ];
  },
};

/** Each project shows two facts; this check costs the page nothing. */
const drawnProjects = `document.querySelectorAll('main dd').length >= ${2 * PROJECTS}`;

/** Measures the gzip size of everything that the projects page loads. */
async function weighFirstVisit(fixture: ServerFixture, walker: Walker): Promise<Row[]> {
  const manifestFile = join(programFile, '../assets/dashboard/manifest.json');
  const { files }: DashboardManifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
  const window = await walker.open();
  await measureInteractive(window, fixture.url, drawnProjects);
  await window.close();
  const weigh = (ending: string) =>
    [...new Set(window.asked)]
      .map((path) => path.split('/').at(-1) ?? '')
      .filter((name) => name.endsWith(ending))
      .reduce((sum, name) => sum + (files[name]?.gzip ?? 0), 0) / KB;
  const scripts = window.asked.filter((path) => path.endsWith('.js')).length;
  return [
    boundRow({
      name: 'first visit: script',
      measured: weigh('.js'),
      below: 250,
      unit: 'KB gzip',
      note: `${scripts} files`,
    }),
    boundRow({ name: 'first visit: style', measured: weigh('.css'), below: 50, unit: 'KB gzip' }),
  ];
}

async function measureProjects(fixture: ServerFixture, walker: Walker, rounds: number): Promise<Row> {
  const visit = (path: string, isSignedIn: boolean, isDrawn: string) => async () => {
    const window = await walker.open({ isSignedIn, cpuThrottle: THROTTLE });
    const milliseconds = await measureInteractive(window, `${fixture.url}${path}`, isDrawn);
    await window.close();
    return milliseconds;
  };
  const { app, plain } = await takeTurns(rounds, {
    app: visit('/', true, drawnProjects),
    plain: visit('/?plain', false, "document.readyState === 'complete'"),
  });
  return boundRow({
    name: `projects page can be used, processor ${THROTTLE} times slower, nothing cached`,
    measured: median(app),
    baseline: `${Math.round(median(plain))} ms for a page without script`,
    below: 1000,
    unit: 'ms',
    note: `${rounds} visits, the slowest ${Math.round(Math.max(...app))} ms`,
  });
}

async function measureTable(fixture: ServerFixture, walker: Walker, rounds: number): Promise<Row> {
  const rates: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const window = await walker.open();
    await window.page.goto(`${fixture.url}/projects/${fixture.androidProjectId}/builds`);
    await window.page.locator('tbody tr').first().waitFor();
    rates.push(await measureScrolling(window, SCROLL_PIXELS, PIXELS_PER_SECOND));
    await window.close();
  }
  const measured = median(rates);
  return {
    name: `table of ${BUILDS} builds, scrolled by ${SCROLL_PIXELS} pixels: fewest frames of any second`,
    measured: `${measured} frames/s`,
    baseline: '',
    ratio: '',
    goal: '≥ 50 frames/s',
    isMet: measured >= 50,
    note: `${rounds} rounds, the worst ${Math.min(...rates)}`,
  };
}

async function countRequests(fixture: ServerFixture, walker: Walker): Promise<Row> {
  const window = await walker.open();
  await window.page.goto(`${fixture.url}/me`, { waitUntil: 'networkidle' });
  window.asked.length = 0;
  await window.page.goto(`${fixture.url}/projects/${fixture.androidProjectId}`);
  await window.page.getByRole('link', { name: `channel ${CHANNELS - 1}`, exact: true }).waitFor();
  await window.page.waitForLoadState('networkidle');
  await window.close();
  // The account and its organizations are requested once per visit, regardless of the page.
  const ofVisit = ['/api/v1/developers/me', '/api/v1/organizations'];
  const requests = window.asked.filter((path) => path.startsWith('/api/') && !ofVisit.includes(path));
  return {
    name: `API requests of a project with ${CHANNELS} channels`,
    measured: String(requests.length),
    baseline: '',
    ratio: '',
    goal: '≤ 3',
    isMet: requests.length <= 3,
  };
}

/** Adds projects with a released build, and one with many builds and channels. */
function seed(app: App, of: SeededIds): void {
  const now = app.clock.now().getTime();
  const { organizationId } = of;
  app.db.transaction((db) => {
    const addBuild = (projectId: string, buildNumber: number): string => {
      const id = app.ids.next();
      db.insert(builds)
        .values({
          id,
          organizationId,
          projectId,
          platform: 'android',
          versionName: '1.0',
          buildNumber,
          sha256: '0'.repeat(64),
          sizeBytes: 200_000_000,
          uploadedAt: now,
          bundleIdentifier: 'com.example.app',
          releaseNotes: 'Fixes the sign-in on older phones.',
          objectKey: `builds/${id}`,
          inspectionStatus: 'ok',
          pendingUploadId: app.ids.next(),
        })
        .run();
      return id;
    };
    const addChannel = (projectId: string, name: string, buildId: string): void => {
      const inProject = { organizationId, projectId, createdAt: now };
      const channelId = app.ids.next();
      db.insert(channels)
        .values({ ...inProject, id: channelId, name, autoDistribute: false, notifyOnRelease: false, isPublic: true })
        .run();
      db.insert(releases)
        .values({ ...inProject, id: app.ids.next(), channelId, buildId, mandatory: false, state: 'active' })
        .run();
    };
    for (let number = 0; number < PROJECTS; number += 1) {
      const id = app.ids.next();
      db.insert(projects)
        .values({ id, organizationId, name: `Project ${number}`, platform: 'android', createdAt: now })
        .run();
      addChannel(id, 'beta', addBuild(id, 1));
    }
    for (let number = 0; number < BUILDS; number += 1) {
      const buildId = addBuild(of.androidProjectId, number + 1);
      if (number < CHANNELS) addChannel(of.androidProjectId, `channel ${number}`, buildId);
    }
  });
}
