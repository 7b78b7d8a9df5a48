// The list of builds of the web app in a browser, in a world of any size: what a person waits for, and what it costs the server.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page, Request } from 'playwright-core';
import type { Row } from './benchmark.ts';
import { startWalker, type Walker } from './browser.ts';
import { cpuMs, Side } from './scale.ts';
import { NOTED_FROM_MS } from './turns.ts';
import { openWorld, type World, type WorldOptions } from './world.ts';
import { type WorldSize, worldCommit } from './world-rows.ts';

const MAX_TURN_MS = 50;
/** Nothing was requested for so long. */
const QUIET_MS = 700;
const PATIENCE_MS = 60_000;
const SCROLLED_PAGES = 5;
const SELECTED = 100;

interface Step {
  name: string;
  /** Leads to the page, or does something on it. */
  act(page: Page, world: World): Promise<void>;
  /** Whether what the person waits for is there. */
  isShown?: string;
}

const rowsOrNone =
  "document.querySelector('.tw-builds tbody .tw-build-row, .tw-builds .tw-empty, .tw-searched button') !== null && document.querySelector('.tw-builds-loading') === null";

function listSteps({ plan }: World): Step[] {
  const { size, ids } = plan;
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const middle = Math.floor((plan.from + plan.end) / 2);
  const filters: Record<string, Record<string, string>> = {
    'first visit': {},
    'branch of a third of all': { branch: 'main' },
    'branch of 50 builds': { branch: 'feature/1' },
    commit: { commit: worldCommit(Math.floor(size.builds / 2)).slice(0, 8) },
    'commits with a common prefix, all old': { commit: '0000' },
    'label of half of all': { label: 'nightly' },
    'label that no build has': { label: 'missing' },
    'bundle identifier': { bundle: 'com.example.app' },
    uploader: { uploader: ids.developerId },
    'text that all have': { text: 'sign-in' },
    'text of one build in a thousand': { text: '777)' },
    'text that none has': { text: 'nothing has this text' },
    installable: { installable: 'yes' },
    'not installable, which none is': { installable: 'no' },
    'dates in the middle': { from: day(middle), until: day(middle + 86_400_000) },
    revoked: { status: 'revoked' },
    'by version': { sort: 'version' },
  };
  const visits = Object.entries(filters).map(([name, filter]) => ({
    name,
    async act(page: Page, { plan: { ids: of } }: World) {
      const path = `/projects/${of.androidProjectId}/builds?${new URLSearchParams(filter)}`;
      await page.goto(new URL(path, page.url()).href, { waitUntil: 'commit' });
    },
    isShown: rowsOrNone,
  }));
  const scroll = {
    name: `scrolled to page ${SCROLLED_PAGES}`,
    async act(page: Page, world: World) {
      await visits[0]?.act(page, world);
      await until(page, rowsOrNone);
      for (let count = 0; count < SCROLLED_PAGES - 1; count += 1) {
        await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
        await sleep(QUIET_MS);
      }
    },
  };
  const dialog = (page: Page) => page.getByRole('dialog');
  const select = async (page: Page) => {
    await page.evaluate('scrollTo(0, 0)');
    await page.getByLabel(/^Select (?:all|the first)/).click();
  };
  const label = {
    name: `label ${SELECTED} builds together`,
    async act(page: Page) {
      await select(page);
      await page.getByRole('toolbar').getByRole('button', { name: 'Label' }).click();
      await dialog(page)
        .getByRole('textbox')
        .fill(`bulk-${Date.now() % 100_000}`);
      await dialog(page).locator('button[type=submit]').click();
      await dialog(page).waitFor({ state: 'hidden' });
    },
  };
  const revoke = {
    name: `revoke ${SELECTED} builds together`,
    async act(page: Page) {
      await select(page);
      await page.getByRole('toolbar').getByRole('button', { name: 'Revoke' }).click();
      await dialog(page).locator('button[type=submit]').click();
      await dialog(page).waitFor({ state: 'hidden' });
    },
  };
  return [...visits, scroll, label, revoke];
}

/** Opens the list with each filter, scrolls it, and changes a hundred builds together. */
export async function runBuildsPage(size: WorldSize, options: WorldOptions): Promise<Row[]> {
  const { say } = options;
  const world = await openWorld(size, options);
  const side = await Side.start(world);
  const measured: { step: Step; ms: number; requests: number[]; cpu: number }[] = [];
  try {
    const walker = await startWalker({ url: side.url, token: await side.readToken() });
    try {
      for (const step of listSteps(world)) {
        measured.push(await side.during(step.name, () => measure(side, walker, step)));
        say(`  ${step.name}: ${JSON.stringify(measured.at(-1))}`);
      }
    } finally {
      await walker.stop();
    }
  } catch (error) {
    await side.stop();
    throw error;
  }
  const turnOf = await side.stop();
  return measured.map(({ step: { name }, ms, requests, cpu }) => {
    const turn = turnOf(name, cpuMs);
    const longest = turn === undefined ? `< ${NOTED_FROM_MS}` : String(Math.round(turn.cpuMs));
    const slowest = Math.round(Math.max(0, ...requests));
    return {
      name,
      measured: `${Math.round(ms)} ms, ${requests.length} requests, the slowest ${slowest} ms, ${Math.round(cpu)} ms CPU, longest turn ${longest} ms`,
      baseline: '',
      ratio: '',
      goal: `turns < ${MAX_TURN_MS} ms`,
      isMet: turn === undefined || turn.cpuMs < MAX_TURN_MS,
    };
  });
}

/** Waits for an expression in the page. Its policy forbids what Playwright would wait with. */
async function until(page: Page, expression: string): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  while (!(await page.evaluate<boolean>(expression).catch(() => false))) {
    if (performance.now() > giveUpAt) throw new Error(`the page didn't show what was expected: ${page.url()}`);
    await sleep(20);
  }
}

let kept: { walker: Walker; page: Page } | undefined;

async function measure(side: Side, walker: Walker, step: Step) {
  if (kept?.walker !== walker) {
    const { page } = await walker.open();
    await page.goto(side.url, { waitUntil: 'networkidle' });
    kept = { walker, page };
  }
  const { page } = kept;
  const requests: number[] = [];
  let lastAt = performance.now();
  const note = (request: Request) => {
    if (!new URL(request.url()).pathname.startsWith('/api/v1/builds')) return;
    requests.push(request.timing().responseEnd);
    lastAt = performance.now();
  };
  page.on('requestfinished', note);
  const cpu = side.readCpu();
  const begin = performance.now();
  await step.act(page, side.world);
  if (step.isShown !== undefined) await until(page, step.isShown);
  const ms = performance.now() - begin;
  lastAt = performance.now();
  while (performance.now() - lastAt < QUIET_MS) await sleep(50);
  page.off('requestfinished', note);
  return { step, ms, requests, cpu: side.readCpu() - cpu };
}
