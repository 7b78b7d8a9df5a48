// A browser with the dashboard: time until a page is usable, its requests, and smoothness of scrolling.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { provideChromium } from '../scripts/lib/chromium.ts';
import { ACCESS_COOKIE } from '../src/http/credentials.ts';
import type { ServerFixture } from './server-fixture.ts';

const VIEWPORT = { width: 1280, height: 860 };
const POLLING_TIMEOUT_MS = 60_000;

export interface Window {
  page: Page;
  devtools: CDPSession;
  /** Paths, without queries, of all requests. */
  asked: string[];
  close(): Promise<void>;
}

export interface Walker {
  /** Opens a window with a new profile, signed in by default. */
  open(options?: { isSignedIn?: boolean; cpuThrottle?: number }): Promise<Window>;
  stop(): Promise<void>;
}

/** Starts the browser. Throws if there is none. */
export async function startWalker(fixture: Pick<ServerFixture, 'token' | 'url'>): Promise<Walker> {
  const chromiumPlace = provideChromium();
  if ('missing' in chromiumPlace) throw new Error(chromiumPlace.missing);
  const browser: Browser = await chromium.launch({
    executablePath: chromiumPlace.path,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-background-networking'],
  });
  return {
    async open({ isSignedIn = true, cpuThrottle = 1 } = {}) {
      const context: BrowserContext = await browser.newContext({ viewport: VIEWPORT, locale: 'en-GB' });
      context.setDefaultTimeout(POLLING_TIMEOUT_MS);
      if (isSignedIn) await context.addCookies([{ name: ACCESS_COOKIE, value: fixture.token, url: fixture.url }]);
      const page = await context.newPage();
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      const devtools = await context.newCDPSession(page);
      await devtools.send('Emulation.setCPUThrottlingRate', { rate: cpuThrottle });
      return { page, devtools, asked, close: () => context.close() };
    },
    stop: () => browser.close(),
  };
}

/**
 * Returns the milliseconds from navigation until everything that `isDrawn` (an expression in the page) checks for is drawn and the
 * page is responsive: no task over 50 ms within half a second.
 */
export async function measureInteractive({ page }: Window, address: string, isDrawn: string): Promise<number> {
  await page.addInitScript(`{
    const measured = { drawnAt: 0, busyUntil: 0 };
    globalThis.measured = measured;
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) measured.busyUntil = startTime + duration;
    }).observe({ type: 'longtask', buffered: true });
    const look = () => {
      if (${isDrawn}) setTimeout(() => { measured.drawnAt = performance.now(); });
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  }`);
  await page.goto(address, { waitUntil: 'commit' });
  const isOver = 'measured.drawnAt > 0 && performance.now() > Math.max(measured.drawnAt, measured.busyUntil) + 500';
  const giveUpAt = performance.now() + POLLING_TIMEOUT_MS;
  while (!(await page.evaluate<boolean>(isOver))) {
    if (performance.now() > giveUpAt) throw new Error(`${address} didn't show the expected content`);
    await sleep(200);
  }
  return await page.evaluate<number>('Math.max(measured.drawnAt, measured.busyUntil)');
}

/** Returns the sum of the layout shifts of a visit, until nothing was requested for half a second. */
export async function measureShift({ page }: Window, address: string): Promise<number> {
  await page.addInitScript(`{
    globalThis.shifts = 0;
    new PerformanceObserver((list) => {
      for (const { value } of list.getEntries()) globalThis.shifts += value;
    }).observe({ type: 'layout-shift', buffered: true });
  }`);
  await page.goto(address, { waitUntil: 'networkidle' });
  return await page.evaluate<number>('shifts');
}

export interface Scrolling {
  /** The lowest number of frames in any second. */
  fewest: number;
  /** The time in milliseconds that 95 % of the frames don't exceed. */
  p95: number;
  /** The share of frames, in percent, that took longer than a screen with 60 Hz shows one. */
  longPercent: number;
  /** Milliseconds of script, style and layout for 1,000 pixels. */
  work: number;
}

/** Frames begin at the ticks of the screen, whose times are rounded. */
const LONG_FRAME_MS = 1000 / 60 + 1;

/**
 * Scrolls with wheel gestures for some seconds. The browser has no screen here, but it starts frames as often as if it had one, and
 * skips those that the page isn't ready for.
 */
export async function measureScrolling(
  { page, devtools }: Window,
  pixels: number,
  perSecond: number,
): Promise<Scrolling> {
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const before = await sumWork(devtools);
  await page.evaluate(`{
    const times = [];
    globalThis.frameTimes = times;
    const tick = (time) => {
      times.push(time);
      globalThis.frameRequest = requestAnimationFrame(tick);
    };
    globalThis.frameRequest = requestAnimationFrame(tick);
  }`);
  await devtools.send('Input.synthesizeScrollGesture', {
    x: VIEWPORT.width / 2,
    y: VIEWPORT.height / 2,
    yDistance: -pixels,
    speed: perSecond,
    gestureSourceType: 'mouse',
    preventFling: true,
  });
  const times = await page.evaluate<number[]>('cancelAnimationFrame(frameRequest), frameTimes');
  const frames = times.slice(1).map((time, index) => time - (times[index] ?? time));
  const p95 = frames.toSorted((one, other) => one - other)[Math.floor(frames.length * 0.95)] ?? Number.NaN;
  const longPercent = (frames.filter((time) => time > LONG_FRAME_MS).length / frames.length) * 100;
  const work = ((await sumWork(devtools)) - before) / (pixels / 1000);
  return { fewest: fewestPerSecond(times), p95, longPercent, work };
}

/** Returns the milliseconds of processor time that the page spent so far on script, style and layout. */
async function sumWork(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  const counted = ['ScriptDuration', 'RecalcStyleDuration', 'LayoutDuration'];
  return metrics.reduce((sum, { name, value }) => sum + (counted.includes(name) ? value * 1000 : 0), 0);
}

/** Returns the lowest number of times, in milliseconds, within any second between the first and the last. */
function fewestPerSecond(times: readonly number[]): number {
  const last = times.at(-1) ?? 0;
  const starts = times.filter((time) => time + 1000 <= last);
  if (starts.length === 0) throw new RangeError('less than a second was measured');
  return Math.min(...starts.map((start) => times.filter((time) => time > start && time <= start + 1000).length));
}
