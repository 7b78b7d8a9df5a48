// How the pixels of a PNG are laid out (ISO/IEC 15948): the header, the passes of an interlaced image, rows and their filters.

export interface PngLayout {
  readonly width: number;
  readonly height: number;
  readonly bitDepth: number;
  readonly colorType: number;
  /** Samples per pixel. */
  readonly samples: number;
  readonly isInterlaced: boolean;
}

/** The size of a pass in pixels. */
export interface PngPass {
  readonly columns: number;
  readonly rows: number;
}

const HEADER_SIZE = 13;

/** Samples per pixel by color type, and the valid bit depths (section 11.2.1). */
const COLOR_TYPES: Readonly<Record<number, { samples: number; depths: readonly number[] }>> = {
  0: { samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { samples: 3, depths: [8, 16] },
  3: { samples: 1, depths: [1, 2, 4, 8] },
  4: { samples: 2, depths: [8, 16] },
  6: { samples: 4, depths: [8, 16] },
};

/** Offset and step of the pixels in each of the seven passes of an interlaced image, horizontally and vertically (section 8.2). */
const PASSES = [
  [0, 8, 0, 8],
  [4, 8, 0, 8],
  [0, 4, 4, 8],
  [2, 4, 0, 4],
  [0, 2, 2, 4],
  [1, 2, 0, 2],
  [0, 1, 1, 2],
] as const;

/** Reads the data of an IHDR chunk. Returns null if it is invalid. The size isn't limited here. */
export function readPngLayout(header: Buffer | undefined): PngLayout | null {
  if (header?.length !== HEADER_SIZE) return null;
  const [bitDepth = 0, colorType = 0, compression, filter, interlace = 2] = header.subarray(8);
  const color = COLOR_TYPES[colorType];
  // The bit depth multiplies the size, so an invalid one would make a small image huge.
  if (!color?.depths.includes(bitDepth) || compression !== 0 || filter !== 0 || interlace > 1) return null;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  return { width, height, bitDepth, colorType, samples: color.samples, isInterlaced: interlace === 1 };
}

/** Returns the bytes of a row without its filter byte. */
export function bytesPerRow(columns: number, { bitDepth, samples }: PngLayout): number {
  return Math.ceil((columns * bitDepth * samples) / 8);
}

/** Returns the size of each pass that has pixels: one, or up to seven if the image is interlaced. */
export function passesOf({ width, height, isInterlaced }: PngLayout): PngPass[] {
  if (!isInterlaced) return [{ columns: width, rows: height }];
  return PASSES.map(([left, across, top, down]) => ({
    columns: Math.ceil(Math.max(0, width - left) / across),
    rows: Math.ceil(Math.max(0, height - top) / down),
  })).filter(({ columns, rows }) => columns > 0 && rows > 0);
}

/** Returns the size of all rows in bytes, each with its filter byte. */
export function bytesOfRows(layout: PngLayout): number {
  return passesOf(layout).reduce((total, { columns, rows }) => total + rows * (1 + bytesPerRow(columns, layout)), 0);
}

/**
 * Removes the filter of a row in place (section 9.2). `above` is the previous row without its filter, or zeros for the first one.
 * Returns false for an unknown filter.
 */
export function undoFilter(filter: number, row: Buffer, above: Buffer, { bitDepth, samples }: PngLayout): boolean {
  if (filter > 4) return false;
  if (filter === 0) return true;
  const step = Math.max(1, (bitDepth * samples) >> 3);
  for (let at = 0; at < row.length; at += 1) {
    const left = at >= step ? (row[at - step] ?? 0) : 0;
    const up = above[at] ?? 0;
    const corner = at >= step ? (above[at - step] ?? 0) : 0;
    const guess = filter === 1 ? left : filter === 2 ? up : filter === 3 ? (left + up) >> 1 : paeth(left, up, corner);
    row[at] = ((row[at] ?? 0) + guess) & 0xff;
  }
  return true;
}

function paeth(left: number, up: number, corner: number): number {
  const byLeft = Math.abs(up - corner);
  const byUp = Math.abs(left - corner);
  const byCorner = Math.abs(left + up - 2 * corner);
  if (byLeft <= byUp && byLeft <= byCorner) return left;
  return byUp <= byCorner ? up : corner;
}
