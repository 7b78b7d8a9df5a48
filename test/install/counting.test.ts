// What counts as one download: phones repeat, resume and interrupt requests, and each download is recorded with its channel.
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { downloads } from '../../src/data/tables/tables.ts';
import { DAY, MINUTE } from '../../src/lib/clock.ts';
import { buildApk, buildIpa } from '../support/fixtures.ts';
import { type InstallScenario, type Published, readManifest, startInstallScenario } from './scenario.ts';

const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
const android = 'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36';
/** Large enough to be broken off. */
const filler = { name: 'assets/filler.data', data: Buffer.alloc(8 * 1024 ** 2, 7), isStored: true };

let scenario: InstallScenario;
beforeAll(async () => {
  scenario = await startInstallScenario();
});
afterAll(() => scenario?.fixture.stop());

async function buttonOf(path: string, agent: string): Promise<string> {
  const page = await scenario.follow(scenario.base + path, { headers: { 'user-agent': agent } });
  const link = /<a class="button" href="([^"]*)"/.exec(await page.text())?.[1] ?? '';
  return link.replaceAll('&amp;', '&');
}
async function manifestOf({ channelId }: Published): Promise<string> {
  const itms = await buttonOf(`/install/channels/${channelId}`, iphone);
  return decodeURIComponent(itms.split('url=')[1] ?? '');
}
const apkOf = ({ channelId }: Published) => buttonOf(`/install/channels/${channelId}`, android);
const totals = async ({ channelId }: Published) => Number((await scenario.analytics(channelId)).total_downloads);

/** Fetches the bytes behind a link from an offset on, through its redirect, as a resuming client does. */
async function resume(link: string, from: number): Promise<Response> {
  const redirect = await scenario.follow(link, { headers: { range: `bytes=${from}-` } });
  expect(redirect.status).toBe(302);
  return scenario.follow(redirect.headers.get('location') ?? '', { headers: { range: `bytes=${from}-` } });
}

/** Begins a download and hangs up. */
async function breakOff(link: string): Promise<void> {
  const redirect = await scenario.follow(link);
  const gone = new AbortController();
  const body = await fetch(scenario.reach(redirect.headers.get('location') ?? ''), { signal: gone.signal });
  await body.body?.getReader().read();
  gone.abort();
}

describe('one tap on an iPhone', () => {
  it('is one download, although iOS requests manifest and package twice', async () => {
    const published = await scenario.publish(scenario.ios, buildIpa());
    const url = await manifestOf(published);
    const [first, second] = [await (await scenario.follow(url)).text(), await (await scenario.follow(url)).text()];
    expect(second).toBe(first);
    const link = readManifest(first).package;
    expect(await totals(published)).toBe(0);
    await scenario.follow(link, { method: 'HEAD' });
    expect(await totals(published)).toBe(0);
    for (let time = 0; time < 2; time += 1) expect(await scenario.digest(link)).toBe(published.digest);
    expect(await totals(published)).toBe(1);
  });

  it('is one download when it resumes and when it is interrupted', async () => {
    const published = await scenario.publish(scenario.ios, buildIpa({ parts: [filler] }));
    const link = readManifest(await (await scenario.follow(await manifestOf(published))).text()).package;
    await breakOff(link);
    const rest = await resume(link, 1_000_000);
    expect([rest.status, Number(rest.headers.get('content-length'))]).toEqual([
      206,
      Number(published.build.size_bytes) - 1_000_000,
    ]);
    await rest.arrayBuffer();
    expect(await scenario.digest(link)).toBe(published.digest);
    expect(await totals(published)).toBe(1);
  });

  it('on the same page again is the same download, and on another page another one', async () => {
    const published = await scenario.publish(scenario.ios, buildIpa());
    const fetchAll = async (url: string) =>
      scenario.digest(readManifest(await (await scenario.follow(url)).text()).package);
    const url = await manifestOf(published);
    await fetchAll(url);
    await fetchAll(url);
    expect(await totals(published)).toBe(1);
    await fetchAll(await manifestOf(published));
    expect(await totals(published)).toBe(2);
  });
});

describe('one tap on Android', () => {
  it('is one download, regardless of restarts, interruptions and resumptions', async () => {
    const published = await scenario.publish(scenario.android, buildApk({ parts: [filler] }));
    const link = await apkOf(published);
    await breakOff(link);
    await breakOff(link);
    const rest = await resume(link, 500_000);
    expect([rest.status, (await rest.arrayBuffer()).byteLength]).toEqual([
      206,
      Number(published.build.size_bytes) - 500_000,
    ]);
    expect(await scenario.digest(link)).toBe(published.digest);
    expect(await totals(published)).toBe(1);
  });

  it('works on a page that stays open, and counts as the same download for a day', async () => {
    const published = await scenario.publish(scenario.android, buildApk());
    const link = await apkOf(published);
    scenario.fixture.clock.advance(20 * MINUTE);
    expect(await scenario.digest(link)).toBe(published.digest);
    scenario.fixture.clock.advance(20 * MINUTE);
    expect((await resume(link, 100)).status).toBe(206);
    expect(await totals(published)).toBe(1);
    scenario.fixture.clock.advance(DAY);
    expect(await scenario.digest(link)).toBe(published.digest);
    expect(await totals(published)).toBe(2);
  });

  it('counts each time with a foreign proof', async () => {
    const [published, other] = [
      await scenario.publish(scenario.android, buildApk()),
      await scenario.publish(scenario.android, buildApk()),
    ];
    const foreign = (await apkOf(other)).split('?capability=')[1] ?? '';
    const own = (await apkOf(published)).split('?capability=')[1] ?? '';
    const altered = `${own.slice(0, -2)}${own.endsWith('AA') ? 'BB' : 'AA'}`;
    for (const capability of [foreign, altered, 'nonsense', 'x'.repeat(3000)]) {
      expect(
        (await scenario.follow(`${scenario.base}${published.path}/download?capability=${capability}`)).status,
      ).toBe(302);
    }
    expect([await totals(published), await totals(other)]).toEqual([4, 0]);
  });
});

describe('every download', () => {
  it('is recorded with the channel and release', async () => {
    const published = await scenario.publish(scenario.android, buildApk());
    const second = await scenario.addChannel(scenario.android);
    const releaseId = await scenario.addRelease(scenario.android, second, published.build.identifier);
    await scenario.digest(await apkOf(published));
    await scenario.digest(await buttonOf(`/install/channels/${second}`, android));
    await scenario.digest(await buttonOf(`/install/channels/${second}/releases/${releaseId}`, android));
    const rows = scenario.fixture.app.db
      .select()
      .from(downloads)
      .where(eq(downloads.buildId, published.build.identifier))
      .orderBy(downloads.id)
      .all();
    expect(rows.map((row) => [row.channelId, row.releaseId, row.developerId])).toEqual([
      [published.channelId, published.releaseId, null],
      [second, releaseId, null],
      [second, releaseId, null],
    ]);
    expect([await totals(published), await totals({ ...published, channelId: second })]).toEqual([1, 2]);
  });
});
