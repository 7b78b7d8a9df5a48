// The core of qrcode without its ways to draw, which its types do not name.
declare module 'qrcode/lib/core/qrcode.js' {
  import type { QRCode, QRCodeOptions } from 'qrcode';

  const library: { create(text: string, options?: QRCodeOptions): QRCode };
  export default library;
}
