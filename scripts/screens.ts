// Takes a picture of every page, and compares two folders of pictures.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { provideChromium } from './lib/chromium.ts';
import { buildDashboard } from './lib/dashboard.ts';
import { buildDocs } from './lib/docs/build.ts';
import { readOptions } from './lib/options.ts';
import { outputDir, say } from './lib/project.ts';
import { inCommit } from './lib/screens/commit.ts';
import { comparePictures, type Difference } from './lib/screens/compare.ts';
import { addContent } from './lib/screens/content.ts';
import { drawOverview } from './lib/screens/overview.ts';
import { listPages, mailPages, type ScreenPage, setupPages, trustPages } from './lib/screens/pages.ts';
import { fixRandomness, MOMENT, startScreensServer } from './lib/screens/server.ts';
import { takePictures } from './lib/screens/take.ts';
import { seed } from './lib/seed.ts';

const help = `scripts/screens [options]
scripts/screens compare BEFORE AFTER [--out DIR]
scripts/screens since COMMIT [options]

Takes a picture of every page of the web app, the server and the documentation, and of emails, in both themes and three widths. Two
runs on the same sources give the same pictures. Prints the pages that are wider than the screen. With "compare", prints the pictures of two folders that differ, with the share of their pixels, and
draws the differences; fails if there are any. With "since", takes the pictures of a commit and of the sources as they are, compares
them, and writes the page ci-output/pages/index.html with what differs: before, after and the difference.

  --out DIR        where to put the pictures (ci-output/pages), or the differences (ci-output/differences)
  --only WORDS     only pages whose name contains one of these words, separated by commas
  --widths LIST    widths of the screen (1440,1024,390)
  --themes LIST    light, dark or both (light,dark)
  --language CODE  the language of the pages (en)
  --port NUMBER    the port of the server, which is part of links and QR codes (8480); the next one is used too
`;

const { values, positionals } = readOptions('scripts/screens', {
  allowPositionals: true,
  options: {
    out: { type: 'string' },
    only: { type: 'string', default: '' },
    widths: { type: 'string', default: '1440,1024,390' },
    themes: { type: 'string', default: 'light,dark' },
    language: { type: 'string', default: 'en' },
    port: { type: 'string', default: '8480' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

async function openBrowser(): Promise<Browser> {
  const found = provideChromium();
  if ('missing' in found) throw new Error(found.missing);
  const args = [
    '--no-sandbox',
    '--disable-dev-shm-usage',
    '--disable-background-networking',
    '--force-color-profile=srgb',
  ];
  return chromium.launch({ executablePath: found.path, args });
}

async function take(browser: Browser, folder: string): Promise<void> {
  const words = values.only.split(',');
  const chosen = (pages: readonly ScreenPage[]) =>
    pages.filter(({ name }) => words.some((word) => name.includes(word)));
  const options = {
    folder,
    widths: values.widths.split(',').map(Number),
    themes: values.themes.split(',').filter((theme) => theme === 'light' || theme === 'dark'),
    language: values.language,
  };
  const port = Number(values.port);
  rmSync(folder, { recursive: true, force: true });
  await buildDashboard();
  await buildDocs();
  let count = 0;
  const add = async (url: string, pages: readonly ScreenPage[]) => {
    const taken = await takePictures(browser, url, pages, options);
    count += taken.count;
    for (const picture of taken.wide) say(`Scrolls sideways: ${picture}`);
  };
  // Before the server below, because its keys are random, whereas that one begins the sequence again.
  const trusted = chosen(trustPages);
  if (trusted.length > 0) {
    const server = await startScreensServer(port + 1, true);
    await add(server.url, trusted);
    await server.stop();
  }
  fixRandomness();
  const server = await startScreensServer(port, false);
  try {
    const setup = server.setupLink();
    await add(server.url, chosen(setupPages(new URL(setup).pathname)));
    await seed(server.url, setup, MOMENT.getTime());
    const pages = listPages(await addContent(server.url, server.newestLink));
    server.finishContent();
    await server.passTime();
    const mails = mailPages(server.newestMails());
    await add(server.url, chosen([...pages, ...mails]));
  } finally {
    await server.stop();
  }
  say(`${count} pictures in ${relative(process.cwd(), folder)}`);
}

async function compare(browser: Browser, before: string, after: string, target: string): Promise<Difference[]> {
  const { compared, differences } = await comparePictures(browser, before, after, target);
  for (const { name, share } of differences) {
    say(`${typeof share === 'number' ? `${(share * 100).toFixed(3)} %` : share}  ${name}`);
  }
  say(`${differences.length} of ${compared} pictures differ`);
  return differences;
}

/** Takes the pictures of both with the same options. Differences are expected, so they are no failure. */
async function since(browser: Browser, commit: string): Promise<void> {
  const folder = resolve(values.out ?? join(outputDir, 'pages'));
  const [before, after] = [join(folder, 'before'), join(folder, 'after')];
  mkdirSync(folder, { recursive: true });
  const { only, widths, themes, language, port } = values;
  const options = Object.entries({ only, widths, themes, language, port, out: before });
  inCommit(
    commit,
    options.flatMap(([name, value]) => [`--${name}`, value]),
  );
  await take(browser, after);
  const differences = await compare(browser, before, after, join(folder, 'differences'));
  writeFileSync(join(folder, 'index.html'), drawOverview(commit, differences));
  say(`Open ${relative(process.cwd(), join(folder, 'index.html'))}`);
}

const [command, before, after] = positionals;
if (values.help) process.stdout.write(help);
else {
  const browser = await openBrowser();
  try {
    if (command === undefined) await take(browser, resolve(values.out ?? join(outputDir, 'pages')));
    else if (command === 'since' && before !== undefined) await since(browser, before);
    else if (command === 'compare' && before !== undefined && after !== undefined) {
      const target = resolve(values.out ?? join(outputDir, 'differences'));
      const differences = await compare(browser, resolve(before), resolve(after), target);
      if (differences.length > 0) process.exitCode = 1;
    } else {
      process.stderr.write(help);
      process.exitCode = 2;
    }
  } finally {
    await browser.close();
  }
}
