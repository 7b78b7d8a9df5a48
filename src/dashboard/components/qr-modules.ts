// The modules of a QR code. Loaded lazily, because few pages show one.
import QrLibrary from 'qrcode/lib/core/qrcode.js';

export interface QrModules {
  size: number;
  isDark(row: number, column: number): boolean;
}

/** Encodes a text of at most about 2,000 bytes. */
export function create(text: string): QrModules {
  const { modules } = QrLibrary.create(text, { errorCorrectionLevel: 'M' });
  return { size: modules.size, isDark: (row, column) => modules.get(row, column) !== 0 };
}
