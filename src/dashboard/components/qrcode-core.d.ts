// The core of qrcode without its renderers, which the package's types don't declare.
declare module 'qrcode/lib/core/qrcode.js' {
  import type { QRCode, QRCodeOptions } from 'qrcode';

  const library: { create(text: string, options?: QRCodeOptions): QRCode };
  export default library;
}
