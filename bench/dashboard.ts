// The web app: size of a first visit, time until it's usable on a slow machine, scrolling of a long table, layout shifts, and
// number of requests.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DashboardManifest } from '../scripts/lib/dashboard.ts';
import type { App } from '../src/core/context.ts';
import { builds, channels, projects, releases } from '../src/data/tables/tables.ts';
import { type Bench, boundRow, median, type Row, takeTurns } from './benchmark.ts';
import {
  measureInteractive,
  measureScrolling,
  measureShift,
  type Scrolling,
  startWalker,
  type Walker,
  type Window,
} from './browser.ts';
import { programFile, type SeededIds, type ServerFixture, startServerFixture } from './server-fixture.ts';

const THROTTLE = 4;
const PROJECTS = 20;
const CHANNELS = 50;
const BUILDS = 10_000;
const SCROLL_PIXELS = 60_000;
const PIXELS_PER_SECOND = 10_000;
const KB = 1024;
/** The sum of all layout shifts of a visit. */
const MAX_SHIFT = 0.02;

export const dashboardBench: Bench = {
  name: 'dashboard',
  summary: 'the web app: size, time until usable, scrolling of 10,000 builds, layout shifts, requests',
  async run(kit) {
    const fixture = await kit.use(startServerFixture(join(kit.folder, 'fixture'), { seed }));
    const walker = await kit.use(startWalker(fixture));
    return [
      ...(await weighFirstVisit(fixture, walker)),
      await measureHome(fixture, walker, kit.rounds),
      ...(await measureTable(fixture, walker, kit.rounds)),
      await measureShifts(fixture, walker),
      await countRequests(fixture, walker),
    ];
  },
};

/** The heading and the row of each app are painted. */
const drawnHome = `document.querySelector('main h1') !== null && document.querySelectorAll('main tbody tr').length >= ${PROJECTS}`;

/** Measures the gzip size of everything that the home page loads. */
async function weighFirstVisit(fixture: ServerFixture, walker: Walker): Promise<Row[]> {
  const manifestFile = join(programFile, '../assets/dashboard/manifest.json');
  const { files }: DashboardManifest = JSON.parse(readFileSync(manifestFile, 'utf8'));
  const window = await walker.open();
  await measureInteractive(window, fixture.url, drawnHome);
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
      below: 190,
      unit: 'KB gzip',
      note: `${scripts} files`,
    }),
    boundRow({ name: 'first visit: style', measured: weigh('.css'), below: 50, unit: 'KB gzip' }),
  ];
}

async function measureHome(fixture: ServerFixture, walker: Walker, rounds: number): Promise<Row> {
  const visit = (path: string, isSignedIn: boolean, isDrawn: string) => async () => {
    const window = await walker.open({ isSignedIn, cpuThrottle: THROTTLE });
    const milliseconds = await measureInteractive(window, `${fixture.url}${path}`, isDrawn);
    await window.close();
    return milliseconds;
  };
  const { app, plain } = await takeTurns(rounds, {
    app: visit('/', true, drawnHome),
    plain: visit('/?plain', false, "document.readyState === 'complete'"),
  });
  return boundRow({
    name: `home page can be used, processor ${THROTTLE} times slower, nothing cached`,
    measured: median(app),
    baseline: `${Math.round(median(plain))} ms for a page without script`,
    below: 900,
    unit: 'ms',
    note: `${rounds} visits, the slowest ${Math.round(Math.max(...app))} ms`,
  });
}

/** A page without script, with as many rows of the same height. */
const plainTable = `<!doctype html><title>Builds</title><style>td{height:51px;border-bottom:1px solid #ccc}</style><table>${Array.from(
  { length: BUILDS },
  (_, number) =>
    `<tr><td>1.0 (${number})<br>Installs on every Android device<td>Fixes the sign-in on older phones.<td>Ada Lovelace<br>today<td>200 MB`,
).join('')}</table>`;

async function measureTable(fixture: ServerFixture, walker: Walker, rounds: number): Promise<Row[]> {
  const scroll = (open: (page: Window['page']) => Promise<unknown>) => async () => {
    const window = await walker.open();
    await open(window.page);
    const scrolling = await measureScrolling(window, SCROLL_PIXELS, PIXELS_PER_SECOND);
    await window.close();
    return scrolling;
  };
  const { app, plain } = await takeTurns(rounds, {
    app: scroll(async (page) => {
      await page.goto(`${fixture.url}/projects/${fixture.androidProjectId}/builds`);
      await page.locator('.tw-build-table tbody tr').first().waitFor();
    }),
    plain: scroll((page) => page.setContent(plainTable)),
  });
  const of = (key: keyof Scrolling) => app.map((scrolling) => scrolling[key]);
  const ofPlain = (key: keyof Scrolling) => median(plain.map((scrolling) => scrolling[key]));
  const fewest = median(of('fewest'));
  return [
    {
      name: `table of ${BUILDS} builds, scrolled by ${SCROLL_PIXELS} pixels: fewest frames of any second`,
      measured: `${fewest} frames/s`,
      baseline: `${ofPlain('fewest')} frames/s of a page without script with as many rows`,
      ratio: '',
      goal: '≥ 50 frames/s',
      isMet: fewest >= 50,
      note: `${rounds} rounds, the worst ${Math.min(...of('fewest'))}`,
    },
    boundRow({
      name: `table of ${BUILDS} builds: 95 % of frames take at most`,
      measured: median(of('p95')),
      baseline: `${Math.round(ofPlain('p95'))} ms`,
      below: 34,
      unit: 'ms',
      note: `${rounds} rounds, the worst ${Math.round(Math.max(...of('p95')))} ms`,
    }),
    boundRow({
      name: `table of ${BUILDS} builds: frames that take longer than 16.7 ms`,
      measured: median(of('longPercent')),
      baseline: `${ofPlain('longPercent').toFixed(1)} %`,
      below: 5,
      unit: '%',
      note: `${rounds} rounds: ${of('longPercent')
        .map((share) => share.toFixed(1))
        .join(', ')}`,
    }),
    boundRow({
      name: `table of ${BUILDS} builds: script, style and layout for 1,000 pixels`,
      measured: median(of('work')),
      baseline: `${ofPlain('work').toFixed(1)} ms`,
      below: 40,
      unit: 'ms',
    }),
  ];
}

/** Visits pages with nothing cached. */
async function measureShifts(fixture: ServerFixture, walker: Walker): Promise<Row> {
  const project = `/projects/${fixture.androidProjectId}`;
  const paths = ['/', project, `${project}/builds`, '/members', '/devices', '/audit', '/settings', '/me'];
  const shifts: { path: string; sum: number }[] = [];
  for (const path of paths) {
    const window = await walker.open();
    shifts.push({ path, sum: await measureShift(window, `${fixture.url}${path}`) });
    await window.close();
  }
  const worst = shifts.toSorted((one, other) => other.sum - one.sum)[0] ?? { path: '', sum: 0 };
  return {
    name: `largest sum of layout shifts on a first visit of ${paths.length} pages`,
    measured: worst.sum.toFixed(4),
    baseline: '',
    ratio: '',
    goal: `≤ ${MAX_SHIFT}`,
    isMet: worst.sum <= MAX_SHIFT,
    note: shifts
      .map(({ path, sum }) => `${path.replace(fixture.androidProjectId, ':id')} ${sum.toFixed(4)}`)
      .join(', '),
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
  // The account, its organizations and the apps of the sidebar are requested once per visit, regardless of the page.
  const ofVisit = ['/api/v1/developers/me', '/api/v1/organizations', '/api/v1/projects/overview'];
  const requests = window.asked.filter((path) => path.startsWith('/api/') && !ofVisit.includes(path));
  return {
    name: `API requests of a project with ${CHANNELS} channels`,
    measured: String(requests.length),
    baseline: '',
    ratio: '',
    // The project, its newest builds, the overview of its channels, and its previews, which no channel counts.
    goal: '≤ 4',
    isMet: requests.length <= 4,
    note: requests.map((path) => path.replace(fixture.androidProjectId, ':id')).join(', '),
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
