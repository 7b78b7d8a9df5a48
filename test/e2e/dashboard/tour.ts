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

export const imageFolder = join(projectDir, 'docs/images');
const folder = process.env.TAXIWAY_TOUR === '1' ? imageFolder : join(projectDir, 'ci-output/tour');

/** Keeps a picture; answers its size in bytes. */
export function keepImage(name: TourImage, png: Buffer): number {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.png`), png);
  return png.length;
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
