// Detects image formats and reads their dimensions. Never decodes pixels.

export interface ImageHeader {
  readonly contentType: 'image/png' | 'image/webp' | 'image/jpeg';
  readonly width: number;
  readonly height: number;
}

const pngSignature = '89504e470d0a1a0a';

export function isPng(bytes: Buffer): boolean {
  return bytes.length > 8 && bytes.toString('hex', 0, 8) === pngSignature;
}

/** Returns the format and dimensions of a PNG (plain or crushed), WebP or JPEG; null for other data. */
export function readImageHeader(bytes: Buffer): ImageHeader | null {
  if (isPng(bytes)) return readPng(bytes);
  if (bytes.length >= 30 && bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP') {
    return readWebp(bytes);
  }
  if (bytes.length > 4 && bytes.readUInt16BE(0) === 0xffd8) return readJpeg(bytes);
  return null;
}

function header(contentType: ImageHeader['contentType'], width: number, height: number): ImageHeader | null {
  return width > 0 && height > 0 ? { contentType, width, height } : null;
}

function readPng(bytes: Buffer): ImageHeader | null {
  // Crushed images have a CgBI chunk before IHDR, so IHDR is the first or second chunk.
  const first = bytes.toString('latin1', 12, 16);
  const start = first === 'IHDR' ? 8 : first === 'CgBI' ? 20 + bytes.readUInt32BE(8) : bytes.length;
  if (start + 24 > bytes.length || bytes.toString('latin1', start + 4, start + 8) !== 'IHDR') return null;
  return header('image/png', bytes.readUInt32BE(start + 8), bytes.readUInt32BE(start + 12));
}

function readWebp(bytes: Buffer): ImageHeader | null {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      if (bytes.readUIntBE(23, 3) !== 0x9d012a) return null;
      return header('image/webp', bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff);
    case 'VP8L': {
      if (bytes.readUInt8(20) !== 0x2f) return null;
      const bits = bytes.readUInt32LE(21);
      return header('image/webp', (bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
    }
    case 'VP8X':
      return header('image/webp', bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1);
    default:
      return null;
  }
}

function readJpeg(bytes: Buffer): ImageHeader | null {
  let offset = 2;
  while (offset + 9 < bytes.length && bytes.readUInt8(offset) === 0xff) {
    const marker = bytes.readUInt8(offset + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return header('image/jpeg', bytes.readUInt16BE(offset + 7), bytes.readUInt16BE(offset + 5));
    if (marker === 0xff) offset += 1;
    else offset += 2 + Math.max(2, bytes.readUInt16BE(offset + 2));
  }
  return null;
}
