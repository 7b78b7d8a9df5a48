// Draws the pictures of the sample data: icons that people recognize, and screenshots of an app.
import { deflateSync } from 'node:zlib';
import { assemblePng } from '../../test/support/fixtures.ts';

type Point = readonly [x: number, y: number];
export type Color = readonly [red: number, green: number, blue: number];

/** What is drawn on an icon. */
export type Symbol = 'anchor' | 'compass' | 'board';

/** Whether a point, from 0 to 1 in both directions, is part of a shape. */
type Shape = (x: number, y: number) => boolean;

const WHITE: Color = [255, 255, 255];
/** Points of each pixel whose colors are mixed, in each direction. */
const SAMPLES = 4;

const circle =
  ([cx, cy]: Point, from: number, to: number): Shape =>
  (x, y) => {
    const distance = Math.hypot(x - cx, y - cy);
    return distance >= from && distance <= to;
  };

const box =
  (left: number, top: number, right: number, bottom: number): Shape =>
  (x, y) =>
    x >= left && x <= right && y >= top && y <= bottom;

/** The inside of a polygon. */
const polygon =
  (...points: readonly Point[]): Shape =>
  (x, y) => {
    let isInside = false;
    for (const [index, [ax, ay]] of points.entries()) {
      const [bx, by] = points.at(index - 1) ?? [ax, ay];
      if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) isInside = !isInside;
    }
    return isInside;
  };

const arc = circle([0.5, 0.5], 0.245, 0.315);

const symbols: Record<Symbol, readonly Shape[]> = {
  anchor: [
    circle([0.5, 0.245], 0.04, 0.095),
    box(0.465, 0.33, 0.535, 0.8),
    box(0.36, 0.4, 0.64, 0.465),
    (x, y) => y >= 0.56 && arc(x, y),
    polygon([0.13, 0.63], [0.29, 0.52], [0.31, 0.68]),
    polygon([0.87, 0.63], [0.71, 0.52], [0.69, 0.68]),
  ],
  compass: [
    circle([0.5, 0.5], 0.3, 0.35),
    polygon([0.68, 0.32], [0.56, 0.56], [0.44, 0.44]),
    polygon([0.32, 0.68], [0.53, 0.59], [0.41, 0.47]),
  ],
  board: [
    box(0.2, 0.24, 0.8, 0.36),
    ...[0.46, 0.58, 0.7].flatMap((top) => [box(0.2, top, 0.56, top + 0.06), box(0.64, top, 0.8, top + 0.06)]),
  ],
};

/** Returns a PNG without transparency. */
function drawPng(width: number, height: number, colorAt: (x: number, y: number) => Color): Buffer {
  const rows: Buffer[] = [];
  for (let row = 0; row < height; row += 1) {
    const line = Buffer.alloc(1 + width * 3);
    for (let column = 0; column < width; column += 1) {
      const sum = [0, 0, 0];
      for (let sample = 0; sample < SAMPLES * SAMPLES; sample += 1) {
        const x = column + ((sample % SAMPLES) + 0.5) / SAMPLES;
        const y = row + (Math.floor(sample / SAMPLES) + 0.5) / SAMPLES;
        for (const [channel, value] of colorAt(x / width, y / height).entries())
          sum[channel] = (sum[channel] ?? 0) + value;
      }
      for (const [channel, value] of sum.entries()) line[1 + column * 3 + channel] = value / (SAMPLES * SAMPLES);
    }
    rows.push(line);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return assemblePng([
    ['IHDR', header],
    ['IDAT', deflateSync(Buffer.concat(rows))],
    ['IEND', Buffer.alloc(0)],
  ]);
}

/** Returns an icon of 120 pixels: a white symbol on a color that is lighter at the top. */
export function drawIcon(symbol: Symbol, color: Color): Buffer {
  const shapes = symbols[symbol];
  return drawPng(120, 120, (x, y) => {
    if (shapes.some((contains) => contains(x, y))) return WHITE;
    const [red, green, blue] = color.map((value) => value + (255 - value) * 0.18 * (1 - y));
    return [red ?? 0, green ?? 0, blue ?? 0];
  });
}

/** Returns a screenshot: a bar in the color of the app above cards, or a map that fills the screen. */
export function drawScreenshot(width: number, height: number, color: Color, content: 'cards' | 'map'): Buffer {
  const lighter = (share: number): Color => {
    const [red, green, blue] = color.map((value) => value + (255 - value) * share);
    return [red ?? 0, green ?? 0, blue ?? 0];
  };
  const [ground, paper, line, faint] = [lighter(0.9), WHITE, lighter(0.55), lighter(0.75)];
  const ratio = height / width;
  return drawPng(width, height, (x, yShare) => {
    const y = yShare * ratio;
    if (content === 'map') {
      const coast = 0.42 + 0.08 * Math.sin(y * 5) + 0.03 * Math.sin(y * 17);
      if (circle([coast + 0.16, ratio * 0.45], 0, 0.035)(x, y)) return color;
      if (Math.abs(x - coast - 0.16 - 0.1 * Math.sin(y * 6 + 1)) < 0.006) return color;
      return x < coast ? ground : faint;
    }
    if (y < 0.26) return box(0.08, 0.14, 0.5, 0.19)(x, y) ? WHITE : color;
    const [place, card] = [(y - 0.26) % 0.34, Math.floor((y - 0.26) / 0.34)];
    if (place < 0.06 || x < 0.06 || x > 0.94) return ground;
    if (circle([0.18, 0.2], 0, 0.06)(x, place)) return card % 2 === 0 ? color : line;
    if (box(0.3, 0.145, 0.66, 0.18)(x, place)) return line;
    return box(0.3, 0.225, 0.82, 0.25)(x, place) ? faint : paper;
  });
}
