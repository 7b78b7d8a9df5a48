// Compares the pictures of two folders pixel by pixel. The browser decodes and draws them.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';

export interface Difference {
  name: string;
  /** Share of the pixels that differ, from 0 to 1; or why there are none to compare. */
  share: number | 'added' | 'removed';
}

/** Two renderings of the same curve can differ by this much in a color. */
const TOLERANCE = 16;

/** Runs in the browser. The picture shows the second one faded, and in red what differs. */
const COMPARE = `async ([one, other]) => {
  const load = async (data) => {
    const image = new Image();
    image.src = 'data:image/png;base64,' + data;
    await image.decode();
    return image;
  };
  const [a, b] = [await load(one), await load(other)];
  const width = Math.max(a.width, b.width), height = Math.max(a.height, b.height);
  const read = (image) => {
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d', { willReadFrequently: true });
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, width, height);
  };
  const before = new Uint32Array(read(a).data.buffer);
  const after = read(b);
  const pixels = new Uint32Array(after.data.buffer);
  let count = 0;
  for (let at = 0; at < pixels.length; at += 1) {
    let differs = pixels[at] !== before[at];
    for (let shift = 0, isClose = differs; isClose && shift < 32; shift += 8) {
      isClose = Math.abs((pixels[at] >>> shift & 255) - (before[at] >>> shift & 255)) <= ${TOLERANCE};
      if (isClose && shift === 24) differs = false;
    }
    if (differs) count += 1;
    const [red, green, blue] = after.data.subarray(at * 4, at * 4 + 3);
    const gray = 200 + Math.round((red + green + blue) / 14);
    pixels[at] = differs ? 0xff2020e0 : (0xff000000 | gray << 16 | gray << 8 | gray) >>> 0;
  }
  if (count === 0) return { share: 0, picture: '' };
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width, height });
  canvas.getContext('2d').putImageData(after, 0, 0);
  return { share: count / pixels.length, picture: canvas.toDataURL('image/png').split(',')[1] };
}`;

const picturesIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.png'));

/** Returns the pictures that differ, most different first, and writes a picture of each difference into \`target\`. */
export async function comparePictures(
  browser: Browser,
  before: string,
  after: string,
  target: string,
): Promise<{ compared: number; differences: Difference[] }> {
  rmSync(target, { recursive: true, force: true });
  const names = [...new Set([...picturesIn(before), ...picturesIn(after)])].sort();
  const differences: Difference[] = [];
  const page = await browser.newPage();
  for (const name of names) {
    const [one, other] = [before, after].map((folder) =>
      existsSync(join(folder, name)) ? readFileSync(join(folder, name)) : undefined,
    );
    if (one === undefined || other === undefined) {
      differences.push({ name, share: one === undefined ? 'added' : 'removed' });
      continue;
    }
    if (one.equals(other)) continue;
    const { share, picture }: { share: number; picture: string } = await page.evaluate(
      `(${COMPARE})(${JSON.stringify([one.toString('base64'), other.toString('base64')])})`,
    );
    if (share === 0) continue;
    mkdirSync(target, { recursive: true });
    writeFileSync(join(target, name), Buffer.from(picture, 'base64'));
    differences.push({ name, share });
  }
  await page.close();
  const rank = ({ share }: Difference) => (typeof share === 'number' ? share : 2);
  return { compared: names.length, differences: differences.toSorted((a, b) => rank(b) - rank(a)) };
}
