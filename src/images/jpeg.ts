// JPEG (ITU-T T.81): the marker segments up to the end of the image. Phones append other data, which is ignored.
import { checkSides, damaged, type Sides, UnusableImage } from './limits.ts';

const START = 0xd8;
const END = 0xd9;
const SCAN = 0xda;
/** Baseline, extended and progressive: the kinds that browsers support. */
const FRAMES = [0xc0, 0xc1, 0xc2];
const OTHER_FRAMES = [0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf];
const COMPONENTS = [1, 3, 4];
/** Each scan of a progressive image covers the whole image. */
const MAX_SCANS = 100;

/** Returns the sides. Throws UnusableImage unless the image has one frame, its scans and an end. */
export function checkJpeg(bytes: Buffer): Sides {
  let offset = 2;
  let sides: Sides | undefined;
  let scans = 0;
  for (;;) {
    const marker = bytes[offset + 1] ?? END;
    if (offset + 2 > bytes.length || bytes[offset] !== 0xff) throw damaged();
    if (marker === 0xff) {
      offset += 1;
      continue;
    }
    if (marker === END && scans > 0 && sides !== undefined) return sides;
    if (marker === START || marker === END || marker < 0xc0) throw damaged();
    const length = offset + 4 <= bytes.length ? bytes.readUInt16BE(offset + 2) : 0;
    if (length < 2 || offset + 2 + length > bytes.length) throw damaged();
    const segment = bytes.subarray(offset + 4, offset + 2 + length);
    offset += 2 + length;
    if (FRAMES.includes(marker)) {
      if (sides !== undefined) throw damaged();
      sides = checkFrame(segment);
    } else if (OTHER_FRAMES.includes(marker)) {
      throw new UnusableImage("is a JPEG of a kind that browsers don't support");
    } else if (marker === SCAN) {
      scans += 1;
      if (sides === undefined) throw damaged();
      if (scans > MAX_SCANS) throw new UnusableImage(`has more than ${MAX_SCANS} scans`);
      offset = findScanEnd(bytes, offset);
    }
  }
}

function checkFrame(segment: Buffer): Sides {
  if (segment.length < 6) throw damaged();
  const [depth, components = 0] = [segment[0], segment[5]];
  if (depth !== 8 || !COMPONENTS.includes(components) || segment.length !== 6 + 3 * components) throw damaged();
  return checkSides(segment.readUInt16BE(3), segment.readUInt16BE(1));
}

/** Returns the offset of the next marker after coded data, in which 0xff only precedes a zero or a restart marker. */
function findScanEnd(bytes: Buffer, start: number): number {
  for (let offset = start; offset + 1 < bytes.length; offset += 1) {
    if (bytes[offset] !== 0xff) continue;
    const next = bytes[offset + 1] ?? 0;
    const isData = next === 0 || next === 0xff || (next >= 0xd0 && next <= 0xd7);
    if (!isData) return offset;
  }
  throw damaged();
}
