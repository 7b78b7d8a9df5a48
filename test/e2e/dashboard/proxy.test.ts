// Two servers that share a host behind nginx, each with its own path: one gets requests with its path, the other without.
// From an empty server to an installed build, in one browser.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../../../scripts/lib/ports.ts';
import { readManifest } from '../../install/scenario.ts';
import { sha256 } from '../../support/fixtures.ts';
import { addAuthenticator, closeContexts, openBrowser } from '../browser.ts';
import { type Nginx, startNginx, whyNoNginx } from '../nginx.ts';
import { type RunningServer, startServer } from '../program.ts';
import { buildSampleIpa, sampleApp } from '../sample-app.ts';
import { dropFile } from './files.ts';
import { signIn, signOut } from './scenario.ts';
import { openVisitor, type Visitor } from './visitor.ts';

const ada = { email: 'ada@example.com', password: 'correct horse battery' };

const places = [
  { path: '/taxiway', arrangement: 'kept' },
  { path: '/tools/harbour', arrangement: 'taken away' },
] as const;

describe.runIf(whyNoNginx() === undefined)('behind nginx', () => {
  let origin: string;
  let browser: Browser;
  let nginx: Nginx;
  let servers: RunningServer[];
  let visitor: Visitor;
  const asked: string[] = [];

  beforeAll(async () => {
    const port = await findFreePort();
    origin = `http://localhost:${port}`;
    [browser, ...servers] = await Promise.all([
      openBrowser(),
      ...places.map(({ path }) => startServer({ TAXIWAY_SERVER__BASE_URL: `${origin}${path}/` })),
    ]);
    const locations = places.map(
      ({ path, arrangement }, at) => `location ${path}/ {
      proxy_pass ${servers[at]?.url}${arrangement === 'kept' ? '' : '/'};
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_request_buffering off;
    }`,
    );
    nginx = await startNginx(port, [...locations, 'location / { return 418; }'].join('\n    '));
    visitor = await openVisitor(browser, origin);
    visitor.context.on('request', (request) => asked.push(new URL(request.url()).pathname));
  }, 120_000);
  afterAll(async () => {
    await visitor?.leave().finally(async () => {
      await closeContexts(browser);
      await nginx?.stop();
      await Promise.all((servers ?? []).map((server) => server.remove()));
    });
  });

  describe.each(places.map((place, at) => ({ ...place, at })))('with the path $arrangement', ({ path, at }) => {
    const base = () => `${origin}${path}`;
    const heading = (name: string) => visitor.page.getByRole('heading', { name, exact: true });
    const leave = () => signOut(visitor.page);

    it('is set up with the link that it prints, and has its own sign-in', async () => {
      const { page, actions, context } = visitor;
      const link = servers[at]?.setupLink ?? '';
      expect(link.startsWith(`${base()}/setup/`)).toBe(true);
      // What the page before still loads is not asked by this one.
      await page.goto('about:blank');
      asked.length = 0;
      await page.goto(link);
      await page.getByLabel('Your name').fill('Ada Tide');
      await page.getByLabel('Email address').fill(ada.email);
      await page.getByLabel('New password').fill(ada.password);
      await page.getByLabel('Organization').fill('Harbour Works');
      await actions.click('Create and sign in');
      await heading('No projects yet').waitFor();
      const cookies = (await context.cookies()).filter((cookie) => cookie.path.startsWith(path));
      expect(cookies.map(({ name, path: where }) => [name, where]).sort()).toEqual([
        ['svc_access', path],
        ['svc_refresh', `${path}/api/v1/login`],
      ]);
    });

    it('returns to the requested page after signing in', async () => {
      const { page } = visitor;
      await leave();
      await heading('Sign in').waitFor();
      await page.goto(`${base()}/members`);
      await heading('Sign in').waitFor();
      await signIn(page, ada);
      await heading('Members').first().waitFor();
      expect(new URL(page.url()).pathname).toBe(`${path}/members`);
      await page.goto(base());
      await heading('No projects yet').waitFor();
      expect(new URL(page.url()).pathname.replace(/\/$/, '')).toBe(path);
      await page.goto(`${base()}/projects`);
      await heading('No projects yet').waitFor();
      await page.reload();
      await heading('No projects yet').waitFor();
    });

    it('accepts a build, releases it, and lets phones install it', async () => {
      const { page, actions } = visitor;
      await page.goto(`${base()}/`);
      await actions.click('New project');
      await page.getByLabel('Name', { exact: true }).fill('Harbour');
      await page.getByText('iOS', { exact: true }).click();
      await actions.click('Create');
      await heading('No channels yet').waitFor();
      await page.getByText('Use the command line').click();
      await page.getByText(`taxiway login --url ${base()}`, { exact: false }).waitFor();
      await actions.click('New channel');
      await page.getByLabel('Name', { exact: true }).fill('beta');
      await page.getByLabel('Public').check();
      await actions.click('Create');
      await page.getByRole('link', { name: 'beta' }).waitFor();
      const bytes = buildSampleIpa();
      const file = join(servers[at]?.folder ?? '', 'harbour.ipa');
      writeFileSync(file, bytes);
      await dropFile(page, file);
      const tray = page.getByRole('region', { name: 'Uploads' });
      await tray.getByText(`${sampleApp.version} (${sampleApp.build})`).waitFor();
      await tray.getByLabel('Channel').selectOption('beta');
      await actions.click('Release');
      await tray.getByText('Released to beta.').waitFor();
      await tray.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('link', { name: 'beta' }).click();
      await page.getByRole('img', { name: 'QR code of the install page of beta' }).waitFor();
      const [channelId = ''] = /[^/]+$/.exec(new URL(page.url()).pathname) ?? [];

      const install = await visitor.context.newPage();
      await install.goto(`${base()}/install/channels/${channelId}`);
      await install.getByRole('heading', { name: sampleApp.name }).first().waitFor();
      const styles = await install.evaluate<number>(
        '[...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).length',
      );
      expect(styles).toBeGreaterThan(10);
      await install.close();
      const answer = await fetch(`${base()}/public/v1/channels/${channelId}`);
      const [release] = ((await answer.json()) as { releases: { identifier: string; download_url: string }[] })
        .releases;
      const manifest = await fetch((release?.download_url ?? '').replace(/download$/, 'manifest.plist'));
      const { package: link } = readManifest(await manifest.text());
      expect(link.startsWith(`${base()}/`)).toBe(true);
      expect(sha256(Buffer.from(await (await fetch(link)).arrayBuffer()))).toBe(sha256(bytes));
    });

    it('accepts a passkey', async () => {
      const { page, actions } = visitor;
      const { cdp, authenticatorId } = await addAuthenticator(page);
      await page.goto(`${base()}/me`);
      await actions.click('Add passkey');
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Current password').fill(ada.password);
      await dialog.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('button', { name: 'Rename' }).waitFor();
      // The form offers it by itself, and this device says yes.
      await leave();
      // Not the page that was left: that one also has the navigation.
      await page.waitForURL(`${base()}/`);
      await page.getByRole('navigation', { name: 'Main navigation' }).waitFor();
      await cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
      await cdp.detach();
    });

    it('loads nothing outside the path', () => {
      expect(asked.filter((one) => one !== path && !one.startsWith(`${path}/`))).toEqual([]);
      const assets = asked.filter((one) => one.startsWith(`${path}/assets/`));
      for (const kind of [/app-.*\.js$/, /style-.*\.css$/, /hash-worker-.*\.js$/, /part-.*\.js$/]) {
        expect([String(kind), assets.some((one) => kind.test(one))]).toEqual([String(kind), true]);
      }
    });
  });

  it('stays signed in when someone signs out of the other server', async () => {
    const { page } = visitor;
    await page.goto(`${origin}${places[0].path}/me`);
    const first = page.getByRole('heading', { name: 'Your account', exact: true });
    await first.waitFor();
    const other = await visitor.context.newPage();
    await other.goto(`${origin}${places[1].path}/`);
    await signOut(other);
    await other.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    await other.close();
    await visitor.settle();
    expect(await first.isVisible()).toBe(true);
    expect(await page.getByText('Session expired').count()).toBe(0);
    await page.reload();
    await first.waitFor();
  });

  it('stays at its address for people who bypassed the proxy', async () => {
    const context = await browser.newContext();
    const page = await context.newPage();
    for (const [at, { path }] of places.entries()) {
      const url = servers[at]?.url ?? '';
      await page.goto(`${url}/sign-in?back=%2Fme`);
      await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
      expect(page.url()).toBe(`${url}${path}/sign-in?back=%2Fme`);
      await page.reload();
      await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    }
    await context.close();
  });
});
