// The pictures of the documentation: which there are, and where they are kept. `TAXIWAY_TOUR=1` renews them, else they are only made.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { projectDir } from '../program.ts';

/** All of them, by their file names without `.png`. */
export const tourImages = [
  'install-page',
  'dashboard',
  'dashboard-upload',
  'dashboard-roll-back',
  'dashboard-devices',
  'dashboard-phone',
] as const;
export type TourImage = (typeof tourImages)[number];

/** None is larger, so that the page opens at once. */
export const MAX_BYTES = 150 * 1024;

/** The moving picture of the README: a package becomes an install page. */
export const movingPicture = 'drop-release-install.webp';

/** It is the only one, and GitHub shows nothing of the page before it. */
export const MAX_MOVING_BYTES = 1.5 * 1024 * 1024;

export const imageFolder = join(projectDir, 'docs/images');
const folder = process.env.TAXIWAY_TOUR === '1' ? imageFolder : join(projectDir, 'ci-output/tour');

/** Keeps a picture; answers its size in bytes. */
export function keepImage(name: TourImage | typeof movingPicture, picture: Buffer): number {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name === movingPicture ? name : `${name}.png`), picture);
  return picture.length;
}

/** Pictures side by side, each so wide. */
export async function placeSideBySide(browser: Browser, pictures: readonly Buffer[], width: number): Promise<Buffer> {
  const page: Page = await browser.newPage({ viewport: { width: pictures.length * (width + 24) + 24, height: 100 } });
  const images = pictures.map((png) => `<img width="${width}" src="data:image/png;base64,${png.toString('base64')}">`);
  await page.setContent(
    `<style>body{margin:0;display:flex;gap:24px;padding:24px;background:#eef1f5}img{border-radius:16px;align-self:start}</style>${images.join('')}`,
  );
  const picture = await page.screenshot({ fullPage: true });
  await page.close();
  return picture;
}

/** A picture of a phone in the middle of a larger ground. */
export async function placeOnGround(
  browser: Browser,
  picture: Buffer,
  ground: { width: number; height: number },
): Promise<Buffer> {
  const page = await browser.newPage({ viewport: ground });
  await page.setContent(
    `<style>body{margin:0;height:100vh;display:grid;place-items:center;background:#eef1f5}img{border-radius:28px;box-shadow:0 0 0 8px #16181d,0 20px 56px rgb(19 22 28/25%)}</style><img src="data:image/png;base64,${picture.toString('base64')}">`,
  );
  const placed = await page.screenshot();
  await page.close();
  return placed;
}
