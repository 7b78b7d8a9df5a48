// An app of our own for both systems, with a name and an icon that nobody else has: for screenshots, and where a valid profile is needed.
import { deflateSync } from 'node:zlib';
import { buildResourceTable } from '../inspection/build-compiled.ts';
import { assemblePng, buildApk, buildIpa, sampleResources } from '../support/fixtures.ts';

export const sampleApp = {
  name: 'Harbour',
  bundleIdentifier: 'com.example.harbour',
  version: '2.4.0',
  build: '318',
  notes:
    'Tide tables work without a connection.\nThe map opens twice as fast.\nFixes a crash when a berth had no name.',
} as const;

/** Gives the package the size of a small app. */
const filler = (name: string) => ({ name, data: Buffer.alloc(12 * 1024 ** 2), isStored: true });

export interface SampleWishes {
  version?: string;
  build?: string;
  /** Identifiers of the devices that an .ipa is signed for. */
  devices?: readonly string[];
}

/** The app as an .ipa, with an ad hoc profile that is valid until 2046. */
export function buildSampleIpa(wishes: SampleWishes = {}): Buffer {
  const { name, bundleIdentifier, version, build } = { ...sampleApp, ...wishes };
  return buildIpa({
    ...(wishes.devices === undefined ? {} : { profile: { ProvisionedDevices: [...wishes.devices] } }),
    name,
    bundleIdentifier,
    version,
    build,
    info: { CFBundleIcons: { CFBundlePrimaryIcon: { CFBundleIconFiles: ['Harbour60x60'] } } },
    parts: [
      { name: 'Payload/Sample.app/Harbour60x60@3x.png', data: drawIcon(180) },
      filler('Payload/Sample.app/tides.data'),
    ],
  });
}

/** The app as an .apk, signed by scheme v2. */
export function buildSampleApk(wishes: SampleWishes = {}): Buffer {
  const { name, bundleIdentifier, version, build } = { ...sampleApp, ...wishes };
  const table = buildResourceTable([
    { id: sampleResources.label, value: name },
    { id: sampleResources.icon, value: 'res/icon.png', density: 640 },
  ]);
  return buildApk({
    packageName: bundleIdentifier,
    versionName: version,
    versionCode: Number(build),
    table,
    icon: drawIcon(192),
    parts: [filler('assets/tides.data')],
  });
}

type Color = readonly [red: number, green: number, blue: number];

const SAMPLES = 3;

/** A sun over two waves. */
function drawIcon(size: number): Buffer {
  const rows: Buffer[] = [];
  for (let y = 0; y < size; y += 1) {
    const row = [0];
    for (let x = 0; x < size; x += 1) row.push(...blend(x, y, size), 255);
    rows.push(Buffer.from(row));
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, 6, 0, 0, 0], 8);
  return assemblePng([
    ['IHDR', header],
    ['IDAT', deflateSync(Buffer.concat(rows))],
    ['IEND', Buffer.alloc(0)],
  ]);
}

/** The mean of several points inside one pixel, so that edges are smooth. */
function blend(x: number, y: number, size: number): number[] {
  const sum = [0, 0, 0];
  for (let point = 0; point < SAMPLES * SAMPLES; point += 1) {
    const inX = ((point % SAMPLES) + 0.5) / SAMPLES;
    const inY = (Math.floor(point / SAMPLES) + 0.5) / SAMPLES;
    const color = colorAt((x + inX) / size, (y + inY) / size);
    for (const [channel, value] of color.entries()) sum[channel] = (sum[channel] ?? 0) + value;
  }
  return sum.map((value) => Math.round(value / SAMPLES ** 2));
}

/** Color of a point of the icon, both coordinates from 0 to 1. */
function colorAt(x: number, y: number): Color {
  if (y > 0.76 + 0.04 * Math.sin(x * 12.6)) return [9, 74, 110];
  if (y > 0.6 + 0.04 * Math.sin(x * 12.6 + 2)) return [22, 128, 160];
  if (Math.hypot(x - 0.5, y - 0.5) < 0.24) return [255, 226, 150];
  return [247, 148 + 40 * y, 92 + 60 * y];
}
