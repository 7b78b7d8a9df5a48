// Makes a moving picture of a page: an animated WebP image. The browser compresses the frames, this file puts them together.
import type { Browser, Locator, Page } from 'playwright-core';

/** Of the whole screen: frames contain only what changed. */
const QUALITY = 0.9;
const STEPS = 6;
const STEP_MS = 50;

interface Frame {
  x: number;
  y: number;
  width: number;
  height: number;
  /** A still WebP image of the part. */
  webp: string;
}

/** Runs in the browser: returns the part of a screenshot that differs from the one before it, with even coordinates. */
const CROP = `async (png) => {
  const image = new Image();
  image.src = 'data:image/png;base64,' + png;
  await image.decode();
  const { width, height } = image;
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d', { alpha: false });
  context.drawImage(image, 0, 0);
  const pixels = new Uint32Array(context.getImageData(0, 0, width, height).data.buffer);
  const before = globalThis.pixelsBefore;
  globalThis.pixelsBefore = pixels;
  let [left, top, right, bottom] = before === undefined ? [0, 0, width, height] : [width, height, 0, 0];
  for (let y = 0, at = 0; before !== undefined && y < height; y += 1) {
    for (let x = 0; x < width; x += 1, at += 1) {
      if (pixels[at] === before[at]) continue;
      left = Math.min(left, x);
      right = Math.max(right, x + 1);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y + 1);
    }
  }
  if (right <= left) return null;
  left -= left % 2;
  top -= top % 2;
  const part = Object.assign(document.createElement('canvas'), { width: right - left, height: bottom - top });
  part.getContext('2d', { alpha: false }).drawImage(image, -left, -top);
  const webp = part.toDataURL('image/webp', ${QUALITY}).split(',')[1];
  return { x: left, y: top, width: part.width, height: part.height, webp };
}`;

function chunk(type: string, ...parts: Buffer[]): Buffer {
  const data = Buffer.concat(parts);
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
}

function number24(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 3);
  for (const [index, value] of values.entries()) bytes.writeUIntLE(value, index * 3, 3);
  return bytes;
}

/** Returns the chunks with the image data of a still image. */
function imageData(webp: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 12; at + 8 <= webp.length; ) {
    const length = webp.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    if (/^(?:VP8 |VP8L|ALPH)$/.test(webp.toString('latin1', at, at + 4))) parts.push(webp.subarray(at, end));
    at = end;
  }
  return Buffer.concat(parts);
}

export interface MovingPicture {
  /** Adds what the page shows, for some time. */
  show(milliseconds: number): Promise<void>;
  /** Adds a picture, for some time. */
  add(png: Buffer, milliseconds: number): Promise<void>;
  /** Moves the drawn pointer to an element. */
  pointAt(target: Locator): Promise<void>;
  /** Returns the file. It repeats forever. */
  finish(): Promise<Buffer>;
}

/** Starts a moving picture of a page. A pointer is drawn on it, because screenshots don't have one. */
export async function openMovingPicture(browser: Browser, page: Page): Promise<MovingPicture> {
  const studio = await browser.newPage();
  const frames: (Frame & { milliseconds: number })[] = [];
  const size = page.viewportSize() ?? { width: 0, height: 0 };
  let at = { x: size.width * 0.6, y: size.height * 0.75 };

  async function add(png: Buffer, milliseconds: number): Promise<void> {
    const frame: Frame | null = await studio.evaluate(`(${CROP})(${JSON.stringify(png.toString('base64'))})`);
    const last = frames.at(-1);
    if (frame !== null) frames.push({ ...frame, milliseconds });
    else if (last !== undefined) last.milliseconds += milliseconds;
  }
  async function show(milliseconds: number): Promise<void> {
    await page.evaluate(`(() => {
      let pointer = document.getElementById('drawn-pointer');
      if (pointer === null) {
        pointer = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
        pointer.id = 'drawn-pointer';
        pointer.setAttribute('viewBox', '0 0 24 24');
        pointer.setAttribute('aria-hidden', 'true');
        pointer.innerHTML = '<path d="M5 2v18l5-4.5 3 6.5 3-1.3-3-6.3h6.5z" fill="#111" stroke="#fff" stroke-width="1.5"/>';
        Object.assign(pointer.style, { position: 'fixed', zIndex: 9999, width: '24px', height: '24px', pointerEvents: 'none' });
        document.documentElement.append(pointer);
      }
      Object.assign(pointer.style, { left: '${Math.round(at.x) - 5}px', top: '${Math.round(at.y) - 2}px' });
    })()`);
    await add(await page.screenshot({ animations: 'disabled' }), milliseconds);
  }
  return {
    add,
    show,
    async pointAt(target) {
      const box = await target.boundingBox();
      if (box === null) throw new Error('The element to point at is not visible');
      const to = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
      const from = at;
      for (let step = 1; step <= STEPS; step += 1) {
        const share = 1 - (1 - step / STEPS) ** 2;
        at = { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
        await show(STEP_MS);
      }
    },
    async finish() {
      await studio.close();
      const { width = 0, height = 0 } = frames[0] ?? {};
      const parts = frames.map((frame) =>
        chunk(
          'ANMF',
          number24(frame.x / 2, frame.y / 2, frame.width - 1, frame.height - 1, frame.milliseconds),
          // Replaces what is below it.
          Buffer.from([2]),
          imageData(Buffer.from(frame.webp, 'base64')),
        ),
      );
      const animated = Buffer.from([2, 0, 0, 0]);
      const body = Buffer.concat([
        Buffer.from('WEBP'),
        chunk('VP8X', animated, number24(width - 1, height - 1)),
        // The background color and the number of repetitions.
        chunk('ANIM', Buffer.alloc(6)),
        ...parts,
      ]);
      const head = Buffer.from('RIFF\0\0\0\0', 'latin1');
      head.writeUInt32LE(body.length, 4);
      return Buffer.concat([head, body]);
    },
  };
}
